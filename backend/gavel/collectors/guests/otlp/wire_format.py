"""OTLP metrics in protobuf: the fields that Gavel reads, as the same request has them in JSON. Everything else is skipped.

The numbers of fields are those of opentelemetry-proto 1.x; they never change.
"""

import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

_VARINT, _FIXED_64, _LENGTH, _FIXED_32 = 0, 1, 2, 5
_LONGEST_VARINT = 10
# In a request of 10 MiB every second byte could be an empty message: each costs far more in memory than on the wire.
_MOST_MESSAGES = 500_000

Read: TypeAlias = Callable[[memoryview], Any]


class ProtobufError(Exception):
    """The bytes are no message of the kind."""


@dataclass(frozen=True, slots=True)
class _Scalar:
    """name: in JSON. read: from the bytes of one value; None: the number of a varint itself."""

    name: str
    wire_type: int
    read: Read | None = None


@dataclass(frozen=True, slots=True)
class _Nested:
    name: str
    fields: "_Fields"
    is_list: bool = True


_Fields: TypeAlias = Mapping[int, _Scalar | _Nested]


def _text(name: str) -> _Scalar:
    return _Scalar(name, _LENGTH, lambda data: str(data, "utf-8"))


def _number(name: str, layout: str) -> _Scalar:
    return _Scalar(name, _FIXED_64, lambda data: struct.unpack(layout, data)[0])


_ATTRIBUTE: Final[_Fields] = {1: _text("key"), 2: _Nested("value", {1: _text("stringValue")}, is_list=False)}
_DATA_POINT: Final[_Fields] = {
    2: _number("startTimeUnixNano", "<Q"),
    3: _number("timeUnixNano", "<Q"),
    4: _number("asDouble", "<d"),
    6: _number("asInt", "<q"),
    7: _Nested("attributes", _ATTRIBUTE),
}
_SUM: Final[_Fields] = {1: _Nested("dataPoints", _DATA_POINT), 2: _Scalar("aggregationTemporality", _VARINT)}
_METRIC: Final[_Fields] = {1: _text("name"), 7: _Nested("sum", _SUM, is_list=False)}
_RESOURCE_METRICS: Final[_Fields] = {
    1: _Nested("resource", {1: _Nested("attributes", _ATTRIBUTE)}, is_list=False),
    2: _Nested("scopeMetrics", {2: _Nested("metrics", _METRIC)}),
}
_REQUEST: Final[_Fields] = {1: _Nested("resourceMetrics", _RESOURCE_METRICS)}


def decode_request(body: bytes) -> dict[str, Any]:
    """Shaped as in JSON. Raises ProtobufError."""
    try:
        return _Decoder().message(memoryview(body), _REQUEST)
    except (struct.error, UnicodeDecodeError) as error:
        raise ProtobufError(str(error)) from error


class _Decoder:
    def __init__(self) -> None:
        self._messages = 0

    def message(self, data: memoryview, fields: _Fields) -> dict[str, Any]:
        self._messages += 1
        if self._messages > _MOST_MESSAGES:
            raise ProtobufError(f"more than {_MOST_MESSAGES} messages in one request")
        found: dict[str, Any] = {}
        for number, wire_type, value in _values(data):
            field = fields.get(number)
            if field is None:
                continue
            if wire_type != (_LENGTH if isinstance(field, _Nested) else field.wire_type):
                raise ProtobufError(f"field {number} ({field.name}) has wire type {wire_type}")
            if isinstance(field, _Scalar):
                found[field.name] = value if field.read is None else field.read(_bytes(value))
            elif field.is_list:
                found.setdefault(field.name, []).append(self.message(_bytes(value), field.fields))
            else:
                # Parts of one message that come apart are one.
                found.setdefault(field.name, {}).update(self.message(_bytes(value), field.fields))
        return found


def _bytes(value: memoryview | int) -> memoryview:
    if isinstance(value, int):
        raise ProtobufError("a number where bytes are due")
    return value


def _values(data: memoryview) -> Iterator[tuple[int, int, memoryview | int]]:
    """Field number, wire type and value of each field, in order."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        wire_type = key & 7
        if wire_type == _VARINT:
            number, at = _varint(data, at)
            yield key >> 3, wire_type, number
            continue
        if wire_type == _LENGTH:
            length, at = _varint(data, at)
        elif wire_type in (_FIXED_64, _FIXED_32):
            length = 8 if wire_type == _FIXED_64 else 4
        else:
            raise ProtobufError(f"wire type {wire_type} is none of OTLP's")
        if length > len(data) - at:
            raise ProtobufError(f"field {key >> 3} ends after the message")
        yield key >> 3, wire_type, data[at : at + length]
        at += length


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """The number, and where it ends."""
    value = 0
    for position, byte in enumerate(data[at : at + _LONGEST_VARINT]):
        value |= (byte & 0x7F) << (7 * position)
        if byte < 0x80:
            return value, at + position + 1
    raise ProtobufError("a number has no end")
