"""Tasks that this vCenter ran: vMotions of the schedule, and what the stories have it do; as objects, and in collectors that page."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock
from typing import Any

from pyVmomi import vim

from gavel_lab.environment import Vm
from gavel_lab.stories import HOUR_S, PHASES
from gavel_lab.vcenter.site import Site
from gavel_lab.vcenter.tree import Node

KEPT_S = 24 * 3600.0
# As objects they are kept so long after their end.
_RECENT_S = 600.0
_PREFIX = "task-"
MOST_COLLECTORS = 32
_MIGRATION_S = 20.0
_ACCOUNT = "VSPHERE.LOCAL\\svc-backup"


@dataclass(frozen=True)
class LabTask:
    """Times in lab seconds; `end` may be to come."""

    description_id: str
    vm: Vm
    start: float
    end: float
    user: str | None

    @property
    def moref(self) -> str:
        return f"{_PREFIX}{int(self.start)}-{self.vm.index}"

    def progress(self, at: float) -> int | None:
        """Percent; None once it is over."""
        return None if self.end <= at else int(100 * (at - self.start) / (self.end - self.start))


@dataclass
class TaskPages:
    """A history collector: what its filter chose when it was made, oldest first, and how far it was read."""

    tasks: list[Any]
    position: int = 0
    lock: Lock = field(default_factory=Lock)

    def rewind(self) -> None:
        with self.lock:
            self.position = 0

    def next_page(self, most: int) -> list[Any]:
        with self.lock:
            page = self.tasks[self.position : self.position + most]
            self.position += len(page)
        return page


def tasks_since(site: Site, began: float) -> list[LabTask]:
    """Tasks with start >= began, and not before what is kept; oldest first."""
    now = site.lab_now()
    since = max(began, now - KEPT_S)
    found = [
        one for one in (*_migrations(site, since, now), *_of_stories(site, since, now)) if since <= one.start <= now
    ]
    return sorted(found, key=lambda one: one.start)


def _migrations(site: Site, since: float, now: float) -> Iterator[LabTask]:
    """A VM runs on its new host at the end."""
    for vm in site.tree.vms:
        for at, _source, _target in site.lab.placement.moves(vm.index, since, now + _MIGRATION_S):
            yield LabTask("Drm.ExecuteVMotionLRO", vm, at - _MIGRATION_S, at, None)


def _of_stories(site: Site, since: float, now: float) -> Iterator[LabTask]:
    vms = {vm.name: vm for vm in site.tree.vms}
    for hour in range(int(since // HOUR_S), int(now // HOUR_S) + 1):
        for phase in PHASES:
            if phase.task is not None and phase.task.vm in vms:
                start, end = (float(hour * HOUR_S + 60 * minute) for minute in (phase.start_minute, phase.end_minute))
                yield LabTask(phase.task.description_id, vms[phase.task.vm], start, end, _ACCOUNT)


def task_info(site: Site, task: LabTask) -> Any:
    """As the vCenter shows it now."""
    progress = task.progress(site.lab_now())
    is_over = progress is None
    reason = vim.TaskReasonUser(userName=task.user) if task.user else vim.TaskReasonSystem()
    return vim.TaskInfo(
        key=task.moref,
        task=vim.Task(task.moref),
        descriptionId=task.description_id,
        entity=site.reference(task.vm.moref),
        entityName=site.name_of(task.vm),
        state="success" if is_over else "running",
        cancelled=False,
        cancelable=not is_over,
        progress=progress,
        reason=reason,
        queueTime=site.at(task.start),
        startTime=site.at(task.start),
        completeTime=site.at(task.end) if is_over else None,
        eventChainId=int(task.start) % 2**31,
    )


def open_pages(site: Site, spec: Any) -> TaskPages:
    """What CreateCollectorForTasks with this filter holds: by time of start, else everything that is kept."""
    began: datetime | None = spec.time.beginTime if spec.time is not None else None
    since = 0.0 if began is None else began.timestamp() - site.clock.offset_s()
    return TaskPages([task_info(site, one) for one in tasks_since(site, since)])


def _recent(site: Site) -> list[LabTask]:
    now = site.lab_now()
    return [one for one in tasks_since(site, now - 3600) if one.end > now - _RECENT_S]


def recent(site: Site) -> list[Any]:
    """TaskManager.recentTask: those that run, and those that ended within ten minutes."""
    return [vim.Task(one.moref) for one in _recent(site)]


def node(site: Site, moref: str) -> Node | None:
    """The task of that id, one of `recent`."""
    if not moref.startswith(_PREFIX):
        return None
    return next((Node(vim.Task, moref, one) for one in _recent(site) if one.moref == moref), None)


def change_stamp(site: Site) -> object:
    """Equal as long as no recent task began, went on, ended or was forgotten."""
    now = site.lab_now()
    return tuple((one.moref, one.progress(now)) for one in _recent(site))
