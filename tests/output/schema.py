# SPDX-License-Identifier: GPL-3.0-or-later
"""What "ptop-snapshot/1" promises, as a table: path, types, range; and what must not be in a text."""
import json
import re

INT, NUM, STR, BOOL, NULL = int, (int, float), str, bool, type(None)

# The value at each path: its types and, for numbers, its bounds.  "[]" is every element of an array.
FIELDS = [
    ("schema", (STR,), r"ptop-snapshot/1"),
    ("version", (STR,), r"\d+\.\d+.*"),
    ("time", (STR,), r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"),
    ("interval_s", NUM, (0, 1e7)),
    ("iteration", (INT,), (1, 1e12)),
    ("host.name", (STR,), None),
    ("host.kernel", (STR,), None),
    ("host.arch", (STR,), r"\w+"),
    ("host.cpus", (INT,), (1, 1e5)),
    *[(f"host.{name}_percent", NUM + (NULL,), (0, 100.001))
      for name in ["cpu_some", "memory_some", "memory_full", "io_some", "io_full"]],
    ("target.mode", (STR,), r"system|pid|tid|user|cpu|cgroup|command|file"),
    ("target.pids[]", (INT,), (0, 2 ** 32)),
    ("target.cgroup", (STR, NULL), r"/.*"),
    ("sampling.tier", (STR,), r"cpu-group|per-task|proc|file"),
    ("sampling.engine", (STR,), r"perf|bpf"),
    ("sampling.frequency_hz", (INT, NULL), (1, 1e9)),
    ("sampling.samples", (INT,), (0, 1e18)),
    ("sampling.lost", (INT,), (0, 1e18)),
    ("sampling.lost_sideband", (INT,), (0, 1e18)),
    ("sampling.throttled", (INT,), (0, 1e18)),
    ("sampling.foreign_times", (INT,), (0, 1e18)),
    ("sampling.unread_maps", (INT,), (0, 1e18)),
    ("sampling.merged_names", (INT,), (0, 1e18)),
    ("sampling.refused_groups", (INT,), (0, 1e18)),
    ("sampling.hurried_samples", (INT,), (0, 1e18)),
    ("sampling.lost_walks", (INT,), (0, 1e18)),
    ("sampling.taskless_samples", (INT,), (0, 1e18)),
    ("sampling.unknown_events", (INT,), (0, 1e18)),
    ("sampling.restarted_counters", (INT,), (0, 1e18)),
    ("sampling.shed_kib", (INT,), (0, 1e18)),
    ("sampling.cut_rows", (INT,), (0, 1e18)),
    ("sampling.hidden_processes", (INT,), (0, 1e18)),
    ("sampling.memory", (dict, NULL), None),
    ("sampling.unresolved_percent", NUM + (NULL,), (0, 100)),
    ("sampling.unnamed_percent", NUM + (NULL,), (0, 100)),
    ("sampling.stacks_complete_percent", NUM + (NULL,), (0, 100)),
    ("sampling.python_percent", NUM + (NULL,), (0, 100)),
    ("sampling.python_bpf_percent", NUM + (NULL,), (0, 100)),
    ("sampling.stack_ends", (dict, NULL), None),
    ("sampling.own_cpu_percent", NUM + (NULL,), (0, 1e6)),
    ("sampling.budget_percent", NUM + (NULL,), (0, 100)),
    ("sampling.cost_percent", NUM + (NULL,), (0, 1e4)),
    ("sampling.over_budget", (BOOL,), None),
    ("sampling.reduced", (dict, NULL), None),
    ("sampling.violations[].name", (STR,), r"[a-z-]+"),
    ("sampling.violations[].text", (STR,), r".+"),
    ("sampling.violations[].count", (INT,), (0, 1e18)),
    ("sampling.violations[].total", (INT,), (1, 1e18)),
    ("events[].name", (STR,), r".+"),
    ("events[].role", (STR,), r"sample|count"),
    ("events[].enabled", (BOOL,), None),
    ("events[].asked", (BOOL,), None),
    ("events[].samples", (INT, NULL), (0, 1e18)),
    ("events[].value", NUM + (NULL,), (0, 1e19)),
    ("events[].unit", (STR, NULL), r".+"),
    ("events[].idle", NUM + (NULL,), (0, 1e19)),
    ("events[].unattributed", NUM + (NULL,), (0, 1e19)),
    ("events[].running_percent", NUM + (NULL,), (0, 100.5)),
    ("events[].error", (STR, NULL), r".+"),
    ("processes[].pid", (INT,), (0, 2 ** 32)),
    ("processes[].ppid", (INT,), (0, 2 ** 32)),
    ("processes[].uid", (INT, NULL), (0, 2 ** 32)),
    ("processes[].user", (STR, NULL), r".+"),
    ("processes[].comm", (STR,), None),
    ("processes[].command", (STR,), None),
    ("processes[].state", (STR, NULL), r"[A-Za-z]"),
    ("processes[].threads", (INT, NULL), (0, 1e9)),
    ("processes[].priority", (INT, NULL), (-200, 200)),
    ("processes[].nice", (INT, NULL), (-20, 19)),
    ("processes[].cpu_percent", NUM + (NULL,), (0, 1e6)),
    ("processes[].virtual_bytes", (INT, NULL), (0, 2 ** 63)),
    ("processes[].resident_bytes", (INT, NULL), (0, 2 ** 63)),
    ("processes[].proportional_bytes", (INT, NULL), (0, 2 ** 63)),
    ("processes[].swap_bytes", (INT, NULL), (0, 2 ** 63)),
    ("processes[].memory_age_s", NUM + (NULL,), (0, 1e7)),
    ("processes[].minor_faults", (INT, NULL), (0, 2 ** 63)),
    ("processes[].major_faults", (INT, NULL), (0, 2 ** 63)),
    ("processes[].voluntary_switches", (INT, NULL), (0, 2 ** 63)),
    ("processes[].involuntary_switches", (INT, NULL), (0, 2 ** 63)),
    ("processes[].cgroup", (STR, NULL), r"/.*"),
    ("processes[].container", (STR, NULL), r"[0-9a-f]{12}"),
    ("processes[].read_bytes", (INT, NULL), (0, 2 ** 63)),
    ("processes[].written_bytes", (INT, NULL), (0, 2 ** 63)),
    ("processes[].cancelled_bytes", (INT, NULL), (0, 2 ** 63)),
    ("processes[].io_calls", (INT, NULL), (0, 2 ** 63)),
    ("processes[].delay_ns", (INT, NULL), (0, 2 ** 63)),
    ("processes[].states_percent", (dict,), None),
    ("processes[].wchan", (STR, NULL), r".+"),
    ("processes[].samples", NUM + (NULL,), (0, 1e18)),
    ("processes[].samples_percent", NUM + (NULL,), (0, 100.001)),
    ("processes[].shown_percent", NUM + (NULL,), (0, 100.001)),
    ("processes[].delta_percent", NUM + (NULL,), (-100.001, 100.001)),
    ("processes[].ipc", NUM + (NULL,), (0, 100)),
    ("processes[].cache_miss_percent", NUM + (NULL,), (0, 1000)),
    ("processes[].counters", (dict,), None),
    ("symbols[].event", (STR,), r".+"),
    ("symbols[].symbol", (STR,), r".+"),
    ("symbols[].object", (STR,), r".+"),
    ("symbols[].data", (STR, NULL), r".+"),
    ("symbols[].kernel", (BOOL,), None),
    ("symbols[].inlined", (BOOL,), None),
    ("symbols[].named_by", (STR, NULL), r"[a-z_.() ]+"),
    ("symbols[].source_file", (STR, NULL), None),
    ("symbols[].source_line", (INT, NULL), None),
    ("symbols[].samples", NUM, (0, 1e18)),
    ("symbols[].period", NUM, (0, 1e19)),
    ("symbols[].overhead_percent", NUM + (NULL,), (0, 100.001)),
    ("symbols[].shown_percent", NUM + (NULL,), (0, 100.001)),
    ("symbols[].delta_percent", NUM + (NULL,), (-100.001, 100.001)),
    ("symbols[].children_percent", NUM + (NULL,), (0, 100.001)),
    ("symbols[].ipc", NUM + (NULL,), (0, 100)),
    ("symbols[].cache_miss_percent", NUM + (NULL,), (0, 1000)),
    ("memory", (dict, NULL), None),
    ("cpus", (list, NULL), None),
    ("groups", (list, NULL), None),
    ("call_tree", (dict, NULL), None),
    ("function", (dict, NULL), None),
]

# Control characters, surrogates, non-characters, bidirectional overrides, line separators.
HARMFUL = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff"
                     "\ufdd0-\ufdef\ufffe\uffff]")


