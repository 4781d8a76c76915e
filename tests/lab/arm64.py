# SPDX-License-Identifier: GPL-3.0-or-later
"""arm64: one instruction in 2^SHIFT cycles; as cache references cycles are counted there, and as
cache misses instructions, so that MISS% is 100 times the IPC.  And stacks, of every instruction and of samples."""
import collections
import os
import re
import shutil

import annotate
import lab

LOAD = """
start ./spin 600; start ./hot 600; start ./spin 600 2
sleep 0.3
"""
# Programs whose call path is known, for tests/unwind/test-truth: which compiler, how, of what; the option -t
# where only what is below the program's trap is followed, for each instruction takes a millisecond here.
TRUTH = {
    "gcc-static": ("gcc", "-O3 -static", "calls.c", ""),
    "gcc-shared": ("gcc", "-O2 -DFROM_MAIN", "calls.c", "-t"),
    "gcc-signed": ("gcc", "-O2 -DFROM_MAIN -mbranch-protection=standard -static", "calls.c", "-t"),
    "gcc-stripped": ("gcc", "-O3 -DFROM_MAIN -fPIC -s -static-pie", "calls.c", "-t"),
    "clang-static": ("clang", "-O2 -DFROM_MAIN -static", "calls.c", "-t"),
    "gcc-throws": ("gcc", "-O2 -DONCE -mbranch-protection=standard -static", "throws.cc", "-t"),
    "clang-throws": ("clang", "-O3 -DONCE -static", "throws.cc", "-t"),
}
SOURCES = os.path.join(lab.TOP, "tests", "unwind", "programs")
INNER = ";".join(["stack_inner"] * 5)
MAIN = f"_start;.*;main;stack_outer;{INNER};stack_leaf"
WORKER = "[^;]+;[^;]+;worker;stack_inner;stack_leaf"	# the C library's own functions have no names
SEVEN = ("instructions", "r8", "r8:u", "r8:k", "branches", "branches:u", "cache-misses:k")


class Machine(lab.Machine):
    """With the programs of TRUTH, of the compilers that are there."""
    packages = (*lab.Machine.packages, "libcmocka0")
    libraries = (*lab.Machine.libraries, "libcmocka-dev")
    targets = (*lab.Machine.targets, "tests/unwind/test-truth", "tests/workloads/stack-fp",
               "tests/workloads/stack-leaf", "tests/workloads/stack-nofp")

    def compiler_of(self, name, source):
        """Its command; None when it is not installed.  Only gcc's C is told of the guest's libraries: the
        rest is static, with the libraries that the cross compiler brings."""
        commands = {
            ("gcc", ".c"): self.compiler,
            ("gcc", ".cc"): [f"{self.triplet}-g++"],
            ("clang", ".c"): ["clang", f"--target={self.triplet}"],
            ("clang", ".cc"): ["clang++", f"--target={self.triplet}"],
        }
        command = commands[name, os.path.splitext(source)[1]]
        return command if shutil.which(command[0]) else None

    def compile(self):
        super().compile()
        self.targets = list(self.targets)
        for name, (compiler, flags, source, _) in TRUTH.items():
            command = self.compiler_of(compiler, source)
            if command:
                lab.run([*command, "-fomit-frame-pointer", "-w", "-DSLOW_STEPS", *flags.split(), "-o",
                         os.path.join(self.build, name), os.path.join(SOURCES, source)], lab.BUILD_S)
                self.targets.append(name)


class Paths(lab.Case):
    """Every instruction: how many stacks are whole and right, of all and of each kind."""
    programs = ()

    def prove(self, name):
        if f"== absent {name}" in self.console:
            self.skipTest(f"its compiler, {TRUTH[name][0]}, is not installed")
        shot = self.shot(name)
        print("\n".join(line for line in shot.lines if re.search(r" stacks whole|^  leaf|^  .*% of", line)))
        self.assertEqual(shot.status, 0, shot.text)


class CallPaths(Paths):
    """Return addresses are signed on that CPU, where the program does so."""
    options = ("-n", "1", "-i", "none", "-c", "max,pauth-impdef=on")
    programs = ("gcc-static", "gcc-signed", "clang-static")


class Exceptions(Paths):
    """Thrown, cleaned up after, caught: nobody can tell who called where a library rewrites its own frame.
    Return addresses are signed as above."""
    options = CallPaths.options
    programs = ("gcc-throws", "clang-throws")


class LateBinding(Paths):
    options = ("-n", "1", "-i", "none")
    programs = ("gcc-shared", "gcc-stripped")


def add_proofs(case):
    case.script = "".join(f"""
if [ -e {name} ]; then
    echo "== truth {name}"; ./test-truth {TRUTH[name][3]} {name} 2>&1; echo "== status $?"
else
    echo "== absent {name}"
fi
""" for name in case.programs)
    for name in case.programs:
        setattr(case, f"test_{name}", lambda self, name=name: self.prove(name))


