"""Evidence for the rules of findings: each type is loaded for the whole environment at once."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Final

from gavel.correlate import finding_loads, finding_settings
from gavel.correlate.finding_loads import EvidenceWindow
from gavel.db.engine import Connection
from gavel.db.queries import finding_inventory as inventory
from gavel.findings import evidence, evidence_settings
from gavel.findings.assemble import PathTrouble, path_evidence, policy_evidence, setting_evidence


class Basis(Enum):
    """What evidence rests on, and what therefore has to be complete before its absence ends a finding."""

    INVENTORY = auto()
    LEDGER = auto()


@dataclass(frozen=True, slots=True)
class EvidenceLoader:
    basis: Basis
    load: Callable[[Connection, EvidenceWindow], Iterable[Any]]


def _paths(connection: Connection, _: EvidenceWindow) -> Iterable[evidence.PathEvidence]:
    devices = inventory.devices_with_path_trouble(connection)
    if not devices:
        return ()
    names = sorted({(device.source_id, device.canonical_name) for device in devices})
    owners = inventory.device_owners(connection, names)
    down = inventory.down_paths(connection, [device.id for device in devices if device.paths_down])
    return path_evidence(PathTrouble(devices, down, inventory.dead_adapters(connection), owners))


def _settings(connection: Connection, _: EvidenceWindow) -> Iterable[evidence.SharedSettings]:
    devices = inventory.devices_with_unequal_settings(connection)
    names = sorted({(device.source_id, device.canonical_name) for device in devices})
    return setting_evidence(devices, inventory.device_owners(connection, names)) if names else ()


def _policies(connection: Connection, _: EvidenceWindow) -> Iterable[evidence.DevicePolicies]:
    devices = inventory.devices_with_policy(connection)
    names = sorted({(device.source_id, device.canonical_name) for device in devices})
    return policy_evidence(devices, inventory.device_owners(connection, names)) if names else ()


LOADERS: Final[Mapping[type, EvidenceLoader]] = {
    evidence.PathEvidence: EvidenceLoader(Basis.INVENTORY, _paths),
    evidence.SharedSettings: EvidenceLoader(Basis.INVENTORY, _settings),
    evidence.DevicePolicies: EvidenceLoader(Basis.INVENTORY, _policies),
    evidence.LimitedRate: EvidenceLoader(Basis.LEDGER, finding_loads.limited_rates),
    evidence.BusyDisk: EvidenceLoader(Basis.LEDGER, finding_loads.busy_disks),
    evidence.FullQueue: EvidenceLoader(Basis.LEDGER, finding_loads.full_queues),
    evidence.VolumeMatch: EvidenceLoader(Basis.LEDGER, finding_loads.volume_matches),
    evidence.PathUse: EvidenceLoader(Basis.LEDGER, finding_loads.path_uses),
    evidence_settings.FlashSioc: EvidenceLoader(Basis.INVENTORY, finding_settings.flash_sioc),
    evidence_settings.SharedPorts: EvidenceLoader(Basis.INVENTORY, finding_settings.shared_ports),
    evidence_settings.StretchedPod: EvidenceLoader(Basis.LEDGER, finding_settings.stretched_pods),
}