def values(node, path):
    """Every (place, value) that PATH names in NODE; a missing key gives the value KeyError."""
    head, _, rest = path.partition(".")
    name, every = (head[:-2], True) if head.endswith("[]") else (head, False)
    if not isinstance(node, dict) or name not in node:
        yield name, KeyError
        return
    found = enumerate(node[name]) if every else [(None, node[name])]
    for i, value in found:
        place = name if i is None else f"{name}[{i}]"
        if not rest:
            yield place, value
            continue
        for deeper, result in values(value, rest):
            yield f"{place}.{deeper}", result


def check_value(value, types, limit):
    if value is KeyError:
        return "is missing"
    if type(value) not in (types if isinstance(types, tuple) else (types,)):
        return f"is {value!r}"
    if isinstance(value, str) and limit and not re.fullmatch(limit, value, re.S):
        return f"is {value!r}, not {limit}"
    if isinstance(value, (int, float)) and not isinstance(value, bool) and limit:
        if not limit[0] <= value <= limit[1]:
            return f"is {value}, not in {limit}"
    return None


USAGE = ["resident", "proportional", "swap", "swap_proportional", "private_clean", "private_dirty",
         "shared_clean", "shared_dirty", "anonymous", "lazy_free"]
# The same of what "memory" has, where a view asks for it.
MEMORY_FIELDS = [
    ("pid", (INT, NULL), (1, 2 ** 32)),
    ("age_s", NUM + (NULL,), (0, 1e7)),
    ("error", (STR, NULL), r".+"),
    ("mappings_age_s", NUM + (NULL,), (0, 1e7)),
    ("mappings_error", (STR, NULL), r".+"),
    ("merged_mappings", (INT,), (0, 1e18)),
    ("mappings[].name", (STR,), None),
    ("mappings[].path", (STR,), r".+"),
    ("mappings[].mappings", (INT, NULL), (1, 1e9)),
    ("mappings[].faults", NUM + (NULL,), (0, 1e19)),
    ("mappings[].major_faults", NUM + (NULL,), (0, 1e19)),
    ("mappings[].faults_per_s", NUM + (NULL,), (0, 1e19)),
] + [(f"{prefix}{name}_bytes", (INT, NULL), (0, 2 ** 63)) for name in USAGE
     for prefix in ("", "mappings[].")]


