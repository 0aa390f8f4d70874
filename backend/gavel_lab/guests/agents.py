"""Which guests run an agent, and how it is set up. Drawn by the seed and the VM's name: the VMs of the default environment are the same at
every scale."""

from dataclasses import dataclass

from gavel_lab.environment import Environment, Vm
from gavel_lab.ids import Ids
from gavel_lab.stories import PHASES

# Of the VMs with Linux. Others have no agent: what they see is not measured.
_PART = 0.4
# All of them are one address to whoever listens, which may count requests by address.
_MOST_AGENTS = 60
# Of the VMs with an agent: without disk.EnableUUID=TRUE a guest cannot read the serial numbers of its disks.
_PART_WITH_SERIALS = 0.8
_MOST_SKEW_S = 1.5
_FLUSH_AFTER_S = (0.1, 6.0)


@dataclass(frozen=True)
class Agent:
    """An agent in a guest: it reads at multiples of `interval_s` on the guest's clock, which runs `ahead_s` ahead of lab time, and pushes
    `flush_after_s` later. `has_serials`: the guest sees what its disks are called outside."""

    vm: Vm
    interval_s: int
    ahead_s: float
    flush_after_s: float
    has_serials: bool


def agents(environment: Environment) -> tuple[Agent, ...]:
    """Of the VMs with Linux a part, and those of a story about the guest."""
    ids, plays = Ids(environment.seed), _in_stories(environment)
    chosen = [
        vm
        for vm in environment.vms
        if "windows" not in vm.guest_id and (vm.index in plays or ids.fraction("agent", vm.name) < _PART)
    ]
    return tuple(_agent(ids, vm, must_match=vm.index in plays) for vm in chosen[:_MOST_AGENTS])


def _agent(ids: Ids, vm: Vm, *, must_match: bool) -> Agent:
    def between(low: float, high: float, what: str) -> float:
        return round(low + (high - low) * ids.fraction("agent", what, vm.name), 3)

    return Agent(
        vm=vm,
        interval_s=10 if ids.fraction("agent", "interval", vm.name) < 0.5 else 20,
        ahead_s=between(-_MOST_SKEW_S, _MOST_SKEW_S, "clock"),
        flush_after_s=between(*_FLUSH_AFTER_S, "flush"),
        has_serials=must_match or ids.fraction("agent", "serials", vm.name) < _PART_WITH_SERIALS,
    )


def _in_stories(environment: Environment) -> set[int]:
    """VMs that cause a wait in the guest."""
    culprits = {phase.culprit for phase in PHASES if phase.layer == "guest"}
    return {disk.vm for disk in environment.disks if disk.workload in culprits}
