"""Datastores, VMs, hosts, volumes and arrays: lists, single ones, what is not matched, and search over all names."""

from typing import Annotated

from fastapi import APIRouter, Query

from gavel.api.deps import AppDep, NowDep, ReaderOnly
from gavel.api.inputs import INT32_MAX, TEXT_PATTERN, Id
from gavel.api.ranges import Limit, ListDep
from gavel.api.schemas.answer import Answer, Page
from gavel.api.schemas.entities import UnmatchedPage
from gavel.db.engine import reading
from gavel.db.queries import arrays, datastores, hosts, vms, volumes
from gavel.db.queries.arrays import ArrayDetail, ArrayRecord
from gavel.db.queries.datastores import DatastoreDetail, DatastoreRecord
from gavel.db.queries.hosts import HostDetail, HostRecord
from gavel.db.queries.paging import Item, ListQuery, RecordPage
from gavel.db.queries.search import SearchHit, search
from gavel.db.queries.unmatched import UnmatchedKind, UnmatchedQuery, unmatched
from gavel.db.queries.vms import VmDetail, VmRecord
from gavel.db.queries.volumes import VolumeDetail, VolumeRecord

router = APIRouter(tags=["environment"], dependencies=[ReaderOnly])


@router.get("/datastores")
def list_datastores(query: ListDep, app: AppDep, at: NowDep) -> Page[Answer[DatastoreRecord]]:
    with reading(app.engine) as connection:
        return _page(datastores.datastores(connection, query, at), query)


@router.get("/datastores/{datastore_id}")
def one_datastore(datastore_id: Id, app: AppDep, at: NowDep) -> Answer[DatastoreDetail]:
    with reading(app.engine) as connection:
        return datastores.datastore(connection, datastore_id, at)


@router.get("/vms")
def list_vms(query: ListDep, app: AppDep, at: NowDep) -> Page[Answer[VmRecord]]:
    with reading(app.engine) as connection:
        return _page(vms.vms(connection, query, at), query)


@router.get("/vms/{vm_id}")
def one_vm(vm_id: Id, app: AppDep, at: NowDep) -> Answer[VmDetail]:
    with reading(app.engine) as connection:
        return vms.vm(connection, vm_id, at)


@router.get("/hosts")
def list_hosts(query: ListDep, app: AppDep, at: NowDep) -> Page[Answer[HostRecord]]:
    with reading(app.engine) as connection:
        return _page(hosts.hosts(connection, query, at), query)


@router.get("/hosts/{host_id}")
def one_host(host_id: Id, app: AppDep, at: NowDep) -> Answer[HostDetail]:
    with reading(app.engine) as connection:
        return hosts.host(connection, host_id, at)


@router.get("/volumes")
def list_volumes(query: ListDep, app: AppDep, at: NowDep) -> Page[Answer[VolumeRecord]]:
    with reading(app.engine) as connection:
        return _page(volumes.volumes(connection, query, at), query)


@router.get("/volumes/{volume_id}")
def one_volume(volume_id: Id, app: AppDep, at: NowDep) -> Answer[VolumeDetail]:
    with reading(app.engine) as connection:
        return volumes.volume(connection, volume_id, at)


@router.get("/arrays")
def list_arrays(query: ListDep, app: AppDep, at: NowDep) -> Page[Answer[ArrayRecord]]:
    with reading(app.engine) as connection:
        return _page(arrays.arrays(connection, query, at), query)


@router.get("/arrays/{array_id}")
def one_array(array_id: Id, app: AppDep, at: NowDep) -> Answer[ArrayDetail]:
    with reading(app.engine) as connection:
        return arrays.array(connection, array_id, at)


@router.get("/unmatched")
def list_unmatched(
    app: AppDep,
    search: Annotated[
        str, Query(max_length=200, pattern=TEXT_PATTERN, description="part of a name, a host's name or a reason")
    ] = "",
    kind: UnmatchedKind | None = None,
    needs_action: Annotated[bool | None, Query(description="only objects that need action, or only the rest")] = None,
    source: Annotated[int | None, Query(ge=1, le=INT32_MAX, description="only of this vCenter or array")] = None,
    limit: Limit = 100,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> UnmatchedPage:
    """What is on one side only, with the reason and what to do: datastores, devices and virtual disks without an array's volume;
    volumes that hosts are connected to without a device, and exports without a datastore. What needs action comes first."""
    query = UnmatchedQuery(search.strip(), kind, needs_action, source, limit, offset)
    with reading(app.engine) as connection:
        page = unmatched(connection, query)
    return UnmatchedPage(items=list(page.items), total=page.total, limit=limit, offset=offset, counts=list(page.counts))


@router.get("/search")
def search_names(
    app: AppDep,
    q: Annotated[str, Query(min_length=1, max_length=200, pattern=TEXT_PATTERN)],
    limit: Annotated[int, Query(ge=1, le=50)] = 20,
) -> list[Answer[SearchHit]]:
    with reading(app.engine) as connection:
        return list(search(connection, q, limit=limit))


def _page(page: RecordPage[Item], query: ListQuery) -> Page[Item]:
    return Page(items=list(page.items), total=page.total, limit=query.limit, offset=query.offset)
