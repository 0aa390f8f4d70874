"""Time ranges, pages and limits in a query, and what is sensible."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from fastapi import Depends, HTTPException, Query

from gavel.api.deps import NowDep
from gavel.api.filters import FilterDep
from gavel.api.inputs import INT32_MAX, Search, in_calendar
from gavel.db.queries.paging import ListQuery, Sort

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
        raise HTTPException(422, f"The range is longer than the {_LONGEST.days} days that Gavel keeps.")
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


def trend_range(
    at: NowDep,
    trend_from: Annotated[str, Query(description=_FORMAT, max_length=40, json_schema_extra=_LOOKS)] = "-1h",
    trend_to: Annotated[str, Query(description=_FORMAT, max_length=40, json_schema_extra=_LOOKS)] = "now",
) -> TimeRange:
    """What is drawn over time, where an answer is about a window, too."""
    return time_range(at, trend_from, trend_to)


def list_query(
    wanted: FilterDep,
    search: Search = "",
    sort: Annotated[str, Query(pattern=r"^-?(name|latency|iops)$", description="descending with a leading -")] = "name",
    limit: Limit = 100,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    source: Annotated[int | None, Query(ge=1, le=INT32_MAX, description="only of this vCenter or array")] = None,
) -> ListQuery:
    return ListQuery(
        search=search.strip(),
        sort=Sort(sort.removeprefix("-")),
        descending=sort.startswith("-"),
        limit=limit,
        offset=offset,
        source_id=source,
        filter=wanted,
    )


RangeDep = Annotated[TimeRange, Depends(time_range)]
TrendDep = Annotated[TimeRange, Depends(trend_range)]
OptionalRangeDep = Annotated[OptionalRange, Depends(optional_range)]
ListDep = Annotated[ListQuery, Depends(list_query)]
