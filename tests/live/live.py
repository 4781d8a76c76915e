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
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
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


def breakpoints_report():
    """Does a breakpoint on a cell of this process count a write?  Some virtual machines accept one and never report a hit."""
    breakpoint_type, write, exclude_kernel = 5, 2, 3 << 5
    cell = ctypes.c_uint64(0)
    attr = struct.pack("<IIQQQQQIIQQ", breakpoint_type, 112, 0, 0, 0, 0, exclude_kernel,
                       0, write, ctypes.addressof(cell), 8).ljust(112, b"\0")
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(PERF_EVENT_OPEN[platform.machine()], attr, 0, -1, -1, 8)
    if fd < 0:
        return True	# refused, which a test must see
    cell.value = 1
    hits, = struct.unpack("<Q", os.read(fd, 8))
    os.close(fd)
    return hits > 0


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


def skip_without_push(said):
    """SAID is what a ptop with --push printed: this build or machine may lack a library."""
    lacks = re.search(r"built without (libcurl|libsnappy|protobuf-c|libmicrohttpd)|lib(curl|snappy) cannot be used", said)
    if lacks:
        skip(lacks[0])


def need_no_sanitizer():
    """It maps terabytes, makes calls and allocates for itself, and cannot be traced."""
    with open(PTOP, "rb") as file:
        text = file.read()
    if b"__asan_" in text or b"__tsan_" in text:
        skip("a sanitizer has memory and calls of its own")


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


def views():
    """(name, key or "") of each view without a letter as its key.  Not of system calls: only recordings have them."""
    lines = run("--view", "help").stdout.decode().splitlines()
    found = [re.match(r"(\d| )  ([a-z-]+) ", line) for line in lines]
    return [(match[2], match[1].strip()) for match in found if match and match[2] != "syscalls"]


class Wrong(Exception):
    """ptop did what it must not do on any machine, however loaded."""


def snapshots(*arguments, **options):
    """The JSON snapshots that ptop printed, each checked against the schema."""
    done = run("-b", "--format", "json", *arguments, **options)
    if done.returncode != 0:
        raise Wrong(done.returncode, done.stderr)
    return [parse(line) for line in done.stdout.splitlines()]


def parse(line):
    snapshot = json.loads(line)
    found = schema.problems(snapshot)
    if found:
        raise Wrong(found[:5])
    impossible = snapshot["sampling"]["violations"]
    if impossible:
        raise Wrong(impossible)
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


def status_of(process):
    """That with which a process of started() ends.  What it prints until then is read: a full pipe would hold it up."""
    for _ in iter(process.lines.next, None):
        pass
    return process.wait(DEADLINE_S)


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


def libc_is_named():
    """Has this machine the names of what libc does not export: in libc, or in its debug file (Debian's libc6-dbg)?"""
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as file:
        found = re.search(r" (/\S*/libc[.-]\S*)$", file.read(), re.MULTILINE)
    if not found:
        return False
    with open(found[1], "rb") as file:
        libc = file.read()
    build_id = re.search(rb"\x14\0\0\0\x03\0\0\0GNU\0(.{20})", libc, re.DOTALL)
    name = build_id[1].hex() if build_id else ""
    return b"\0.symtab\0" in libc or os.path.exists(f"/usr/lib/debug/.build-id/{name[:2]}/{name[2:]}.debug")


UNNAMED_IN_LIBC = r"libc\.so[^ ;]*\+0x[0-9a-f]+"


def thread_start():
    """Patterns of the two functions of libc that every thread begins with, the first one first."""
    return ("_*clone3?", "start_thread") if libc_is_named() else (UNNAMED_IN_LIBC, UNNAMED_IN_LIBC)


def with_tracefs():
    """For preexec_fn: tracefs is there, in a mount namespace of this process alone."""
    libc = ctypes.CDLL(None, use_errno=True)
    new_namespace, private, recursive = 0x20000, 1 << 18, 1 << 14
    if os.path.isdir("/sys/kernel/tracing/events"):
        return
    if libc.unshare(new_namespace) or libc.mount(None, b"/", None, private | recursive, None) or \
            libc.mount(b"nodev", b"/sys/kernel/tracing", b"tracefs", 0, None):
        raise OSError(ctypes.get_errno(), "tracefs")


def without_tracefs():
    """Likewise: none of the places where it may be has it."""
    libc = ctypes.CDLL(None, use_errno=True)
    new_namespace, private, recursive, detach = 0x20000, 1 << 18, 1 << 14, 2
    if libc.unshare(new_namespace) or libc.mount(None, b"/", None, private | recursive, None):
        raise OSError(ctypes.get_errno(), "a mount namespace")
    with open("/proc/mounts", encoding="utf-8") as file:
        mounts = [line.split() for line in file]
    for words in mounts:
        if words[2] in ("tracefs", "debugfs"):
            libc.umount2(words[1].encode(), detach)


FAILED = 255


