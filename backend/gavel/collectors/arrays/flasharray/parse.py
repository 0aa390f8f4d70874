"""From a FlashArray's bodies to Gavel's words. Pure: no network, no clock."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from operator import attrgetter
from typing import Any, Generic, TypeAlias, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from gavel.collectors.arrays.flasharray.paging import MOST_ITEMS_OF_A_PAGE, PAGE_LIMIT
from gavel.collectors.arrays.flasharray.wire import (
    DirectoryPerformance,
    ErrorBody,
    InterfacePerformance,
    PageBody,
    PortPerformance,
    VersionList,
    VolumePerformance,
)
from gavel.domain.errors import ProtocolError
from gavel.domain.samples import NOT_MEASURED, Int64Array, SampleBatch
from gavel.domain.source import Stream
from gavel.domain.streams import COLUMNS_OF
from gavel.domain.text import clean_text

OLDEST_REST = (2, 2)
NEWEST_REST = (2, 58)
# A latency above an hour or a rate above 10^15 is a broken reading, not an observation; it also keeps products inside 64 bits.
_LARGEST_USEC = 3_600_000_000
_LARGEST_RATE = 10**15
_MOST_VALUES_OF_A_PAGE = 1_000_000
_MOST_ERRORS = 20
_REST_2 = re.compile(r"2\.[0-9]{1,4}")
_PART_OF_VERSION = re.compile(r"[0-9]{1,6}")

Float64Array: TypeAlias = npt.NDArray[np.float64]
Performance: TypeAlias = VolumePerformance | DirectoryPerformance | PortPerformance
RestVersion = tuple[int, int]
Item = TypeVar("Item", bound=msgspec.Struct)
AnyItem = TypeVar("AnyItem")

# Items stay raw where it is not known that all of them can be read.
_page_decoder = msgspec.json.Decoder(PageBody[msgspec.Raw])
_error_decoder = msgspec.json.Decoder(ErrorBody)


def parse_versions(body: bytes, address: str) -> list[RestVersion]:
    """The REST 2.x versions an array offers, ascending; others, and what is no version, are left out.

    Raises ProtocolError when the body is no version list.
    """
    try:
        offered = msgspec.json.decode(body, type=VersionList).version
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise ProtocolError(
            f"{address}: /api/api_version did not answer with a list of versions ({clean_text(str(error), 200)})."
        ) from error
    return sorted((2, int(version[2:])) for version in offered if _REST_2.fullmatch(version))


def choose_version(offered: Sequence[RestVersion]) -> RestVersion | None:
    """The newest offered version that Gavel knows, or None."""
    usable = [version for version in offered if OLDEST_REST <= version <= NEWEST_REST]
    return max(usable, default=None)


def usec_includes_queue(purity_version: str) -> bool:
    """Whether `usec_per_*_op` holds queue time on this Purity: from 6.3.14 on the 6.3 line, 6.4.10 on the 6.4 line, and always later."""
    numbers = [int(part) for part in purity_version.split(".")[:3] if _PART_OF_VERSION.fullmatch(part)]
    major, minor, patch = (*numbers, 0, 0, 0)[:3]
    if (major, minor) == (6, 3):
        return patch >= 14
    if (major, minor) == (6, 4):
        return patch >= 10
    return (major, minor) >= (6, 5)


def error_message(body: bytes) -> str:
    """The vendor's own words in an error body, on one line and cut where they are long; or an empty string."""
    try:
        errors = _error_decoder.decode(body).errors[:_MOST_ERRORS]
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return ""
    return clean_text("; ".join(" ".join(filter(None, (error.context, error.message))) for error in errors), 600)


@dataclass(frozen=True, slots=True)
class ItemPage(Generic[AnyItem]):
    """One page of a list. rejected: items that could not be read. continuation_token: "" without one."""

    items: list[AnyItem]
    rejected: int
    is_last: bool
    continuation_token: str


def parse_rows(body: bytes, what: str, kind: type[Item]) -> ItemPage[Item]:
    """One page of items of a kind, all of them at once; where one is broken, one by one, so that it cannot take its page with it. Raises as
    `parse_page`."""
    # No item is without its brace, and takes no more memory than its fields: what may hold too many is looked at as raw items.
    if body.count(b"{") <= MOST_ITEMS_OF_A_PAGE:
        try:
            page = _rows_decoder(kind).decode(body)
        except (msgspec.MsgspecError, RecursionError, UnicodeError):
            pass
        else:
            return ItemPage(page.items or [], 0, *_what_follows(page))
    raw = parse_page(body, what)
    items, rejected = parse_items(raw.items or (), kind)
    return ItemPage(items, rejected, *_what_follows(raw))


@cache
def _rows_decoder(kind: type[Item]) -> msgspec.json.Decoder[PageBody[Item]]:
    body: Any = PageBody
    return msgspec.json.Decoder(body[kind])


