"""Decodes the csv form of a QueryPerf reply, entity by entity as the bytes arrive, into one matrix per sample count.

The cost of a reply lies in its series, five elements around a short list of numbers. In the form every vCenter sends, a
regular expression takes a series out in one step; it is believed only where it accounts for every "<" of the entity. Any
other spelling of the same XML goes through the XML parser, as the envelope around the entities always does.

From poll to poll an entity's reply differs in its stamp and its numbers alone. Where all else is as it was, the numbers go where those
before them went, and no series is looked at by itself.
"""

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, TypeAlias
from xml.parsers import expat

import numpy as np

from gavel.domain.samples import NOT_MEASURED, Int64Array

_SERIES: Final = re.compile(
    rb"<value(?: [^<>]*)?><id><counterId>(\d+)</counterId><instance>([^<]*)</instance></id>"
    rb"<value>([^<]*)</value></value>"
)
_TAGS_OF_A_SERIES: Final = 10
_VALUES: Final = re.compile(rb"<value>([^<]*)</value>")
_HEADER: Final = re.compile(
    rb"<returnval(?: [^<>]*)?><entity(?: [^<>]*)?>([^<]*)</entity><sampleInfoCSV>([^<]*)</sampleInfoCSV>"
)
_TAGS_AROUND: Final = 6
_START_OF_ENTITY: Final = re.compile(rb"<((?:[\w.-]{1,64}:)?returnval)[\s>]")
_LONGEST_START: Final = 80
_LONGEST_HEAD: Final = 1 << 16
# Eleven days in µs, a petabyte per second in KB/s: beyond it no reading is one, and a multiplied one could overflow.
_LARGEST: Final = 1 << 40
# What one answer may hold; a call that is answered with more is asked for fewer entities. Five hosts with 4,096 paths each have 20,480
# instances, in 25 minutes 12 million values; a cell takes 8 bytes.
MOST_INSTANCES: Final = 50_000
_MOST_CELLS: Final = 8_000_000
_MOST_ENTITIES: Final = 10_000
_MOST_SAMPLES: Final = 4_000
_MOST_TAGS: Final = 1_500_000
_NUMBER: Final = re.compile(rb"\s*-?\d{1,19}\s*")

RawSeries: TypeAlias = tuple[bytes, bytes, bytes]
"""Counter id, instance and values as they stand in the reply."""


class NotCsvError(ValueError):
    """The bytes are no csv reply of QueryPerf."""


