"""Datastores, VMs, hosts, volumes and arrays: lists, single ones, what is not matched, and search over all names."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query

from gavel.api.deps import AppDep, AppState, NowDep, ReaderOnly
from gavel.api.inputs import INT32_MAX, TEXT_PATTERN, Id
from gavel.api.ranges import Limit, ListDep, OptionalRange, OptionalRangeDep, window_of
from gavel.api.schemas.answer import Answer, AnswerShape, Page
from gavel.api.schemas.diagnoses import RankedAnswer
from gavel.api.schemas.entities import UnmatchedPage
from gavel.api.slots import list_reading
from gavel.db.engine import reading
from gavel.db.queries import arrays, datastores, hosts, vms, volumes
from gavel.db.queries.arrays import ArrayDetail
from gavel.db.queries.datastores import DatastoreDetail
from gavel.db.queries.hosts import HostDetail
from gavel.db.queries.paging import Item
from gavel.db.queries.refs import RefKind
from gavel.db.queries.search import SearchHit, search
from gavel.db.queries.unmatched import UnmatchedKind, UnmatchedQuery, unmatched
from gavel.db.queries.vms import VmDetail
from gavel.db.queries.volumes import VolumeDetail
from gavel.diagnosis.listing import (
    ListedArray,
    ListedDatastore,
    ListedHost,
    ListedVm,
    ListedVolume,
    ListingQuery,
    ListKind,
    Row,
    listed,
)

DatastoreInList = Annotated[ListedDatastore, AnswerShape(standing=RankedAnswer)]
VmInList = Annotated[ListedVm, AnswerShape(standing=RankedAnswer)]
HostInList = Annotated[ListedHost, AnswerShape(standing=RankedAnswer)]
VolumeInList = Annotated[ListedVolume, AnswerShape(standing=RankedAnswer)]
ArrayInList = Annotated[ListedArray, AnswerShape(standing=RankedAnswer)]

_DATASTORES = ListKind(RefKind.DATASTORE, datastores.datastores, ListedDatastore)
_VMS = ListKind(RefKind.VM, vms.vms, ListedVm)
_HOSTS = ListKind(RefKind.HOST, hosts.hosts, ListedHost)
_VOLUMES = ListKind(RefKind.VOLUME, volumes.volumes, ListedVolume)
_ARRAYS = ListKind(RefKind.ARRAY, arrays.arrays, ListedArray)

router = APIRouter(tags=["environment"], dependencies=[ReaderOnly])


@router.get("/datastores")
def list_datastores(query: ListDep, window: OptionalRangeDep, app: AppDep, at: NowDep) -> Page[DatastoreInList]:
    return _page(app, _DATASTORES, query, window, at)


@router.get("/datastores/{datastore_id}")
def one_datastore(datastore_id: Id, app: AppDep, at: NowDep) -> Answer[DatastoreDetail]:
    with reading(app.engine) as connection:
        return datastores.datastore(connection, datastore_id, at)


@router.get("/vms")
def list_vms(query: ListDep, window: OptionalRangeDep, app: AppDep, at: NowDep) -> Page[VmInList]:
    return _page(app, _VMS, query, window, at)


@router.get("/vms/{vm_id}")
def one_vm(vm_id: Id, app: AppDep, at: NowDep) -> Answer[VmDetail]:
    with reading(app.engine) as connection:
        return vms.vm(connection, vm_id, at)


@router.get("/hosts")
def list_hosts(query: ListDep, window: OptionalRangeDep, app: AppDep, at: NowDep) -> Page[HostInList]:
    return _page(app, _HOSTS, query, window, at)


@router.get("/hosts/{host_id}")
def one_host(host_id: Id, app: AppDep, at: NowDep) -> Answer[HostDetail]:
    with reading(app.engine) as connection:
        return hosts.host(connection, host_id, at)


@router.get("/volumes")
def list_volumes(query: ListDep, window: OptionalRangeDep, app: AppDep, at: NowDep) -> Page[VolumeInList]:
    return _page(app, _VOLUMES, query, window, at)


@router.get("/volumes/{volume_id}")
def one_volume(volume_id: Id, app: AppDep, at: NowDep) -> Answer[VolumeDetail]:
    with reading(app.engine) as connection:
        return volumes.volume(connection, volume_id, at)


@router.get("/arrays")
def list_arrays(query: ListDep, window: OptionalRangeDep, app: AppDep, at: NowDep) -> Page[ArrayInList]:
    return _page(app, _ARRAYS, query, window, at)


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
    with app.rankings.list_reading(app.engine) as connection:
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


def _page(
    app: AppState, kind: ListKind[Row, Item], query: ListingQuery, window: OptionalRange, at: datetime
) -> Page[Item]:
    opened = list_reading if query.is_by_name else app.rankings.list_reading
    with opened(app.engine) as connection:
        page = listed(connection, kind, query, window_of(connection, window, at), at)
    asked = query.newest
    return Page(items=list(page.items), total=page.total, limit=asked.limit, offset=asked.offset)
