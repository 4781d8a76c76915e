#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The same recording through `perf script` and through ptop, sample by sample.

    PTOP=build/src/ptop tests/recording/compare.py FILE...

prints a line for each file: samples of perf, samples of ptop, and the first differences.  Status 1
when there are any."""
import collections
import functools
import os
import re
import subprocess
import sys

PTOP = os.environ.get("PTOP", os.path.join(os.environ.get("builddir", "build"), "src", "ptop"))
TIMEOUT_S = 300
NAME_WIDTH = 64		# a worker of the kernel's, in /proc/PID/status; other tasks have 15 bytes
LINES_MAX = 4		# of one sample
FIELDS = ["comm", "pid", "tid", "cpu", "time", "event", "period", "ip", "sym", "symoff", "dso"]

Sample = collections.namedtuple("Sample", "time comm pid tid cpu event period ip symbol object")

#             perf 10447/10447 [000] 346832.330193902:          1 cycles:  ffffffff96613abf f+0x1 (a.out)
PERF_LINE = re.compile(r" *(?P<comm>(?s:.*?)) +(?P<pid>-?\d+)/(?P<tid>-?\d+)\s+(?:\[(?P<cpu>-?\d+)\]\s+)?"
                       r"(?:(?P<time>\d+\.\d+):\s+)?(?:(?P<period>\d+)\s+)?(?P<event>\S.*?):\s+"
                       r"(?P<ip>[0-9a-f]+)\s+(?P<symbol>.*) \((?P<object>(?:[^()]|\(deleted\))*)\)$")
# 346832.330193902 perf 10447/10447 0 cycles 1 ffffffff96613abf f+0x1 (/tmp/a.out)
PTOP_LINE = re.compile(r"(?P<time>\d+\.\d+) (?P<comm>.*?) (?P<pid>-?\d+)/(?P<tid>-?\d+) (?P<cpu>\d+) "
                       r"(?P<event>.*?) (?P<period>\d+) (?P<ip>[0-9a-f]+) (?P<symbol>.*) "
                       r"\((?P<object>(?:[^()]|\(deleted\))*)\)$")


def plain_object(name):
    """Both call some things by names of their own."""
    name = name.removesuffix(" (deleted)")
    if re.fullmatch(r"/tmp/perf-\d+\.map", name):	# a fork's: perf's has the parent's number
        return "[jit]"
    if name.startswith("bpf_prog_"):
        return "[bpf]"
    if re.match(r"\[kernel[\w.]*\](_\w+)?$", name) or name.startswith("[kernel."):
        return "[kernel]"
    if name.startswith("[guest"):
        return "[guest]"
    module = re.match(r".*/([^/]+)\.ko(\.\w+)?$", name)
    return f"[{module.group(1).replace('-', '_')}]" if module else name


def harmless(name):
    """A process may call itself by control characters and broken UTF-8, which ptop lets nobody see."""
    return re.sub(r"[^ -~]+", "\ufffd", name)


def matches(pattern, text, program):
    """One for each sample in TEXT.  Names of processes and of files may have line feeds in them, which
    perf prints as they are."""
    begun = []
    for line in text.split("\n"):
        begun += [line] if begun or line else []
        match = pattern.match("\n".join(begun))
        if match and len(match["comm"].strip(" ")) <= NAME_WIDTH:
            yield match
            begun = []
        elif match or len(begun) > LINES_MAX:
            raise ValueError(f"{program} printed {begun!r}")
    if begun not in ([], [""]):
        raise ValueError(f"{program} ended with {begun!r}")


def run_perf(path, fields):
    return subprocess.run(["perf", "script", "--ns", "-G", "--no-inline", "-i", path,
                           "-F", ",".join(fields)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=TIMEOUT_S, errors="replace", text=True,
                          env={**os.environ, "LC_ALL": "C", "DEBUGINFOD_URLS": "", "PAGER": "cat"})


def perf_output(path):
    """(text, fields that it could print); None when perf refuses the file."""
    fields = list(FIELDS)
    while True:
        result = run_perf(path, fields)
        missing = re.search(r"Cannot print '(\w+)' field", result.stderr)
        if not missing or missing.group(1) not in fields:
            break
        fields.remove(missing.group(1))
    if result.returncode:
        return None, fields
    return result.stdout, fields


def make_sample(match, fields=FIELDS):
    part = match.groupdict()
    number = lambda name: int(part[name]) if part[name] is not None and name in fields else None
    return Sample(part["time"] if "time" in fields else None, harmless(part["comm"].strip(" ")),
                  number("pid"), number("tid"), number("cpu"), part["event"].strip().rstrip(":"),
                  number("period"),
                  int(part["ip"], 16), part["symbol"], harmless(plain_object(part["object"])))


def perf_samples(path):
    text, fields = perf_output(path)
    if text is None:
        return None, fields
    return [make_sample(match, fields) for match in matches(PERF_LINE, text, "perf script")], fields


def ptop_samples(path, fields=FIELDS):
    """(samples, exit status, what it said)"""
    result = subprocess.run([PTOP, "-b", "-i", path, "--format", "samples"], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT_S,
                            errors="replace", text=True,
                            env={**os.environ, "LC_ALL": "C.UTF-8", "XDG_CONFIG_HOME": "/nonexistent"})
    samples = [make_sample(match, fields) for match in matches(PTOP_LINE, result.stdout, "ptop")]
    return samples, result.returncode, result.stderr


def plain_symbol(symbol):
    """Entries of the procedure linkage table are known to ptop in files of more kinds."""
    return "" if symbol == "[unknown]" or "@plt+0x" in symbol else symbol


def readelf(option, path):
    try:
        return subprocess.run(["readelf", option, path], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, timeout=TIMEOUT_S, text=True, errors="replace").stdout
    except OSError:
        return ""


@functools.lru_cache(maxsize=None)
def sizeless_symbols(path):
    """The functions without a size in PATH and in its separate debug file."""
    found = re.search(r"Build ID: ([0-9a-f]{2})([0-9a-f]+)", readelf("-nW", path))
    tables = readelf("-sW", path)
    if found:
        tables += readelf("-sW", "/usr/lib/debug/.build-id/{}/{}.debug".format(*found.groups()))
    return set(re.findall(r"^\s*\d+: [0-9a-f]+\s+0 FUNC +\S+ +\S+ +\d+ (\S+?)(?:@\S+)?$", tables, re.M))


def reaches_too_far(mine, truth):
    """perf lets the last function without a size go on into the next section, be it that of PLT
    entries of a kind that it does not know."""
    return plain_symbol(mine.symbol) == "" and \
        truth.symbol.split("+")[0] in sizeless_symbols(truth.object)


@functools.lru_cache(maxsize=None)
def is_beyond_perf(path):
    """A program of Go has its functions in a table of its own, stripped or not, and perf reads no such table.
    Of code that BOLT has laid out anew, as rustc's, perf misses functions that .symtab has."""
    sections = readelf("-SW", path)
    return ".gopclntab" in sections or ".bolt.org.text" in sections


