# SPDX-License-Identifier: GPL-3.0-or-later
"""A virtual machine with hardware counters: its set-up, ptop built for it, and what ptop says there.

The scripts that make the machine are no part of ptop: PTOP_LAB names their directory, by default the
lab that lies beside the checkout.  What they unpack stays in PTOP_LAB_CACHE for the next time.
"""
import concurrent.futures
import contextlib
import fcntl
import json
import os
import shutil
import subprocess
import tempfile
import time
import unittest

TOP = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
SCRIPTS = os.environ.get("PTOP_LAB") or os.path.join(TOP, "..", "shared", "lab")
CACHE = os.environ.get("PTOP_LAB_CACHE") or os.path.join(os.environ.get("TMPDIR") or "/tmp",
                                                         f"ptop-lab-{os.geteuid()}")
SET_UP_S, BUILD_S, BOOT_S = 600, 900, 300	# a tenth of that on a quiet machine
WORKLOADS = ("hot", "pages", "pingpong", "spin")

# What every guest script can say.  `shot` prints snapshots, `screen` what a person would see, `folded` stacks.
GUEST = r"""
cd /lab
start() { "$@" >/dev/null 2>&1 </dev/null & }
ptop() { ./ptop -b -l 15 --max-overhead 0 "$@" 2>&1; }
shot() { echo "== shot $1"; shift; ptop --format json "$@"; echo "== status $?"; }
folded() { echo "== folded $1"; shift; ptop --format folded "$@"; echo "== status $?"; }
screen() { echo "== screen $1"; shift; ptop "$@"; echo "== status $?"; }
"""


class Unavailable(Exception):
    """Why there is no machine."""


class Shot:
    """What one run of ptop printed, and its exit status."""

    def __init__(self, kind):
        self.kind, self.status, self.lines = kind, None, []

    @property
    def text(self):
        return "\n".join(self.lines)

    @property
    def snapshots(self):
        lines = [line for line in self.lines if line.startswith("{")]
        assert self.status == 0 and lines, (self.status, self.text[:500])
        return [json.loads(line) for line in lines]


def shots(console):
    """By name, from what the guest's script printed."""
    found, current = {}, None
    for line in console.replace("\r", "").split("\n"):
        words = line.split()
        if words[:1] == ["=="] and len(words) == 3:
            if words[1] == "status":
                current.status, current = int(words[2]), None
            else:
                current = found[words[2]] = Shot(words[1])
        elif current:
            current.lines.append(line)
    return found