class TooMuchError(ValueError):
    """A reply of QueryPerf that holds more than one call may be answered with; the text says what of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PivotedSeries:
    """All series of a reply that have n samples, pivoted: g objects (an instance of an entity) with c counters each.

    names: the g objects as (entity, instance). ended_at_us: (g, n) end of each sample, µs since 1970 UTC, in the order of
    the reply. interval_s: (g, n). values: (c, g, n), `NOT_MEASURED` where a counter did not come or was negative.
    """

    names: tuple[tuple[str, str], ...]
    ended_at_us: Int64Array
    interval_s: Int64Array
    values: Int64Array


@dataclass(slots=True, kw_only=True)
class _Block:
    """Series of equal length in the order they came, entity by entity: which counter, which object, and their text."""

    names: list[tuple[str, str]] = field(default_factory=list)
    infos: list[tuple[Int64Array, Int64Array]] = field(default_factory=list)
    columns: list[Int64Array] = field(default_factory=list)
    objects: list[Int64Array] = field(default_factory=list)
    texts: list[bytes] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form:
    """An entity's series but for their numbers: the column (s,) and the object (s,) among `names` of each.

    spelled: a hash of all its bytes but those of header and numbers, with a key of this process: of two that differ it is the same once in
    2**64.
    """

    spelled: int
    columns: Int64Array
    objects: Int64Array
    names: tuple[tuple[str, str], ...]


class Forms:
    """Of each entity of a stream the form that its newest reply had, for the replies to come. Only replies with one sample are known by it:
    those of live reading."""

    def __init__(self) -> None:
        self._known: dict[bytes, _Form] = {}
        self._arrays: dict[bytes, Int64Array] = {}

    def of(self, entity: bytes, spelled: int) -> _Form | None:
        known = self._known.get(entity)
        return known if known is not None and known.spelled == spelled else None

    def learn(
        self, entity: bytes, spelled: int, columns: Int64Array, objects: Int64Array, names: Sequence[tuple[str, str]]
    ) -> None:
        if len(self._known) >= _MOST_ENTITIES:
            self._known.clear()
            self._arrays.clear()
        # Most entities have as many objects with the same counters: one array serves them all.
        columns, objects = (self._arrays.setdefault(array.tobytes(), array) for array in (columns, objects))
        self._known[entity] = _Form(spelled=spelled, columns=columns, objects=objects, names=tuple(names))


class CsvDecoder:
    """Feed it the body of one reply, then `finish()`.

    columns: counter id → position on the first axis of `PivotedSeries.values`; series of other counters are ignored.
    forms: of earlier replies that were decoded with the same columns.
    rejected: series dropped because their values were not one integer per sample.
    """

    def __init__(self, columns: Mapping[int, int], forms: Forms | None = None) -> None:
        self._forms = Forms() if forms is None else forms
        self._columns = {str(counter).encode(): column for counter, column in columns.items()}
        self._width = max(columns.values(), default=-1) + 1
        self._pending = bytearray()
        self._head = b""
        self._end_of_entity: bytes | None = None
        self._blocks: dict[int, _Block] = {}
        self._infos: dict[bytes, tuple[Int64Array, Int64Array] | None] = {}
        self._instances = 0
        self.rejected = 0

    def feed(self, chunk: bytes) -> None:
        """Takes the next bytes. Raises NotCsvError when an entity is not XML or has no csv samples, TooMuchError when it has too many."""
        searched = len(self._pending)
        self._pending += chunk
        if self._end_of_entity is None:
            start = _START_OF_ENTITY.search(self._pending, max(0, searched - _LONGEST_START))
            if start is None:
                if len(self._pending) > _LONGEST_HEAD:
                    raise NotCsvError(f"no samples within its first {_LONGEST_HEAD:,} bytes")
                return
            self._end_of_entity = b"</" + start[1] + b">"
            self._head = self._take(start.start())
            searched = 0
        searched = max(0, searched - len(self._end_of_entity))
        while (end := self._pending.find(self._end_of_entity, searched)) >= 0:
            self._entity(self._take(end + len(self._end_of_entity)))
            searched = 0

    def finish(self) -> tuple[PivotedSeries, ...]:
        """What the reply held. Raises NotCsvError when it was cut short or was something else, TooMuchError as `feed`."""
        rest = _Elements(self._head + self._pending, final=True)
        if not rest.is_reply:
            raise NotCsvError("XML, but no QueryPerfResponse")
        for entity in rest.entities():
            self._add(*entity)
        cells = sum(self._width * len(block.names) * samples for samples, block in self._blocks.items())
        if cells > _MOST_CELLS:
            raise TooMuchError(f"{self._instances:,} instances with {cells:,} values")
        return tuple(self._pivot(samples, block) for samples, block in self._blocks.items() if block.names)

    def _take(self, length: int) -> bytes:
        piece = bytes(self._pending[:length])
        del self._pending[:length]
        return piece

    def _entity(self, piece: bytes) -> None:
        header = _HEADER.match(piece)
        if header is None:
            self._parsed(piece)
        elif header[2].count(b",") != 1:
            self._matched(piece, header)
        else:
            parts = _VALUES.split(piece[header.end() :])
            spelled, texts = hash(b"".join(parts[::2])), parts[1::2]
            known = self._forms.of(header[1], spelled)
            if known is None or not _are_one_each(texts):
                self._matched(piece, header, spelled)
            elif samples := self._samples(header[2]):
                self._append(known.names, samples, known.columns, known.objects, texts)
            else:
                self.rejected += len(texts)

    def _matched(self, piece: bytes, header: re.Match[bytes], spelled: int | None = None) -> None:
        """An entity in the usual spelling; its form is noted under `spelled` if each of its series was taken."""
        series = _canonical(piece, header)
        if series is None:
            self._parsed(piece)
        else:
            self._add(header[1], header[2], series, spelled)

    def _parsed(self, piece: bytes) -> None:
        for entity in _Elements(self._head + piece, final=False).entities():
            self._add(*entity)

    def _add(self, entity: bytes, info: bytes, series: Sequence[RawSeries], spelled: int | None = None) -> None:
        samples = self._samples(info)
        if samples is None:
            self.rejected += len(series)
        elif len(samples[0]):
            self._sort_in(entity, samples, series, spelled)

    def _samples(self, info: bytes) -> tuple[Int64Array, Int64Array] | None:
        if info not in self._infos:
            if len(self._infos) >= _MOST_ENTITIES:
                raise TooMuchError(f"more than {_MOST_ENTITIES:,} entities")
            self._infos[info] = _sample_info(info)
        return self._infos[info]

    def _sort_in(
        self, key: bytes, samples: tuple[Int64Array, Int64Array], series: Sequence[RawSeries], spelled: int | None
    ) -> None:
        commas, entity = len(samples[0]) - 1, key.decode(errors="replace").strip()
        places: dict[bytes, int] = {}
        names, columns, objects, texts = list[tuple[str, str]](), list[int](), list[int](), list[bytes]()
        for counter, instance, text in series:
            column = self._columns.get(counter)
            if column is None:
                continue
            if text.count(b",") != commas:
                self.rejected += 1
                continue
            place = places.setdefault(instance, len(names))
            if place == len(names):
                names.append((entity, instance.decode(errors="replace")))
            columns.append(column)
            objects.append(place)
            texts.append(text)
        of_series, of_objects = np.array(columns, dtype=np.int64), np.array(objects, dtype=np.int64)
        self._append(names, samples, of_series, of_objects, texts)
        if spelled is not None and len(texts) == len(series):
            self._forms.learn(key, spelled, of_series, of_objects, names)

    def _append(
        self,
        names: Sequence[tuple[str, str]],
        samples: tuple[Int64Array, Int64Array],
        columns: Int64Array,
        objects: Int64Array,
        texts: Sequence[bytes],
    ) -> None:
        """Series of one entity among those of as many samples. columns, objects: (s,) of each; objects by their place in `names`."""
        self._instances += len(names)
        if self._instances > MOST_INSTANCES:
            raise TooMuchError(f"more than {MOST_INSTANCES:,} instances")
        block = self._blocks.setdefault(len(samples[0]), _Block())
        block.columns.append(columns)
        block.objects.append(objects + len(block.names))
        block.names += names
        block.infos += [samples] * len(names)
        block.texts += texts

    def _pivot(self, samples: int, block: _Block) -> PivotedSeries:
        values = np.full((self._width, len(block.names), samples), NOT_MEASURED, dtype=np.int64)
        values[np.concatenate(block.columns), np.concatenate(block.objects)] = self._numbers(block.texts, samples)
        np.maximum(values, NOT_MEASURED, out=values)
        return PivotedSeries(
            names=tuple(block.names),
            ended_at_us=np.array([stamps for stamps, _ in block.infos]),
            interval_s=np.array([intervals for _, intervals in block.infos]),
            values=values,
        )

    def _numbers(self, texts: list[bytes], samples: int) -> Int64Array:
        """(series, samples) integers; a series with anything else in it is rejected as a whole."""
        numbers = _integers(b",".join(texts))
        if numbers is None or len(numbers) != len(texts) * samples:
            numbers = np.array([self._series(text, samples) for text in texts], dtype=np.int64)
        return numbers.reshape(-1, samples)

    def _series(self, text: bytes, samples: int) -> list[int]:
        parts = text.split(b",")
        if all(map(_NUMBER.fullmatch, parts)):
            numbers = list(map(int, parts))
            if all(abs(number) <= _LARGEST for number in numbers):
                return numbers
        self.rejected += 1
        return [NOT_MEASURED] * samples


def _integers(text: bytes) -> Int64Array | None:
    """(n,) of a comma-separated list, or None when something in it is no 64-bit integer."""
    if not text or text.translate(None, b"-,0123456789"):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # NumPy only warns about text it could not read to the end
        try:
            numbers = np.fromstring(text.decode(), dtype=np.int64, sep=",")
        except (DeprecationWarning, ValueError):
            return None
    return numbers if numbers.max() <= _LARGEST and numbers.min() >= -_LARGEST else None


def _canonical(piece: bytes, header: re.Match[bytes]) -> list[RawSeries] | None:
    """Series of one `returnval`, or None when it is spelled in another way than usual."""
    if b"&" in piece:
        return None
    series: list[RawSeries] = _SERIES.findall(piece, header.end())
    if piece.count(b"<") != _TAGS_AROUND + _TAGS_OF_A_SERIES * len(series):
        return None
    return series


def _are_one_each(texts: Sequence[bytes]) -> bool:
    """Whether every text is one number and nothing else."""
    together = b",".join(texts)
    is_list = not together.translate(None, b"-,0123456789") and together.count(b",") == len(texts) - 1
    return is_list and all(texts)


def _sample_info(info: bytes) -> tuple[Int64Array, Int64Array] | None:
    """(n,) stamps in µs and (n,) intervals in s out of "20,2026-11-21T04:00:20Z,20,…"; None when unreadable."""
    if not info:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    if info.count(b",") > 2 * _MOST_SAMPLES:
        return None
    parts = info.decode(errors="replace").split(",")
    try:
        stamps = [datetime.fromisoformat(text) for text in parts[1::2]]
        intervals = [int(text) for text in parts[0::2]]
        microseconds = [round(stamp.timestamp() * 1_000_000) for stamp in stamps if stamp.tzinfo]
    except (ValueError, OverflowError):
        return None
    if len(microseconds) != len(intervals) or any(not 0 < interval < 86_400 for interval in intervals):
        return None
    return np.array(microseconds, dtype=np.int64), np.array(intervals, dtype=np.int64)


class _Elements:
    """End tags and texts of (a part of) a reply, read by the XML parser. Raises NotCsvError when it is no XML."""

    def __init__(self, text: bytes, *, final: bool = False) -> None:
        if text.count(b"<") > _MOST_TAGS:
            raise TooMuchError(f"more than {_MOST_TAGS:,} tags")
        self._ended: list[tuple[str, str]] = []
        self._text: list[str] = []
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.CharacterDataHandler = self._text.append
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = _refuse_doctype
        try:
            parser.Parse(text, final)
        except NotCsvError:
            raise
        # The others: encodings that are unknown, or that the parser cannot read.
        except (expat.ExpatError, LookupError, ValueError) as error:
            raise NotCsvError(f"not XML, or cut short: {error}") from error

    @property
    def is_reply(self) -> bool:
        return any(name == "QueryPerfResponse" for name, _ in self._ended)

    def entities(self) -> Iterator[tuple[bytes, bytes, list[RawSeries]]]:
        """Entity, sample info and series of every `returnval` in it."""
        series: list[RawSeries] = []
        fields: dict[str, bytes] = {}
        for name, text in self._ended:
            if name == "value" and "counterId" in fields:
                series.append((fields.pop("counterId"), fields.pop("instance", b""), text.encode()))
            elif name == "returnval":
                if not {"entity", "sampleInfoCSV"} <= fields.keys():
                    raise NotCsvError("a part of it is in another format than csv")
                yield fields.pop("entity"), fields.pop("sampleInfoCSV"), series
                series = []
            else:
                fields[name] = text.encode()

    def _start(self, _name: str, _attributes: Mapping[str, str]) -> None:
        self._text.clear()

    def _end(self, name: str) -> None:
        self._ended.append((name.rpartition(" ")[2], "".join(self._text).strip()))
        self._text.clear()


def _refuse_doctype(name: str, *_rest: object) -> None:
    raise NotCsvError(f"a document of type {name!r}")