def knows_more(mine, truth):
    return plain_symbol(truth.symbol) == "" and is_beyond_perf(mine.object)


def may_differ(name, since):
    """perf reads before ptop does, and from copies: of a whole machine, other programs may remove an
    object, or write it anew, once it was recorded.  SINCE: in seconds of the epoch, when that began."""
    if not os.path.isabs(name):
        return name == "[jit]"
    try:
        return os.stat(name).st_ctime > since
    except OSError:
        return True


def is_copy(names, mine, truth, since):
    """perf knows a file by its build id, and calls all copies by the name of one; a test beside this one runs a copy."""
    return names in (["object"], ["symbol", "object"]) and \
        os.path.basename(mine.object) == os.path.basename(truth.object) and may_differ(mine.object, since)


def has_losses(path):
    """Where the kernel could not write all records, mappings may be missing, and perf goes on with those
    of the program before."""
    stats = subprocess.run(["perf", "report", "-i", path, "--stats"], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=TIMEOUT_S, text=True, errors="replace")
    return re.search(r"\bLOST(?:_SAMPLES)? events: +[1-9]", stats.stdout) is not None


def is_stale(names, mine):
    return names in (["object"], ["symbol", "object"]) and mine.object == "[unknown]"


def is_early(mine, truth):
    """A sample of the kernel that comes before anything is said of it."""
    return mine.object == "[kernel]" and truth.object == truth.symbol == "[unknown]"