def run(command, timeout_s, **options):
    """What COMMAND printed; Unavailable when it fails."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=timeout_s, errors="replace", **options)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"{command[0]}: {error}") from None
    if done.returncode:
        tail = "\n".join(done.stdout.splitlines()[-15:])
        raise Unavailable(f"{command[0]} ended with {done.returncode}: {tail}")
    return done.stdout


class Machine:
    """One architecture: `name` is the scripts' and Debian's, `triplet` the compiler's, `programs` what this
    machine needs for it."""
    packages, libraries = ("libjansson4",), ("libjansson-dev",)	# the guest's, and what is built with
    targets = ("src/ptop", *(f"tests/workloads/{name}" for name in WORKLOADS))	# what is built and taken there

    def __init__(self, name, triplet, programs, where):
        self.name, self.triplet, self.programs = name, triplet, programs
        self.build = os.path.join(where, name)
        self.root = os.path.join(CACHE, name, "sysroot")
        search = f"{self.root}/usr/lib/{triplet}"
        self.compiler = [f"{triplet}-gcc", f"--sysroot={self.root}", f"-B{search}", f"-L{search}"]
        self.pool = concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count())

    def set_up(self):
        """Unpacks the machine unless that is done; Unavailable says why not."""
        if not os.access(os.path.join(SCRIPTS, "vm-setup"), os.X_OK):
            raise Unavailable(f"there are no lab scripts in {SCRIPTS}")
        if os.geteuid():
            raise Unavailable("only root can unpack the machine")
        missing = [p for p in [f"{self.triplet}-gcc", "cpio", "mmdebstrap", *self.programs] if not shutil.which(p)]
        if missing:
            raise Unavailable("not installed: " + " ".join(missing))
        os.makedirs(CACHE, mode=0o700, exist_ok=True)
        if os.lstat(CACHE).st_uid != os.geteuid() or os.path.islink(CACHE):
            raise Unavailable(f"{CACHE} is somebody else's")
        with open(os.path.join(CACHE, "lock"), "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.drop_other_packages()
            run([os.path.join(SCRIPTS, "vm-setup")], SET_UP_S,
                env={**os.environ, "QEMULAB": CACHE, "ARCH": self.name, "SYSROOT": "1",
                     "EXTRA_PKGS": ",".join(self.packages), "EXTRA_DEV": ",".join(self.libraries)})

    def drop_other_packages(self):
        """What the cache has of an earlier list of packages is unpacked anew."""
        wanted = " ".join((*self.packages, *self.libraries))
        unpacked = os.path.join(CACHE, self.name, "packages")
        if os.path.exists(unpacked):
            with open(unpacked, encoding="ascii") as file:
                if file.read() == wanted:
                    return
        for tree in "root", "sysroot":
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(CACHE, self.name, tree, ".done"))
        os.makedirs(os.path.dirname(unpacked), exist_ok=True)
        with open(unpacked, "w", encoding="ascii") as file:
            file.write(wanted)

    def compile(self):
        """What is taken to the guest, in a directory of its own."""
        pkgconfig = {"PKG_CONFIG_SYSROOT_DIR": self.root, "PKG_CONFIG_PATH": "",
                     "PKG_CONFIG_LIBDIR": f"{self.root}/usr/lib/{self.triplet}/pkgconfig:"
                                          f"{self.root}/usr/share/pkgconfig"}
        compiler = " ".join([*(["ccache"] if shutil.which("ccache") else []), *self.compiler])
        os.mkdir(self.build)
        run([os.path.join(TOP, "configure"), "-q", f"--host={self.triplet}", f"CC={compiler}",
             "--enable-werror", "--disable-nls"], BUILD_S, cwd=self.build, env={**os.environ, **pkgconfig})
        run(["make", "-s", f"-j{os.cpu_count()}", *self.targets], BUILD_S, cwd=self.build)

    def begin(self, case):
        """Boots the machine of CASE when a CPU is free for it."""
        case.booted = self.pool.submit(self.boot, case)

    def boot(self, case):
        """What the guest printed while it ran the script of CASE."""
        begin_s = time.monotonic()
        printed = self.run_guest(case.options, case.script)
        print(f"{self.name}/{case.__name__}: {time.monotonic() - begin_s:.0f} s", flush=True)
        return printed

    def run_guest(self, options, script):
        with tempfile.TemporaryDirectory(prefix="ptop-lab-") as where:
            for program in self.targets:
                shutil.copy(os.path.join(self.build, program), where)
            with open(os.path.join(where, "guest"), "w", encoding="utf-8") as guest:
                guest.write(GUEST + script + "\nkill $(jobs -p)\n")
            os.chmod(where, 0o755)
            done = subprocess.run(
                [os.path.join(SCRIPTS, "run-in-vm"), "-a", self.name, "-t", str(BOOT_S), *options,
                 "-f", f"{where}:/lab", "--", "bash", "/lab/guest"],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                timeout=BOOT_S + 60, errors="replace", env={**os.environ, "QEMULAB": CACHE, "VMNICE": "0"})
        return done.stdout


class Case(unittest.TestCase):
    """The tests of one boot: `options` of run-in-vm, `script` of the guest."""
    options, script, booted = (), "", None

    @classmethod
    def setUpClass(cls):
        cls.console = cls.booted.result()
        cls.shots = shots(cls.console)

    def shot(self, name):
        self.assertIn(name, self.shots, self.console[-2000:])
        return self.shots[name]

    def snapshot(self, name):
        """The longest one in which a workload ran: an emulated CPU stands still at times, and reading the kernel's
        symbols for a first sample takes more than a second there, so that the next interval is short."""
        found = self.shot(name).snapshots
        return max((s for s in found if self.rows(s, 0.05)), key=lambda s: s["interval_s"], default=found[-1])

    @staticmethod
    def rows(snapshot, least):
        whole = sum(e["value"] or 0 for e in snapshot["events"] if e["name"] == "task-clock")
        return [p for p in snapshot["processes"]
                if (p["counters"].get("task-clock") or 0) > least * whole and p["comm"] in WORKLOADS]

    def busy(self, snapshot, least=0.05):
        """Rows of the workloads that had LEAST of the machine's time.  The kernel's threads and ptop's keep an
        emulated CPU busy at times, too."""
        rows = self.rows(snapshot, least)
        self.assertTrue(rows)
        return rows

    def symbol(self, snapshot, name):
        rows = [s for s in snapshot["symbols"] if s["symbol"] == name]
        self.assertEqual(len(rows), 1, name)
        return rows[0]


def event(snapshot, name):
    found = [e for e in snapshot["events"] if e["name"] == name]
    assert found, (name, [e["name"] for e in snapshot["events"]])
    return found[0]
