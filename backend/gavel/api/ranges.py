"""Time ranges, pages and limits in a query, and what is sensible."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from fastapi import Depends, HTTPException, Query

from gavel.api.deps import NowDep
from gavel.api.filters import FilterDep
from gavel.api.inputs import Search, in_calendar
from gavel.api.schemas.diagnoses import SEVERITY_LASTS, SeverityName
from gavel.db.engine import Connection
from gavel.db.queries.paging import ListQuery, Sort
from gavel.db.queries.scopes import ledger_until
from gavel.diagnosis.listing import ListingQuery
from gavel.diagnosis.ranking_rows import Order
from gavel.diagnosis.window import asked_window
from gavel.domain.io_path import Layer, LayerName, Severity

_RELATIVE = re.compile(r"-(\d{1,5})([smhdw])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_LONGEST = timedelta(days=400)

# For the description; `instant` says in words what is wrong with one that looks otherwise.
_LOOKS: dict[str, Any] = {"pattern": r"^(now|-[0-9]{1,5}[smhdw]|[0-9]{4}-[0-9]{2}-[0-9]{2}[0-9A-Za-z:.,+ -]*)$"}
_FORMAT = "ISO 8601 with zone, `now` or `-3h`"

Limit = Annotated[int, Query(ge=1, le=500)]


@dataclass(frozen=True, slots=True)
class TimeRange:
    from_at: datetime
    to_at: datetime


def instant(text: str, now: datetime) -> datetime:
    """`now`, `-3h` before now, or ISO 8601 with a zone. Raises ValueError with what it should look like."""
    if text == "now":
        return now
    relative = _RELATIVE.fullmatch(text)
    if relative:
        return now - timedelta(**{_UNITS[relative[2]]: int(relative[1])})
    try:
        at = datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"{text!r} is no time; use 2026-11-21T12:00:00Z, now, or -3h") from error
    if at.tzinfo is None:
        raise ValueError(f"{text!r} has no time zone; add Z for UTC")
    return in_calendar(at.astimezone(UTC))


@dataclass(frozen=True, slots=True)
class OptionalRange:
    """Both None: no range was given, and the route uses the newest data."""

    from_at: datetime | None
    to_at: datetime | None


def time_range(
    at: NowDep,
    from_: Annotated[str, Query(alias="from", description=_FORMAT, max_length=40, json_schema_extra=_LOOKS)] = "-1h",
    to: Annotated[str, Query(description=_FORMAT, max_length=40, json_schema_extra=_LOOKS)] = "now",
) -> TimeRange:
    try:
        window = TimeRange(instant(from_, at), instant(to, at))
    except (ValueError, OverflowError) as error:
        raise HTTPException(422, str(error)) from error
    if window.from_at >= window.to_at:
        raise HTTPException(422, f"The range is empty: from {window.from_at:%Y-%m-%d %H:%M:%S}Z is not before to.")
    if window.to_at - window.from_at > _LONGEST:
        raise HTTPException(422, f"The range is longer than {_LONGEST.days} days.")
    return window


def optional_range(
    at: NowDep,
    from_: Annotated[
        str | None,
        Query(
            alias="from",
            description="as elsewhere; default: the last 5 analyzed minutes",
            max_length=40,
            json_schema_extra=_LOOKS,
        ),
    ] = None,
    to: Annotated[str, Query(description=_FORMAT, max_length=40, json_schema_extra=_LOOKS)] = "now",
) -> OptionalRange:
    if from_ is None:
        if to != "now":
            raise HTTPException(422, "A range that ends somewhere has to begin somewhere: give from, too.")
        return OptionalRange(None, None)
    window = time_range(at, from_, to)
    return OptionalRange(window.from_at, window.to_at)


def window_of(connection: Connection, asked: OptionalRange, now: datetime) -> tuple[datetime, datetime]:
    """Whose diagnoses a ranking or a list has: without a range the last analyzed minutes."""
    until_at = None if asked.from_at else ledger_until(connection)
    return asked_window(asked.from_at, asked.to_at, until_at, now)


def trend_range(
    at: NowDep,
    trend_from: Annotated[str, Query(description=_FORMAT, max_length=40, json_schema_extra=_LOOKS)] = "-1h",
    trend_to: Annotated[str, Query(description=_FORMAT, max_length=40, json_schema_extra=_LOOKS)] = "now",
) -> TimeRange:
    """What is drawn over time, where an answer is about a window, too."""
    return time_range(at, trend_from, trend_to)


_SORT = r"^-?(name|latency|iops|excess_outstanding|excess|total_latency|total_iops)$"
_SORTS = (
    "descending with a leading -; latency and iops: counters of the newest minute;"
    " total_latency and total_iops: of the window, as in the overview"
)
# By diagnosis, as the overview calls them.
_ORDERS: Mapping[str, Order] = {
    "excess_outstanding": "excess_outstanding",
    "excess": "excess",
    "total_latency": "latency",
    "total_iops": "iops",
}


def list_query(
    wanted: FilterDep,
    search: Search = "",
    layer: Annotated[LayerName | None, Query(description="only objects whose diagnosis names this layer")] = None,
    severity: Annotated[SeverityName | None, Query(description=SEVERITY_LASTS)] = None,
    sort: Annotated[str, Query(pattern=_SORT, description=_SORTS)] = "name",
    limit: Limit = 100,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> ListingQuery:
    column = sort.removeprefix("-")
    order = _ORDERS.get(column)
    return ListingQuery(
        ListQuery(
            search=search.strip(),
            sort=Sort.NAME if order else Sort(column),
            descending=sort.startswith("-"),
            limit=limit,
            offset=offset,
            filter=wanted,
        ),
        order=order,
        layer=Layer[layer.upper()] if layer else None,
        severity=Severity(severity) if severity else None,
    )


RangeDep = Annotated[TimeRange, Depends(time_range)]
TrendDep = Annotated[TimeRange, Depends(trend_range)]
OptionalRangeDep = Annotated[OptionalRange, Depends(optional_range)]
ListDep = Annotated[ListingQuery, Depends(list_query)]