# The same of each of "cpus", where a view asks for them.
CPU_FIELDS = [
    ("name", (STR,), r"machine|(cpu|core|llc|node|package)[0-9]+"),
    ("level", (STR,), r"cpu|core|llc|node|package|machine"),
    ("number", (INT,), (0, 65535)),
    ("cpus", (INT,), (1, 65536)),
    ("online", (INT,), (0, 65536)),
    ("core", (INT, NULL), (0, 65535)),
    ("llc", (INT, NULL), (0, 65535)),
    ("node", (INT, NULL), (0, 65535)),
    ("package", (INT, NULL), (0, 2**31)),
    ("type", (STR, NULL), r"[PE]"),
    ("ghz", NUM + (NULL,), (0.001, 100)),
    ("ipc", NUM + (NULL,), (0, 100)),
    ("cache_miss_percent", NUM + (NULL,), (0, 1000)),
    ("samples", (INT, NULL), (0, 1e18)),
    ("top_pid", (INT, NULL), (0, 2**32)),
    ("top_comm", (STR, NULL), r".+"),
] + [(f"{name}_percent", NUM + (NULL,), (-0.001, 100.001))
     for name in ["busy", "user", "system", "irq", "softirq", "steal", "iowait", "idle", "shown", "top"]]


# The same of each of "groups".
GROUP_FIELDS = [
    ("name", (STR,), r"(?s).+"),
    ("kind", (STR,), r"unknown|root|group|slice|service|scope|machine|pod|container"),
    ("path", (STR, NULL), r"(?s)/.*"),
    ("depth", (INT,), (0, 65536)),
    ("processes", (INT,), (0, 2**22)),
    ("cpu_percent", NUM + (NULL,), (0, 1e7)),
    ("read_bytes_per_s", NUM + (NULL,), (0, 1e15)),
    ("write_bytes_per_s", NUM + (NULL,), (0, 1e15)),
    ("ipc", NUM + (NULL,), (0, 100)),
    ("cache_miss_percent", NUM + (NULL,), (0, 1000)),
    ("samples", NUM + (NULL,), (0, 1e18)),
    ("top_pid", (INT, NULL), (0, 2**32)),
    ("top_comm", (STR, NULL), r".+"),
] + [(name, (INT, NULL), (0, 2**63)) for name in ["memory_bytes", "memory_max_bytes", "tasks", "tasks_max"]] + [
    (f"{name}_percent", NUM + (NULL,), (-0.001, 100.001))
    for name in ["throttled", "cpu_some", "memory_some", "memory_full", "io_some", "io_full", "shown", "top"]]


