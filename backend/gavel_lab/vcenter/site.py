"""One vCenter as it is right now: the lab behind it, its tree, its clock, and where its VMs run."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from threading import Lock
from time import monotonic
from typing import Any

from gavel_lab.environment import EsxiHost, VCenter, Vm
from gavel_lab.faults import FaultKind
from gavel_lab.lab import Lab
from gavel_lab.vcenter.tree import Node, Tree, reference

PLACEMENT_AGE_S = 0.25


def instant(seconds: float) -> datetime:
    """Seconds since the epoch as an aware instant."""
    return datetime.fromtimestamp(seconds, UTC)


class Site:
    """What the modules of this package share about one vCenter. Thread-safe; holds nothing of a session."""

    def __init__(self, lab: Lab, vcenter: VCenter) -> None:
        self.lab = lab
        self.environment = lab.environment
        self.vcenter = vcenter
        self.tree = Tree(lab.environment, vcenter)
        self.clock = lab.clocks.vcenters[vcenter.index]
        self.started_at = self.now()
        self._lock = Lock()
        self._placed_at = -math.inf
        self._host_of: dict[int, int] = {}
        self._vms_on: Mapping[int, Sequence[Vm]] = {}

    def now(self) -> datetime:
        """This vCenter's own clock."""
        return instant(self.clock.now())

    def lab_now(self) -> float:
        return self.lab.clocks.lab_time.now()

    def at(self, lab_s: float) -> datetime:
        """A lab instant on this vCenter's clock."""
        return instant(lab_s + self.clock.offset_s())

    def host_now(self, host: EsxiHost) -> datetime:
        """What the ESXi host's own clock shows."""
        return instant(self.lab.clocks.hosts[host.index].now())

    def host_of(self, vm: Vm) -> EsxiHost:
        """The host that runs the VM now."""
        self._place()
        return self.environment.hosts[self._host_of[vm.index]]

    def is_connected(self, host: EsxiHost) -> bool:
        """Whether the vCenter has the host."""
        return self.lab.faults.active(self.vcenter.name, FaultKind.DISCONNECTED, host.name) is None

    def is_on(self, vm: Vm) -> bool:
        """Whether the VM runs now."""
        return self.lab.placement.is_on(vm.index, self.lab_now())

    def name_of(self, vm: Vm) -> str:
        """What the VM is called now. Its files and its guest keep the name it was made with."""
        return self.lab.faults.vm_name(vm.index)

    def vms_on(self, host: EsxiHost) -> Sequence[Vm]:
        self._place()
        return self._vms_on.get(host.index, ())

    def _place(self) -> None:
        """Ask at most every quarter of a second where the VMs run: one request reads properties of thousands."""
        with self._lock:
            asked_at = monotonic()
            if asked_at - self._placed_at < PLACEMENT_AGE_S:
                return
            now = self.lab_now()
            hosts = self.lab.placement.hosts_at(now)
            placed = {vm.index: int(hosts[vm.index]) for vm in self.tree.vms}
            on: dict[int, list[Vm]] = defaultdict(list)
            for vm in self.tree.vms:
                on[placed[vm.index]].append(vm)
            self._host_of, self._vms_on, self._placed_at = placed, on, asked_at

    def node(self, moref: str) -> Node | None:
        return self.tree.nodes.get(moref)

    def reference(self, moref: str) -> Any:
        return reference(self.tree.nodes[moref])
