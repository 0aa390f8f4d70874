"""Tasks on VMs that move or copy their data, from the vCenter's history: those that run, and those that ended since the last look."""

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from pyVmomi import vim, vmodl

from gavel.collectors.hosts.vcenter.client import VcenterClient
from gavel.collectors.hosts.vcenter.parse import moid
from gavel.domain.errors import DeadlineError, OverloadedError, PermissionMissingError, ProtocolError
from gavel.domain.tasks import TaskKind, VmTask
from gavel.domain.text import clean_text
from gavel.egress.network import total_deadline

KINDS: Final[Mapping[str, TaskKind]] = {
    "VirtualMachine.createSnapshot": TaskKind.SNAPSHOT,
    "VirtualMachine.createSnapshotEx": TaskKind.SNAPSHOT,
    "VirtualMachine.removeAllSnapshots": TaskKind.SNAPSHOT_REMOVAL,
    "VirtualMachine.removeSnapshot": TaskKind.SNAPSHOT_REMOVAL,
    "vm.Snapshot.remove": TaskKind.SNAPSHOT_REMOVAL,
    "VirtualMachine.consolidateDisks": TaskKind.CONSOLIDATION,
    "VirtualMachine.relocate": TaskKind.RELOCATION,
    "VirtualMachine.migrate": TaskKind.MIGRATION,
    "Drm.ExecuteVMotionLRO": TaskKind.MIGRATION,
    "VirtualMachine.clone": TaskKind.CLONE,
}
# Given again with every inventory: what one failed to store, the next one has.
_KEPT: Final = timedelta(hours=6)
# Tasks are written to the history a little after they begin.
_OVERLAP: Final = timedelta(minutes=2)
_LONGEST: Final = timedelta(days=2)
_PAGE: Final = 100
_MOST_PAGES: Final = 20
_WITHIN_S: Final = 10.0


class TaskReader:
    """`refused`: why the newest look had to do without, in words; empty when it did not."""

    def __init__(self, client: VcenterClient) -> None:
        self._client = client
        self._read_until: datetime | None = None
        self._kept: dict[str, VmTask] = {}
        self.refused = ""

    def read(self) -> tuple[VmTask, ...]:
        """Tasks that run, and those that ended within the last hours. Only what is new since the last look is asked for."""
        try:
            with total_deadline(_WITHIN_S):
                now, found = self._client.ask(self._history)
        except (PermissionMissingError, ProtocolError, OverloadedError, DeadlineError) as error:
            self.refused = str(error)
            return ()
        self.refused, self._read_until = "", now
        # All that ran were asked for again: one that is listed no more is over.
        ended = (one for one in self._kept.values() if one.ended_at is not None and one.ended_at > now - _KEPT)
        self._kept = {one.key: one for one in (*ended, *found)}
        return tuple(sorted(self._kept.values(), key=lambda task: (task.started_at, task.key)))

    def _since(self, now: datetime) -> datetime:
        if self._read_until is None:
            return now - _KEPT
        running = (one.started_at for one in self._kept.values() if one.ended_at is None)
        return max(min((self._read_until, *running)) - _OVERLAP, now - _LONGEST)

    def _history(self) -> tuple[datetime, tuple[VmTask, ...]]:
        content = self._client.content
        now = vim.ServiceInstance("ServiceInstance", self._client.stub).CurrentTime().astimezone(UTC)
        if content.taskManager is None:
            return now, ()
        began = vim.TaskFilterSpec.ByTime(timeType="startedTime", beginTime=self._since(now))
        collector = content.taskManager.CreateCollectorForTasks(vim.TaskFilterSpec(time=began))
        try:
            collector.RewindCollector()
            return now, tuple(vm_tasks(self._pages(collector)))
        finally:
            # A session may hold few of them; with the session it goes anyway.
            with contextlib.suppress(vmodl.MethodFault):
                collector.DestroyCollector()

    def _pages(self, collector: Any) -> Iterator[Any]:
        for _ in range(_MOST_PAGES):
            page = collector.ReadNextTasks(_PAGE)
            if not page:
                return
            yield from page


def vm_tasks(infos: Iterable[Any]) -> Iterator[VmTask]:
    """Of vim.TaskInfo: those of VMs that are known and have begun, each once, the last word about it."""
    found: dict[str, VmTask] = {}
    for info in infos:
        kind = KINDS.get(info.descriptionId or "")
        if kind is None or info.startTime is None or not isinstance(info.entity, vim.VirtualMachine):
            continue
        found[info.key] = VmTask(
            key=str(info.key),
            kind=kind,
            vm_key=moid(info.entity),
            started_at=info.startTime.astimezone(UTC),
            ended_at=None if info.completeTime is None else info.completeTime.astimezone(UTC),
            started_by=_user(info.reason),
        )
    yield from found.values()


def _user(reason: Any) -> str | None:
    name = clean_text(getattr(reason, "userName", None) or "", 200).strip()
    return name or None
