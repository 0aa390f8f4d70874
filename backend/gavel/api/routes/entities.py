"""Datastores, VMs, hosts, volumes and arrays: lists, single ones, what is not matched, and search over all names."""

from datetime import datetime
from typing import Annotated, TypeVar

from fastapi import APIRouter, Query
from pydantic import BaseModel

from gavel.api.convert import fields_of
from gavel.api.deps import AppDep, NowDep, ReaderOnly
from gavel.api.inputs import INT32_MAX, TEXT_PATTERN, Id
from gavel.api.ranges import Limit, ListDep
from gavel.api.schemas.common import Page
from gavel.api.schemas.entities import (
    ArrayOut,
    ArrayRow,
    DatastoreOut,
    DatastoreRow,
    HostOut,
    HostRow,
    SearchHit,
    UnmatchedPage,
    VmOut,
    VmRow,
    VolumeOut,
    VolumeRow,
)
from gavel.db.engine import Connection, reading
from gavel.db.queries import arrays, datastores, hosts, rows, vms, volumes
from gavel.db.queries.search import search
from gavel.db.queries.unmatched import unmatched

router = APIRouter(tags=["environment"], dependencies=[ReaderOnly])

Model = TypeVar("Model", bound=BaseModel)


@router.get("/datastores")
def list_datastores(query: ListDep, app: AppDep, at: NowDep) -> Page[DatastoreRow]:
    with reading(app.engine) as connection:
        return _page(datastores.datastores(connection, query, at), query, DatastoreRow)


@router.get("/datastores/{datastore_id}")
def one_datastore(datastore_id: Id, app: AppDep, at: NowDep) -> DatastoreOut:
    with reading(app.engine) as connection:
        return datastore_out(connection, datastore_id, at)


@router.get("/vms")
def list_vms(query: ListDep, app: AppDep, at: NowDep) -> Page[VmRow]:
    with reading(app.engine) as connection:
        return _page(vms.vms(connection, query, at), query, VmRow)


@router.get("/vms/{vm_id}")
def one_vm(vm_id: Id, app: AppDep, at: NowDep) -> VmOut:
    with reading(app.engine) as connection:
        return vm_out(connection, vm_id, at)


@router.get("/hosts")
def list_hosts(query: ListDep, app: AppDep, at: NowDep) -> Page[HostRow]:
    with reading(app.engine) as connection:
        return _page(hosts.hosts(connection, query, at), query, HostRow)


@router.get("/hosts/{host_id}")
def one_host(host_id: Id, app: AppDep, at: NowDep) -> HostOut:
    with reading(app.engine) as connection:
        return host_out(connection, host_id, at)


@router.get("/volumes")
def list_volumes(query: ListDep, app: AppDep, at: NowDep) -> Page[VolumeRow]:
    with reading(app.engine) as connection:
        return _page(volumes.volumes(connection, query, at), query, VolumeRow)


@router.get("/volumes/{volume_id}")
def one_volume(volume_id: Id, app: AppDep, at: NowDep) -> VolumeOut:
    with reading(app.engine) as connection:
        return volume_out(connection, volume_id, at)


@router.get("/arrays")
def list_arrays(query: ListDep, app: AppDep, at: NowDep) -> Page[ArrayRow]:
    with reading(app.engine) as connection:
        return _page(arrays.arrays(connection, query, at), query, ArrayRow)


@router.get("/arrays/{array_id}")
def one_array(array_id: Id, app: AppDep, at: NowDep) -> ArrayOut:
    with reading(app.engine) as connection:
        return array_out(connection, array_id, at)


@router.get("/unmatched")
def list_unmatched(
    app: AppDep,
    search: Annotated[
        str, Query(max_length=200, pattern=TEXT_PATTERN, description="part of a name, a host's name or a reason")
    ] = "",
    kind: rows.UnmatchedKind | None = None,
    needs_action: Annotated[bool | None, Query(description="only objects that need action, or only the rest")] = None,
    source: Annotated[int | None, Query(ge=1, le=INT32_MAX, description="only of this vCenter or array")] = None,
    limit: Limit = 100,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> UnmatchedPage:
    """What is on one side only, with the reason and what to do: datastores, devices and virtual disks without an array's volume;
    volumes that hosts are connected to without a device, and exports without a datastore. What needs action comes first."""
    query = rows.UnmatchedQuery(search.strip(), kind, needs_action, source, limit, offset)
    with reading(app.engine) as connection:
        page = unmatched(connection, query)
    return UnmatchedPage.model_validate(fields_of(page) | {"limit": limit, "offset": offset})


@router.get("/search")
def search_names(
    app: AppDep,
    q: Annotated[str, Query(min_length=1, max_length=200, pattern=TEXT_PATTERN)],
    limit: Annotated[int, Query(ge=1, le=50)] = 20,
) -> list[SearchHit]:
    with reading(app.engine) as connection:
        return [SearchHit.model_validate(hit) for hit in search(connection, q, limit=limit)]


def datastore_out(connection: Connection, datastore_id: int, at: datetime) -> DatastoreOut:
    return _merged(DatastoreOut, datastores.datastore(connection, datastore_id, at))


def vm_out(connection: Connection, vm_id: int, at: datetime) -> VmOut:
    found = vms.vm(connection, vm_id, at)
    return VmOut.model_validate(fields_of(found.row) | {"vm_disks": found.disks})


def host_out(connection: Connection, host_id: int, at: datetime) -> HostOut:
    found = hosts.host(connection, host_id, at)
    return HostOut.model_validate(
        fields_of(found.row)
        | {
            "hbas": found.hbas,
            "host_devices": found.devices,
            "first_seen": found.first_seen_at,
            "last_seen": found.last_seen_at,
            "labels": found.labels,
        }
    )


def volume_out(connection: Connection, volume_id: int, at: datetime) -> VolumeOut:
    return _merged(VolumeOut, volumes.volume(connection, volume_id, at))


def array_out(connection: Connection, array_id: int, at: datetime) -> ArrayOut:
    found = arrays.array(connection, array_id, at)
    return ArrayOut.model_validate(fields_of(found.row) | {"pod_list": found.pods, "array_hosts": found.array_hosts})


def _page(page: rows.RecordPage[rows.Item], query: rows.ListQuery, model: type[Model]) -> Page[Model]:
    items = [model.model_validate(item) for item in page.items]
    return Page(items=items, total=page.total, limit=query.limit, offset=query.offset)


def _merged(model: type[Model], detail: rows.DatastoreDetail | rows.VolumeDetail) -> Model:
    """A detail is its list row with more fields beside it; the model says which of them it shows."""
    fields = fields_of(detail.row) | fields_of(detail)
    return model.model_validate({name: fields[name] for name in model.model_fields})
