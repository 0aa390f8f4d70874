"""OTLP in protobuf: the same request says the same as in JSON, and whatever else comes is refused as a whole."""

import json
import struct
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.collectors.guests.test_otlp import body, disk, metric, point

from gavel.collectors.guests.otlp.parse import OtlpError, parse_json, parse_protobuf
from gavel.collectors.guests.otlp.wire_format import ProtobufError, decode_request


def varint(number: int) -> bytes:
    parts = []
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])


def field(number: int, wire_type: int, value: bytes) -> bytes:
    length = varint(len(value)) if wire_type == 2 else b""
    return varint(number << 3 | wire_type) + length + value


def attribute(one: dict[str, Any]) -> bytes:
    value = field(1, 2, one["value"]["stringValue"].encode())
    return field(1, 2, one["key"].encode()) + field(2, 2, value)


def data_point(one: dict[str, Any]) -> bytes:
    """With an exemplar and flags, as the SDK sends them."""
    made = b"".join(field(7, 2, attribute(each)) for each in one["attributes"])
    made += field(2, 1, struct.pack("<Q", int(one["startTimeUnixNano"])))
    made += field(3, 1, struct.pack("<Q", int(one["timeUnixNano"])))
    if "asInt" in one:
        made += field(6, 1, struct.pack("<q", int(one["asInt"])))
    if "asDouble" in one:
        made += field(4, 1, struct.pack("<d", float(one["asDouble"])))
    return made + field(5, 2, b"\x08\x01") + field(8, 0, varint(300))


def as_protobuf(text: bytes) -> bytes:
    made = b""
    for group in json.loads(text)["resourceMetrics"]:
        resource = b"".join(field(1, 2, attribute(one)) for one in group["resource"]["attributes"])
        metrics = b""
        for one in group["scopeMetrics"][0]["metrics"]:
            kind = field(7, 2, _sum(one["sum"])) if "sum" in one else field(5, 2, b"")
            metrics += field(2, 2, field(1, 2, one["name"].encode()) + field(3, 2, b"{operation}") + kind)
        scope = field(1, 2, field(1, 2, b"hostmetrics"))
        made += field(1, 2, field(1, 2, resource) + field(2, 2, scope + metrics) + field(3, 2, b"https://schema"))
    return made


def _sum(one: dict[str, Any]) -> bytes:
    points = b"".join(field(1, 2, data_point(each)) for each in one["dataPoints"])
    return points + field(2, 0, varint(one["aggregationTemporality"])) + field(3, 0, b"\x01")


def test_protobuf_says_what_the_same_request_says_in_json() -> None:
    text = body(
        *disk(),
        *disk("sdb"),
        metric("system.disk.operations", point("sda1", "read", asInt="1")),
        metric("system.disk.io", point("sda", "read", asInt="-5")),
        metric("system.disk.io", point("sda", "read", asInt="1"), temporality=1),
        {"name": "system.disk.pending_operations", "gauge": {}},
    )
    found = parse_protobuf(as_protobuf(text))
    assert found == parse_json(text)
    assert len(found.readings) == 2
    assert len(found.refused) == 4


def test_protobuf_time_that_is_no_number_is_counted_out() -> None:
    text = body(metric("system.disk.operation_time", point("sda", "read", asDouble=float("nan"))))
    assert [one.reason for one in parse_protobuf(as_protobuf(text)).refused] == ["not_a_number"]


def test_protobuf_cut_anywhere_is_refused_or_read_in_part_and_never_more() -> None:
    whole = as_protobuf(body(*disk()))
    for end in range(1, len(whole)):
        with pytest.raises(OtlpError):
            parse_protobuf(whole[:end])
    assert parse_protobuf(b"").readings == ()


@given(st.binary(max_size=300))
def test_protobuf_of_any_bytes_is_read_or_refused(data: bytes) -> None:
    with suppress(OtlpError):
        parse_protobuf(data)


@pytest.mark.parametrize(
    "data",
    [
        field(1, 0, b"\x01"),  # a number where a message is due
        b"\x0b\x0c",  # a group
        b"\x0a" + b"\xff" * 11,  # a length without an end
        field(1, 2, field(2, 2, field(2, 2, field(1, 2, b"\xff\xfe")))),  # a name that is no text
    ],
)
def test_protobuf_that_is_no_request_is_refused_as_a_whole(data: bytes) -> None:
    with pytest.raises(OtlpError):
        parse_protobuf(data)


def test_protobuf_of_nothing_but_empty_messages_is_refused_before_it_fills_the_memory() -> None:
    with pytest.raises(ProtobufError, match="messages"):
        decode_request(b"\x0a\x00" * 600_000)
