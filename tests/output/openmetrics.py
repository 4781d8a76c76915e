# SPDX-License-Identifier: GPL-3.0-or-later
"""A strict reader of OpenMetrics 1.0 text with nothing but gauges, which is what ptop writes."""
import re

import schema

NAME = r"[a-z][a-z0-9_]*"
LABEL = r'([a-z_]+)="((?:[^"\\\n]|\\["\\n])*)"'
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? (\S+)")
UNITS = ("seconds", "bytes", "ratio")


def labels_of(text):
    pairs = re.findall(LABEL, text or "")
    assert len(dict(pairs)) == len(pairs), text
    return {name: re.sub(r"\\(.)", lambda m: {"n": "\n"}.get(m[1], m[1]), value)
            for name, value in pairs}


def parse(text):
    """{family: [(labels, value)]}; asserts what the standard asks for."""
    assert text.endswith("\n# EOF\n") and text.count("# EOF") == 1
    assert schema.HARMFUL.search(text.replace("\n", "")) is None
    families, meta, current, seen = {}, {}, None, set()
    for line in text[:-len("# EOF\n")].splitlines():
        assert line and line == line.strip(), repr(line)
        if line.startswith("# "):
            _, kind, name, value = line.split(" ", 3)
            assert re.fullmatch(NAME, name), line
            if kind == "HELP":
                assert name not in families, f"{name} comes twice"
                families[name], meta, current = [], {}, name
            assert name == current and kind in ("HELP", "TYPE", "UNIT") and kind not in meta, line
            meta[kind] = value
            continue
        match = SAMPLE.fullmatch(line)
        assert match, line
        assert match[1] == current and meta["TYPE"] == "gauge" and meta["HELP"].endswith("."), line
        unit = next((u for u in UNITS if current.endswith("_" + u)), None)
        assert meta.get("UNIT") == unit, line
        key = (current, tuple(sorted(labels_of(match[2]).items())))
        assert key not in seen, f"{line}: twice"
        seen.add(key)
        families[current].append((labels_of(match[2]), float(match[len(match.groups())])))
    assert all(families.values()), "a family without samples"
    return families
