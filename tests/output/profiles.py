# SPDX-License-Identifier: GPL-3.0-or-later
"""Readers of the profile formats: each gives the totals of a profile, and asserts its structure."""
import base64
import gzip
import json
import re

import metrics
import protobuf
import schema


def harmless(text):
    assert schema.HARMFUL.search(text) is None, ascii(text)
    return text


def varint(data, at):
    value, shift = 0, 0
    while True:
        byte = data[at]
        value |= (byte & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """The (number, value) pairs of a protobuf message; value is a number or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            assert key & 7 == 2, f"wire type {key & 7}"
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size, "truncated"
        yield key >> 3, value


def numbers(values):
    """A repeated number, packed or not."""
    result = []
    for value in values:
        at = 0
        if isinstance(value, int):
            result.append(value)
            continue
        while at < len(value):
            number, at = varint(value, at)
            result.append(number)
    return result


class Message:
    def __init__(self, data):
        self.values = {}
        for number, value in fields(data):
            self.values.setdefault(number, []).append(value)

    def all(self, number):
        return self.values.get(number, [])

    def messages(self, number):
        return [Message(value) for value in self.all(number)]

    def one(self, number, default=0):
        values = self.all(number)
        assert len(values) <= 1, number
        return values[0] if values else default


class Pprof:
    """types: (name, unit) of each value; samples: (names from the leaf, labels, values)."""

    def __init__(self, data):
        profile = Message(gzip.decompress(data))
        self.texts = [harmless(text.decode("utf-8")) for text in profile.all(6)]
        assert self.texts[0] == ""
        assert len(set(self.texts)) == len(self.texts)
        self.types = [self.type_of(m) for m in profile.messages(1)]
        self.mappings = self.by_id(profile.messages(3))
        self.functions = self.by_id(profile.messages(5))
        self.locations = self.by_id(profile.messages(4))
        self.samples = [self.sample_of(m) for m in profile.messages(2)]
        self.time_ns, self.duration_ns = profile.one(9), profile.one(10)
        self.period_type = self.type_of(Message(profile.one(11, b"")))
        self.period = profile.one(12)
        self.comments = [self.texts[i] for i in numbers(profile.all(13))]
        self.default = self.texts[profile.one(14)]

    def type_of(self, message):
        return self.texts[message.one(1)], self.texts[message.one(2)]

    @staticmethod
    def by_id(messages):
        table = {m.one(1): m for m in messages}
        assert list(table) == list(range(1, len(messages) + 1)), "Parca refuses other numbers"
        return table

    def names_of(self, location):
        """Of all functions there: what is inlined first, the function itself last."""
        mapping = self.mappings[self.locations[location].one(2)]
        lines = self.locations[location].messages(4)
        assert lines and mapping.one(7) == 1
        return [(self.texts[self.functions[line.one(1)].one(2)], self.texts[mapping.one(5)])
                for line in lines]

    def sources(self):
        """{function: (file, line)} of those that have any."""
        return {self.texts[f.one(2)]: (self.texts[f.one(4)], f.one(5))
                for f in self.functions.values() if f.one(4)}

    def sample_of(self, message):
        labels = {}
        for label in message.messages(3):
            labels[self.texts[label.one(1)]] = self.texts[label.one(2)] or label.one(3)
        values = numbers(message.all(2))
        assert len(values) == len(self.types)
        names = [name for i in numbers(message.all(1)) for name in self.names_of(i)]
        assert names
        return names, labels, values

    def totals(self):
        return {self.types[i]: sum(sample[2][i] for sample in self.samples)
                for i in range(len(self.types))}


# https://github.com/parca-dev/parca, proto/parca/profilestore/v1alpha1/profilestore.proto, as JSON
LABEL_NAME = r"[a-zA-Z_][a-zA-Z0-9_]*"


def parca(data):
    """(labels, profile); asserts what pkg/normalizer and pkg/profilestore of the server do."""
    request = json.loads(data.decode("utf-8"))
    assert set(request) == {"series", "normalized"} and request["normalized"] is True, set(request)
    series, = request["series"]
    assert set(series) == {"labels", "samples"} and set(series["labels"]) == {"labels"}, series.keys()
    pairs = []
    for label in series["labels"]["labels"]:
        assert set(label) == {"name", "value"} and re.fullmatch(LABEL_NAME, label["name"]) and label["value"], label
        pairs.append((label["name"], harmless(label["value"])))
    assert len(dict(pairs)) == len(pairs), pairs
    sample, = series["samples"]
    assert set(sample) == {"rawProfile"}, sample.keys()
    profile = Pprof(base64.b64decode(sample["rawProfile"], validate=True))
    assert len(set(profile.types)) == len(profile.types), profile.types
    for name, unit in profile.types:
        kind = ":".join((dict(pairs)["__name__"], name, unit, *profile.period_type, "delta"))
        assert re.fullmatch(rf"{LABEL_NAME}(:\w+)+", kind, re.ASCII) and kind.count(":") == 5, kind
    return dict(pairs), profile


# https://github.com/open-telemetry/opentelemetry-proto at v1.11.0, opentelemetry/proto/: collector/profiles/v1development and
# profiles/v1development
OTLP_PROFILES = {
    **{name: metrics.OTLP[name] for name in ("Resource", "InstrumentationScope", "KeyValue", "AnyValue")},
    "ExportProfilesServiceRequest": {1: ("resource_profiles", "ResourceProfiles", "many"),
                                     2: ("dictionary", "ProfilesDictionary", "one")},
    "ResourceProfiles": {1: ("resource", "Resource", "one"), 2: ("scope_profiles", "ScopeProfiles", "many"),
                         3: ("schema_url", "string", "one")},
    "ScopeProfiles": {1: ("scope", "InstrumentationScope", "one"), 2: ("profiles", "Profile", "many"),
                      3: ("schema_url", "string", "one")},
    "ProfilesDictionary": {1: ("mapping", "Mapping", "many"), 2: ("location", "Location", "many"),
                           3: ("function", "Function", "many"), 4: ("link", "Link", "many"), 5: ("string", "string", "many"),
                           6: ("attribute", "KeyValueAndUnit", "many"), 7: ("stack", "Stack", "many")},
    "Profile": {1: ("sample_type", "ValueType", "one"), 2: ("samples", "Sample", "many"),
                3: ("time_unix_nano", "fixed64", "one"), 4: ("duration_nano", "uint64", "one"),
                5: ("period_type", "ValueType", "one"), 6: ("period", "int64", "one"), 7: ("profile_id", "bytes", "one"),
                8: ("dropped_attributes_count", "uint32", "one"), 9: ("original_payload_format", "string", "one"),
                10: ("original_payload", "bytes", "one"), 11: ("attribute_indices", "int32", "packed")},
    "ValueType": {1: ("type_strindex", "int32", "one"), 2: ("unit_strindex", "int32", "one")},
    "Sample": {1: ("stack_index", "int32", "one"), 2: ("attribute_indices", "int32", "packed"), 3: ("link_index", "int32", "one"),
               4: ("values", "int64", "packed"), 5: ("timestamps_unix_nano", "fixed64", "packed")},
    "Mapping": {1: ("memory_start", "uint64", "one"), 2: ("memory_limit", "uint64", "one"), 3: ("file_offset", "uint64", "one"),
                4: ("filename_strindex", "int32", "one"), 5: ("attribute_indices", "int32", "packed")},
    "Stack": {1: ("location_indices", "int32", "packed")},
    "Location": {1: ("mapping_index", "int32", "one"), 2: ("address", "uint64", "one"), 3: ("lines", "Line", "many"),
                 4: ("attribute_indices", "int32", "packed")},
    "Line": {1: ("function_index", "int32", "one"), 2: ("line", "int64", "one"), 3: ("column", "int64", "one")},
    "Function": {1: ("name_strindex", "int32", "one"), 2: ("system_name_strindex", "int32", "one"),
                 3: ("filename_strindex", "int32", "one"), 4: ("start_line", "int64", "one")},
    "Link": {1: ("trace_id", "bytes", "one"), 2: ("span_id", "bytes", "one")},
    "KeyValueAndUnit": {1: ("key_strindex", "int32", "one"), 2: ("value", "AnyValue", "one"), 3: ("unit_strindex", "int32", "one")},
}
EMPTY = {"mapping": {}, "location": {}, "function": {}, "stack": {}, "attribute": {}, "string": "",
         "link": {"trace_id": bytes(16), "span_id": bytes(8)}}


class OtlpProfiles:
    """resource; profiles: (type, {type of the period: period}, attributes, samples), samples as Pprof has them, with one value."""

    def __init__(self, data):
        request = protobuf.read(data, OTLP_PROFILES, "ExportProfilesServiceRequest")
        self.tables, self.used = request["dictionary"], {name: {0} for name in EMPTY}
        assert {name: self.tables[name][0] for name in EMPTY} == EMPTY, "an empty entry is not there"
        for name, table in self.tables.items():
            assert len({repr(entry) for entry in table}) == len(table), f"an entry of {name} comes twice"
        of, = request["resource_profiles"]
        scope, = of["scope_profiles"]
        assert scope["scope"]["name"] == "ptop" and scope["scope"]["version"], scope["scope"]
        pairs = metrics.attributes(of["resource"]["attributes"])
        metrics.harmless(pairs)
        self.resource = dict(pairs)
        assert len(pairs) == len(self.resource), pairs
        self.profiles = [self.profile_of(profile) for profile in scope.get("profiles", [])]
        for name, table in self.tables.items():
            assert self.used[name] == set(range(len(table))), f"an entry of {name} is not used"

    def at(self, table, index):
        assert 0 <= index < len(self.tables[table]), (table, index)
        self.used[table].add(index)
        return self.tables[table][index]

    def text(self, message, name):
        return harmless(self.at("string", message.get(f"{name}_strindex", 0)))

    def attributes(self, message):
        found = {}
        for index in message.get("attribute_indices", []):
            attribute = self.at("attribute", index)
            key, (value,) = self.text(attribute, "key"), attribute["value"].values()
            assert index and key and key not in found, (key, found)
            found[key] = harmless(value) if isinstance(value, str) else value
        return found

    def type_of(self, message):
        name, unit = self.text(message, "type"), self.text(message, "unit")
        assert name and unit, message
        return name, unit

    def names_of(self, location):
        mapping = self.at("mapping", location["mapping_index"])
        assert location["mapping_index"] and location["lines"]
        for line in location["lines"]:
            function = self.at("function", line["function_index"])
            names = self.text(function, "name"), self.text(function, "system_name"), self.text(function, "filename")
            assert line["function_index"] and any(names), function
            yield names[0], self.text(mapping, "filename")

    def sample_of(self, sample):
        stack = self.at("stack", sample["stack_index"])
        names = [name for i in stack["location_indices"] for name in self.names_of(self.at("location", i))]
        value, = sample["values"]
        assert sample["stack_index"] and 0 not in stack["location_indices"] and value > 0, sample
        return names, self.attributes(sample), [value]

    def profile_of(self, profile):
        assert profile["time_unix_nano"] > 10**18, profile["time_unix_nano"]
        samples = profile.get("samples", [])
        return (self.type_of(profile["sample_type"]), {self.type_of(profile["period_type"]): profile.get("period", 0)},
                self.attributes(profile), [self.sample_of(sample) for sample in samples])

    def totals(self):
        totals = {kind: sum(values[0] for *_, values in samples) for kind, _, _, samples in self.profiles}
        assert len(totals) == len(self.profiles), "two profiles have one type"
        return totals


def speedscope_totals(text):
    """{profile name: (unit, sum of weights)}"""
    profile = json.loads(text)
    assert profile["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    assert profile["exporter"].startswith("ptop@")
    frames = profile["shared"]["frames"]
    for frame in frames:
        assert set(frame) <= {"name", "file"} and harmless(frame["name"]), frame
    assert len({(f["name"], f.get("file")) for f in frames}) <= len(frames)
    totals = {}
    for one in profile["profiles"]:
        assert one["type"] == "sampled" and one["unit"] in ("none", "nanoseconds")
        assert len(one["samples"]) == len(one["weights"])
        for stack in one["samples"]:
            assert len(stack) >= 2
            assert all(0 <= number < len(frames) for number in stack)
        assert all(isinstance(weight, int) and weight > 0 for weight in one["weights"])
        assert one["startValue"] == 0 and one["endValue"] == sum(one["weights"])
        assert one["name"] not in totals
        totals[one["name"]] = one["unit"], sum(one["weights"])
    assert not totals or 0 <= profile["activeProfileIndex"] < len(totals)
    return totals


def check_table(table, **columns):
    """Every column as long as the table says, every value as its test says."""
    assert set(table) == {"length", *columns}, sorted(table)
    for name, test in columns.items():
        assert len(table[name]) == table["length"], name
        assert all(map(test, table[name])), (name, table[name])


def below(limit, least=0):
    return lambda value: type(value) is int and least <= value < limit


def is_null(value):
    return value is None


def firefox_thread(thread, libs, categories):
    strings = [harmless(text) for text in thread["stringArray"]]
    assert len(set(strings)) == len(strings)
    frames, stacks = thread["frameTable"], thread["stackTable"]
    functions, resources = thread["funcTable"], thread["resourceTable"]
    category, zero = below(categories), below(1)
    check_table(resources, name=below(len(strings)), lib=below(libs), host=is_null,
                type=lambda value: value == 1)
    check_table(functions, name=below(len(strings)), resource=below(resources["length"], -1),
                isJS=lambda value: value is False, relevantForJS=lambda value: value is False,
                fileName=is_null, lineNumber=is_null, columnNumber=is_null)
    check_table(frames, func=below(functions["length"]), category=category, subcategory=zero,
                address=lambda value: value == -1, inlineDepth=zero, nativeSymbol=is_null,
                innerWindowID=is_null, implementation=is_null, line=is_null, column=is_null)
    check_table(stacks, frame=below(frames["length"]), category=category, subcategory=zero,
                prefix=lambda value: value is None or type(value) is int)
    for i, prefix in enumerate(stacks["prefix"]):
        assert prefix is None or 0 <= prefix < i
    samples = dict(thread["samples"])
    assert samples.pop("weightType") == "samples"
    check_table(samples, stack=below(stacks["length"]), weight=lambda value: value > 0,
                time=lambda value: value >= 0)
    assert samples["time"] == sorted(samples["time"])
    assert thread["markers"]["length"] == 0 and thread["nativeSymbols"]["length"] == 0
    assert isinstance(thread["pid"], str) and thread["processStartupTime"] == 0
    harmless(thread["name"] + thread["processName"])
    return sum(samples["weight"])


def firefox_totals(text):
    """{event behind the thread's number, "" for the first: sum of weights}, and the threads"""
    profile = json.loads(text)
    meta = profile["meta"]
    assert meta["preprocessedProfileVersion"] == 48 and meta["symbolicated"] is True
    assert meta["interval"] > 0 and meta["startTime"] > 0 and meta["product"] == "ptop"
    assert any(category["color"] == "grey" for category in meta["categories"])
    totals, identities = {}, set()
    for thread in profile["threads"]:
        event = thread["tid"].partition(" ")[2] if isinstance(thread["tid"], str) else ""
        weight = firefox_thread(thread, len(profile["libs"]), len(meta["categories"]))
        totals[event] = totals.get(event, 0) + weight
        assert (thread["pid"], thread["tid"]) not in identities
        identities.add((thread["pid"], thread["tid"]))
    return totals, profile["threads"]


def folded_total(text):
    total = 0
    for line in text.splitlines():
        stack, _, count = line.rpartition(" ")
        assert harmless(stack) and all(stack.split(";")), line
        total += int(count)
    return total
