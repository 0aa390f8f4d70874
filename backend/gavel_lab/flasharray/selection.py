"""Which rows the list parameters of a query ask for, and what is said about names that do not exist."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from gavel_lab.flasharray.errors import ApiError, bad_request
from gavel_lab.flasharray.query import Query
from gavel_lab.flasharray.shaping import Row
from gavel_lab.flasharray.view import ArrayView

# What an endpoint's rows are called in messages, and which field of a row each list parameter looks at.
_WHAT = {
    "volumes": "Volume",
    "hosts": "Host",
    "host-groups": "Host group",
    "pods": "Pod",
    "volume-groups": "Volume group",
    "directories": "Directory",
    "network-interfaces": "Network interface",
    "ports": "Port",
    "controllers": "Controller",
    "directory-exports": "Directory export",
}
_FIELDS: Mapping[str, str] = {
    "names": "name",
    "ids": "id",
    "namespaces": "namespace",
    "export_names": "export_name",
    "resource_names": "resource.name",
    "resource_ids": "resource.id",
    "group_names": "group.name",
    "group_ids": "group.id",
    "member_names": "member.name",
    "member_ids": "member.id",
    "host_names": "host.name",
    "host_group_names": "host_group.name",
    "volume_names": "volume.name",
    "volume_ids": "volume.id",
    "protocol_endpoint_names": "protocol_endpoint.name",
    "protocol_endpoint_ids": "protocol_endpoint.id",
    "directory_names": "directory.name",
    "directory_ids": "directory.id",
    "file_system_names": "file_system.name",
    "file_system_ids": "file_system.id",
    "policy_names": "policy.name",
    "policy_ids": "policy.id",
    "workload_names": "workload.name",
    "workload_ids": "workload.id",
}
# A port initiator is asked for by the name of its target.
_NAMES_ELSEWHERE = {"ports/initiators": "target.name"}
# Asking for a namespace or a workload nobody uses is no mistake.
_FORGIVING = ("context_names", "namespaces")


def chosen(
    view: ArrayView, path: str, query: Query, rows: Sequence[Row], *, ignore_unknown: bool
) -> tuple[list[Row], ApiError | None]:
    """The rows the list parameters leave, and the error about unknown names (raised unless they may be ignored)."""
    _refuse_several_of_several(path, query)
    kept = [] if query.destroyed or query.resource_destroyed else list(rows)
    unknown: dict[str, str] = {}
    for parameter, wanted in query.selected.items():
        if parameter == "context_names":
            continue
        field = _NAMES_ELSEWHERE.get(path, "name") if parameter == "names" else _FIELDS[parameter]
        there = _existing(view, parameter)
        if there is None or query.destroyed:
            there = {_value(row, field) for row in (kept if query.destroyed else rows)}
        if parameter not in _FORGIVING:
            unknown |= {name: _what(path, parameter) for name in wanted if name not in there}
        kept = [row for row in kept if _value(row, field) in wanted]
    if not unknown:
        return kept, None
    error = ApiError(400, f"{next(iter(unknown.values()))} does not exist.", tuple(unknown))
    if not ignore_unknown:
        raise error
    return kept, error


def _refuse_several_of_several(path: str, query: Query) -> None:
    several = [parameter for parameter, wanted in query.selected.items() if len(wanted) > 1]
    if path == "connections" and len(several) > 1:
        raise bad_request("Only one kind of object may be given by more than one name.", *several)


def _existing(view: ArrayView, parameter: str) -> set[str | None] | None:
    """All names (or ids) of the kind a parameter speaks of: an object without rows exists all the same."""
    match parameter:
        case "volume_names" | "resource_names":
            return {view.volume_name(volume.index) for volume in view.volumes}
        case "volume_ids" | "resource_ids":
            return {volume.id for volume in view.volumes}
        case "host_names":
            return {*(host.name for host in view.hosts), *(each.name for each in view.remote_hosts)}
        case "host_group_names":
            return {view.group_of(host) for host in (*view.hosts, *(each.host for each in view.remote_hosts))}
        case _:
            return None


def _what(path: str, parameter: str) -> str:
    """What the object is called in the message."""
    if parameter in ("names", "ids"):
        return _WHAT.get(path.split("/")[0], "Object")
    kind = re.sub(r"_(names|ids)$", "", parameter).replace("_", " ")
    return {"resource": "Volume", "export names": "Export"}.get(kind, kind.capitalize())


def _value(row: Row, field: str) -> Any:
    value: Any = row
    for step in field.split("."):
        value = value[step]
    return value