for each in (CallPaths, Exceptions, LateBinding):
    add_proofs(each)


class Stacks(lab.Case):
    """On cycles, by the counter's interrupt: of the samples in the innermost function how many have the whole
    stack that the program knows."""
    options = ("-n", "1", "-i", "2")
    script = "".join(f"""
start ./stack-{build} 600
sleep 0.5
folded {build}-{mode} -n 2 -d 1 -F 1000 -e cycles --call-graph {mode} -p $(pgrep stack-{build})
shot {build}-{mode}-ends -n 2 -d 1 -F 1000 -e cycles --call-graph {mode} -p $(pgrep stack-{build})
kill %%
""" for build, mode in (("nofp", "dwarf"), ("fp", "dwarf"), ("leaf", "fp"), ("leaf", "auto")))

    def prove(self, name):
        """The end of a chain of frame pointers is known by the name of its outermost function."""
        whole = counted = 0
        for line in self.shot(name).lines:
            stack, _, count = line.rpartition(" ")
            if stack.endswith(";stack_leaf"):
                counted += int(count)
                whole += int(count) * bool(re.fullmatch(f"stack-[a-z]*;({MAIN}|{WORKER})", stack))
        sampling = self.shot(name + "-ends").snapshots[-1]["sampling"]
        print(f"{name}: {100 * whole / max(counted, 1):.3f} % of {counted} whole and right, "
              f"{sampling['stacks_complete_percent']:.3f} % of {sampling['samples']} complete {sampling['stack_ends']}")
        self.assertTrue(sampling["hardware"])
        self.assertGreater(counted, 500)
        self.assertGreaterEqual(whole, 0.995 * counted, self.shot(name).text[:2000])
        if name.endswith("-dwarf"):
            self.assertGreaterEqual(sampling["stacks_complete_percent"], 99.5)

    def test_copies_of_the_stack(self):
        self.prove("fp-dwarf")

    def test_copies_without_frame_pointers(self):
        self.prove("nofp-dwarf")

    def test_frame_pointers_but_in_the_leaf(self):
        self.prove("leaf-fp")

    def test_chosen_frame_pointers_but_in_the_leaf(self):
        self.prove("leaf-auto")


class Ratios(lab.Case):
    options = ("-n", "1", "-i", "2")
    script = LOAD + rf"""
screen ratios -n 2 -d 1
shot processes -n 2 -d 1
shot threads -n 2 -d 1 -H
shot symbols -n 1 -d 2 -F 4000
shot columns -n 2 -d 0.5 --columns '+cpb=cycles/branches'
echo 20 >/sys/bus/event_source/devices/armv8_pmuv3/perf_event_mux_interval_ms
shot seven -n 3 -d 2 -c 10000000 -e '{{{",".join(SEVEN)}}}'
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
        while the kernel handles a sample or changes groups, so there are few of both here.  A sample in the kernel
        has its symbols read, which takes more than a second: then the second interval is short, and what is lost at
        each change is more of it: up to 2.3 % was seen.  Counts that were not scaled would be 30 to 70 % short."""
        snapshot = self.snapshot("seven")
        truth = snapshot["interval_s"] * 1e9 / 4
        found = {name: lab.event(snapshot, name) for name in SEVEN}
        for name in ("instructions", "r8", "branches"):
            self.assertAlmostEqual(found[name]["value"], truth, delta=truth / 20, msg=name)
        whole = found["r8:u"]["value"] + found["r8:k"]["value"]
        self.assertAlmostEqual(whole, truth, delta=truth / 20)
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
    """They take turns, so no ratio is right here; nothing may be lost without a word.  An interval takes seconds,
    however short it was asked for."""
    options = ("-n", "2", "-i", "2")
    script = LOAD + "shot fast -n 2 -d 0.3 -F 8000\nscreen text -n 1 -d 0.5"

    def test_it_goes_on(self):
        self.assertEqual(self.shot("text").status, 0)
        self.assertGreater(sum(s["sampling"]["samples"] for s in self.shot("fast").snapshots), 100)

    def test_what_the_kernel_limits_is_told(self):
        """It throttles, or takes no more than a lower frequency from the start."""
        told = [s["sampling"] for s in self.shot("fast").snapshots]
        self.assertTrue(any(s["throttled"] or s["frequency_hz"] < 8000 for s in told), told)


# The longest first: else it runs alone in the end.
CASES = (TwoCpus, Exceptions, Ratios, StockKernel, NoInstructions, *annotate.CASES, WholeIpc, Stacks, LateBinding,
         CallPaths, NoCounters, OrdinaryUser)
SCREEN = (Ratios, "ratios")
