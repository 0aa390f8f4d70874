"""Guests that push their disk counters: what comes, which virtual disks it is of, and the tokens it comes with."""

from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from gavel.api.inputs import BodyId, Name
from gavel.api.schemas.answer import Answer
from gavel.api.schemas.common import Out
from gavel.db.queries.guest_tokens import RefusedLines


class GuestTokenOut(Out):
    """`vm_names`: the only host names that it may write for; null: any. `guests`, `disks`: that came with it so far."""

    id: int
    name: str
    vm_names: list[str] | None
    created_at: AwareDatetime
    used_at: AwareDatetime | None
    guests: int
    disks: int
    refused: list[Answer[RefusedLines]]


class GuestsOut(Out):
    """What guests push. `port`: of the listener; null while it is off, `is_tls`: it has a certificate. `live_disks`: that sent
    something within 3 minutes; `matched_disks`: with their virtual disk; `lag_s`: since the last push."""

    port: int | None
    is_tls: bool
    guests: int
    disks: int
    live_disks: int
    matched_disks: int
    lag_s: float | None
    tokens: list[GuestTokenOut]


class GuestDiskOut(Out):
    """A disk of a guest. `lag_s`: since its newest reading came; `intervals`: made of its readings so far; `offset_s`: Gavel's clock − the
    guest's, delivery included. `suggested_id`: the virtual disk that it may be, for a person to confirm."""

    id: int
    token: str
    host_name: str
    peer: str
    agent: Literal["telegraf", "opentelemetry", "script"]
    kind: Literal["disk", "logical", "database_file"]
    disk: str
    serial: str | None
    first_seen_at: AwareDatetime
    last_seen_at: AwareDatetime
    lag_s: float
    intervals: int
    offset_s: float | None
    matched_by: Literal["hand", "disk_uuid", "device_serial", "tools_name", "scsi_address"] | None
    reason: Literal["no_vm", "several_vms", "contradictory", "claimed_twice", "no_identity", "not_a_whole_disk"] | None
    vm_id: int | None
    vm_name: str | None
    vm_disk_id: int | None
    vm_disk_label: str | None
    suggested_id: int | None
    suggested: str | None


class GuestTokenIn(BaseModel):
    """`vm_names`: host names of the only guests that it may write for; empty: any."""

    model_config = ConfigDict(extra="forbid")

    name: Name
    vm_names: list[Name] = Field(default_factory=list, max_length=10_000)


class NewGuestTokenOut(Out):
    """`token` is shown this once."""

    id: int
    name: str
    token: str


class GuestScriptOut(Out):
    """A script for a guest without an agent. In `text`, `address_mark` stands for the listener's address and `token_mark` for a token."""

    system: Literal["linux", "windows"]
    file_name: str
    text: str
    address_mark: str
    token_mark: str


class TieIn(BaseModel):
    """The virtual disk that a disk of a guest is; null: forget what was tied by hand."""

    model_config = ConfigDict(extra="forbid")

    vm_disk_id: BodyId | None
