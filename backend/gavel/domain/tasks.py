"""Tasks of a vCenter that move or copy the data of a VM: what runs beside its I/O."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class TaskKind(StrEnum):
    SNAPSHOT = "snapshot"
    SNAPSHOT_REMOVAL = "snapshot_removal"
    CONSOLIDATION = "consolidation"
    RELOCATION = "relocation"
    MIGRATION = "migration"
    CLONE = "clone"


TASK_LABELS = {
    TaskKind.SNAPSHOT: "Snapshot",
    TaskKind.SNAPSHOT_REMOVAL: "Snapshot removal",
    TaskKind.CONSOLIDATION: "Consolidation",
    TaskKind.RELOCATION: "Relocation (storage vMotion)",
    TaskKind.MIGRATION: "Migration (vMotion)",
    TaskKind.CLONE: "Clone",
}


@dataclass(frozen=True, slots=True)
class VmTask:
    """A task on one VM, with times by the vCenter's clock. `key`: unique within the vCenter. ended_at: None while it runs.

    started_by: the user; None where the vCenter itself did, by a schedule or an alarm.
    """

    key: str
    kind: TaskKind
    vm_key: str
    started_at: datetime
    ended_at: datetime | None
    started_by: str | None
