"""Evidence for the rules of findings: each type is loaded for the whole environment at once."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Final

from gavel.correlate import (
    finding_arrays,
    finding_loads,
    finding_ports,
    finding_settings,
    finding_shared,
    finding_tasks,
)
from gavel.correlate.finding_loads import EvidenceWindow
from gavel.db.engine import Connection
from gavel.db.queries import finding_inventory as inventory
from gavel.db.queries import finding_sources as sources
from gavel.findings import (
    evidence,
    evidence_arrays,
    evidence_ports,
    evidence_settings,
    evidence_shared,
    evidence_sources,
    evidence_tasks,
)
from gavel.findings.assemble import PathTrouble, path_evidence, policy_evidence, setting_evidence
from gavel.findings.rules import clock_skew, source_gaps


class Basis(Enum):
    """What evidence rests on, and what therefore has to be complete before its absence ends a finding."""

    INVENTORY = auto()
    LEDGER = auto()
    CLOCKS = auto()


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


def _clocks(connection: Connection, window: EvidenceWindow) -> Iterable[evidence_sources.SourceClocks]:
    most = {"error_s": clock_skew.MOST_ERROR_S, "drift_s": clock_skew.MOST_DRIFT_S}
    return sources.source_clocks(connection, window.now, **most)


def _coarse(connection: Connection, window: EvidenceWindow) -> Iterable[evidence_sources.CoarseCounters]:
    return sources.coarse_counters(connection, window.from_at, window.to_at)


def _gaps(connection: Connection, window: EvidenceWindow) -> Iterable[evidence_sources.SourceGaps]:
    return sources.source_gaps(connection, window.now, missing_s=source_gaps.MISSING_SHARE * source_gaps.DAY_S)


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
    evidence_tasks.RunningTask: EvidenceLoader(Basis.LEDGER, finding_tasks.running_tasks),
    evidence_settings.StretchedPod: EvidenceLoader(Basis.LEDGER, finding_settings.stretched_pods),
    evidence_shared.SharedObject: EvidenceLoader(Basis.LEDGER, finding_shared.shared_objects),
    evidence_shared.PathBalance: EvidenceLoader(Basis.LEDGER, finding_shared.path_balances),
    evidence_arrays.ArrayLoad: EvidenceLoader(Basis.LEDGER, finding_arrays.array_loads),
    evidence_ports.AdapterLoad: EvidenceLoader(Basis.LEDGER, finding_ports.adapter_loads),
    evidence_ports.PortLoad: EvidenceLoader(Basis.LEDGER, finding_ports.port_loads),
    evidence_sources.SourceClocks: EvidenceLoader(Basis.CLOCKS, _clocks),
    evidence_sources.CoarseCounters: EvidenceLoader(Basis.LEDGER, _coarse),
    evidence_sources.SourceGaps: EvidenceLoader(Basis.LEDGER, _gaps),
}
