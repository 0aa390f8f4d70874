"""From the inventory to positions: which device, disk and volume belong together, for `analysis`."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from gavel.analysis.topology import NONE, Devices, DiskParts, Index, Pairs, Topology, Volumes
from gavel.db.queries.correlation import InventoryRows
from gavel.domain.controllers import QUEUE_LIMITS
from gavel.domain.scope import ENVIRONMENT_ID, ScopeKind, scope_key

_STRETCHED = 2
Row: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Stay:
    """A part was on its host from `since_us` on (µs since 1970, Gavel's clock) until the next one's begin."""

    part: int
    since_us: int


@dataclass(frozen=True, kw_only=True)
class Environment:
    """A topology with the ids behind its positions. `*_ids` are in order of id.

    host_keys: (source id, key) of each host, as clocks name it. stays: by position of a disk, in order of time.
    array_sources: source id of each array. pod_keys: by position of a pod.
    """

    topology: Topology
    ids: Mapping[ScopeKind, Index]
    host_keys: Sequence[tuple[int, str]]
    stays: Mapping[int, Sequence[Stay]]
    array_sources: Sequence[int]
    source_ids: Sequence[int]
    pod_keys: Sequence[str]
    directory_ids: Index
    directory_units: Index

    def keys(self, kind: ScopeKind, positions: Index) -> Index:
        """(n,) ledger keys."""
        return scope_key(kind, 0) + self.ids[kind][positions]


def environment(
    things: InventoryRows, directory_sources: Mapping[int, int], mirrored: Mapping[str, bool]
) -> Environment:
    """Everything that samples can speak of, and how it hangs together. `mirrored`: pod keys whose arrays both count a mirrored write."""
    return _Builder(things, directory_sources, mirrored).environment()


def parts_at(environment: Environment, disk: Index, middle_us: Index) -> Index:
    """(n,) which part of its disk each sample belongs to: where the VM was in the middle of it. −1 for a disk without a host."""
    first = np.full(environment.topology.disks, NONE, dtype=np.int64)
    for position, stays in environment.stays.items():
        first[position] = stays[0].part
    part = first[disk]
    for position, stays in environment.stays.items():
        for stay in stays[1:]:
            moved = (disk == position) & (middle_us >= stay.since_us)
            part[moved] = stay.part
    return part


class _Builder:
    """Rows to positions. Each property is one relation; all lists are in the order of `InventoryRows`."""

    def __init__(
        self, things: InventoryRows, directory_sources: Mapping[int, int], mirrored: Mapping[str, bool]
    ) -> None:
        self._things = things
        self._directory_sources = directory_sources
        self._mirrored = mirrored
        self._hosts = _positions(things.hosts)
        self._arrays = {row["source_id"]: position for position, row in enumerate(things.arrays)}
        self._stores = _positions(things.datastores)
        self._sources = _positions(things.sources)
        self._vms = {vm: n for n, vm in enumerate(sorted({row["vm_id"] for row in things.disks}))}
        clusters = {row["cluster_id"] for row in things.hosts} - {None}
        self._clusters = {cluster: n for n, cluster in enumerate(sorted(clusters))}

    def environment(self) -> Environment:
        things = self._things
        parts, stays = self._parts()
        topology = Topology(
            devices=self._devices(parts),
            parts=parts,
            volumes=self._volumes(),
            units=self._unit_count,
            unit_array=self._unit_array(),
            disks=len(things.disks),
            vms=len(self._vms),
            datastores=len(things.datastores),
            arrays=len(things.arrays),
            pods=len(self._pods),
            sources=len(things.sources),
            clusters=len(self._clusters),
            host_source=_index(self._sources[row["source_id"]] for row in things.hosts),
            host_cluster=_index(self._clusters.get(row["cluster_id"], NONE) for row in things.hosts),
        )
        return Environment(
            topology=topology,
            ids={
                ScopeKind.VM_DISK: _ids(things.disks),
                ScopeKind.HOST_DEVICE: _ids(things.devices),
                ScopeKind.VM: _index(self._vms),
                ScopeKind.DATASTORE: _ids(things.datastores),
                ScopeKind.HOST: _ids(things.hosts),
                ScopeKind.CLUSTER: _index(self._clusters),
                ScopeKind.VOLUME: _ids(things.volumes),
                ScopeKind.ARRAY: _ids(things.arrays),
                ScopeKind.ENVIRONMENT: np.array([ENVIRONMENT_ID]),
            },
            host_keys=[(row["source_id"], row["key"]) for row in things.hosts],
            stays=stays,
            array_sources=[row["source_id"] for row in things.arrays],
            source_ids=[row["id"] for row in things.sources],
            pod_keys=list(self._pods),
            directory_ids=_index(self._directories),
            directory_units=_index(self._directories.values()),
        )

    # --- the array side ---

    @cached_property
    def _volumes_by_serial(self) -> Mapping[str, list[Row]]:
        """Data volumes by serial."""
        found: dict[str, list[Row]] = defaultdict(list)
        for row in self._things.volumes:
            if not row["is_protocol_endpoint"]:
                found[row["serial"]].append(row)
        return found

    @cached_property
    def _serial_units(self) -> Mapping[str, int]:
        """A unit per serial. Two volumes with one serial are one thing only in a stretched pod; else they cannot be distinguished."""
        return {serial: n for n, serial in enumerate(s for s, rows in self._volumes_by_serial.items() if _is_one(rows))}

    @cached_property
    def _directories(self) -> Mapping[int, int]:
        """Unit of every directory, after those of the volumes; in order of id."""
        ids = sorted({row["directory_id"] for row in self._things.directories})
        return {directory: len(self._serial_units) + n for n, directory in enumerate(ids)}

    @property
    def _unit_count(self) -> int:
        """One at least, also without any array: numbers are looked up for all devices at once, of which some have no unit."""
        return max(len(self._serial_units) + len(self._directories), 1)

    def _unit_array(self) -> Index:
        arrays = [NONE] * len(self._serial_units)
        arrays += [
            self._arrays.get(self._directory_sources.get(directory, NONE), NONE) for directory in self._directories
        ]
        return _index(arrays or [NONE])

    @cached_property
    def _pods(self) -> Mapping[str, int]:
        """Stretched pods only."""
        keys = {row["pod_key"] for row in self._things.volumes if (row["array_count"] or 1) >= _STRETCHED}
        return {key: n for n, key in enumerate(sorted(keys))}

    def _volumes(self) -> Volumes:
        rows = self._things.volumes
        return Volumes(
            unit=_index(
                NONE if row["is_protocol_endpoint"] else self._serial_units.get(row["serial"], NONE) for row in rows
            ),
            array=_index(self._arrays.get(row["source_id"], NONE) for row in rows),
            pod=_index(self._pods.get(row["pod_key"], NONE) for row in rows),
            mirrored_on_both=np.array([self._mirrored.get(row["pod_key"], False) for row in rows], dtype=np.bool_),
        )

    @cached_property
    def _vvol_units(self) -> Mapping[str, tuple[int, int]]:
        """Unit and array source of every vVol's data volume."""
        return {
            row["vvol_id"]: (self._serial_units[row["serial"]], row["source_id"])
            for row in self._things.volumes
            if row["vvol_id"] and row["serial"] in self._serial_units
        }

    @cached_property
    def _endpoint_arrays(self) -> Mapping[str, int]:
        """Array source by the serial of a protocol endpoint's own volume."""
        return {row["serial"]: row["source_id"] for row in self._things.volumes if row["is_protocol_endpoint"]}

    # --- the host side ---

    @cached_property
    def _by_name(self) -> Mapping[tuple[int, str], int]:
        """Devices by host and canonical name."""
        return {(row["host_id"], row["canonical_name"]): n for n, row in enumerate(self._things.devices)}

    @cached_property
    def _extents(self) -> Mapping[int, list[str]]:
        found: dict[int, list[str]] = defaultdict(list)
        for row in self._things.extents:
            found[row["datastore_id"]].append(row["canonical_name"])
        return found

    @cached_property
    def _endpoints(self) -> Mapping[tuple[int, int], list[int]]:
        """Protocol endpoints of a host for an array's source."""
        found: dict[tuple[int, int], list[int]] = defaultdict(list)
        for n, row in enumerate(self._things.devices):
            array = self._endpoint_arrays.get(row["volume_serial"] or "")
            if array is not None:
                found[row["host_id"], array].append(n)
        return found

    def _devices(self, parts: DiskParts) -> Devices:
        rows = self._things.devices
        store_of = {
            name: self._stores[store]
            for store, names in self._extents.items()
            if store in self._stores
            for name in names
        }
        through = parts.unit[parts.devices.left] != NONE
        bound = {
            *zip(parts.devices.right[through].tolist(), parts.unit[parts.devices.left[through]].tolist(), strict=True)
        }
        return Devices(
            host=_index(self._hosts[row["host_id"]] for row in rows),
            unit=_index(self._unit_of(row) for row in rows),
            datastore=_index(store_of.get(row["canonical_name"], NONE) for row in rows),
            configured_depth=np.array([row["queue_depth"] or np.nan for row in rows], dtype=np.float64),
            endpoint=_pairs(sorted(bound)),
        )

    def _unit_of(self, device: Row) -> int:
        if device["is_protocol_endpoint"] or device["volume_serial"] in self._endpoint_arrays:
            return NONE
        return self._serial_units.get(device["volume_serial"] or "", NONE)

    def _parts(self) -> tuple[DiskParts, Mapping[int, Sequence[Stay]]]:
        rows: list[tuple[int, Row, int]] = []
        stays: dict[int, list[Stay]] = {}
        for disk, row in enumerate(self._things.disks):
            for host, since_us in self._hosts_of(row):
                known = next((s.part for s in stays.get(disk, ()) if rows[s.part][2] == host), None)
                part = len(rows) if known is None else known
                if known is None:
                    rows.append((disk, row, host))
                stays.setdefault(disk, []).append(Stay(part, since_us))
        units = [self._unit_of_disk(row) for _, row, _ in rows]
        pairs = [(part, device) for part, (_, row, host) in enumerate(rows) for device in self._devices_of(row, host)]
        return (
            DiskParts(
                disk=_index(disk for disk, _, _ in rows),
                vm=_index(self._vms[row["vm_id"]] for _, row, _ in rows),
                host=_index(self._hosts[host] for _, _, host in rows),
                # A raw device mapping only keeps its pointer on the datastore.
                datastore=_index(
                    NONE if row["device_name"] else self._stores.get(row["datastore_id"], NONE) for _, row, _ in rows
                ),
                unit=_index(units),
                is_whole=np.array([unit != NONE for unit in units], dtype=np.bool_),
                queue_limit=np.array([QUEUE_LIMITS.get(row["controller_type"], np.nan) for _, row, _ in rows]),
                devices=_pairs(pairs),
            ),
            stays,
        )

    @cached_property
    def _placements(self) -> Mapping[int, list[tuple[int, int]]]:
        found: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for row in self._things.placements:
            if row["host_id"] in self._hosts:
                found[row["vm_id"]].append((row["host_id"], _us(row["valid_from"])))
        return found

    def _hosts_of(self, disk: Row) -> Iterable[tuple[int, int]]:
        known = self._placements.get(disk["vm_id"])
        if known:
            return known
        return [(disk["host_id"], 0)] if disk["host_id"] in self._hosts else []

    def _unit_of_disk(self, disk: Row) -> int:
        if disk["device_name"]:
            return NONE
        if disk["vvol_id"]:
            return self._vvol_units.get(disk["vvol_id"], (NONE, NONE))[0]
        return self._nfs_units.get(disk["datastore_id"], NONE)

    @cached_property
    def _nfs_units(self) -> Mapping[int, int]:
        return {row["datastore_id"]: self._directories[row["directory_id"]] for row in self._things.directories}

    def _devices_of(self, disk: Row, host: int) -> list[int]:
        if disk["device_name"]:
            names = [disk["device_name"]]
        elif disk["vvol_id"]:
            found = self._vvol_units.get(disk["vvol_id"])
            return [] if found is None else self._endpoints.get((host, found[1]), [])
        else:
            names = self._extents.get(disk["datastore_id"], [])
        return [self._by_name[host, name] for name in names if (host, name) in self._by_name]


def _is_one(rows: Sequence[Row]) -> bool:
    """One volume, or both sides of a stretched one: same pod, different arrays."""
    pods = {row["pod_key"] for row in rows}
    return len(rows) == 1 or (
        len(pods) == 1 and None not in pods and len({row["source_id"] for row in rows}) == len(rows)
    )


def _positions(rows: Sequence[Row]) -> dict[int, int]:
    return {row["id"]: n for n, row in enumerate(rows)}


def _ids(rows: Sequence[Row]) -> Index:
    return _index(row["id"] for row in rows)


def _index(numbers: Iterable[int]) -> Index:
    return np.fromiter(numbers, dtype=np.int64)


def _pairs(pairs: Sequence[tuple[int, int]]) -> Pairs:
    array = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Pairs(left=array[:, 0], right=array[:, 1])


def _us(at: datetime) -> int:
    return round(at.timestamp() * 1e6)
