"""The way of a thing's I/Os, hop by hop."""

from enum import StrEnum

from fastapi import APIRouter

from gavel.api.deps import HouseDep, NowDep, ReaderOnly
from gavel.api.ranges import OptionalRangeDep
from gavel.api.routes.verdicts import ThingId
from gavel.api.schemas.hops import HopsOut
from gavel.db.engine import reading
from gavel.db.queries.rows import RefKind
from gavel.pipeline import hops as way
from gavel.pipeline.summing import asked_window

router = APIRouter(tags=["verdicts"], dependencies=[ReaderOnly])


class HoppingKind(StrEnum):
    """Those whose I/Os are followed from VM to array."""

    DATASTORES = "datastores"
    VMS = "vms"

    @property
    def ref(self) -> RefKind:
        return RefKind(self.value.removesuffix("s"))


@router.get("/{kind}/{thing_id}/hops")
def hops(kind: HoppingKind, thing_id: ThingId, here: HouseDep, at: NowDep, window: OptionalRangeDep) -> HopsOut:
    """VM, virtual disk, host queue, path, volume and array that its I/Os pass, how loaded each is, and the time between them."""
    with reading(here.engine) as connection:
        from_at, to_at = asked_window(connection, window.from_at, window.to_at, at)
        return HopsOut.model_validate(way.hops(connection, kind.ref, thing_id, from_at, to_at))
