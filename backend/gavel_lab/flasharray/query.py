"""The query string of a call, checked against what the endpoint's version takes, as one value."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from gavel_lab.flasharray import filtering
from gavel_lab.flasharray.catalogue import Endpoint
from gavel_lab.flasharray.errors import bad_request
from gavel_lab.flasharray.versions import Version, show

_SORT = re.compile(r"([a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)*)(-?)")
_LARGEST = {"limit": 2**31 - 1, "offset": 2**31 - 1}
_MILLISECONDS = 2**63 - 1
_PROTOCOLS = {"protocol": ("nfs", "smb", "s3", "all"), "protocol_group": ("block", "file", "object-store", "all")}
_OBJECT_STORE = ("s3", "object-store")
_OBJECT_STORE_SINCE: Version = (2, 51)


@dataclass(frozen=True)
class Query:
    """What was asked. Times are epoch milliseconds of the array's clock; None is 'not given'.

    selected: the list parameters that name objects ("names", "ids", "volume_names", ...).
    sort: (field path, descending) in order of weight.
    """

    limit: int | None = None
    offset: int = 0
    continuation_token: str | None = None
    filter: filtering.Filter | None = None
    sort: tuple[tuple[str, bool], ...] = ()
    destroyed: bool | None = None
    resource_destroyed: bool | None = None
    total_only: bool = False
    total_item_count: bool = False
    allow_errors: bool = False
    start_time: int | None = None
    end_time: int | None = None
    resolution: int | None = None
    protocol: str = "all"
    protocol_group: str = "all"
    selected: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def is_history(self) -> bool:
        """Whether any time parameter was given; without one the call is a real-time sample."""
        return (self.start_time, self.end_time, self.resolution) != (None, None, None)


def parse(text: str, endpoint: Endpoint, version: Version) -> Query:
    """The query; ApiError 400 for what this endpoint of this version does not take."""
    known = endpoint.parameters_of(version)
    values: dict[str, Any] = {}
    selected: dict[str, tuple[str, ...]] = {}
    for name, value in parse_qsl(text, keep_blank_values=True):
        if name not in known:
            raise bad_request(f"Unknown parameter for {endpoint.path} in REST {show(version)}.", name)
        if name in values or name in selected:
            raise bad_request("The parameter is given more than once.", name)
        if name in _PARSERS:
            values[name] = _PARSERS[name](name, value)
        else:
            selected[name] = _items(name, value)
    query = Query(**values, selected=selected)
    _refuse_contradictions(query)
    _refuse_protocols_of_later_versions(query, version)
    _refuse_unknown_fields(query, set(endpoint.fields_of(version)))
    return query


def _integer(name: str, value: str) -> int:
    largest = _LARGEST.get(name, _MILLISECONDS)
    if not re.fullmatch(r"\d{1,19}", value) or int(value) > largest:
        raise bad_request(f"Expected an integer from 0 to {largest}, not {value!r}.", name)
    return int(value)


def _flag(name: str, value: str) -> bool:
    if value.lower() not in ("true", "false"):
        raise bad_request(f"Expected true or false, not {value!r}.", name)
    return value.lower() == "true"


def _items(name: str, value: str) -> tuple[str, ...]:
    items = tuple(item.strip() for item in value.split(","))
    if not all(items):
        raise bad_request("Expected names separated by commas.", name)
    return tuple(dict.fromkeys(items))


def _sort(name: str, value: str) -> tuple[tuple[str, bool], ...]:
    keys = []
    for item in _items(name, value):
        match = _SORT.fullmatch(item)
        if match is None:
            raise bad_request(
                f"Cannot sort by {item!r}: expected a field name, with a trailing minus to descend.", name
            )
        keys.append((match[1], bool(match[2])))
    return tuple(keys)


def _filter(_name: str, value: str) -> filtering.Filter:
    return filtering.parse(value)


def _choice(name: str, value: str) -> str:
    if value not in _PROTOCOLS[name]:
        raise bad_request(f"Expected one of {', '.join(_PROTOCOLS[name])}, not {value!r}.", name)
    return value


def _token(name: str, value: str) -> str:
    # Clients in the field send the token as they got it or between single quotes.
    bare = value.strip("'")
    if not bare:
        raise bad_request("The continuation token is empty.", name)
    return bare


_PARSERS: Mapping[str, Callable[[str, str], Any]] = {
    **dict.fromkeys(("limit", "offset", "start_time", "end_time", "resolution"), _integer),
    **dict.fromkeys(("destroyed", "resource_destroyed", "total_only", "total_item_count", "allow_errors"), _flag),
    **dict.fromkeys(_PROTOCOLS, _choice),
    "sort": _sort,
    "filter": _filter,
    "continuation_token": _token,
}


def _refuse_contradictions(query: Query) -> None:
    for name in query.selected:
        twin = re.sub(r"names$", "ids", name)
        if twin != name and twin in query.selected:
            raise bad_request(f"{name} and {twin} cannot be used together.", name)
    if query.continuation_token and query.sort:
        raise bad_request("continuation_token and sort cannot be used together.", "continuation_token")
    if query.start_time is not None and query.end_time is not None and query.start_time > query.end_time:
        raise bad_request("start_time is after end_time.", "start_time")


def _refuse_protocols_of_later_versions(query: Query, version: Version) -> None:
    for name, value in (("protocol", query.protocol), ("protocol_group", query.protocol_group)):
        if value in _OBJECT_STORE and version < _OBJECT_STORE_SINCE:
            raise bad_request(f"{value} is not known in REST {show(version)}.", name)


def _refuse_unknown_fields(query: Query, leaves: set[str]) -> None:
    inner = {path[:place] for path in leaves for place, mark in enumerate(path) if mark == "."}
    for name, _ in query.sort:
        if name not in leaves:
            raise bad_request(f"Cannot sort by {name!r}: no such field.", "sort")
    for looked_at in filtering.fields_of(query.filter) if query.filter else ():
        if looked_at.plain not in leaves | inner:
            raise bad_request(f"Invalid filter: no field {looked_at.plain!r}.", "filter")