def _what_follows(page: PageBody[Any]) -> tuple[bool, str]:
    return page.more_items_remaining is not True, page.continuation_token or ""


def raw_page(body: bytes, what: str) -> ItemPage[msgspec.Raw]:
    """One page of items as they came. Raises as `parse_page`."""
    page = parse_page(body, what)
    return ItemPage(page.items or [], 0, *_what_follows(page))


def parse_page(body: bytes, what: str) -> PageBody[msgspec.Raw]:
    """One page of a list. Raises ProtocolError when it is none, or holds far more than was asked for."""
    # Before it is decoded: a value costs little more than its comma on the wire, and fifty times as much in memory.
    if body.count(b",") > _MOST_VALUES_OF_A_PAGE:
        raise ProtocolError(f"{what}: one page holds more than {_MOST_VALUES_OF_A_PAGE:,} values; given up.")
    try:
        page = _page_decoder.decode(body)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise ProtocolError(
            f"{what}: the answer is not a list of items ({clean_text(str(error), 200)}). Is this a FlashArray?"
        ) from error
    if len(page.items or ()) > MOST_ITEMS_OF_A_PAGE:
        raise ProtocolError(
            f"{what}: one page holds {len(page.items or ()):,} items, although {PAGE_LIMIT:,} were asked for; given up."
        )
    return page


def parse_items(raw_items: Iterable[msgspec.Raw], kind: type[Item]) -> tuple[list[Item], int]:
    """The readable items and the number of unreadable ones."""
    decode = msgspec.json.Decoder(kind).decode
    items: list[Item] = []
    rejected = 0
    for raw in raw_items:
        try:
            items.append(decode(raw))
        except (msgspec.MsgspecError, RecursionError, UnicodeError):
            rejected += 1
    return items, rejected


def performance_batch(rows: Sequence[Performance], *, stream: Stream, interval_s: int) -> SampleBatch:
    """Rows of a `…/performance` list as samples. Rates become counts over the interval; a time without operations is not measured."""
    ids = [row.id for row in rows]
    keys = tuple(dict.fromkeys(ids))
    position = {key: index for index, key in enumerate(keys)}
    return SampleBatch(
        stream=stream,
        keys=keys,
        key_index=np.fromiter(map(position.__getitem__, ids), np.int64, len(rows)),
        ended_at_us=np.fromiter((row.time * 1000 for row in rows), np.int64, len(rows)),
        interval_s=np.full(len(rows), interval_s, np.int64),
        values=_columns(rows, stream, interval_s),
    )


def port_rows(rows: Iterable[InterfacePerformance], ports: Mapping[str, str]) -> list[PortPerformance]:
    """Of interfaces that are target ports. ports: names by the name of the interface, in lower case: `CT0.FC0` is interface `ct0.fc0`."""
    found = []
    for row in rows:
        name = ports.get(row.name.lower())
        # Of the kind that an interface is not of, fields may be there and empty.
        traffic = next((one for one in (row.fc, row.eth) if one and one.received_bytes_per_sec is not None), None)
        if name is not None and traffic is not None:
            found.append(PortPerformance(id=name, time=row.time, **msgspec.structs.asdict(traffic)))
    return found


def _columns(rows: Sequence[Performance], stream: Stream, interval_s: int) -> Mapping[str, Int64Array]:
    """Counts before the times that they are the operations of."""
    columns = COLUMNS_OF[stream]
    fields = [counter.name for column in columns for counter in column.counters]
    is_rate = np.array([column.weight is None for column in columns])
    numbers = _numbers(rows, fields, np.where(is_rate, _LARGEST_RATE, _LARGEST_USEC))
    whole = np.ascontiguousarray(_integers(numbers * np.where(is_rate, interval_s, 1)).T)
    values: dict[str, Int64Array] = {}
    for column, found in zip(columns, whole, strict=True):
        if column.weight is not None:
            found[values[column.weight] <= 0] = (
                NOT_MEASURED  # the array reports 0 µs for an idle direction; that is no reading
            )
        values[column.name] = found
    return values


def _numbers(rows: Sequence[Performance], fields: Sequence[str], largest: Int64Array) -> Float64Array:
    """(n, k) fields as floats; NaN where one is absent, negative or beyond anything a real array reports (largest: (k,))."""
    size, taken = len(rows) * len(fields), attrgetter(*fields)
    try:
        flat = np.fromiter(chain.from_iterable(map(taken, rows)), np.float64, size)
    except TypeError:  # one is absent
        flat = np.array([taken(row) for row in rows], dtype=np.float64)
    numbers = flat.reshape(len(rows), len(fields))
    with np.errstate(invalid="ignore"):
        numbers[~((numbers >= 0) & (numbers <= largest))] = np.nan
    return numbers


def _integers(numbers: Float64Array) -> Int64Array:
    return np.where(np.isnan(numbers), NOT_MEASURED, np.rint(numbers)).astype(np.int64)
