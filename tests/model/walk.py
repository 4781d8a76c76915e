# SPDX-License-Identifier: GPL-3.0-or-later
"""Random walks on the screen of ptop over a mixed load: what may be shown behind each step.

The keys are those of the program's key table.  What cannot be true is told by ptop itself in the header
("impossible", src/profile/invariant.h); what is on the screen is read and judged besides."""
import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in ("live", "ui"):
    sys.path.insert(0, os.path.join(HERE, "..", folder))

import live  # noqa: E402
import ptyscreen  # noqa: E402

DEADLINE_S = 30
KEY_TABLE = os.path.join(HERE, "..", "..", "src", "ui", "key.c")
SEQUENCES = {"KEY_UP": "\x1bOA", "KEY_DOWN": "\x1bOB", "KEY_RIGHT": "\x1bOC", "KEY_LEFT": "\x1bOD",
             "KEY_PPAGE": "\x1b[5~", "KEY_NPAGE": "\x1b[6~", "KEY_HOME": "\x1bOH", "KEY_END": "\x1bOF",
             "KEY_DC": "\x1b[3~", "KEY_BTAB": "\x1b[Z", "KEY_ESC": "\x1b", "KEY_RETURN": "\r",
             "KEY_TABULATOR": "\t", "KEY_F(1)": "\x1bOP", "KEY_F(3)": "\x1bOR", "KEY_F(4)": "\x1bOS",
             "KEY_F(2)": "\x1bOQ", "KEY_F(5)": "\x1b[15~", "KEY_F(6)": "\x1b[17~", "KEY_F(7)": "\x1b[18~",
             "KEY_F(8)": "\x1b[19~", "KEY_F(9)": "\x1b[20~", "KEY_IC": "\x1b[2~", "KEY_CTRL('L')": "\x0c",
             "KEY_CTRL('T')": "\x14", "KEY_CTRL('U')": "\x15"}
LEAVES = {"q", "KEY_F(10)"}
VIEWS, WINDOWS = "0123456789", "[]{}"
TEXTS = ["", "c", "cc1", "libc", "k", "[", "1", "1-60", "root", "0.3", "99", "period=1000", "cpu-migrations",
         "off-cpu", "page-faults", "sched:sched_switch", "nothing-of-that-name", "snapshot.json"]
OPTIONS = [["-g"], [], ["-g", "-d", "0.3"], ["-e", "off-cpu"], ["-g", "--max-overhead", "0.5"], ["-H", "--zero"],
           ["-e", "cpu-clock,page-faults,context-switches"], ["--inline", "-g", "--max-overhead", "10"]]
# The titles of columns that are a share of one whole; %CPU is one of the CPUs.
SHARES = {"%MEM", "SAMPLES%", "OVERHEAD%", "TOTAL%", "SELF%", "COVER%", "IDLE%", "NOBODY%", "OFFCPU%"}
ROUNDING, TICKS_PERCENT = 0.11, 25	# of a delay of 0.3 s: 2 % and two ticks of 10 ms, and rounding


class Failure(Exception):
    """What is wrong, and the screen."""


def table_keys():
    """(name, sequence) of every key in the table, but for those that leave."""
    with open(KEY_TABLE, encoding="utf-8") as f:
        text = f.read()
    table = text[text.index("key_table[] = {"):text.index("{ .act = NULL }")]
    table = table.replace("FUNCTION_KEY(", "KEY_F(")
    found = []
    for row in re.findall(r"^\t\{ \{ (.*?) \}", table, re.MULTILINE):
        for word in re.findall(r"KEY_CTRL\('.'\)|'(?:\\.|[^'])'|KEY_F\(\d+\)|KEY_[A-Z]+(?![A-Z(_])", row):
            name = word[1:-1].replace("\\\\", "\\") if word.startswith("'") else word
            if name not in LEAVES:
                found.append((name, SEQUENCES.get(name, name)))
    strange = [name for name, keys in found if len(name) > 1 and name == keys]
    assert not strange and len(found) > 60, (strange, len(found))
    return found


def roll(dice, keys):
    """One step: (kind, …), the same for the same dice."""
    kind = dice.choices(["key", "view", "window", "text", "size", "click", "look"], [46, 16, 10, 8, 5, 7, 8])[0]
    if kind == "key":
        return ("key", *dice.choice(keys))
    if kind in ("view", "window"):
        key = dice.choice(VIEWS if kind == "view" else WINDOWS)
        return ("key", key, key)
    if kind == "text":
        return ("text", dice.choice(["\\", "/", "p", "u", "a", "d", "P"]), dice.choice(TEXTS), dice.choice("\r\x1b"))
    if kind == "size":
        return ("size", dice.randint(40, 200), dice.randint(10, 60))
    if kind == "click":
        return ("click", dice.randint(0, 59), dice.randint(0, 199))
    return ("look", round(dice.uniform(0.2, 2), 2))