def texts(node, place=""):
    if isinstance(node, str):
        yield place, node
    elif isinstance(node, dict):
        for key, value in node.items():
            yield place, key
            yield from texts(value, f"{place}.{key}")
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from texts(value, f"{place}[{i}]")


def tree_problems(tree, events):
    """The columns have the lengths and numbers that they must have; callers come first."""
    frames, nodes = tree["frames"], tree["nodes"]
    count = len(nodes["parent"])
    columns = [column for event in tree["events"] for name, column in event.items()
               if name != "event" and not (name.startswith("base_") and column is None)]
    good = (len({len(column) for column in frames.values()}) == 1 and
            all(len(column) == count for column in [nodes["frame"], *columns]) and
            all(0 <= frame < len(frames["symbol"]) for frame in nodes["frame"]) and
            all(0 <= text < len(tree["strings"]) for text in frames["symbol"] + frames["object"]) and
            all(parent is None or 0 <= parent < i for i, parent in enumerate(nodes["parent"])) and
            all(value >= 0 for column in columns for value in column) and
            all(event["event"] in events for event in tree["events"]))
    return [] if good else ["the call tree makes no sense"]


HEX = r"0x[0-9a-f]+"
FUNCTION = [
    ("symbol", (STR,), r".+"),
    ("object", (STR,), r".+"),
    ("event", (STR,), r".+"),
    ("start", (STR, NULL), HEX),
    ("end", (STR, NULL), HEX),
    ("samples", NUM, (0, 1e18)),
    ("period", NUM, (0, 1e19)),
    ("missing", (STR, NULL), r".+"),
    ("instructions[].address", (STR, NULL), HEX),
    ("instructions[].offset", (INT,), (0, 1e18)),
    ("instructions[].text", (STR, NULL), r".+"),
    ("instructions[].target", (STR, NULL), HEX),
    ("instructions[].file", (STR, NULL), r".+"),
    ("instructions[].line", (INT, NULL), (1, 2**32)),
    ("instructions[].samples", NUM, (0, 1e18)),
    ("instructions[].period", NUM, (0, 1e19)),
    ("instructions[].share_percent", NUM + (NULL,), (0, 100.001)),
    ("instructions[].ipc", NUM + (NULL,), (0, 100)),
    ("instructions[].cache_miss_percent", NUM + (NULL,), (0, 1000)),
]

