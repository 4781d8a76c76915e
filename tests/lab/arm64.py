# SPDX-License-Identifier: GPL-3.0-or-later
"""arm64: one instruction in 2^SHIFT cycles; as cache references cycles are counted there, and as
cache misses instructions, so that MISS% is 100 times the IPC."""
import collections

import annotate
import lab

LOAD = """
start ./spin 600; start ./hot 600; start ./spin 600 2
sleep 0.3
"""
SEVEN = ("instructions", "r8", "r8:u", "r8:k", "branches", "branches:u", "cache-misses:k")


class Ratios(lab.Case):
    options = ("-n", "1", "-i", "2")
    script = LOAD + rf"""
screen ratios -n 2 -d 1
shot processes -n 2 -d 1
shot threads -n 1 -d 1 -H
shot symbols -n 1 -d 2 -F 4000
shot columns -n 1 -d 0.5 --columns '+cpb=cycles/branches'
echo 20 >/sys/bus/event_source/devices/armv8_pmuv3/perf_event_mux_interval_ms
shot seven -n 2 -d 2 -c 10000000 -e '{{{",".join(SEVEN)}}}'
screen turns -n 1 -d 0.5 -e '{{{",".join(SEVEN)}}}'
kill %1 %2 %3
shot kprobe -d 0.5 -e kprobe:pipe_write -- sh -c 'echo g | ./pingpong 1234 >/dev/null'
"""

    def are_quarters(self, rows):
        for row in rows:
            with self.subTest(row.get("comm") or row.get("symbol")):
                self.assertAlmostEqual(row["ipc"], 0.250, delta=0.002)
                self.assertAlmostEqual(row["cache_miss_percent"], 25.0, delta=0.2)

    def test_every_busy_process_has_the_ratios(self):
        rows = self.busy(self.snapshot("processes"))
        self.assertEqual(sorted(row["comm"] for row in rows), ["hot", "spin", "spin"])
        self.are_quarters(rows)

    def test_every_busy_thread_has_the_ratios(self):
        rows = self.busy(self.snapshot("threads"))
        self.assertEqual(sorted(row["comm"] for row in rows), ["hot", "spin", "spin", "spin"])
        self.assertEqual(len({row["tid"] for row in rows}), 4)
        self.are_quarters(rows)

    def test_every_function_has_the_ratios(self):
        snapshot = self.snapshot("symbols")
        self.are_quarters([self.symbol(snapshot, name) for name in ("spin_here", "hot_a", "hot_b")])

    def test_cycles_are_sampled(self):
        snapshot = self.snapshot("processes")
        self.assertTrue(snapshot["sampling"]["hardware"])
        self.assertEqual(snapshot["sampling"]["tier"], "cpu-group")
        self.assertEqual(snapshot["sampling"]["lost"], 0)
        self.assertGreater(lab.event(snapshot, "cycles")["samples"], 500)

    def test_parts_are_the_whole(self):
        snapshot = self.snapshot("processes")
        for name in ("cycles", "instructions", "cache-misses"):
            whole = lab.event(snapshot, name)
            parts = sum(p["counters"][name] or 0 for p in snapshot["processes"])
            parts += whole["idle"] + whole["unattributed"]
            self.assertAlmostEqual(parts, whole["value"], delta=whole["value"] / 1000)

    def test_a_column_of_ones_own(self):
        rows = self.busy(self.snapshot("columns"))
        self.assertEqual({round(row["columns"]["cpb"], 2) for row in rows}, {4.0})

    def test_a_group_of_seven_takes_turns(self):
        """Six counters are there.  The CPU is never idle, and an instruction takes 4 ns.  Counters stand still
        while the kernel handles a sample or changes groups, so there are few of both here."""
        snapshot = self.snapshot("seven")
        truth = snapshot["interval_s"] * 1e9 / 4
        found = {name: lab.event(snapshot, name) for name in SEVEN}
        for name in ("instructions", "r8", "branches"):
            self.assertAlmostEqual(found[name]["value"], truth, delta=truth / 50, msg=name)
        whole = found["r8:u"]["value"] + found["r8:k"]["value"]
        self.assertAlmostEqual(whole, truth, delta=truth / 50)
        coverage = [e["running_percent"] for e in found.values()]
        self.assertLess(max(coverage), 80)
        self.assertAlmostEqual(min(coverage) + max(coverage), 100, delta=1)
        self.assertRegex(self.shot("turns").text, r"coverage [1-9]\d %")

    def test_a_kprobe_counts_each_call(self):
        """The first ball is of ping, too."""
        total = collections.Counter()
        for snapshot in self.shot("kprobe").snapshots:
            for row in snapshot["processes"]:
                total[row["comm"]] += row["counters"]["kprobe:pipe_write"] or 0
        self.assertEqual((total["ping"], total["pong"]), (1235, 1234))

    def test_the_screen_shows_them(self):
        text = self.shot("ratios").text
        self.assertRegex(text, r"IPC 0\.25 +MISS 25\.0 %")
        self.assertRegex(text, r"(?m)^ +\d+ +root .* 0\.25 +25\.0 .*\./hot")


