"""Files of databases, as guests push them."""

from fastapi import APIRouter

from gavel.api.deps import AppDep, ReaderOnly
from gavel.api.inputs import Id
from gavel.api.ranges import RangeDep
from gavel.api.schemas.answer import Answer
from gavel.db.engine import reading
from gavel.db.queries.refs import RefKind, require
from gavel.views.database_files import DatabaseFiles, database_files

router = APIRouter(tags=["guests"], dependencies=[ReaderOnly])


@router.get("/vms/{vm_id}/database-files")
def list_database_files(vm_id: Id, app: AppDep, window: RangeDep) -> Answer[DatabaseFiles]:
    """How long databases in the VM waited for their files, beside the guest's own disk: above all layers, and none of them."""
    with reading(app.engine) as connection:
        require(connection, RefKind.VM, vm_id)
        return database_files(connection, vm_id, window.from_at, window.to_at)
