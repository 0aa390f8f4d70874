"""What people know an object by: its owner, and what its guest reports."""

from dataclasses import dataclass

from gavel.domain.inventory import ToolsState


@dataclass(frozen=True, slots=True)
class Owner:
    """`name`: the object's own label, else that of most of its VMs. `share`: of its VMs with that value, 0 to 1, those without any counted
    too. `owners`: how many different values."""

    name: str
    share: float
    owners: int


@dataclass(frozen=True, slots=True)
class GuestFacts:
    """Null and empty: not reported. Addresses and DNS name come from VMware Tools, the primary address first.

    `folder`: from the datacenter down. `resource_pool`: from below the cluster's own pool, which is "Resources".
    """

    dns_name: str | None
    ip_addresses: tuple[str, ...]
    tools_state: ToolsState | None
    folder: str | None
    resource_pool: str | None
    bios_uuid: str | None
    instance_uuid: str | None