FINDINGS = [
    ("schema", (STR,), r"ptop-findings/1"),
    ("version", (STR,), r"\d+\.\d+.*"),
    ("time", (STR,), r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"),
    ("interval_s", NUM, (0, 1e7)),
    ("iteration", (INT,), (1, 1e12)),
    ("findings[].rule", (STR,), r"[a-z-]+"),
    ("findings[].level", (STR,), r"bad|notice"),
    ("findings[].number", NUM, (0, 1e18)),
    ("findings[].unit", (STR,), r".+"),
    ("findings[].limit", NUM, (0, 1e18)),
    ("findings[].text", (STR,), r".+"),
    ("findings[].evidence", (STR, NULL), r".+"),
    ("findings[].pid", (INT, NULL), (1, 2 ** 32)),
    ("findings[].view", (STR,), r"[a-z-]+"),
    ("findings[].command", (STR,), r".+"),
    ("more", (INT,), (0, 1e18)),
]
FINDINGS_BYTES = 4096


def finding_problems(line):
    """What in LINE, an object with its newline, is not as promised."""
    found = [] if len(line.encode()) <= FINDINGS_BYTES else [f"{len(line.encode())} bytes"]
    document = json.loads(line)
    for path, types, limit in FINDINGS:
        for place, value in values(document, path):
            what = check_value(value, types, limit)
            if what:
                found.append(f"{place} {what}")
    return found + [f"{place}: harmful text {text!r}" for place, text in texts(document)
                    if HARMFUL.search(text)]


def problems(snapshot):
    """A list of lines: what in SNAPSHOT is not as promised."""
    found = []
    places = [(path, types, limit, snapshot) for path, types, limit in FIELDS]
    if snapshot.get("function"):
        places += [(path, types, limit, snapshot["function"]) for path, types, limit in FUNCTION]
    for path, types, limit, node in places:
        for place, value in values(node, path):
            what = check_value(value, types, limit)
            if what:
                found.append(f"{place} {what}")
    for path, types, limit in MEMORY_FIELDS if snapshot.get("memory") else []:
        for place, value in values(snapshot["memory"], path):
            what = check_value(value, types, limit)
            if what:
                found.append(f"memory.{place} {what}")
    for name, fields in [("cpus", CPU_FIELDS), ("groups", GROUP_FIELDS)]:
        for row in snapshot.get(name) or []:
            for path, types, limit in fields:
                for place, value in values(row, path):
                    what = check_value(value, types, limit)
                    if what:
                        found.append(f"{row.get('name')}: {place} {what}")
    found += [f"{place}: harmful text {text!r}" for place, text in texts(snapshot)
              if HARMFUL.search(text)]
    names = {event["name"] for event in snapshot.get("events", [])}
    cpus = (snapshot.get("cpus") or []) + (snapshot.get("groups") or [])
    for row in snapshot.get("processes", []) + cpus:
        for name, value in row.get("counters", {}).items():
            if name not in names or not isinstance(value, (int, float, type(None))):
                found.append(f"{row.get('pid', row.get('name'))}: counter {name} is {value!r}")
    for row in snapshot.get("processes", []) + snapshot.get("symbols", []) + cpus:
        for name, value in row.get("columns", {}).items():
            if not isinstance(value, (float, type(None))):
                found.append(f"column {name} is {value!r}")
    if snapshot.get("call_tree"):
        found += tree_problems(snapshot["call_tree"], names)
    for symbol in snapshot.get("symbols", []):
        if symbol.get("event") not in names:
            found.append(f"symbol of no event: {symbol!r}")
    return found
