"""The I/O path of an object, hop by hop."""

from enum import StrEnum

from fastapi import APIRouter

from gavel.api.deps import AppDep, ReaderOnly
from gavel.api.ranges import OptionalRangeDep
from gavel.api.routes.diagnoses import ThingId
from gavel.api.schemas.answer import Answer
from gavel.db.engine import reading
from gavel.db.queries.refs import RefKind
from gavel.views import io_path as way
from gavel.views.io_path import Hops

router = APIRouter(tags=["diagnoses"], dependencies=[ReaderOnly])


class HoppingKind(StrEnum):
    """Kinds with an I/O path from VM to array."""

    DATASTORES = "datastores"
    VMS = "vms"

    @property
    def ref(self) -> RefKind:
        return RefKind(self.value.removesuffix("s"))


@router.get("/{kind}/{thing_id}/hops")
def hops(kind: HoppingKind, thing_id: ThingId, app: AppDep, window: OptionalRangeDep) -> Answer[Hops]:
    """VM, virtual disk, host queue, path, volume and array that its I/Os pass, how loaded each is, and the time between them."""
    with reading(app.engine) as connection:
        return way.hops(connection, kind.ref, thing_id, window.from_at, window.to_at)
