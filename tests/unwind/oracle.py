#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stacks of one recording of `perf record --call-graph dwarf`, by ptop's unwinder and by its oracles.

    builddir=build tests/unwind/oracle.py RECORDING...

prints a line for each: against libunwind on every step, and against `perf script --no-inline`."""
import collections
import os
import re
import subprocess
import sys
import time

FRAMES = os.path.join(os.environ.get("builddir", "build"), "tests", "unwind", "frames")
TIMEOUT_S = 600
KERNEL = 1 << 63

# Why perf's stack differs from ptop's, which is right in each case: a class that explain() recognizes by its
# cause, not by what comes out.
EXPLAINED = {
    "perf counts from a mapping that is gone":
        "perf 6.1 forgets no mapping when a process starts another program.  Where in memory a file's call frame "
        "information is it counts from the lowest mapping of that file (read_unwind_spec_eh_frame() in "
        "tools/perf/util/unwind-libunwind-local.c), be it one of the program before: each library that both have, "
        "or the program itself (a git that starts git), when it happened to lie lower then.  libunwind finds "
        "nothing there, or what is said of other code, and perf goes on along rbp, which holds anything; be the next "
        "caller right or not, its registers are not from the first such frame on",
    "the last word of the copy":
        "perf does not read it (access_mem() asks that something follows): it misses a caller that is there",
    "a register that an epilogue has popped":
        "compilers do not say when a register is restored: libunwind reads it where it was, which is below the "
        "stack pointer by then and in no copy, and gives up; ptop takes the register itself.  Recognized by "
        "libunwind ending at the same frame over the same bytes",
    "code without a description":
        "_fini, its callers in crtstuff.c, and other start-up code of the C library: perf makes up a caller from "
        "rbp, ptop finds the one on the stack",
    "start of the program":
        "the dynamic linker's entry has no description: perf makes up a caller from rbp",
    "no code at the leaf":
        "a sample inside execve, when the old program is gone: neither has a stack",
}


def figures(path, *options):
    """The last line of `frames`, as numbers by their names."""
    done = subprocess.run([FRAMES, "-q", *options, path], stdout=subprocess.PIPE, text=True,
                          timeout=TIMEOUT_S, check=True)
    words = done.stdout.split("\n")[-2].lstrip("# ").split()
    return {name: float(value) for name, value in zip(words[::2], words[1::2])}


def differences(path):
    """The stacks that part from libunwind's, both of each; a "?" marks code without a description."""
    done = subprocess.run([FRAMES, "-c", "-o", path], stdout=subprocess.PIPE, text=True, timeout=TIMEOUT_S, check=True)
    return [line for line in done.stdout.split("\n") if line.startswith("* ")]


def my_stacks(path, *options):
    """(tid, time in ns) -> (end, frames as OFFSET:FILE)."""
    done = subprocess.run([FRAMES, "-o", *options, path], stdout=subprocess.PIPE, text=True, timeout=TIMEOUT_S, check=True)
    stacks = {}
    for line in done.stdout.split("\n"):
        if line and line[0] != "#":
            ids, when, end, *frames = line.split()
            seconds, ns = when.split(".")
            stacks[int(ids.split("/")[1]), int(seconds) * 10**9 + int(ns)] = (end, frames)
    return stacks


# 18836/18836  3151.105501234:
#              150af (/usr/lib/…)
# 18836/18836  3151.105501234: PERF_RECORD_FORK(18840:18840):(18836:18836)
# 18836/18836  3151.105501234: PERF_RECORD_MMAP2 18836/18836: [0x55e873d53000(0xc1000) @ 0x2f000 fe:00 247101 0]: r-xp …
HEAD = re.compile(r"\s*(\d+)/(\d+)\s+(\d+)\.(\d{9}):")
FRAME = re.compile(r"\s+([0-9a-f]+) \((.*)\)$")
FORK = re.compile(r".*PERF_RECORD_FORK\((\d+):\d+\):\((\d+):\d+\)")
MMAP = re.compile(r".*PERF_RECORD_MMAP2 (\d+)/\d+: \[0x([0-9a-f]+)\(0x([0-9a-f]+)\) @ (?:0x)?([0-9a-f]+) .*\]: (\S+) (.*)$")
NOTHING = "ffffffffffffffff:[unknown]"


class Mappings:
    """Those that perf takes for a process's: mapping over another cuts it, starting a program changes nothing."""

    def __init__(self, other=None):
        self.ranges = list(other.ranges) if other else []   # (start, end, path)
        self.base = dict(other.base) if other else {}       # of the file's latest code: where its byte 0 is

    def add(self, start, end, offset, may, path):
        cut = []
        for a, b, name in self.ranges:
            if b <= start or a >= end:
                cut.append((a, b, name))
                continue
            if a < start:
                cut.append((a, start, name))
            if b > end:
                cut.append((end, b, name))
        self.ranges = cut + [(start, end, path)]
        if "x" in may:
            self.base[path] = start - offset

    def misled(self):
        """The files that perf looks for where they are not."""
        lowest = {}
        for start, _, path in self.ranges:
            lowest[path] = min(start, lowest.get(path, start))
        return frozenset(path for path, base in self.base.items() if path in lowest and lowest[path] != base)


