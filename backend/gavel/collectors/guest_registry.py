"""Every agent whose readings of guests' disks Gavel takes; a new one is a folder of `guests` and a line here."""

from collections.abc import Mapping
from typing import Final

from gavel.collectors.guest_lines import LineParser, read_points
from gavel.collectors.guests.otlp.parse import OtlpError, parse_request
from gavel.collectors.guests.script.parsers import PARSERS as SCRIPT
from gavel.collectors.guests.telegraf.parsers import PARSERS as TELEGRAF
from gavel.collectors.line_protocol import parse_lines
from gavel.domain.guests import PushedReadings

__all__ = ["LINE_PARSERS", "OtlpError", "read_line_protocol", "read_otlp_json"]

LINE_PARSERS: Final[Mapping[str, LineParser]] = {**TELEGRAF, **SCRIPT}
_WANTED: Final = frozenset(LINE_PARSERS)


def read_line_protocol(body: bytes, precision: str) -> PushedReadings:
    """Raises KeyError for a precision that is none of `line_protocol.PRECISION_NS`."""
    return read_points(parse_lines(body, precision=precision, wanted=_WANTED), LINE_PARSERS)


def read_otlp_json(body: bytes) -> PushedReadings:
    """Raises OtlpError."""
    return parse_request(body)
