"""What people know an object by: its owner, and what its guest reports."""

from dataclasses import dataclass

from gavel.domain.inventory import ToolsState


@dataclass(frozen=True, slots=True)
class Owner:
    """The owner of an object; of one that several share, the one of most of its VMs.

    share: of its VMs that are this owner's, 0 to 1; those without any owner count, too. owners: how many different ones there are.
    """

    name: str
    share: float
    owners: int


@dataclass(frozen=True, slots=True)
class GuestFacts:
    """What a VM is found by. Null and empty: not reported, which without running VMware Tools is so for name and addresses."""

    dns_name: str | None
    ip_addresses: tuple[str, ...]
    tools_state: ToolsState | None
    folder: str | None
    resource_pool: str | None
    bios_uuid: str | None
    instance_uuid: str | None