def steps_of(seed, count):
    dice, keys = random.Random(seed), table_keys()
    options = dice.choice(OPTIONS)
    # No random key may end a process of this machine.
    return ["--read-only", *options], [roll(dice, keys) for _ in range(count)]


# The load.

def ended(process):
    """A group of processes that we started, and that PROCESS leads."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def led(command, where):
    return subprocess.Popen(command, cwd=where, start_new_session=True, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def small_tree(where):
    """Sources that take a moment to compile, with a rule for all of them."""
    for i in range(6):
        with open(os.path.join(where, f"part{i}.c"), "w", encoding="ascii") as f:
            f.writelines(f"#include <stdio.h>\nint part{i}_{j}(int n) {{ return n ? n * {j} : printf(\"\"); }}\n"
                         for j in range(200))
    return "while :; do for i in 0 1 2; do cc -O2 -c -o a$i.o part$i.c & cc -g -c -o b$i.o part$((i+3)).c; wait; done; done"


@contextlib.contextmanager
def mixed_load(where):
    """Compilers, a storm of switches, short programs, sleepers, code of a JIT, another profiler."""
    path = live.workload_path
    commands = [[path("sleepers"), "50"], [path("hostile"), "100000"], [path("jit"), where, "100000"],
                ["sh", "-c", f"while :; do {path('short')} 5; {path('short')} 1 & {path('short')} 1; wait; done"]]
    if shutil.which("cc"):
        commands.append(["sh", "-c", small_tree(where)])
    if shutil.which("perf"):
        commands += [["perf", "record", "-q", "-k", "CLOCK_REALTIME", "-a", "-e", "context-switches,page-faults", "-c",
                      "1", "-o", "/dev/null", "--", "sleep", "100000"]]
    with live.workload("pingpong", 10 ** 9) as game:
        live.go(game)
        processes = [led(command, where) for command in commands]
        try:
            yield
        finally:
            for process in processes:
                ended(process)


# What is on the screen.

def titles(line):
    """(title, where it ends) of a line of titles: capitals, over the right end of their numbers."""
    return [(m.group(), m.end()) for m in re.finditer(r"\S+", line)]


def number_under(line, start, end):
    text = line[start:end].strip()
    return float(text) if re.fullmatch(r"\d+(\.\d+)?", text) else None


def impossible_numbers(lines, cpus):
    """(title, number, line) of every figure that cannot be."""
    columns = []
    for line in lines:
        found = titles(line)
        names = {name for name, _ in found}
        if names & (SHARES | {"%CPU"}) and len(found) > 3 and line == line.upper():
            columns = found
            continue
        if not line.strip():
            columns = []
        before = 0
        for name, end in columns:
            most = 100 * cpus + TICKS_PERCENT if name == "%CPU" else 100 + ROUNDING
            number = number_under(line, before, end) if name in SHARES | {"%CPU"} else None
            if number is not None and number > most:
                yield name, number, line
            before = end


def seconds_of(clock):
    hours, minutes, seconds = map(int, clock.split(":"))
    return hours * 3600 + minutes * 60 + seconds


def ahead_s(clock, now):
    """By how much CLOCK, of today or of the day before, is ahead of NOW."""
    ahead = seconds_of(clock) - (now.tm_hour * 3600 + now.tm_min * 60 + now.tm_sec)
    return ahead - 86400 if ahead > 43200 else ahead + 86400 if ahead < -43200 else ahead


def wrong_axis(lines):
    now = time.gmtime()		# one for both ends
    for line in lines[:6]:
        found = re.fullmatch(r" (\d\d:\d\d:\d\d) .* (\d\d:\d\d:\d\d)", line.rstrip())
        if not found:
            continue
        begin, end = (ahead_s(clock, now) for clock in found.groups())
        if not -1200 < begin < end <= 3:
            return f"the line of time is from {begin} s to {end} s from now"
    return None


class Walk:
    """ptop on a terminal in the folder WHERE."""

    def __init__(self, options, where):
        self.cpus = os.sysconf("SC_NPROCESSORS_ONLN")
        self.program = ptyscreen.Program([os.path.abspath(live.PTOP), *options], 120, 40, TZ="UTC",
                                         XDG_CONFIG_HOME=where)
        self.program.wait(lambda s: s.text().strip(), "anything")

    def size(self, columns, rows):
        self.program.resize(columns, rows)

    def take(self, step):
        kind, *what = step
        if kind == "key":
            self.program.keys(what[1])
        elif kind == "text":
            self.program.keys(what[0] + "\x15" + what[1] + what[2])
        elif kind == "size":
            self.size(*what)
        elif kind == "click":
            row, column = (n % limit for n, limit in zip(what, (self.program.screen.rows, self.program.screen.columns)))
            if not self.leaves(row, column):
                self.program.click(row, column)
                self.program.click(row, column)
        else:
            end_s = time.monotonic() + what[0]
            while time.monotonic() < end_s:
                self.program.read(end_s - time.monotonic())

    def leaves(self, row, column):
        """On that word of the line of keys a click is a key that no step presses."""
        line = self.program.screen.lines()[row] if row == self.program.screen.rows - 1 else ""
        return any(m.start() <= column < m.end() for m in re.finditer(r"\S+ Quit", line))

    def drawn(self):
        """SIGCONT makes it draw all of the screen anew: what comes is behind the step."""
        screen = self.program.screen
        screen.forget()
        os.kill(self.program.pid, signal.SIGCONT)
        end_s = time.monotonic() + DEADLINE_S
        while self.program.read(0.05) or not screen.clears or not screen.text().strip():
            if os.waitid(os.P_PID, self.program.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                raise Failure("it has ended")
            if time.monotonic() > end_s:
                raise Failure(f"nothing was drawn for {DEADLINE_S} s")

    def check(self):
        lines = self.program.screen.text().splitlines()
        found = re.search(r"impossible (\S+ \d+(?:, \S+ \d+)*)", "\n".join(lines[:6]))
        if found:
            raise Failure(f"ptop says: impossible {found.group(1)}")
        rows = lines[:self.program.screen.rows - 1]	# the last one is for prompts, whose text is no figure
        for name, number, line in impossible_numbers(rows, self.cpus):
            raise Failure(f"{name} is {number}: {line.strip()}")
        wrong = wrong_axis(lines)
        if wrong:
            raise Failure(wrong)

    def step(self, step):
        self.take(step)
        self.drawn()
        self.check()


def walk(options, steps, where, end_s=None):
    """How many steps were taken, and a Failure or None."""
    w, count = None, 0
    try:
        w = Walk(options, where)
        for step in steps:
            if end_s and time.monotonic() > end_s:
                break
            count += 1
            w.step(step)
    except (Failure, AssertionError) as failure:
        return count, f"{failure}\n{w.program.screen.text() if w else ''}"
    finally:
        if w:
            w.program.close()
    return count, None


def kind_of(failure):
    """Without its numbers: another failure is not the same one with fewer steps."""
    return re.sub(r"[\d.]+.*", "", failure.splitlines()[0])


def shrunk(options, steps, failure, where):
    """The steps without those that it fails without, too; it may be other programs' doing, so each is tried once."""
    chunk = len(steps) // 2
    while chunk:
        at = 0
        while at < len(steps):
            fewer = steps[:at] + steps[at + chunk:]
            again = walk(options, fewer, where)[1]
            if again and kind_of(again) == kind_of(failure):
                steps = fewer
            else:
                at += chunk
        chunk //= 2
    return steps


def told(seed, options, steps, failure):
    lines = [f"seed {seed}: ptop {' '.join(options)}: {failure}"]
    return "\n".join(lines + [f"\t{' '.join(repr(word) for word in step)}" for step in steps])


def walks(minutes, seed, shrink=False, count=200, report=print):
    """Walks with the seeds from SEED on for that long: how many failed."""
    end_s, failures, steps_taken = time.monotonic() + minutes * 60, 0, 0
    with tempfile.TemporaryDirectory(prefix="ptop-walk-") as where:
        here = os.getcwd()
        os.chdir(where)		# where snapshots are written
        try:
            with mixed_load(where):
                while time.monotonic() < end_s:
                    options, steps = steps_of(seed, count)
                    taken, failure = walk(options, steps, where, end_s)
                    steps_taken += taken
                    if failure:
                        failures += 1
                        steps = steps[:taken]
                        report(f"seed {seed}, step {taken}: {failure.splitlines()[0]}", flush=True)
                        if shrink:
                            steps = shrunk(options, steps, failure, where)
                        report(told(seed, options, steps, failure), flush=True)
                    seed += 1
        finally:
            os.chdir(here)
    report(f"{steps_taken} steps, {failures} failures", flush=True)
    return failures