def forked(function):
    """The pid of a child that ends with what FUNCTION returns, at most 254, or with FAILED if that raises, which is told:
    nothing else of this program may run twice."""
    pid = os.fork()
    if not pid:
        status = FAILED
        try:
            status = int(function())
        except BaseException:  # pylint: disable=broad-except
            traceback.print_exc()
        finally:
            os._exit(status)
    return pid


def status_of_child(pid):
    """What its function returned."""
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status == FAILED:
        raise RuntimeError("a child of the test failed")
    return status


def is_so(lacks):
    """Whether LACKS returns false in a child, of which nothing stays."""
    return status_of_child(forked(lacks)) == 0


def may_mount():
    """Whether this user may do both, and the kernel has the tracepoint.  In a chroot nobody may: / is no mount."""
    def lacks():
        try:
            with_tracefs()
            found = os.path.exists("/sys/kernel/tracing/events/sched/sched_waking/id")
            without_tracefs()
        except OSError:
            return True
        return not found
    return is_so(lacks)


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


def ordinary_perf_error():
    """0 or an errno: may the ordinary user sample own processes?  Some kernels let root alone, by a level of their own."""
    def error():
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setresgid(ORDINARY_UID, ORDINARY_UID, ORDINARY_UID)
                os.setresuid(ORDINARY_UID, ORDINARY_UID, ORDINARY_UID)
        except OSError as refused:
            return refused.errno
        return perf_open(0, -1, True)
    return status_of_child(forked(error))


def need_ordinary_perf():
    error = ordinary_perf_error()
    if error:
        skip(f"an ordinary user may not sample own processes: {os.strerror(error)}")


def paranoid():
    """kernel.perf_event_paranoid; below 1 everybody may measure the machine."""
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as file:
        return int(file.read())


@contextlib.contextmanager
def public_copies(*paths):
    """A directory that everybody may read, with copies of PATHS."""
    with tempfile.TemporaryDirectory(prefix="ptop-live-") as where:
        os.chmod(where, 0o755)
        for path in paths:
            os.chmod(shutil.copy(path, where), 0o755)
        yield where


ATTEMPTS = 3
LOADED_PERCENT = 25		# of all CPUs, for other programs: half a CPU of two
PATIENCE_S = 30		# for a quieter moment, before what failed on a loaded machine is tried again
TICKS = os.sysconf("SC_CLK_TCK")
GAP_S = 0.002		# a loop of python's takes less, with the interrupts of a tick
GAPS_S = 0.5


def machine_times():
    """Ticks of all CPUs since boot: all of them, and those that were not idle or that a hypervisor took."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, idle, iowait, irq, softirq, steal = map(int, file.readline().split()[1:9])
    busy = user + nice + system + irq + softirq + steal
    return busy + idle + iowait, busy


def stat_of(pid):
    """The name in /proc/PID/stat, and the fields behind it; none when it has gone."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        head, _, rest = file.read().rpartition(")")
        return head.partition("(")[2], rest.split()
    return "", []


def ticks_of(fields):
    """CPU time, with that of ended children, in the fields of stat_of()."""
    return sum(map(int, fields[11:15]))


def children(pid):
    """What the threads of PID have started, and not yet waited for."""
    found = []
    with contextlib.suppress(OSError):
        for tid in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{tid}/children", encoding="ascii") as file:
                found += map(int, file.read().split())
    return found


def descendants(pid):
    """PID and what it started, and they."""
    found = [pid]
    for parent in found:
        found += children(parent)
    return found


def resident_mib(pid):
    """Its share of what it has in memory, so that pages of several processes are counted once."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith("Pss:")) / 1024
    return 0


def process_times():
    """Parent, name and ticks of CPU time, with those of its ended children, by pid."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        name, fields = stat_of(pid)
        if fields:
            found[int(pid)] = int(fields[1]), name, ticks_of(fields)
    return found


def own_times():
    """Ticks of CPU time of this test run: of the topmost make that started it, or else of this process, and of all
    their descendants.  What else the same make runs is no excuse for a failure."""
    processes = process_times()

    def ancestors(pid):
        while pid in processes:
            yield pid
            pid = processes[pid][0]
    top = [pid for pid in ancestors(os.getpid()) if pid == os.getpid() or processes[pid][1] == "make"][-1]
    return sum(ticks for pid, (_, _, ticks) in processes.items() if top in ancestors(pid))


class Load:
    """The control of what is measured: how much of all CPUs others had since it was made."""

    def __init__(self):
        (self.all, self.busy), self.own = machine_times(), own_times()

    def percent(self):
        now = Load()
        others = (now.busy - self.busy) - (now.own - self.own)
        return 100 * max(0, others) / max(TICKS, now.all - self.all)


