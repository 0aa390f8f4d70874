"""What a rule of findings has to report, when, and where: the lab's own stories, and changes to what its sources list and count."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gavel.domain.inventory import ArrayInventory, HostInventory, Inventory
from gavel.domain.samples import COLUMNS, NOT_MEASURED, Precision, SampleBatch
from gavel.domain.source import Stream
from gavel_lab.stories import PHASES

# An evaluation looks at ten minutes and comes every five: so long after its end a story may still be open.
GRACE_MIN = 15
# Minute of the hour in which changes of settings begin: after an hour in which there are none, their quiet twin.
CHANGED_FROM_MIN = 60
_LATENCY_DEFAULTS = "VMW_PSP_RR policy=latency,latencyEvalTime=180000,samplingCycles=16,useANO=0"
_BUSY_DATASTORE = "sql-01"


@dataclass(frozen=True)
class Story:
    """rule: has to be open in [from_min, to_min] of the campaign, on something of this name or that touches it."""

    rule: str
    name: str
    from_min: int
    to_min: int

    @property
    def until_min(self) -> int:
        return self.to_min + GRACE_MIN


# What each phase of the lab is to the rules, and the object that has to be named.
_OF_PHASES: Sequence[tuple[str, str, str]] = (
    ("esxi-queuing", "device-queue-full", "sql-01"),
    ("array-qos", "iops-limit-at-work", "dwh-03"),
    ("competing-worlds", "competing-worlds", "app-report"),
    ("vm-iops-limit", "iops-limit-at-work", "mail-01"),
    ("noisy-neighbour", "noisy-neighbor", "vdi-03"),
    ("noisy-neighbour", "competing-worlds", "vdi-03"),
    ("snapshot-consolidation", "task-running", "general-03"),
    ("volume-group-limit", "iops-limit-at-work", "flasharray-2"),
    ("array-overload", "array-saturation", "flasharray-2"),
    ("guest-queue", "virtual-disk-queue-full", "batch-02"),
    ("target-port", "fan-in-over-port", "flasharray-2"),
)
# The same phases seen by another rule, which may find it and need not: one VM at the limit of a volume lets the others wait, and so on.
_ALSO: Sequence[tuple[str, str, str]] = (
    ("array-qos", "noisy-neighbor", "dwh-01"),
    ("competing-worlds", "noisy-neighbor", "app-report"),
    ("array-overload", "noisy-neighbor", "erp-04"),
)


def of_the_lab(pairs: Sequence[tuple[str, str, str]], begin_min: int, minutes: int) -> Iterator[Story]:
    """begin_min: minute of the hour at which the campaign begins."""
    for story, rule, name in pairs:
        phases = [phase for phase in PHASES if phase.story == story and phase.layer is not None]
        first, last = min(one.start_minute for one in phases), max(one.end_minute for one in phases)
        for hour in range(-1, (begin_min + minutes) // 60 + 1):
            low, high = 60 * hour + first - begin_min, 60 * hour + last - begin_min
            # Whole ones, with the time that their evidence takes.
            if low >= 0 and high <= minutes:
                yield Story(rule, name, low, high)


def expected(begin_min: int, minutes: int) -> list[Story]:
    return list(of_the_lab(_OF_PHASES, begin_min, minutes))


def tolerated(begin_min: int, minutes: int) -> list[Story]:
    """With the parts of phases at both ends of the campaign."""
    every = (*_OF_PHASES, *_ALSO)
    whole = of_the_lab(every, begin_min - 60, minutes + 180)
    return [replace(one, from_min=one.from_min - 60, to_min=one.to_min - 60) for one in whole]


# --- changes of settings ----------------------------------------------------------------------------------------------

Change = Callable[[Inventory], Inventory]


def quiet(inventory: Inventory) -> Inventory:
    """The lab's inventory with what differs among its hosts made equal, and every path working: the quiet twin of the changes below."""
    if isinstance(inventory, ArrayInventory):
        return inventory
    deepest: dict[str, int] = {}
    for one in inventory.devices:
        deepest[one.canonical_name] = max(deepest.get(one.canonical_name, 0), one.queue_depth or 0)
    devices = tuple(
        replace(
            one,
            queue_depth=deepest[one.canonical_name] or None,
            path_policy=_LATENCY_DEFAULTS if one.path_policy is not None else None,
        )
        for one in inventory.devices
    )
    # Read in the midst of a story, some are dead.
    paths = tuple(replace(one, state="active") for one in inventory.paths)
    return replace(inventory, devices=devices, paths=paths)


