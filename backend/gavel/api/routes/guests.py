"""Guests that push: what comes, their tokens, and which virtual disks their disks are."""

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query, Response

from gavel.admin.guest_scripts import ADDRESS_MARK, FILE_NAMES, TOKEN_MARK, GuestSystem, script_template
from gavel.admin.guests import make_guest_token, revoke_by_id
from gavel.api.deps import AdminOnly, AppDep, NowDep, ReaderOnly
from gavel.api.headers import NO_STORE
from gavel.api.inputs import Id
from gavel.api.problems import refuses
from gavel.api.ranges import Limit
from gavel.api.schemas.answer import Page
from gavel.api.schemas.guests import (
    GuestDiskOut,
    GuestScriptOut,
    GuestsOut,
    GuestTokenIn,
    GuestTokenOut,
    NewGuestTokenOut,
    TieIn,
)
from gavel.db.engine import reading, transaction
from gavel.db.queries.guest_tokens import TokenUse, token_uses
from gavel.db.queries.guests import PushedDisk, guest_disks, push_summary
from gavel.db.write.guest_matches import tie_disk
from gavel.ingest.guest_matching import match_now

router = APIRouter(tags=["guests"], dependencies=[ReaderOnly])


@router.get("/guests")
def guests(app: AppDep, at: NowDep) -> GuestsOut:
    with reading(app.engine) as connection:
        summary, tokens = push_summary(connection, at), token_uses(connection)
    return GuestsOut(
        port=app.ingest_port,
        is_tls=app.ingest_is_tls,
        guests=summary.guests,
        disks=summary.disks,
        live_disks=summary.live,
        matched_disks=summary.matched,
        lag_s=summary.lag_s,
        tokens=[_token_out(use) for use in tokens],
    )


@router.get("/guests/disks")
def list_guest_disks(
    app: AppDep,
    at: NowDep,
    unmatched: bool = False,
    limit: Limit = 100,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> Page[GuestDiskOut]:
    """By name of their guests. `unmatched`: only whole disks without a virtual disk."""
    with reading(app.engine) as connection:
        page = guest_disks(connection, at, unmatched_only=unmatched, limit=limit, offset=offset)
    return Page(items=[_disk_out(disk) for disk in page.items], total=page.total, limit=limit, offset=offset)


@router.get("/guests/scripts")
def list_guest_scripts() -> list[GuestScriptOut]:
    """Scripts that push the disk counters of guests without an agent, one per operating system."""
    return [
        GuestScriptOut(
            system=system.value,
            file_name=FILE_NAMES[system],
            text=script_template(system),
            address_mark=ADDRESS_MARK,
            token_mark=TOKEN_MARK,
        )
        for system in GuestSystem
    ]


@router.put("/guests/disks/{disk_id}/virtual-disk", dependencies=[AdminOnly], status_code=204)
def tie_guest_disk(disk_id: Id, body: TieIn, app: AppDep, at: NowDep) -> None:
    """Say which virtual disk it is; what a person tied holds against whatever the disk calls itself."""
    with transaction(app.engine) as connection:
        tie_disk(connection, disk_id, body.vm_disk_id)
        match_now(connection, at)


@router.post("/guests/tokens", dependencies=[AdminOnly], status_code=201, responses=refuses(409))
def add_guest_token(body: GuestTokenIn, response: Response, app: AppDep, at: NowDep) -> NewGuestTokenOut:
    """A token that may write disk counters of guests, and nothing else."""
    made = make_guest_token(app.engine, body.name, body.vm_names, at)
    response.headers.update(NO_STORE)
    return NewGuestTokenOut(id=made.token.id, name=made.token.name, token=made.text)


@router.delete("/guests/tokens/{token_id}", dependencies=[AdminOnly], status_code=204)
def revoke_guest_token(token_id: Id, app: AppDep, at: NowDep) -> None:
    """Within 5 s nothing is taken any more that comes with it. What came stays."""
    revoke_by_id(app.engine, token_id, at)


def _token_out(use: TokenUse) -> GuestTokenOut:
    return GuestTokenOut(
        **asdict(use.token) | {"vm_names": None if use.token.vm_names is None else list(use.token.vm_names)},
        guests=use.guests,
        disks=use.disks,
        refused=list(use.refused),
    )


def _disk_out(disk: PushedDisk) -> GuestDiskOut:
    return GuestDiskOut.model_validate(disk)
