# SPDX-License-Identifier: GPL-3.0-or-later
"""ptop for a long time on a machine that never rests: what it holds must not grow.

The load compiles without an end, beside processes that sleep.  Each look reads, from /proc, what ptop and the processes
that it started hold; the screen tells what was lost."""
import contextlib
import os
import re
import statistics
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in ("live", "ui", "model"):
    sys.path.insert(0, os.path.join(HERE, "..", folder))

import live  # noqa: E402
import ptyscreen  # noqa: E402
import walk  # noqa: E402

LOOK_S = 1
MEMORY_MIB = 320	# of all processes of ptop
SPREAD_PERCENT = 5		# of the memory, from SETTLED_S on
SETTLED_S = 300
DESCRIPTORS = 8		# those of files that are being read come and go
SILENCE_S = 10		# at most, between two screens


class Look:
    """What ptop holds at a moment."""

    def __init__(self, pid, screen, at_s):
        family = live.descendants(pid)
        self.at_s = at_s
        self.processes = len(family)
        self.memory = sum(map(live.resident_mib, family))
        self.descriptors = descriptors(pid)
        self.threads = entries(f"/proc/{pid}/task")
        self.zombies = sum(state_of(child) == "Z" for child in family)
        self.cpu_s = live.ticks_of(live.stat_of(pid)[1]) / live.TICKS
        found = re.search(r"lost ((?:\d[\d ]* of )?\d[\d ]*)", screen)
        self.lost = found.group(1).strip() if found else "-"
        found = re.search(r"(?m)^ (\d\d:\d\d:\d\d) .* (\d\d:\d\d:\d\d)$", screen)
        begin, end = map(walk.seconds_of, found.groups()) if found else (0, 0)
        self.past_s = (end - begin) % 86400


def entries(path):
    with contextlib.suppress(OSError):
        return len(os.listdir(path))
    return 0


def descriptors(pid):
    """Those of files of processes that run on are not among them: they are as many as these."""
    folder, count = f"/proc/{pid}/fd", 0
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            with contextlib.suppress(OSError):
                count += not re.match(r"/proc/\d+/", os.readlink(os.path.join(folder, name)))
    return count


def state_of(pid):
    return (live.stat_of(pid)[1] or "-")[0]


@contextlib.contextmanager
def load(where, sleepers):
    """Compilers without an end beside so many sleepers."""
    with live.workload("sleepers", sleepers):
        compilers = walk.led(["sh", "-c", walk.small_tree(where)], where)
        try:
            yield
        finally:
            walk.ended(compilers)


def looks_at(program, seconds, report, every_s):
    """A look a second, of which each EVERY_S one is told."""
    found, began_s, told_s, drawn_s, longest_s = [], time.monotonic(), 0, time.monotonic(), 0
    while (now_s := time.monotonic()) < began_s + seconds:
        if program.read(LOOK_S):
            longest_s, drawn_s = max(longest_s, time.monotonic() - drawn_s), time.monotonic()
        if found and now_s - began_s < found[-1].at_s + LOOK_S:
            continue
        look = Look(program.pid, program.screen.text(), now_s - began_s)
        found.append(look)
        if look.at_s >= told_s:
            told_s += every_s
            report(f"{look.at_s:6.0f} s  {look.memory:6.1f} MiB  {look.descriptors:4} descriptors  "
                   f"{look.threads:3} threads  {look.processes:3} processes  {look.cpu_s:7.2f} s of CPU  "
                   f"past {look.past_s:4} s  lost {look.lost}", flush=True)
    return found, max(longest_s, time.monotonic() - drawn_s)


def median(looks, what):
    return statistics.median(getattr(look, what) for look in looks)


def judged(looks, silence_s):
    """What is wrong, a line each."""
    early, late = looks[len(looks) // 4:len(looks) // 2], looks[-len(looks) // 4:]
    if silence_s > SILENCE_S:
        yield f"nothing was drawn for {silence_s:.1f} s"
    if median(late, "zombies"):
        yield "ended children are not waited for"
    for what, more in (("descriptors", DESCRIPTORS), ("threads", 2), ("processes", 8)):
        if median(late, what) > median(early, what) + more:
            yield f"{what}: {median(early, what)} grew to {median(late, what)}"
    most = max(look.memory for look in looks)
    if most > MEMORY_MIB:
        yield f"memory: {most:.0f} MiB is over {MEMORY_MIB}"
    settled = [look for look in looks if look.at_s >= SETTLED_S]
    parts = [settled[at:at + 60] for at in range(0, len(settled) - 59, 60)]
    medians = [median(part, "memory") for part in parts]
    if medians and max(medians) - min(medians) > 2 * SPREAD_PERCENT / 100 * statistics.mean(medians):
        yield f"memory: {min(medians):.1f} to {max(medians):.1f} MiB after {SETTLED_S} s"


def soak(minutes, sleepers, options=("-g",), report=print):
    """Runs ptop for that long: a list of what is wrong."""
    with tempfile.TemporaryDirectory(prefix="ptop-soak-") as where, load(where, sleepers):
        program = ptyscreen.Program([os.path.abspath(live.PTOP), *options], 160, 50, TZ="UTC", XDG_CONFIG_HOME=where)
        try:
            program.wait(lambda s: s.text().strip(), "anything")
            found, silence_s = looks_at(program, minutes * 60, report, max(5, minutes * 2))
            family = live.descendants(program.pid)
        finally:
            program.close()
        wrong = list(judged(found, silence_s))
        # A child that is told to end may need a moment.
        end_s = time.monotonic() + live.DEADLINE_S
        while any(state_of(pid) not in "-Z" for pid in family) and time.monotonic() < end_s:
            time.sleep(0.05)
        left = [pid for pid in family if state_of(pid) not in "-Z"]
        report(f"the longest time without a screen: {silence_s:.1f} s")
        return wrong + [f"process {pid} is left" for pid in left]