def _names_of(inventory: HostInventory, datastore: str) -> set[str]:
    return {name for one in inventory.datastores if one.name == datastore for name in one.extents}


def _changed_devices(
    inventory: HostInventory, datastore: str, *, hosts: int | None = None, **values: object
) -> HostInventory:
    """Devices of one datastore, on so many of its hosts (None: all)."""
    names, seen, devices = _names_of(inventory, datastore), 0, []
    for one in inventory.devices:
        is_its = one.canonical_name in names and (hosts is None or seen < hosts)
        seen += is_its
        devices.append(replace(one, **values) if is_its else one)  # type: ignore[arg-type]
    return replace(inventory, devices=tuple(devices))


def paths_down(inventory: HostInventory) -> HostInventory:
    keys = {one.key for one in inventory.devices if one.canonical_name in _names_of(inventory, "file-07")}
    paths = tuple(
        replace(one, state="dead") if one.host_device_key in keys and n % 2 else one
        for n, one in enumerate(inventory.paths)
    )
    return replace(inventory, paths=paths)


def unequal_depths(inventory: HostInventory) -> HostInventory:
    return _changed_devices(inventory, "erp-04", hosts=1, queue_depth=7)


def thousand_ios_a_path(inventory: HostInventory) -> HostInventory:
    return _changed_devices(inventory, "file-07", path_policy="VMW_PSP_RR policy=iops,iops=1000,bytes=10485760")


def short_evaluation(inventory: HostInventory) -> HostInventory:
    policy = _LATENCY_DEFAULTS.replace("180000", "30000")
    return _changed_devices(inventory, "erp-04", path_policy=policy)


def lsi_controller(inventory: HostInventory) -> HostInventory:
    stores = {one.key for one in inventory.datastores if one.name == _BUSY_DATASTORE}
    disks = tuple(
        replace(one, controller_type="LSI Logic SAS") if one.datastore_key in stores else one for one in inventory.disks
    )
    return replace(inventory, disks=disks)


def snapshots_in_place_of_a_limit(inventory: HostInventory) -> HostInventory:
    disks = tuple(replace(one, iops_limit=None, snapshot_depth=3) if one.iops_limit else one for one in inventory.disks)
    return replace(inventory, disks=disks)


def sioc_on(inventory: HostInventory) -> HostInventory:
    flash = _changed_devices(inventory, "archive-10", is_flash=True)
    stores = tuple(
        replace(one, sioc_enabled=True, sioc_threshold_ms=30) if one.name == "archive-10" else one
        for one in flash.datastores
    )
    return replace(flash, datastores=stores)


def adaptive_on_a_host(inventory: HostInventory) -> HostInventory:
    return _changed_devices(inventory, "archive-10", hosts=1, queue_full_sample_size=32, queue_full_threshold=8)


CHANGES: Sequence[tuple[str, str, Callable[[HostInventory], HostInventory]]] = (
    ("paths-down", "file-07", paths_down),
    ("unequal-queue-settings", "erp-04", unequal_depths),
    ("path-policy-off-advice", "file-07", thousand_ios_a_path),
    ("latency-policy-options", "erp-04", short_evaluation),
    ("lsi-on-busy-disk", "sql-01", lsi_controller),
    ("sioc-on-all-flash", "archive-10", sioc_on),
    ("adaptive-depth-partial", "esx-05.lab.example", adaptive_on_a_host),
    ("snapshot-chain", "mail-01", snapshots_in_place_of_a_limit),
)


def changed(inventory: Inventory) -> Inventory:
    """With all of the changes, which are of different datastores or of different settings."""
    if isinstance(inventory, HostInventory):
        for _, _, change in CHANGES:
            inventory = change(inventory)
    return inventory


def of_changes(minutes: int, begin_min: int) -> list[Story]:
    """A busy disk and wait in the hypervisor are there only while the lab plays their story."""
    phases = {"lsi-on-busy-disk": "esxi-queuing", "snapshot-chain": "vm-iops-limit"}
    found = []
    for rule, name, _ in CHANGES:
        if rule in phases:
            played = of_the_lab([(phases[rule], rule, name)], begin_min, minutes)
            found += [one for one in played if one.from_min >= CHANGED_FROM_MIN]
        else:
            found.append(Story(rule, name, CHANGED_FROM_MIN, minutes))
    return found


# --- changes of samples -----------------------------------------------------------------------------------------------