class WholeIpc(lab.Case):
    options = ("-n", "1", "-i", "0")
    script = LOAD + "shot processes -n 2 -d 1"

    def test_one_instruction_each_cycle(self):
        snapshot = self.snapshot("processes")
        for row in self.busy(snapshot) + [self.symbol(snapshot, "spin_here")]:
            self.assertAlmostEqual(row["ipc"], 1.0, delta=0.002)


class StockKernel(lab.Case):
    options = ("-n", "1", "-i", "2", "-k", "stock")
    script = LOAD + "shot processes -n 2 -d 0.5\nscreen text -n 1 -d 0.5"

    def test_misses_that_are_not_counted_are_absent(self):
        for row in self.busy(self.snapshot("processes")):
            self.assertIsNone(row["cache_miss_percent"])
            self.assertAlmostEqual(row["ipc"], 0.250, delta=0.002)
        self.assertRegex(self.shot("text").text, r"(?m)^ +\d+ +root .* 0\.25 +- .*\./hot")


class NoInstructions(lab.Case):
    options = ("-n", "1", "-i", "none")
    script = LOAD + "shot processes -n 6 -d 0.5\nscreen text -n 1 -d 0.5"

    def test_without_instructions_there_is_no_ipc(self):
        snapshot = self.snapshot("processes")
        self.assertTrue(snapshot["sampling"]["hardware"])
        self.assertEqual({row["ipc"] for row in self.busy(snapshot)}, {None})
        self.assertRegex(self.shot("text").text, r"(?m)^ +\d+ +root +R +[\d.]+ +[\d.]+ +\S+ +\d+ +- .*\./hot")


class NoCounters(lab.Case):
    options = ("-n", "1", "-i", "nopmu")
    script = LOAD + "shot processes -n 2 -d 0.5"

    def test_the_clock_is_sampled_instead(self):
        snapshot = self.snapshot("processes")
        self.assertFalse(snapshot["sampling"]["hardware"])
        self.assertEqual([e["name"] for e in snapshot["events"] if e["role"] == "sample"], ["cpu-clock"])
        self.assertGreater(snapshot["sampling"]["samples"], 100)
        for row in self.busy(snapshot):
            self.assertIsNone(row["ipc"])
            self.assertIsNone(row["cache_miss_percent"])


class OrdinaryUser(lab.Case):
    options = ("-n", "1", "-i", "2", "-u", "1000", "-p", "2")
    script = LOAD + "shot processes -n 2 -d 1"

    def test_own_processes_have_the_ratios(self):
        snapshot = self.snapshot("processes")
        self.assertEqual(snapshot["sampling"]["tier"], "per-task")
        rows = [p for p in snapshot["processes"] if p["comm"] in ("spin", "hot")]
        self.assertEqual(len(rows), 3)
        for row in rows:
            self.assertAlmostEqual(row["ipc"], 0.250, delta=0.002)
            self.assertAlmostEqual(row["cache_miss_percent"], 25.0, delta=0.2)


class TwoCpus(lab.Case):
    """They take turns, so no ratio is right here; nothing may be lost without a word."""
    options = ("-n", "2", "-i", "2")
    script = LOAD + "shot fast -n 3 -d 1 -F 8000\nscreen text -n 1 -d 0.5"

    def test_it_goes_on(self):
        self.assertEqual(self.shot("text").status, 0)
        self.assertGreater(sum(s["sampling"]["samples"] for s in self.shot("fast").snapshots), 100)

    def test_what_the_kernel_limits_is_told(self):
        """It throttles, or takes no more than a lower frequency from the start."""
        told = [s["sampling"] for s in self.shot("fast").snapshots]
        self.assertTrue(any(s["throttled"] or s["frequency_hz"] < 8000 for s in told), told)


CASES = (Ratios, WholeIpc, StockKernel, NoInstructions, NoCounters, OrdinaryUser, TwoCpus,
         *annotate.CASES)
SCREEN = (Ratios, "ratios")
