# SPDX-License-Identifier: GPL-3.0-or-later
"""Strict readers of the protocols of metrics.  Each gives {(name, ((label, value), ...)): (value, time in ns)}."""
import math
import re
import struct

import protobuf
import schema

# https://github.com/prometheus/prometheus, prompb/remote.proto and prompb/types.proto
REMOTE_WRITE = {
    "WriteRequest": {1: ("timeseries", "TimeSeries", "many"), 3: ("metadata", "MetricMetadata", "many")},
    "TimeSeries": {1: ("labels", "Label", "many"), 2: ("samples", "Sample", "many")},
    "Label": {1: ("name", "string", "one"), 2: ("value", "string", "one")},
    "Sample": {1: ("value", "double", "one"), 2: ("timestamp", "int64", "one")},
    "MetricMetadata": {1: ("type", "enum", "one"), 2: ("metric_family_name", "string", "one"),
                       4: ("help", "string", "one"), 5: ("unit", "string", "one")},
}
GAUGE, GAUGE_HISTOGRAM = 2, 4
STALE = 0x7ff0000000000002	# the bits of Prometheus' marker of a series that has ended

# https://github.com/open-telemetry/opentelemetry-proto at v1.0, opentelemetry/proto/: collector/metrics/v1, metrics/v1, common/v1, resource/v1
OTLP = {
    "ExportMetricsServiceRequest": {1: ("resource_metrics", "ResourceMetrics", "many")},
    "ResourceMetrics": {1: ("resource", "Resource", "one"), 2: ("scope_metrics", "ScopeMetrics", "many"),
                        3: ("schema_url", "string", "one")},
    "Resource": {1: ("attributes", "KeyValue", "many"), 2: ("dropped_attributes_count", "uint32", "one")},
    "ScopeMetrics": {1: ("scope", "InstrumentationScope", "one"), 2: ("metrics", "Metric", "many"),
                     3: ("schema_url", "string", "one")},
    "InstrumentationScope": {1: ("name", "string", "one"), 2: ("version", "string", "one"),
                             3: ("attributes", "KeyValue", "many"), 4: ("dropped_attributes_count", "uint32", "one")},
    "Metric": {1: ("name", "string", "one"), 2: ("description", "string", "one"), 3: ("unit", "string", "one"),
               5: ("gauge", "Gauge", "of data")},	# sums and histograms are not written
    "Gauge": {1: ("data_points", "NumberDataPoint", "many")},
    "NumberDataPoint": {2: ("start_time_unix_nano", "fixed64", "one"), 3: ("time_unix_nano", "fixed64", "one"),
                        4: ("as_double", "double", "of value"), 6: ("as_int", "sfixed64", "of value"),
                        7: ("attributes", "KeyValue", "many"), 8: ("flags", "uint32", "one")},
    "KeyValue": {1: ("key", "string", "one"), 2: ("value", "AnyValue", "one")},
    "AnyValue": {1: ("string_value", "string", "of value"), 2: ("bool_value", "bool", "of value"),
                 3: ("int_value", "int64", "of value"), 4: ("double_value", "double", "of value")},
}
UNITS = {"s": "_seconds", "By": "_bytes", "1": "_ratio"}
NAME = r"[a-z][a-z0-9_]*"


def harmless(pairs):
    for name, value in pairs:
        assert value and schema.HARMFUL.search(value) is None, (name, ascii(value))


def is_stale(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0] == STALE


def enter(series, name, pairs, sample):
    names = [n for n, _ in pairs]
    assert len(set(names)) == len(names), f"{name}: a label comes twice"
    harmless(pairs)
    key = (name, tuple(sorted(pairs)))
    assert key not in series, f"{key} comes twice"
    series[key] = sample


def remote_write(data):
    """What https://prometheus.io/docs/specs/prw/remote_write_spec/ asks for."""
    request, series, families = protobuf.read(data, REMOTE_WRITE, "WriteRequest"), {}, {}
    for m in request["metadata"]:
        assert m["metric_family_name"] not in families and m["help"].endswith("."), m
        assert m["type"] in (GAUGE, GAUGE_HISTOGRAM), m
        assert not m.get("unit") or m["metric_family_name"].endswith("_" + m["unit"]), m
        families[m["metric_family_name"]] = m
    for s in request["timeseries"]:
        pairs = [(label["name"], label["value"]) for label in s["labels"]]
        assert pairs == sorted(pairs) and len(s["samples"]) == 1, pairs
        name = dict(pairs)["__name__"]
        assert re.fullmatch(NAME, name), name
        sample = s["samples"][0]
        value = sample.get("value", 0.0)
        assert math.isfinite(value) or is_stale(value), (name, value)
        assert name in families or name[:-len("_bucket")] in families or is_stale(value), name
        enter(series, name, [p for p in pairs if p[0] != "__name__"],
              (sample.get("value", 0.0), sample["timestamp"] * 10**6))
    assert all(re.fullmatch(r"[a-zA-Z_]\w*", n) for _, pairs in series for n, _ in pairs)
    return series


def attributes(values):
    return [(a["key"], a["value"]["string_value"]) for a in values]


def otlp(data):
    """(attributes of the resource, the series)"""
    request, series = protobuf.read(data, OTLP, "ExportMetricsServiceRequest"), {}
    of, = request["resource_metrics"]
    scope, = of["scope_metrics"]
    assert scope["scope"]["name"] == "ptop" and scope["scope"]["version"], scope["scope"]
    resource = attributes(of["resource"]["attributes"])
    harmless(resource)
    assert len(dict(resource)) == len(resource) and dict(resource)["service.name"] == "ptop", resource
    for metric in scope["metrics"]:
        assert re.fullmatch(NAME, metric["name"]) and metric["description"].endswith("."), metric["name"]
        unit = metric.get("unit")
        assert not unit or UNITS[unit] in metric["name"], (metric["name"], unit)
        assert metric["gauge"]["data_points"], metric["name"]
        for point in metric["gauge"]["data_points"]:
            assert math.isfinite(point["as_double"]) and point["time_unix_nano"] > 10**18, point
            enter(series, metric["name"], attributes(point.get("attributes", [])),
                  (point["as_double"], point["time_unix_nano"]))
    names = [m["name"] for m in scope["metrics"]]
    assert len(set(names)) == len(names), names
    return dict(resource), series
