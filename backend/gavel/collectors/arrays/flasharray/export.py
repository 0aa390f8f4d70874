"""A FlashArray's answers to what its collector asks for, of a window, in one bounded file; read elsewhere as if the array were asked."""

import gzip
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO

import msgspec

from gavel import clock
from gavel.collectors.arrays.flasharray.client import FlashArrayClient, Params
from gavel.collectors.arrays.flasharray.collector import FlashArrayCollector
from gavel.collectors.arrays.flasharray.settings import FlashArraySettings
from gavel.collectors.clock import DateClock
from gavel.collectors.net import CheckedCollector
from gavel.domain.errors import ProtocolError, SettingsError
from gavel.domain.source import ClockReading, Stream
from gavel.domain.text import clean_text
from gavel.egress.network import parse_address
from gavel.egress.tls import ssl_context

FORMAT = 1
LONGEST = timedelta(hours=24)
MOST_BYTES = 512 * 2**20
# Rows of one answer: 20,000 volumes and 5 minutes are 200,000.
_SLICE = timedelta(minutes=5)
_READ_AT_ONCE = 2**20


class _ExportedClock(msgspec.Struct):
    """The array's clock against that of the machine that asked."""

    offset_s: float
    error_s: float
    read_at: datetime


class _ExportedWindow(msgspec.Struct):
    """By the array's clock, as it was asked for."""

    stream: str
    since: datetime
    until: datetime


class _ExportedAnswer(msgspec.Struct):
    resource: str
    params: dict[str, str | int]
    body: msgspec.Raw


class ExportFile(msgspec.Struct):
    """As it is written."""

    gavel_array_export: int
    address: str
    rest_version: tuple[int, int]
    clock: _ExportedClock | None
    windows: list[_ExportedWindow]
    answers: list[_ExportedAnswer]


@dataclass(frozen=True, slots=True)
class ArrayExport:
    """collector: answers from the file. windows: [since, until] by stream that it has. clock: against the machine that asked."""

    collector: CheckedCollector
    address: str
    clock: ClockReading | None
    windows: Sequence[tuple[Stream, datetime, datetime]]


class _RecordingClient(FlashArrayClient):
    """Keeps what the array answered. Raises SettingsError once that is more than one file may hold."""

    def __init__(self, settings: FlashArraySettings) -> None:
        super().__init__(settings.address, settings.api_token.get_secret_value(), ssl_context(settings))
        self.answers: dict[str, _ExportedAnswer] = {}
        self.size_bytes = 0

    def get(self, resource: str, params: Params) -> bytes:
        body = super().get(resource, params)
        self.size_bytes += len(body)
        if self.size_bytes > MOST_BYTES:
            raise SettingsError(
                f"{self.address}: more than {MOST_BYTES >> 20} MiB of answers. Export a shorter span with --for."
            )
        self.answers[_key(resource, params)] = _ExportedAnswer(resource, dict(params), msgspec.Raw(body))
        return body


class _RecordedClient(FlashArrayClient):
    """Gives the answers of a file, and asks nobody."""

    def __init__(self, file: ExportFile) -> None:
        self.address = parse_address(file.address)
        self.clock = DateClock()
        self._version = file.rest_version
        self._answers = {_key(each.resource, each.params): bytes(each.body) for each in file.answers}
        self._calls = self._bytes = 0

    def get(self, resource: str, params: Params) -> bytes:
        body = self._answers.get(_key(resource, params))
        if body is None:
            raise ProtocolError(
                f"{self.address}: the export has no answer to {resource} with {json.dumps(dict(params))}."
            )
        return body

    def close(self) -> None:
        """There is no session."""


def _key(resource: str, params: Params) -> str:
    return json.dumps([resource, dict(params)], sort_keys=True)


