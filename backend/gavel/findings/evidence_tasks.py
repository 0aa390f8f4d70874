"""Evidence of tasks: the minutes of a VM while one runs on it, and those before it began."""

from dataclasses import dataclass
from datetime import datetime

from gavel.domain.tasks import TaskKind
from gavel.findings.minutes import PartMinutes
from gavel.findings.model import ObjectRef


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningTask:
    """minutes: of the VM in [from_at, to_at), while the task ran; before: in the minutes before it began. ended_at: None while it runs.

    minutes_whole: of the window, in which it ran or not.
    """

    source_id: int
    vm: ObjectRef
    kind: TaskKind
    started_at: datetime
    ended_at: datetime | None
    started_by: str | None
    minutes: PartMinutes
    before: PartMinutes
    minutes_whole: int
    from_at: datetime
    to_at: datetime
