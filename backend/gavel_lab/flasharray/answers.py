"""From a checked query to the body: which table answers an endpoint, and one page of it."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from gavel_lab.flasharray import hardware, history, inventory, links
from gavel_lab.flasharray.catalogue import Endpoint
from gavel_lab.flasharray.errors import ApiError, bad_request
from gavel_lab.flasharray.groups import GROUPS, Group
from gavel_lab.flasharray.moments import Moments, at_history, at_once
from gavel_lab.flasharray.performance import BlockCache, PerformanceTable
from gavel_lab.flasharray.protocols import narrowed
from gavel_lab.flasharray.query import Query
from gavel_lab.flasharray.selection import chosen
from gavel_lab.flasharray.shaping import Row, ordered, shape_of
from gavel_lab.flasharray.tables import InventoryTable, Table
from gavel_lab.flasharray.versions import Version
from gavel_lab.flasharray.view import ArrayView

LARGEST_PAGE = 1_000
T = TypeVar("T")
_INVENTORY = {**inventory.ROWS, **hardware.ROWS}


class Token(msgspec.Struct, frozen=True):
    """Where the next page starts, at which instant the first one was answered, and which query it belongs to."""

    offset: int
    now_ms: int
    query: str


@dataclass(frozen=True)
class Answer:
    """A successful body; 207 when part of what was asked could not be had."""

    status: int
    body: dict[str, Any]
    next_token: str | None


class Listings:
    """What an array lists, made anew only after a volume got another name. Thread-safe: a lost race repeats the work."""

    def __init__(self, view: ArrayView) -> None:
        self._view = view
        self._made: dict[str, tuple[tuple[str, ...], Any]] = {}

    def rows(self, path: str) -> list[Row]:
        if path == "arrays":
            return hardware.array_rows(self._view)
        return self._remembered(path, _INVENTORY[path])

    def groups(self, path: str) -> list[Group]:
        return self._remembered(path, GROUPS[path])

    def _remembered(self, path: str, make: Callable[[ArrayView], list[T]]) -> list[T]:
        names = self._view.volume_names()
        kept = self._made.get(path)
        if kept is None or kept[0] != names:
            kept = self._made[path] = (names, make(self._view))
        listed: list[T] = kept[1]
        return listed


class Answers:
    """Answers the GET endpoints of one array."""

    def __init__(self, view: ArrayView) -> None:
        self._view = view
        self._listings = Listings(view)
        self._cache = BlockCache()

    def get(self, endpoint: Endpoint, version: Version, query: Query, raw_query: str) -> Answer:
        """One page. Raises ApiError for what the array refuses."""
        digest = _digest(endpoint, version, raw_query)
        token = _read_token(query.continuation_token, digest)
        now_ms = token.now_ms if token else self._view.now_ms()
        known, errors = _contexts(self._view, query)
        table, unknown = self._table(endpoint, version, query, now_ms, is_empty=not known)
        page = _page(table, endpoint, query, token.offset if token else query.offset)
        errors += [unknown] if unknown else []
        next_token = None
        if page.more and not query.sort and "continuation_token" in endpoint.parameters_of(version):
            next_token = _write_token(Token(page.stop, now_ms, digest))
        return Answer(207 if errors else 200, _body(page, endpoint, version, query, next_token, errors), next_token)

    def _table(
        self, endpoint: Endpoint, version: Version, query: Query, now_ms: int, *, is_empty: bool
    ) -> tuple[Table, ApiError | None]:
        shape = shape_of(endpoint.fields_of(version))
        if endpoint.path in GROUPS:
            return self._performance(endpoint, query, now_ms, is_empty=is_empty, shape=shape)
        if endpoint.path == "network-interfaces/performance":
            moments = self._moments(query, now_ms, history.OBJECT_RESOLUTIONS_MS)
            named, unknown = chosen(
                self._view, endpoint.path, query, self._listings.rows("network-interfaces"), ignore_unknown=False
            )
            return links.InterfaceTable(self._view, moments, shape, {row["name"] for row in named}), unknown
        if endpoint.path == "hosts/performance/balance":
            rows = links.balance_rows(self._view, at_once(self._view, now_ms))
        else:
            rows = self._listings.rows(endpoint.path)
        kept, unknown = chosen(self._view, endpoint.path, query, rows, ignore_unknown=query.allow_errors)
        return InventoryTable([] if is_empty else kept, shape), unknown

    def _performance(
        self, endpoint: Endpoint, query: Query, now_ms: int, *, is_empty: bool, shape: Any
    ) -> tuple[Table, ApiError | None]:
        is_array = endpoint.path == "arrays/performance"
        allowed = history.ARRAY_RESOLUTIONS_MS if is_array else history.OBJECT_RESOLUTIONS_MS
        members = narrowed(self._view, endpoint.path, self._listings.groups(endpoint.path), query)
        identities = [identity for group in members for identity in group.identities]
        kept, unknown = chosen(self._view, endpoint.path, query, identities, ignore_unknown=query.allow_errors)
        if len(kept) < len(identities) or is_empty:
            places = {id(identity) for identity in kept if not is_empty}
            members = [group.only(lambda identity: id(identity) in places) for group in members]
        moments = self._moments(query, now_ms, allowed)
        return PerformanceTable(self._view, endpoint.path, members, moments, shape, self._cache), unknown

    def _moments(self, query: Query, now_ms: int, allowed: tuple[int, ...]) -> Moments:
        if not query.is_history:
            return at_once(self._view, now_ms)
        resolution = history.resolution_of(query, allowed)
        return at_history(self._view, history.stamps(query, resolution, now_ms), resolution)


@dataclass(frozen=True, kw_only=True)
class Page:
    """Rows start..stop-1 of `count`, with the aggregated rows that go with them."""

    items: list[Row]
    total: list[Row]
    stop: int
    count: int

    @property
    def more(self) -> bool:
        return self.stop < self.count


def _page(table: Table, endpoint: Endpoint, query: Query, offset: int) -> Page:
    size = LARGEST_PAGE if query.limit is None else min(query.limit, LARGEST_PAGE)
    rows: Sequence[Row] | None = None
    if query.filter or query.sort:
        wanted = query.filter
        rows = [row for row in table.every() if wanted is None or wanted.matches(row)]
        rows = ordered(rows, query.sort)
    count = len(table) if rows is None else len(rows)
    if query.total_only or query.limit == 0:
        total = table.totals(rows, 0, count) if endpoint.has_total and query.total_only else []
        return Page(items=[], total=total, stop=count, count=count)
    stop = min(offset + size, count)
    items = table.page(offset, stop) if rows is None else table.cut(rows[offset:stop])
    total = table.totals(rows, min(offset, stop), stop) if endpoint.has_total else []
    return Page(items=items, total=total, stop=max(stop, offset), count=count)


def _body(
    page: Page, endpoint: Endpoint, version: Version, query: Query, next_token: str | None, errors: list[ApiError]
) -> dict[str, Any]:
    wants_count = query.total_item_count or query.limit == 0
    body: dict[str, Any] = {
        "continuation_token": next_token,
        "items": page.items,
        "more_items_remaining": page.more,
        "total_item_count": page.count if wants_count else None,
    }
    if version < (2, 1):
        del body["continuation_token"]
    if endpoint.has_total:
        body["total"] = page.total
    if errors:
        body["errors"] = [entry for error in errors for entry in error.errors(location_context=True)]
    return body


def _contexts(view: ArrayView, query: Query) -> tuple[bool, list[ApiError]]:
    """Whether this array is among the contexts asked for, and the error about the others (the fleet has one member)."""
    asked = query.selected.get("context_names")
    if asked is None:
        return True, []
    unknown = [name for name in asked if name != view.array.name]
    if not unknown:
        return True, []
    error = ApiError(400, "Context does not exist.", unknown)
    if not query.allow_errors:
        raise error
    return view.array.name in asked, [error]


def _digest(endpoint: Endpoint, version: Version, raw_query: str) -> str:
    """What must stay the same from page to page: everything but where the page is and how long."""
    parts = sorted(
        part for part in raw_query.split("&") if part.split("=")[0] not in ("continuation_token", "limit", "offset")
    )
    return hashlib.sha256(f"{version}{endpoint.path}?{'&'.join(parts)}".encode()).hexdigest()[:16]


def _write_token(token: Token) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode(token)).decode()


def _read_token(text: str | None, digest: str) -> Token | None:
    if text is None:
        return None
    try:
        token = msgspec.json.decode(base64.urlsafe_b64decode(text), type=Token)
    except (binascii.Error, ValueError, msgspec.MsgspecError) as error:
        raise bad_request("Invalid continuation token.", "continuation_token") from error
    if token.query != digest or token.offset < 0:
        raise bad_request("The continuation token belongs to another query.", "continuation_token")
    return token