# A host of the second vCenter on which no story is played.
COARSE_HOST = "esx-05.lab.example"
# Datastores with I/O all the time, on which no other change is seen.
UNBALANCED, NON_OPTIMIZED, UNMONITORED = "web-02", "metro-06", "general-14"
_PATH_IOPS, _PATH_SAMPLE_S = 2000, 300


def coarsened(batch: SampleBatch, inventory: HostInventory) -> SampleBatch:
    """Latencies of one host's devices in whole milliseconds."""
    hosts = {one.key for one in inventory.hosts if one.name == COARSE_HOST}
    if batch.stream is not Stream.HOST_DEVICE or not hosts:
        return batch
    is_its = np.array([key.partition("/")[0] in hosts for key in batch.keys])[batch.key_index]
    values = {}
    for name, column in batch.values.items():
        coarse = np.where(column == NOT_MEASURED, column, column // 1000 * 1000) if name.endswith("_us") else column
        coarse = np.full_like(column, int(Precision.MILLISECOND)) if name == "precision" else coarse
        values[name] = np.where(is_its, coarse, column)
    return replace(batch, values=values)


def doubled(batch: SampleBatch, inventory: ArrayInventory) -> SampleBatch:
    """As much I/O again on one volume, by hosts that no vCenter has."""
    volumes = {one.key for one in inventory.volumes if UNMONITORED in one.name}
    is_its = np.array([key in volumes for key in batch.keys])[batch.key_index]
    values = {
        name: np.where(is_its & (column != NOT_MEASURED), 2 * column, column) if name.endswith("_ops") else column
        for name, column in batch.values.items()
    }
    return replace(batch, values=values)


def path_samples(inventory: HostInventory, end_us: int, *, is_changed: bool) -> SampleBatch | None:
    """Five minutes of all paths of two datastores: even, and over optimized ones only; changed: most on one, and half over the others."""
    weights: dict[str, int] = {}
    for datastore in (UNBALANCED, NON_OPTIMIZED):
        names = _names_of(inventory, datastore)
        for device in (one for one in inventory.devices if one.canonical_name in names):
            paths = [one for one in inventory.paths if one.host_device_key == device.key]
            for n, path in enumerate(paths):
                key = f"{device.host_key}/{path.counter or path.name}"
                if datastore == UNBALANCED:
                    weights[key] = 20 if is_changed and n == 0 else 1
                else:
                    weights[key] = int(is_changed or path.is_optimized is not False)
    if not weights:
        return None
    count = np.array([weight * _PATH_IOPS * _PATH_SAMPLE_S // 8 for weight in weights.values()], dtype=np.int64)
    values = {name: np.full(len(weights), NOT_MEASURED, dtype=np.int64) for name in COLUMNS[Stream.PATH]}
    values |= {"read_ops": count, "write_ops": count}
    return SampleBatch(
        stream=Stream.PATH,
        keys=tuple(weights),
        key_index=np.arange(len(weights)),
        ended_at_us=np.full(len(weights), end_us, dtype=np.int64),
        interval_s=np.full(len(weights), _PATH_SAMPLE_S, dtype=np.int64),
        values=values,
    )


def adapter_samples(inventory: HostInventory, end_us: int, *, is_changed: bool) -> SampleBatch | None:
    """Five minutes of one host's first adapter by counters of its queue, which few hosts serve; changed: full, as many again queued."""
    hosts = {one.key for one in inventory.hosts if one.name == COARSE_HOST}
    first = min((one.key for one in inventory.hbas if one.host_key in hosts), default=None)
    if first is None:
        return None
    values = {name: np.full(1, NOT_MEASURED, dtype=np.int64) for name in COLUMNS[Stream.ADAPTER]}
    numbers = {"queue_depth": 256, "outstanding": 256 if is_changed else 40, "queued": 300 if is_changed else 0}
    values |= {name: np.full(1, value, dtype=np.int64) for name, value in numbers.items()}
    return SampleBatch(
        stream=Stream.ADAPTER,
        keys=(first,),
        key_index=np.zeros(1, dtype=np.int64),
        ended_at_us=np.full(1, end_us, dtype=np.int64),
        interval_s=np.full(1, _PATH_SAMPLE_S, dtype=np.int64),
        values=values,
    )


def path_and_adapter_samples(inventory: HostInventory, end_us: int, *, is_changed: bool) -> Iterator[SampleBatch]:
    for made in (path_samples, adapter_samples):
        counted = made(inventory, end_us, is_changed=is_changed)
        if counted is not None:
            yield counted
