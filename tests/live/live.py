# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the whole program share: ptop, workloads, deadlines, reasons to skip."""
import contextlib
import ctypes
import errno
import fcntl
import json
import os
import platform
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "output"))

import schema  # noqa: E402

BUILD = os.environ.get("builddir", "build")
PTOP = os.environ.get("PTOP", os.path.join(BUILD, "src", "ptop"))
DEADLINE_S = 60
ORDINARY_UID = 1000
SKIP = 77

# Neither the settings of whoever runs the tests nor a network changes what is printed.
os.environ.update(LC_ALL="C.UTF-8", LANGUAGE="", XDG_CONFIG_HOME="/nonexistent", DEBUGINFOD_URLS="")
for variable in ("COLUMNS", "LINES", "NO_COLOR"):
    os.environ.pop(variable, None)
os.umask(0o022)

PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241, "riscv64": 241}


def workload_path(name):
    return os.path.join(BUILD, "tests", "workloads", name)


def perf_open(pid, cpu, exclude_kernel):
    """0 or an errno: may this process sample cpu-clock of PID on CPU?"""
    number = PERF_EVENT_OPEN.get(platform.machine())
    if number is None:
        return errno.ENOSYS
    software, cpu_clock = 1, 0
    flags = 1 | (exclude_kernel << 5) | (exclude_kernel << 6)	# disabled, exclude_kernel, exclude_hv
    attr = struct.pack("<IIQQQQQ", software, 112, cpu_clock, 1000000, 0, 0, flags).ljust(112, b"\0")
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(number, attr, pid, cpu, -1, 8)
    if fd < 0:
        return ctypes.get_errno()
    os.close(fd)
    return 0


def forbid_perf():
    """For preexec_fn: perf_event_open() fails with EACCES from here on, as where it is forbidden."""
    no_new_privileges, seccomp, filter_mode = 38, 22, 2
    load_number, if_equal, result = 0x20, 0x15, 0x06
    code = struct.pack("<HBBIHBBIHBBIHBBI",
                       load_number, 0, 0, 0,
                       if_equal, 0, 1, PERF_EVENT_OPEN[platform.machine()],
                       result, 0, 0, 0x00050000 | errno.EACCES,
                       result, 0, 0, 0x7fff0000)
    instructions = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("@HP", len(code) // 8, ctypes.addressof(instructions))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(no_new_privileges, 1, 0, 0, 0) or libc.prctl(seccomp, filter_mode, program):
        raise OSError(ctypes.get_errno(), "seccomp")


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIP)


def skip_when_unwanted():
    """PTOP_LIVE=no: what would be measured is a sanitizer, or another build beside this one."""
    if os.environ.get("PTOP_LIVE") == "no":
        skip("PTOP_LIVE=no: this machine is not measured")


def need_system_perf():
    error = perf_open(-1, 0, False)
    if error:
        skip(f"may not sample the whole machine: {os.strerror(error)}")


def need_own_perf():
    error = perf_open(0, -1, True)
    if error:
        skip(f"may not sample own processes: {os.strerror(error)}")


def need_rate(hz):
    """The kernel lowers the limit by itself when samples take long."""
    with open("/proc/sys/kernel/perf_event_max_sample_rate", encoding="ascii") as f:
        if int(f.read()) < hz:
            skip(f"kernel.perf_event_max_sample_rate is below {hz}")


def run(*arguments, **options):
    """Runs ptop to its end; bytes out.  A hang is a failure."""
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("timeout", DEADLINE_S)
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    return subprocess.run([PTOP, *map(str, arguments)], **options)


def snapshots(*arguments, **options):
    """The JSON snapshots that ptop printed, each checked against the schema."""
    done = run("-b", "--format", "json", *arguments, **options)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return [parse(line) for line in done.stdout.splitlines()]


def parse(line):
    snapshot = json.loads(line)
    found = schema.problems(snapshot)
    assert not found, found[:5]
    return snapshot