def gaps_percent(cpu, end_s):
    """The share of the time until END_S in which CPU neither ran this program, which spins, nor another one."""
    os.sched_setaffinity(0, {cpu})
    began_s = before_s = time.monotonic()
    switches, missed_s = 0, 0
    while before_s < end_s:
        now_s = time.monotonic()
        if now_s - before_s > GAP_S:
            usage = resource.getrusage(resource.RUSAGE_SELF)
            if usage.ru_nivcsw + usage.ru_nvcsw == switches:
                missed_s += now_s - before_s
            switches = usage.ru_nivcsw + usage.ru_nvcsw
        before_s = now_s
    # On a machine that is as busy as that it may not have run at all.
    return int(100 * missed_s / (before_s - began_s)) if before_s > began_s else 0


def taken_percent():
    """What a hypervisor takes just now of the CPU that it takes most of, whether it tells that as steal or not."""
    end_s = time.monotonic() + GAPS_S
    spinning = [forked(lambda cpu=cpu: gaps_percent(cpu, end_s)) for cpu in os.sched_getaffinity(0)]
    return max(map(status_of_child, spinning))


def wait_for_quiet():
    end_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < end_s:
        load = Load()
        time.sleep(1)
        if load.percent() < LOADED_PERCENT:
            break


def name_of(test):
    """A subtest counts as its test, setUpClass() as the whole class."""
    return re.sub(r"^setUpClass \((.*)\)$", r"\1", getattr(test, "test_case", test).id())


EXCUSABLE = (AssertionError, TimeoutError, subprocess.TimeoutExpired)


class Result(unittest.TextTestResult):
    """Has the tests that failed, each with the load of the machine since its class began; 0 where that is no excuse.
    `passed`: something did."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.failed = {}
        self.passed = False
        self.load = self.ended = Load()
        self.kind = None

    def note(self, test, err):
        load = self.load if type(test) is self.kind else self.ended
        percent = max(load.percent(), taken_percent()) if issubclass(err[0], EXCUSABLE) else 0
        self.failed[name_of(test)] = min(percent, self.failed.get(name_of(test), percent))

    def startTest(self, test):
        """setUpClass() ran before the first test of a class, so the class began when the last test ended."""
        super().startTest(test)
        if type(test) is not self.kind:
            self.kind, self.load = type(test), self.ended

    def stopTest(self, test):
        super().stopTest(test)
        self.ended = Load()

    def skipped_by(self, test, err):
        """skip() ends a program; within a test it ends that test, and unittest takes it for an error."""
        skips = issubclass(err[0], SystemExit) and err[1].code == SKIP
        if skips:
            self.addSkip(test, "as said above")
        return skips

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed = True

    def addError(self, test, err):
        if self.skipped_by(test, err):
            return
        super().addError(test, err)
        self.note(test, err)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.note(test, err)

    def addSubTest(self, test, subtest, err):
        if err and self.skipped_by(subtest, err):
            return
        super().addSubTest(test, subtest, err)
        if err:
            self.note(test, err)
        else:
            self.passed = True


def run_tests(names):
    """Runs the tests NAMES, and again those that fail.  Returns those that failed in every attempt: with the load in
    percent where the machine was loaded each time, else with None.  If all were skipped, the program ends with that."""
    loader, runner = unittest.defaultTestLoader, unittest.TextTestRunner(verbosity=2, resultclass=Result)
    quiet = set()	# what failed while the machine was not loaded
    for attempt in range(1, ATTEMPTS + 1):
        result = runner.run(loader.loadTestsFromNames(names))
        failed = result.failed
        if attempt == 1 and result.skipped and not result.passed and not failed:
            skip("all tests")
        if not failed:
            return {}
        names = sorted(failed)
        quiet.update(name for name, percent in failed.items() if percent < LOADED_PERCENT)
        print(f"attempt {attempt} of {ATTEMPTS} failed: " +
              " ".join(f"{name} (excuse: others had {percent:.0f} % of the CPUs)" for name, percent in failed.items()),
              flush=True)
        if attempt < ATTEMPTS and not quiet.issuperset(names):
            wait_for_quiet()
    return {name: None if name in quiet else percent for name, percent in failed.items()}


def main(measures=True, alone=True):
    """Runs the tests.  Those that measure nothing are wanted with PTOP_LIVE=no, too.  Of those that measure, one runs at a
    time in this build, for they load every CPU; but for those that others do not disturb, which are not ALONE."""
    with contextlib.ExitStack() as held:
        if measures:
            skip_when_unwanted()
        if measures and alone:
            lock = held.enter_context(open(os.path.join(BUILD, "tests", "live.lock"), "w", encoding="ascii"))
            fcntl.flock(lock, fcntl.LOCK_EX)
        names = [f"__main__.{name}" for name in sys.argv[1:]] or ["__main__"]
        failed = run_tests(names)
        if None in failed.values():
            sys.exit(1)
        if failed:
            skip("not measured here: " + ", ".join(f"{name}: others had {percent:.0f} % of the CPUs in the last of "
                                                   f"{ATTEMPTS} attempts" for name, percent in failed.items()))
        sys.exit(0)