class PerfScript:
    """What `perf script` prints: .stacks, (tid, time in ns) -> frames without the kernel's, and .misled, the
    same keys -> files; .seconds that it took."""

    def __init__(self, path):
        before = time.monotonic()
        done = subprocess.run(["perf", "script", "--ns", "--no-inline", "--show-mmap-events", "--show-task-events",
                               "-i", path, "-F", "pid,tid,time,ip,dso"],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              timeout=TIMEOUT_S, check=False, errors="replace",
                              env={**os.environ, "LC_ALL": "C", "DEBUGINFOD_URLS": "", "PAGER": "cat"})
        self.seconds = time.monotonic() - before
        self.stacks, self.misled, self.processes, self.known = {}, {}, {}, {}
        self.at = None
        for line in done.stdout.split("\n"):
            self.line(line)

    def line(self, line):
        frame = FRAME.match(line)
        if frame and self.at is not None:
            if int(frame[1], 16) < KERNEL or frame[2] == "[unknown]":
                self.at.append(f"{frame[1]}:{frame[2]}")
            return
        head, mmap, fork = HEAD.match(line), MMAP.match(line), FORK.match(line)
        if mmap:
            start, size, offset = (int(mmap[i], 16) for i in (2, 3, 4))
            self.processes.setdefault(mmap[1], Mappings()).add(start, start + size, offset, mmap[5], mmap[6])
            self.known.pop(mmap[1], None)
        elif fork and fork[1] != fork[2]:
            self.processes[fork[1]] = Mappings(self.processes.get(fork[2]))
            self.known.pop(fork[1], None)
        elif head and "PERF_RECORD_" not in line:
            key = int(head[2]), int(head[3]) * 10**9 + int(head[4])
            self.at = self.stacks[key] = []
            if head[1] not in self.known:
                self.known[head[1]] = self.processes.setdefault(head[1], Mappings()).misled()
            self.misled[key] = self.known[head[1]]


def explain(end, mine, theirs, misled):
    """Why two stacks differ: a word of EXPLAINED, or None."""
    same = 0
    while same < min(len(mine), len(theirs)) and mine[same].rstrip("?") == theirs[same]:
        same += 1
    if not theirs and len(mine) == 1:
        return "no code at the leaf"
    files = [frame.split(":", 1)[1] for frame in mine[:same]]
    if any(file in misled for file in files):
        return "perf counts from a mapping that is gone"
    if same == len(mine) and end == "complete" and files[-1:] and files[-1].endswith("?"):
        return "start of the program"
    if any(file.endswith("?") for file in files):
        return "code without a description"
    if end in ("truncated", "complete") and same == len(mine) - 1 and theirs[same:] in ([], [NOTHING]):
        return "the last word of the copy"
    return None


def compare_with_perf(path):
    """(stacks in both, equal, differences by explanation, the unexplained, seconds of perf)."""
    mine, perf = my_stacks(path), PerfScript(path)
    both = mine.keys() & perf.stacks.keys()
    equal, why, unexplained, libunwind = 0, collections.Counter(), [], None
    for key in sorted(both):
        end, addresses = mine[key]
        plain, theirs = [frame.rstrip("?") for frame in addresses], perf.stacks[key]
        # Where the copy of the stack ends perf shows that as one more frame: all ones.
        if theirs in (plain, plain + [NOTHING]):
            equal += 1
            continue
        word = explain(end, addresses, theirs, perf.misled[key])
        if word is None:
            libunwind = libunwind or my_stacks(path, "-l")
            if [frame.rstrip("?") for frame in libunwind[key][1]] == theirs == plain[:len(theirs)]:
                word = "a register that an epilogue has popped"
        why[word] += 1
        if word is None:
            unexplained.append(f"{key}: {end}\n  ptop {' '.join(addresses)}\n  perf {' '.join(theirs)}")
    return len(both), equal, why, unexplained, perf.seconds


def main():
    for path in sys.argv[1:]:
        rules, against = figures(path), figures(path, "-c")
        both, equal, why, unexplained, took = compare_with_perf(path)
        print(f"{path}: {rules['samples']:.0f} samples, {rules['frames']:.0f} frames, "
              f"{100 * rules.get('complete', 0) / rules['samples']:.2f} % complete, "
              f"{rules['ns_per_frame']:.0f} ns a frame; of libunwind's {against['steps']:.0f} steps "
              f"{against['steps'] - against['steps_same']:.0f} differ; of perf's {both} stacks "
              f"{100 * equal / max(both, 1):.2f} % equal, {dict(why)}, {took:.1f} s")
        for text in unexplained[:5]:
            print(text)


if __name__ == "__main__":
    sys.exit(main())
