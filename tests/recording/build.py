#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes recordings by hand, in both layouts and both byte orders, so that their truth is known.

    tests/recording/build.py DIRECTORY

writes the seeds of tests/perf/fuzz-recording, which are in tests/corpus/recording."""
import os
import shutil
import struct
import subprocess
import sys

MMAP, LOST, COMM, EXIT, THROTTLE, FORK, SAMPLE, MMAP2, LOST_SAMPLES = 1, 2, 3, 4, 5, 7, 9, 10, 13
SWITCH, SWITCH_CPU_WIDE, BPF_EVENT = 14, 15, 18
ATTR, EVENT_TYPE, BUILD_ID, FINISHED_ROUND, STAT, EVENT_UPDATE, FEATURE = 64, 65, 67, 68, 76, 78, 80
TRACING_DATA, AUXTRACE, COMPRESSED = 66, 71, 81
USER, KERNEL = 2, 1
IP, TID, TIME, READ, CALLCHAIN, ID, CPU, PERIOD = 1, 2, 4, 1 << 4, 1 << 5, 1 << 6, 1 << 7, 1 << 8
CONTEXT_USER = (1 << 64) - 512	# in a chain: what follows is the user's part
IDENTIFIER = 1 << 16
RAW = 1 << 10
TRACEPOINT = 2
CONTEXT_SWITCH = 26
WRITE_BACKWARD = 27
TRACING = 1
GROUP, FORMAT_ID = 8, 4
SAMPLE_ID_ALL = 18
HOSTNAME, OSRELEASE, ARCH, NRCPUS, CMDLINE, EVENT_DESC = 3, 4, 6, 7, 11, 12
USUAL = IP | TID | TIME | ID | CPU | PERIOD
SECOND = 1000000000
MS = SECOND // 1000


class Event:
    def __init__(self, name, kind=0, config=0, ids=(), sample_type=USUAL, read_format=0, period=1000):
        self.name, self.kind, self.config, self.ids = name, kind, config, list(ids)
        self.sample_type, self.read_format, self.period = sample_type, read_format, period


class Recording:
    """What perf would write: add records in the order of the file, then take content()."""

    def __init__(self, events, order="<", stream=False):
        self.events, self.order, self.stream = events, order, stream
        self.data = b""
        self.features = {}
        self.switches = False	# records of them are asked for
        self.backward = False	# as perf record --overwrite has it

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def record(self, kind, body=b"", misc=0, size=None):
        body += bytes(-len(body) % 8)
        self.data += self.pack("IHH", kind, misc, len(body) + 8 if size is None else size) + body

    def text(self, text):
        raw = text.encode() + b"\0"
        return raw + bytes(-len(raw) % 8)

    def trailer(self, pid, tid, time, cpu, event=0):
        kind = self.events[0].sample_type
        out = self.pack("II", pid, tid) if kind & TID else b""
        out += self.pack("Q", time) if kind & TIME else b""
        out += self.pack("Q", self.events[event].ids[0]) if kind & ID else b""
        out += self.pack("II", cpu, 0) if kind & CPU else b""
        return out + (self.pack("Q", self.events[event].ids[0]) if kind & IDENTIFIER else b"")

    def comm(self, pid, tid, comm, time=0, cpu=0):
        self.record(COMM, self.pack("II", pid, tid) + self.text(comm) + self.trailer(pid, tid, time, cpu))

    def task(self, kind, pid, ppid, tid, ptid, time, cpu=0):
        self.record(kind, self.pack("IIIIQ", pid, ppid, tid, ptid, time)
                    + self.trailer(pid, tid, time, cpu))

    def mmap(self, pid, start, length, offset, path, time=0, misc=USER):
        self.record(MMAP, self.pack("IIQQQ", pid, pid, start, length, offset) + self.text(path)
                    + self.trailer(pid, pid, time, 0), misc)

    def lost(self, count, time=0):
        self.record(LOST, self.pack("QQ", self.events[0].ids[0], count) + self.trailer(0, 0, time, 0))

    def sample(self, time, pid=7, tid=None, ip=0x401010, cpu=0, event=0, period=1000, misc=USER, values=(), raw=b"",
               chain=()):
        """VALUES of a READ: (value, id) each.  CHAIN: the addresses of the user's part, innermost first."""
        kind = self.events[event].sample_type
        body = self.pack("Q", self.events[event].ids[0]) if kind & IDENTIFIER else b""
        body += self.pack("Q", ip)
        body += self.pack("II", pid, pid if tid is None else tid) if kind & TID else b""
        body += self.pack("Q", time) if kind & TIME else b""
        body += self.pack("Q", self.events[event].ids[0]) if kind & ID else b""
        body += self.pack("II", cpu, 0) if kind & CPU else b""
        body += self.pack("Q", period) if kind & PERIOD else b""
        if kind & READ:
            body += self.pack("Q", len(values)) + b"".join(self.pack("QQ", *value) for value in values)
        if kind & CALLCHAIN:
            body += self.pack(f"{2 + len(chain)}Q", 1 + len(chain), CONTEXT_USER, *chain)
        if kind & RAW:
            raw += bytes(-(len(raw) + 4) % 8)
            body += self.pack("I", len(raw)) + raw
        self.record(SAMPLE, body, misc)

    def switch(self, time, tid, out, cpu=0, preempted=False, wide=False):
        misc = (1 << 13 if out else 0) | (1 << 14 if preempted else 0)
        other = self.pack("II", 0, 0) if wide else b""
        self.record(SWITCH_CPU_WIDE if wide else SWITCH, other + self.trailer(tid, tid, time, cpu),
                    misc)

    def sched_switch(self, ms, before, state, after, tid=None):
        """A sample of the first event, sched:sched_switch, whose task is BEFORE, or TID."""
        raw = self.pack("QiiqIi", 0, before, 0, state, 0, after)
        self.sample(SECOND + ms * MS, pid=before if tid is None else tid, misc=KERNEL, raw=raw, period=1)

    def tracing(self, formats):
        """The section of tracing data, with the formats (texts) of one system."""
        sized = lambda text: self.pack("Q", len(text)) + text.encode()
        self.features[TRACING] = (
            b"\x17\x08\x44tracing0.6\0" + bytes([self.order == ">", 8]) + self.pack("I", 4096)
            + b"header_page\0" + sized("page\n") + b"header_event\0" + sized("event\n")
            + self.pack("I", 1) + sized("ftrace\n")
            + self.pack("I", 1) + b"sched\0" + self.pack("I", len(formats))
            + b"".join(map(sized, formats)) + self.pack("IIQ", 0, 0, 0))

    def round(self):
        self.record(FINISHED_ROUND)

    def header_text(self, text):
        raw = text.encode() + b"\0"
        raw += bytes(-len(raw) % 64)
        return self.pack("I", len(raw)) + raw

    def describe(self, hostname="far", release="1.2.3", arch="pdp11", cpus=2, words=("perf", "record")):
        """The feature sections that ptop reads."""
        self.features[HOSTNAME] = self.header_text(hostname)
        self.features[OSRELEASE] = self.header_text(release)
        self.features[ARCH] = self.header_text(arch)
        self.features[NRCPUS] = self.pack("II", cpus, cpus)
        self.features[CMDLINE] = self.pack("I", len(words)) + b"".join(map(self.header_text, words))
        names = self.pack("II", len(self.events), 64)
        for event in self.events:
            names += self.attr(event)[:64] + self.pack("I", len(event.ids))
            names += self.header_text(event.name) + b"".join(self.pack("Q", i) for i in event.ids)
        self.features[EVENT_DESC] = names

    def flags(self, bits):
        """A bit field's bytes: the first bit is the lowest, or the highest on the other order."""
        raw = bytearray(8)
        for bit in bits:
            raw[bit // 8] |= 1 << (bit % 8) if self.order == "<" else 0x80 >> (bit % 8)
        return bytes(raw)

    def attr(self, event):
        return (self.pack("IIQQQQ", event.kind, 112, event.config, event.period, event.sample_type,
                          event.read_format)
                + self.flags([SAMPLE_ID_ALL, *([CONTEXT_SWITCH] if self.switches else []),
                              *([WRITE_BACKWARD] if self.backward else [])]) + bytes(112 - 48))

    def content(self):
        return self.stream_content() if self.stream else self.file_content()

    def stream_content(self):
        data, self.data = self.data, b""
        for event in self.events:
            self.record(ATTR, self.attr(event) + b"".join(self.pack("Q", i) for i in event.ids))
        for feature, body in self.features.items():
            self.record(FEATURE, self.pack("Q", feature) + body)
        head, self.data = self.data, data
        return self.magic() + self.pack("Q", 16) + head + data

    def magic(self):
        return b"PERFILE2" if self.order == "<" else b"2ELIFREP"

    def file_content(self):
        ids = b"".join(self.pack("Q", i) for event in self.events for i in event.ids)
        attrs, at = b"", 104
        for event in self.events:
            attrs += self.attr(event) + self.pack("QQ", at, 8 * len(event.ids))
            at += 8 * len(event.ids)
        data_at = at + len(attrs)
        bits = sum(1 << feature for feature in self.features)
        end = data_at + len(self.data)
        table, bodies = b"", b""
        for feature in sorted(self.features):
            table += self.pack("QQ", end + 16 * len(self.features) + len(bodies),
                               len(self.features[feature]))
            bodies += self.features[feature]
        header = self.magic() + self.pack("QQ", 104, 128) + self.pack("QQ", at, len(attrs))
        header += self.pack("QQ", data_at, len(self.data)) + self.pack("QQ", 0, 0)
        header += self.pack("QQQQ", bits, 0, 0, 0)
        return header + ids + attrs + self.data + table + bodies


def two_events():
    return [Event("cycles:u", config=0, ids=[101, 102]), Event("instructions:u", config=1, ids=[201, 202])]


def usual(order="<", stream=False):
    """Two CPUs, whose buffers lie one after the other; a child; both events."""
    r = Recording(two_events(), order, stream)
    r.describe()
    r.mmap(0xffffffff, 0x8000000000000000, 0x1000000, 0x8000000000000000, "[kernel.kallsyms]_text", misc=KERNEL)
    r.comm(7, 7, "father")
    r.mmap(7, 0x401000, 0x1000, 0x1000, "/nowhere/program")
    r.sample(1 * SECOND, cpu=0, period=1000)
    r.sample(3 * SECOND, cpu=0, event=1, period=2500)
    r.task(FORK, 8, 7, 8, 7, 4 * SECOND)
    r.sample(5 * SECOND, pid=8, cpu=0)
    r.sample(2 * SECOND, cpu=1, period=3000)
    r.sample(6 * SECOND, cpu=1, ip=0x8000000000001000, misc=KERNEL)
    r.round()
    r.comm(8, 8, "son", 7 * SECOND)
    r.sample(8 * SECOND, pid=8, cpu=0, event=1)
    r.lost(5, 9 * SECOND)
    r.task(EXIT, 8, 7, 8, 7, 10 * SECOND)
    r.round()
    return r


USUAL_LINES = """\
1.000000000 father 7/7 0 cycles:u 1000 401010 [unknown] (/nowhere/program)
2.000000000 father 7/7 1 cycles:u 3000 401010 [unknown] (/nowhere/program)
3.000000000 father 7/7 0 instructions:u 2500 401010 [unknown] (/nowhere/program)
5.000000000 father 8/8 0 cycles:u 1000 401010 [unknown] (/nowhere/program)
6.000000000 father 7/7 1 cycles:u 1000 8000000000001000 [unknown] ([kernel])
8.000000000 son 8/8 0 instructions:u 1000 401010 [unknown] (/nowhere/program)
"""


def directory(order="<"):
    """What perf record --threads makes of the usual one: name to content."""
    head, *cpus = (Recording(two_events(), order) for _ in range(3))
    head.describe()
    head.mmap(0xffffffff, 0x8000000000000000, 0x1000000, 0x8000000000000000, "[kernel.kallsyms]_text", misc=KERNEL)
    head.comm(7, 7, "father")
    head.mmap(7, 0x401000, 0x1000, 0x1000, "/nowhere/program")
    cpus[0].sample(1 * SECOND, cpu=0, period=1000)
    cpus[0].sample(3 * SECOND, cpu=0, event=1, period=2500)
    cpus[0].task(FORK, 8, 7, 8, 7, 4 * SECOND)
    cpus[1].sample(2 * SECOND, cpu=1, period=3000)
    cpus[0].sample(5 * SECOND, pid=8, cpu=0)
    cpus[1].comm(8, 8, "son", 7 * SECOND)
    cpus[1].sample(6 * SECOND, cpu=1, ip=0x8000000000001000, misc=KERNEL)	# an interrupt's, late
    cpus[0].sample(8 * SECOND, pid=8, cpu=0, event=1)
    return {"data": head.content(), "data.0": cpus[0].data, "data.1": cpus[1].data, "data.2": b"",
            "data.old": b"none of it"}


def group(order="<", stream=False):
    """{cycles,instructions}:S: each sample carries the totals of both."""
    kind = USUAL | READ
    events = [Event(name, config=i, ids=[11 + i], sample_type=kind, read_format=GROUP | FORMAT_ID)
              for i, name in enumerate(["cycles", "instructions"])]
    r = Recording(events, order, stream)
    r.describe()
    r.comm(7, 7, "first")
    r.comm(8, 8, "second")
    r.sample(1 * SECOND, pid=7, values=[(1000, 11), (3000, 12)])
    r.sample(2 * SECOND, pid=8, values=[(3000, 11), (4000, 12)])
    r.sample(3 * SECOND, pid=7, values=[(4000, 11), (4000, 12)])
    return r


def compressed(data):
    """One piece of Zstandard, or None without that program."""
    if not shutil.which("zstd"):
        return None
    return subprocess.run(["zstd", "-q", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout


def squeezed():
    """The usual one, its records compressed."""
    r = usual()
    piece = compressed(r.data)
    if piece is None:
        return None
    r.data = b""
    r.record(COMPRESSED, piece, size=8 + len(piece))
    r.data = r.data[:8 + len(piece)]
    return r


def rare(order="<"):
    """What perf writes besides, and something behind a record that is none."""
    r = Recording(two_events(), order, stream=True)
    r.comm(7, 7, "x")
    r.record(EVENT_UPDATE, r.pack("QQ", 2, 101) + r.text("renamed"))
    r.record(TRACING_DATA, r.pack("II", 12, 0))
    r.data += bytes(range(16))
    r.record(STAT, bytes(24))
    r.record(AUXTRACE, r.pack("QQQIIII", 24, 0, 0, 0, 0, 0, 0))
    r.data += bytes([0xff]) * 24
    r.record(BUILD_ID, r.pack("i", -1) + bytes(range(20)) + bytes(4) + r.text("/nowhere/program"))
    r.sample(1 * SECOND)
    return r


# Not where this kernel has them: they are found by their names.
SWITCH_FORMAT = """name: sched_switch
ID: 310
format:
	field:int prev_pid;	offset:8;	size:4;	signed:1;
	field:long prev_state;	offset:16;	size:8;	signed:1;
	field:pid_t next_pid;	offset:28;	size:4;	signed:1;

print fmt: "%d"
"""
WAKING_FORMAT = """name: sched_waking
ID: 311
format:
	field:unsigned char common_flags;	offset:3;	size:1;	signed:0;
	field:pid_t pid;	offset:12;	size:4;	signed:1;

print fmt: "%d"
"""
BLOCKED, RUNNING, PREEMPTED, DEAD = 1, 0, 0x100, 0x10
NO_TASK = (1 << 32) - 1
HARDIRQ, SOFTIRQ = 8, 16
THREAD = 7


def scheduler(order="<", tracing=True, wakes=True, context=0):
    """Of one thread: it runs for 300 ms, waits for 250, is preempted for 50 and 20, and waits on.  In CONTEXT of
    process 9 it is woken."""
    events = [Event("sched:sched_switch", TRACEPOINT, 310, [101], USUAL | RAW,
                          period=1)]
    if wakes:
        events.append(Event("sched:sched_waking", TRACEPOINT, 311, [201],
                                  USUAL | RAW, period=1))
    r = Recording(events, order)
    r.describe()
    if tracing:
        r.tracing([SWITCH_FORMAT, WAKING_FORMAT])

    switch = r.sched_switch

    def wake(ms, tid):
        if wakes:
            r.sample(SECOND + ms * MS, pid=9, cpu=1, event=1, misc=KERNEL, period=1,
                     raw=r.pack("BBBBIIi", 255, 255, 255, context, 0, 0, tid))

    r.comm(THREAD, THREAD, "waits")
    r.comm(9, 9, "wakes")
    switch(0, 0, RUNNING, THREAD)
    switch(100, THREAD, BLOCKED, 0)
    wake(300, THREAD)
    wake(310, 4711)
    switch(350, 0, RUNNING, THREAD)
    switch(450, THREAD, PREEMPTED, 0)
    switch(500, 0, RUNNING, THREAD)
    switch(550, THREAD, RUNNING, 0)
    switch(570, 0, RUNNING, THREAD)
    switch(620, THREAD, BLOCKED, 0)
    switch(1000, 0, RUNNING, 9)
    r.round()
    return r


def after_exit(order="<"):
    """Of one process: it runs for 100 ms, exits, runs 20, is preempted for 50, and runs 20 without a number.  Then another
    one of the same number runs for 10."""
    r = Recording([Event("sched:sched_switch", TRACEPOINT, 310, [101], USUAL | RAW, period=1),
                   Event("sched:sched_waking", TRACEPOINT, 311, [201], USUAL | RAW, period=1)], order)
    r.describe()
    r.tracing([SWITCH_FORMAT, WAKING_FORMAT])
    r.comm(THREAD, THREAD, "ends")
    r.comm(9, 9, "waits")
    r.sched_switch(0, 0, RUNNING, THREAD)
    r.task(EXIT, THREAD, 9, THREAD, 9, SECOND + 100 * MS)
    r.sched_switch(120, THREAD, PREEMPTED, 9)
    r.sched_switch(170, 9, BLOCKED, THREAD)
    r.sched_switch(190, THREAD, DEAD, 9, tid=NO_TASK)
    r.task(FORK, THREAD, 9, THREAD, 9, SECOND + 200 * MS)
    r.comm(THREAD, THREAD, "again", SECOND + 200 * MS)
    r.sched_switch(230, 9, BLOCKED, THREAD)
    r.sched_switch(240, THREAD, BLOCKED, 0)
    r.sched_switch(300, 0, RUNNING, 9)
    r.round()
    return r


SEEDS = {
    "usual": usual, "usual-stream": lambda: usual(stream=True), "usual-swapped": lambda: usual(">"),
    "usual-stream-swapped": lambda: usual(">", True), "group": group,
    "group-stream-swapped": lambda: group(">", True), "rare": rare, "rare-swapped": lambda: rare(">"),
    "compressed": squeezed, "scheduler": scheduler, "scheduler-swapped": lambda: scheduler(">"),
    "after-exit": after_exit,
}


def main():
    for name, make in SEEDS.items():
        recording = make()
        if recording is not None:
            with open(os.path.join(sys.argv[1], name), "wb") as f:
                f.write(recording.content())


if __name__ == "__main__":
    main()