class Lines:
    """Lines from a pipe, each with a deadline."""

    def __init__(self, pipe):
        self.fd, self.rest = pipe.fileno(), b""

    def next(self):
        """The next line, or None at the end."""
        end_s = time.monotonic() + DEADLINE_S
        while b"\n" not in self.rest:
            if not select.select([self.fd], [], [], max(0, end_s - time.monotonic()))[0]:
                raise TimeoutError(f"no line within {DEADLINE_S} s; so far {self.rest!r}")
            more = os.read(self.fd, 1 << 16)
            if not more:
                return None
            self.rest += more
        line, _, self.rest = self.rest.partition(b"\n")
        return line


def end(process):
    """Ends PROCESS and waits for it, whatever state it is in."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe:
            pipe.close()


@contextlib.contextmanager
def started(command, **options):
    """COMMAND with pipes on stdin and stdout and a Lines reader as `lines`; ended afterwards."""
    process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, **options)
    process.lines = Lines(process.stdout)
    try:
        yield process
    finally:
        end(process)


@contextlib.contextmanager
def workload(name, *arguments, path=None, prefix=(), **options):
    """A workload that has said "ready"; `pid` is its process."""
    with started([*prefix, path or workload_path(name), *arguments], **options) as process:
        line = process.lines.next()
        assert line and line.startswith(b"ready "), (name, line)
        process.target, process.ready = int(line.split()[1]), line
        yield process


def go(process):
    process.stdin.write(b"g")
    process.stdin.flush()


@contextlib.contextmanager
def ptop_json(*arguments, prefix=(), **options):
    """ptop while it prints snapshots: the generator `snapshots` gives one after the other."""
    command = [*prefix, PTOP, "-b", "--format", "json", *arguments]
    with started(command, stderr=subprocess.PIPE, **options) as process:
        process.snapshots = map(parse, iter(process.lines.next, None))
        yield process


def process_of(snapshot, pid):
    """The process's row, or None."""
    rows = [p for p in snapshot["processes"] if p["pid"] == pid and p["tid"] in (None, 0)]
    return rows[0] if rows else None


def symbol_samples(snapshot, name):
    return sum(s["samples"] for s in snapshot["symbols"] if s["symbol"] == name)


def as_ordinary_user(path):
    """The command prefix that drops to an ordinary user, [] for one; PATH must be readable to it."""
    if os.geteuid() != 0:
        return []
    if not shutil.which("setpriv"):
        skip("no setpriv")
    os.chmod(path, 0o755)
    return ["env", f"HOME={path}", "setpriv", f"--reuid={ORDINARY_UID}", f"--regid={ORDINARY_UID}", "--clear-groups",
            "--inh-caps=-all"]


@contextlib.contextmanager
def public_copies(*paths):
    """A directory that everybody may read, with copies of PATHS."""
    with tempfile.TemporaryDirectory(prefix="ptop-live-") as where:
        os.chmod(where, 0o755)
        for path in paths:
            os.chmod(shutil.copy(path, where), 0o755)
        yield where


ATTEMPTS = 3


def failed_names(result):
    """Of the tests that did not pass; a subtest counts as its test, setUpClass() as the whole class."""
    tests = [getattr(test, "test_case", test) for test, _ in result.failures + result.errors]
    return sorted({re.sub(r"^setUpClass \((.*)\)$", r"\1", test.id()) for test in tests})


def run_tests(names):
    """Those of the tests NAMES that fail in every attempt: other programs use this machine, too."""
    loader, runner = unittest.defaultTestLoader, unittest.TextTestRunner(verbosity=2)
    for attempt in range(1, ATTEMPTS + 1):
        result = runner.run(loader.loadTestsFromNames(names))
        names = failed_names(result)
        if result.wasSuccessful():
            return []
        print(f"attempt {attempt} of {ATTEMPTS} failed: {' '.join(names)}", flush=True)
    return names


def main(measures=True):
    """Runs the tests.  Those that measure load every CPU, so only one of them runs at a time in this build; the
    others are wanted with PTOP_LIVE=no, too."""
    with contextlib.ExitStack() as held:
        if measures:
            skip_when_unwanted()
            lock = held.enter_context(open(os.path.join(BUILD, "tests", "live.lock"), "w", encoding="ascii"))
            fcntl.flock(lock, fcntl.LOCK_EX)
        names = [f"__main__.{name}" for name in sys.argv[1:]] or ["__main__"]
        sys.exit(1 if run_tests(names) else 0)