def programs(path):
    """Where programs of BPF were: start, size and name, of which the kernel told while PATH was recorded or before."""
    with subprocess.Popen(["perf", "script", "-D", "-i", path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, errors="replace") as dump:
        told = [re.search(r"PERF_RECORD_KSYMBOL addr ([0-9a-f]+) len (\d+) type 1 flags 0x0 name (\S+)", line)
                for line in dump.stdout if "KSYMBOL" in line]
    return {(int(found[1], 16), int(found[2]), found[3]) for found in told if found}


def is_forgotten(names, mine, truth):
    """Records of programs that come and go have no time on some kernels.  perf takes all of them for earlier than the
    samples, so it has no name for a program that went, nor for the next one at its place."""
    return names == ["symbol", "object"] and truth.symbol == truth.object == "[unknown]" and mine.object == "[bpf]"


def was_there(sample, known):
    name, _, offset = sample.symbol.partition("+0x")
    return any(name == own and sample.ip - start == int(offset or "0", 16) < size for start, size, own in known)


def differs(mine, truth):
    """The names of the fields in which the two differ."""
    return [name for name in Sample._fields
            if (plain_symbol(getattr(mine, name)) != plain_symbol(getattr(truth, name))
                if name == "symbol" else getattr(mine, name) != getattr(truth, name))]


def differences(mine, truth, foreign=False, since=float("inf")):
    """Of two lists of samples in the same order: texts, texts of what lost mappings may explain, and ptop's samples of
    programs that perf may have forgotten, with texts.  FOREIGN and SINCE as for compare()."""
    found, stale, forgotten = [], [], []
    for one, other in zip(mine, truth):
        names = differs(one, other)
        if names == ["object"] and is_early(one, other):
            continue
        if is_copy(names, one, other, since):
            continue
        if names == ["symbol"] and (reaches_too_far(one, other) or knows_more(one, other) or
                                    may_differ(one.object, since)):
            continue
        if foreign and one.symbol == "[unknown]" and one.object in ("[kernel]", "[vdso]"):
            names = [name for name in names if name != "symbol"]
        text = f"{', '.join(names)}: perf {other}, ptop {one}"
        if is_forgotten(names, one, other):
            forgotten.append((one, text))
        elif names:
            (stale if is_stale(names, one) else found).append(text)
    return found, stale, forgotten


def compare(path, foreign=False, since=float("inf")):
    """(perf's number of samples or None, ptop's, differences as texts).  FOREIGN: of another machine,
    whose kernel's addresses perf may look up in the symbols of this one; ptop does not.  SINCE: when it
    was recorded, for may_differ()."""
    truth, fields = perf_samples(path)
    mine, status, said = ptop_samples(path, fields)
    if truth is None:
        return None, len(mine), [] if said or not status else ["no reason given"]
    # Samples of one moment: perf's order among them is that of the file, with its own exceptions.
    key = lambda s: (s.time or "", s.cpu or 0, s.event, s.tid, s.ip, s.period)
    found, stale, forgotten = differences(sorted(mine, key=key), sorted(truth, key=key), foreign, since)
    if stale and not has_losses(path):
        found += stale
    known = programs(path) if forgotten else set()
    found += [text for sample, text in forgotten if not was_there(sample, known)]
    if len(mine) != len(truth):
        found.insert(0, f"{len(truth)} samples of perf, {len(mine)} of ptop")
    return len(truth), len(mine), found


def main():
    failed = False
    for path in sys.argv[1:]:
        perf, ptop, found = compare(path)
        failed |= bool(found)
        print(f"{os.path.basename(path):48} {'refused' if perf is None else perf:>8} {ptop:>8}"
              f"  {len(found)} differences")
        for text in found[:5]:
            print("    " + text)
    sys.exit(failed)


if __name__ == "__main__":
    main()
