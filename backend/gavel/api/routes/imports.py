"""Imports of files: uploads in parts that can be gone on with, what they hold, and which host and clock a capture is of."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Body, HTTPException, Query

from gavel.api.convert_imports import report_out
from gavel.api.deps import AdminOnly, AppDep, AppState, NowDep, ReaderOnly
from gavel.api.inputs import INT64_MAX, Id
from gavel.api.problems import refuses
from gavel.api.schemas.answer import Answer
from gavel.api.schemas.imports import CaptureTieIn, HostFitOut, ImportIn, ImportOut, ImportReportOut, UploadPartOut
from gavel.correlate.captures import forget_import, is_apart, proposed_hosts, tie_import, whole_samples_since
from gavel.db.engine import reading
from gavel.db.queries.imports import FileImport, list_imports, load_import, load_left_out, load_report
from gavel.domain.imports import ImportOptions
from gavel.domain.load_runs import LeftOutFile
from gavel.ingest.imports import begin_upload, require_upload_room, take_part

router = APIRouter(tags=["imports"], dependencies=[ReaderOnly])


@router.get("/imports")
def imports(app: AppDep, at: NowDep) -> list[ImportOut]:
    """Newest first, without the files of offline environments that are being made."""
    with reading(app.engine) as connection:
        oldest = whole_samples_since(connection, at)
        return [_out(imported, oldest) for imported in list_imports(connection)]


@router.post("/imports", dependencies=[AdminOnly], status_code=201, responses=refuses(404, 409))
def add_import(body: ImportIn, app: AppDep, at: NowDep) -> ImportOut:
    """Announce a file; its parts follow. An upload without a new part for an hour is removed. At most 8 uploads are incomplete at once, and
    uploads need 10 % and at least 5 GiB of free space on the disk of the embedded database: 409."""
    require_upload_room(app.database_dir)
    options = ImportOptions(**body.model_dump(exclude={"format", "file_name", "size_bytes"}))
    import_id = begin_upload(app.engine, body.format, body.file_name, body.size_bytes, options, at)
    return _loaded(app, import_id, at)


@router.put("/imports/{import_id}/parts", dependencies=[AdminOnly], responses=refuses(409))
def add_part(
    import_id: Id,
    app: AppDep,
    at: NowDep,
    position: Annotated[int, Query(ge=0, le=INT64_MAX)],
    data: Annotated[bytes, Body(media_type="application/octet-stream", max_length=2**20)],
) -> UploadPartOut:
    """The bytes of the file from `position` on, 1 MiB at most. After a broken connection go on from `received_bytes` of the import.
    409 without enough free disk space."""
    require_upload_room(app.database_dir)
    received = take_part(app.engine, import_id, position, data, at)
    return UploadPartOut(received_bytes=received, is_complete=received == _loaded(app, import_id, at).size_bytes)


@router.get("/imports/{import_id}")
def get_import(import_id: Id, app: AppDep, at: NowDep) -> ImportOut:
    return _loaded(app, import_id, at)


@router.get("/imports/{import_id}/report", responses=refuses(409))
def import_report(import_id: Id, app: AppDep) -> ImportReportOut:
    """What a capture held. 409 before it was read, and for test runs."""
    with reading(app.engine) as connection:
        report = load_report(connection, import_id)
    if report is None:
        raise HTTPException(409, f"Import {import_id} has no report: it is not read yet, or it holds test runs.")
    return report_out(report)


@router.get("/imports/{import_id}/left-out")
def import_left_out(import_id: Id, app: AppDep) -> list[Answer[LeftOutFile]]:
    """Files of a bundle that became no test run, and names of VMs whose files did not, with the reason."""
    with reading(app.engine) as connection:
        return load_left_out(connection, import_id)


@router.get("/imports/{import_id}/hosts")
def import_hosts(import_id: Id, app: AppDep) -> list[HostFitOut]:
    """Hosts that have a device of the capture's, the one whose I/Os fit best first."""
    with reading(app.engine) as connection:
        found = proposed_hosts(connection, import_id)
    return [
        HostFitOut(
            host_id=each.host.id,
            host=each.host.name,
            correlation=each.offset.correlation if each.offset else None,
            offset_s=each.offset.offset_s if each.offset else None,
            offset_error_s=each.offset.error_s if each.offset else None,
            compared_samples=each.offset.samples if each.offset else 0,
        )
        for each in found
    ]


@router.put("/imports/{import_id}/host", dependencies=[AdminOnly])
def tie_capture(import_id: Id, body: CaptureTieIn, app: AppDep, at: NowDep) -> ImportOut:
    """Say which host a capture is of, or how far its clock is ahead; minutes that it covers are written again."""
    tie_import(app.engine, import_id, at, host_id=body.host_id, offset_s=body.offset_s)
    return _loaded(app, import_id, at)


@router.delete("/imports/{import_id}", dependencies=[AdminOnly], status_code=204, responses=refuses(409))
def remove_import(import_id: Id, app: AppDep, at: NowDep) -> None:
    """Minutes that it narrowed are written again without it, as far as their samples are still kept."""
    forget_import(app.engine, import_id, at)


def _loaded(app: AppState, import_id: int, at: datetime) -> ImportOut:
    with reading(app.engine) as connection:
        return _out(load_import(connection, import_id), whole_samples_since(connection, at))


def _out(imported: FileImport, oldest: datetime) -> ImportOut:
    own = {name: getattr(imported, name) for name in ImportOut.model_fields if name != "suggests_offline"}
    return ImportOut(**own, suggests_offline=is_apart(imported, oldest))
