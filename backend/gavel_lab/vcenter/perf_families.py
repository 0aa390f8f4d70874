"""Which entities serve which families of counters, and how the model is read for them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from gavel_lab.environment import Datastore, EsxiHost, Vm
from gavel_lab.model import By
from gavel_lab.reading import Floats, Reading
from gavel_lab.vcenter import perf_values as values
from gavel_lab.vcenter.counters import Counter
from gavel_lab.vcenter.perf_values import Readings, Show
from gavel_lab.vcenter.site import Site

ROLL_UP_LEVEL = 1

# Entities and the windows of each, (entities, w, 2) → their rows one after the other.
Read = Callable[[Site, Sequence[Any], Floats], Reading]


@dataclass(frozen=True)
class Family:
    """Counters that share their instances.

    instances: names of one entity's instances, in the order of its rows; an aggregate has the one instance "".
    read: the rows of several entities at once, one after the other.
    rows: how many rows of the reading belong to one entity (an aggregate may look at many rows for its one instance).
    """

    counters: Mapping[str, Show]
    instances: Callable[[Site, Any], Sequence[str]]
    read: Read
    rows: Callable[[Site, Any], int]
    with_depths: bool = False
    with_cpu: bool = False
    is_worst: bool = False  # one value over all rows of an entity

    def is_kept(self, counter: Counter, *, real_time: bool) -> bool:
        """Whether there are samples at an interval: roll-ups are kept at statistics level 1 only."""
        level = counter.level if self.instances is _aggregate else counter.per_device_level
        return real_time or level <= ROLL_UP_LEVEL


def _aggregate(_site: Site, _record: Any) -> Sequence[str]:
    return ("",)


def _one(_site: Site, _record: Any) -> int:
    return 1


def _by(by: By, rows: Callable[[Any], Sequence[int]]) -> Read:
    def read(site: Site, records: Sequence[Any], windows: Floats) -> Reading:
        each = [rows(record) for record in records]
        return site.lab.model.read(by, list(chain.from_iterable(each)), _of_rows(windows, each))

    return read


def _of_rows(windows: Floats, rows: Sequence[Sequence[object]]) -> Floats:
    """(n, w, 2) windows of rows, from those of the entities that the rows belong to."""
    result: Floats = np.repeat(windows, [len(own) for own in rows], axis=0)
    return result


# --- hosts ----------------------------------------------------------------------------------------------------------


def device_rows(host: EsxiHost) -> Sequence[int]:
    return host.devices


def _devices(site: Site, host: EsxiHost) -> Sequence[str]:
    return [site.environment.devices[index].name for index in host.devices]


def _adapters(site: Site, host: EsxiHost) -> Sequence[str]:
    return [site.environment.hbas[index].name for index in host.hbas]


def _path_rows_of(site: Site, host: EsxiHost) -> list[int]:
    return [path for device in host.devices for path in site.environment.devices[device].paths]


def _paths(site: Site, host: EsxiHost) -> Sequence[str]:
    return [site.environment.paths[index].uid for index in _path_rows_of(site, host)]


def _read_paths(site: Site, hosts: Sequence[Any], windows: Floats) -> Reading:
    each = [_path_rows_of(site, host) for host in hosts]
    return site.lab.model.read(By.PATH, list(chain.from_iterable(each)), _of_rows(windows, each))


def _host_datastores(site: Site, host: EsxiHost) -> Sequence[str]:
    return [site.environment.datastores[index].uuid for index in host.datastores]


def _read_host_datastores(site: Site, hosts: Sequence[Any], windows: Floats) -> Reading:
    each = [[(host.index, datastore) for datastore in host.datastores] for host in hosts]
    return site.lab.model.read_datastore_of_host(list(chain.from_iterable(each)), _of_rows(windows, each))


def _count(names: Callable[[Site, Any], Sequence[str]]) -> Callable[[Site, Any], int]:
    return lambda site, record: len(names(site, record))


_read_devices = _by(By.DEVICE, device_rows)
_read_adapters = _by(By.ADAPTER, lambda host: host.hbas)
_HOST = (
    Family(values.DEVICES, _devices, _read_devices, _count(_devices), with_depths=True),
    Family(values.HOST_DATASTORES, _host_datastores, _read_host_datastores, _count(_host_datastores)),
    Family(values.ADAPTERS, _adapters, _read_adapters, _count(_adapters)),
    Family(values.PATHS, _paths, _read_paths, _count(_paths)),
    Family(values.THROUGHPUT, _aggregate, _by(By.HOST, lambda host: (host.index,)), _one),
    Family(values.CPU, _aggregate, _by(By.HOST, lambda host: (host.index,)), _one, with_cpu=True),
    Family(values.WORST_DEVICE, _aggregate, _read_devices, _count(_devices), is_worst=True),
    Family(values.WORST_DATASTORE, _aggregate, _read_host_datastores, _count(_host_datastores), is_worst=True),
    Family(values.WORST_ADAPTER, _aggregate, _read_adapters, _count(_adapters), is_worst=True),
    Family(values.WORST_PATH, _aggregate, _read_paths, _count(_paths), is_worst=True),
)


# --- virtual machines -----------------------------------------------------------------------------------------------


def _disks(site: Site, vm: Vm) -> Sequence[str]:
    return [site.environment.disks[index].instance for index in vm.disks]


def _datastores_of_vm(site: Site, vm: Vm) -> list[int]:
    return sorted({site.environment.disks[index].datastore for index in vm.disks})


def _vm_datastores(site: Site, vm: Vm) -> Sequence[str]:
    return [site.environment.datastores[index].uuid for index in _datastores_of_vm(site, vm)]


def _read_vm_datastores(site: Site, vms: Sequence[Any], windows: Floats) -> Reading:
    """The disks of each VM added up per datastore."""
    disks = [(vm, disk) for vm in vms for disk in vm.disks]
    reading = site.lab.model.read(By.DISK, [disk for _, disk in disks], _of_rows(windows, [vm.disks for vm in vms]))
    place = {
        key: number
        for number, key in enumerate((vm.index, datastore) for vm in vms for datastore in _datastores_of_vm(site, vm))
    }
    target = np.array([place[vm.index, site.environment.disks[disk].datastore] for vm, disk in disks], dtype=np.int64)

    def added(values_of_disks: Floats) -> Floats:
        sums = np.zeros((len(place), *values_of_disks.shape[1:]))
        np.add.at(sums, target, values_of_disks)
        return sums

    return Reading(
        seconds=np.repeat(windows[..., 1] - windows[..., 0], [len(_datastores_of_vm(site, vm)) for vm in vms], axis=0),
        ops=added(reading.ops),
        bytes=added(reading.bytes),
        io_time_us=added(reading.io_time_us),
    )


_VM = (
    Family(values.VIRTUAL_DISKS, _disks, _by(By.DISK, lambda vm: vm.disks), _count(_disks)),
    Family(values.DATASTORES, _vm_datastores, _read_vm_datastores, _count(_vm_datastores)),
    Family(values.THROUGHPUT, _aggregate, _by(By.VM, lambda vm: (vm.index,)), _one),
    Family(values.WORST_DEVICE, _aggregate, _by(By.DISK, lambda vm: vm.disks), _count(_disks), is_worst=True),
    Family(values.WORST_DATASTORE, _aggregate, _read_vm_datastores, _count(_vm_datastores), is_worst=True),
)

# --- datastores (roll-ups only) -------------------------------------------------------------------------------------

_DATASTORE = (Family(values.DATASTORES, _aggregate, _by(By.DATASTORE, lambda datastore: (datastore.index,)), _one),)

FAMILIES: Mapping[Any, Sequence[Family]] = {EsxiHost: _HOST, Vm: _VM, Datastore: _DATASTORE}


def readings(site: Site, family: Family, records: Sequence[Any], windows: Floats) -> Readings:
    """Both looks at the rows of some entities over the windows of each, (entities, w, 2)."""
    vcenter = site.vcenter
    mean = family.read(site, records, windows)

    def latest() -> Reading:
        if vcenter.latest_means != "last_second":
            return mean
        ends = windows[..., 1]
        return family.read(site, records, np.stack([ends - 1.0, ends], axis=-1))

    def depths() -> Floats:
        rows = [device_rows(record) for record in records]
        return site.lab.model.device_depths(list(chain.from_iterable(rows)), _of_rows(windows, rows))

    def cpu() -> Floats:
        return site.lab.cpu.shares([host.index for host in records], windows)

    return Readings(
        mean=mean,
        read_latest=latest,
        rounding=vcenter.ms_rounding,
        read_depths=depths if family.with_depths else None,
        read_cpu=cpu if family.with_cpu else None,
    )


def rows_of(part: Readings, rows: slice) -> Readings:
    """The readings of one entity out of those of several."""

    def cut(reading: Reading) -> Reading:
        return Reading(
            seconds=reading.seconds[rows],
            ops=reading.ops[rows],
            bytes=reading.bytes[rows],
            io_time_us=reading.io_time_us[rows],
        )

    return Readings(mean=cut(part.mean), read_latest=lambda: cut(part.latest), rounding=part.rounding)