def export_array(settings: FlashArraySettings, length: timedelta, file: IO[bytes], say: Callable[[str], None]) -> None:
    """Ask for inventory and samples of so long until now, and write what came, gzipped. Raises GavelError."""
    if not timedelta(minutes=1) <= length <= LONGEST:
        raise SettingsError(f"--for: from 1 minute to {LONGEST // timedelta(hours=1)} hours.")
    client = _RecordingClient(settings)
    collector = CheckedCollector(FlashArrayCollector(settings, client), settings.address)
    try:
        collector.clocks()
        collector.inventory()
        say("Inventory read.")
        reading = client.clock.reading()
        now = clock.now() + timedelta(seconds=reading.offset_s if reading else 0.0)
        windows = _windows(now.replace(microsecond=0) - length, now.replace(microsecond=0), collector.streams)
        for number, window in enumerate(windows, 1):
            for _ in collector.samples(Stream(window.stream), window.since, window.until):
                pass
            if number % len(collector.streams) == 0:
                say(f"Read until {window.until:%H:%M:%S} UTC by the array's clock, {client.size_bytes / 1e6:.1f} MB.")
        exported = ExportFile(
            gavel_array_export=FORMAT,
            address=settings.address,
            rest_version=client.version,
            clock=None if reading is None else _ExportedClock(reading.offset_s, reading.error_s, reading.read_at),
            windows=windows,
            answers=list(client.answers.values()),
        )
    finally:
        collector.close()
    write_export_file(exported, file)


def write_export_file(exported: ExportFile, file: IO[bytes]) -> None:
    with gzip.GzipFile(fileobj=file, mode="wb", mtime=0) as packed:
        packed.write(msgspec.json.encode(exported))


def _windows(since: datetime, until: datetime, streams: Mapping[Stream, object]) -> list[_ExportedWindow]:
    """Slice by slice, of every stream."""
    found = []
    while since < until:
        end = min(since + _SLICE, until)
        found += [_ExportedWindow(stream.value, since, end) for stream in streams]
        since = end
    return found


def read_export(path: Path) -> ArrayExport:
    """Of a file of this machine. Raises SettingsError that names it and what is wrong with it."""
    try:
        with path.open("rb") as stream:
            return decode_export(stream, str(path))
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read ({error.strerror or error}).") from error


def decode_export(stream: IO[bytes], path: str) -> ArrayExport:
    """path: for messages. Raises SettingsError that names the file and what is wrong with it."""
    file = load_export_file(stream, path)
    try:
        windows = [(Stream(each.stream), each.since, each.until) for each in file.windows]
        # An export has no token, and is asked for none.
        settings = FlashArraySettings.model_validate({"address": file.address, "api_token": "not-in-an-export"})
        client = _RecordedClient(file)
    except ValueError as error:
        raise _no_export(path, error) from error
    said = file.clock
    reading = None if said is None else ClockReading(None, said.offset_s, said.error_s, said.read_at)
    return ArrayExport(
        CheckedCollector(FlashArrayCollector(settings, client), file.address), file.address, reading, windows
    )


def load_export_file(stream: IO[bytes], path: str) -> ExportFile:
    """As it was written. Raises SettingsError."""
    try:
        file = msgspec.json.decode(_unpacked(stream, path), type=ExportFile)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise SettingsError(f"{path}: cannot be read ({error}).") from error
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise _no_export(path, error) from error
    if file.gavel_array_export != FORMAT:
        raise SettingsError(f"{path}: is an export of another release of Gavel (format {file.gavel_array_export}).")
    return file


def looks_like_export(path: Path) -> bool:
    """By its first character: JSON is no capture. Raises OSError."""
    with path.open("rb") as stream:
        packed = stream.read(2) == b"\x1f\x8b"
    try:
        with gzip.open(path) if packed else path.open("rb") as opened:
            return opened.read(64).lstrip().startswith(b"{")
    except (EOFError, zlib.error):
        return False


def _no_export(path: str, error: Exception) -> SettingsError:
    return SettingsError(
        f"{path}: is no export of an array ({clean_text(str(error), 200)}). Make one with `gavel export array`."
    )


def _unpacked(stream: IO[bytes], path: str) -> bytearray:
    """JSON, plain or gzipped; never more than an export has."""
    packed = stream.read(2) == b"\x1f\x8b"
    stream.seek(0)
    source: IO[bytes] = gzip.GzipFile(fileobj=stream) if packed else stream  # type: ignore[assignment]
    data = bytearray()
    while piece := source.read(_READ_AT_ONCE):
        data += piece
        if len(data) > 2 * MOST_BYTES:
            raise SettingsError(f"{path}: unpacks to more than {2 * MOST_BYTES >> 20} MiB, which no export does.")
    return data
