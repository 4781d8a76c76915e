# SPDX-License-Identifier: GPL-3.0-or-later
"""A strict reader of protobuf messages by their published layout: what the layout does not have is an error.

A layout is {message: {number: (name, type, how)}}; a type is of SCALARS or a message; how is "one", "many", "packed": many numbers
in one field, or "of NAME": one of those with that NAME.
"""
import struct

VARINT, FIXED64, BYTES = 0, 1, 2
SCALARS = {"int32": VARINT, "int64": VARINT, "uint64": VARINT, "uint32": VARINT, "enum": VARINT, "bool": VARINT, "double": FIXED64, "fixed64": FIXED64,
           "sfixed64": FIXED64, "string": BYTES, "bytes": BYTES}


def varint(data, at):
    value = shift = 0
    while True:
        assert at < len(data) and shift < 64, "a number is cut or too long"
        value |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def raw(data, at, wire):
    if wire == VARINT:
        return varint(data, at)
    size = 8
    if wire == BYTES:
        size, at = varint(data, at)
    assert at + size <= len(data), "a field is cut"
    return data[at:at + size], at + size


def scalar(value, kind):
    if kind == "double":
        return struct.unpack("<d", value)[0]
    if kind in ("fixed64", "sfixed64"):
        return struct.unpack("<Q" if kind == "fixed64" else "<q", value)[0]
    if kind == "string":
        return value.decode("utf-8")
    if kind in ("int32", "int64"):
        return value - (1 << 64) if value >> 63 else value
    return value


def packed(data, kind):
    values, at = [], 0
    while at < len(data):
        value, at = raw(data, at, SCALARS[kind])
        values.append(scalar(value, kind))
    return values


def read(data, layout, message):
    """{name: value, or a list of values}; asserts all that the layout says."""
    fields, found, groups, at = layout[message], {}, set(), 0
    while at < len(data):
        key, at = varint(data, at)
        assert key >> 3 in fields, f"{message} has no field {key >> 3}"
        name, kind, how = fields[key >> 3]
        wire = BYTES if how == "packed" else SCALARS.get(kind, BYTES)
        assert key & 7 == wire, f"{message}.{name}: wire type {key & 7}"
        value, at = raw(data, at, key & 7)
        if how == "packed":
            assert name not in found and value, f"{message}.{name}: empty, or in parts"
            found[name] = packed(value, kind)
            continue
        value = scalar(value, kind) if kind in SCALARS else read(value, layout, kind)
        if how == "many":
            found.setdefault(name, []).append(value)
            continue
        assert name not in found, f"{message}.{name} comes twice"
        if how.startswith("of "):
            assert how not in groups, f"{message}: two of {how[3:]}"
            groups.add(how)
        found[name] = value
    return found


def unsnappy(data):
    """The block format: https://github.com/google/snappy/blob/main/format_description.txt"""
    size, at = varint(data, 0)
    out = bytearray()
    while at < len(data):
        tag, at = data[at], at + 1
        if tag & 3 == 0:
            length = tag >> 2
            if length >= 60:
                count = length - 59
                length, at = int.from_bytes(data[at:at + count], "little"), at + count
            out += data[at:at + length + 1]
            at += length + 1
            continue
        count = (1, 2, 4)[(tag & 3) - 1]
        offset, at = int.from_bytes(data[at:at + count], "little"), at + count
        length = (tag >> 2) + 1
        if count == 1:
            offset, length = offset | (tag >> 5) << 8, (tag >> 2 & 7) + 4
        assert 0 < offset <= len(out), "a copy from before the begin"
        for _ in range(length):
            out.append(out[-offset])
    assert len(out) == size, "not the size that it says"
    return bytes(out)
