"""Every agent whose readings of guests' disks Gavel takes; a new one is a folder of `guests` and a line here."""

from collections.abc import Callable, Mapping
from typing import Final

from gavel.collectors.guest_lines import LineParser, read_points
from gavel.collectors.guests.otlp.parse import OtlpError, parse_json, parse_protobuf
from gavel.collectors.guests.script.parsers import PARSERS as SCRIPT
from gavel.collectors.guests.telegraf.parsers import PARSERS as TELEGRAF
from gavel.collectors.line_protocol import parse_lines
from gavel.domain.guests import PushedReadings

__all__ = ["LINE_PARSERS", "OTLP_READERS", "OtlpError", "read_line_protocol"]

LINE_PARSERS: Final[Mapping[str, LineParser]] = {**TELEGRAF, **SCRIPT}
_WANTED: Final = frozenset(LINE_PARSERS)


def read_line_protocol(body: bytes, precision: str) -> PushedReadings:
    """Raises KeyError for a precision that is none of `line_protocol.PRECISION_NS`."""
    return read_points(parse_lines(body, precision=precision, wanted=_WANTED), LINE_PARSERS)


# By content type. They raise OtlpError.
OTLP_READERS: Final[Mapping[str, Callable[[bytes], PushedReadings]]] = {
    "application/json": parse_json,
    "application/x-protobuf": parse_protobuf,
}
