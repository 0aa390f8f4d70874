"""VMs with their virtual disks, RDMs and vVols; and the load of machines that are no ESXi hosts."""

from collections import Counter
from dataclasses import dataclass, field

from gavel_lab.building.draft import Draft
from gavel_lab.building.storage import TIB, present
from gavel_lab.environment import ArrayHost, BareLoad, ControllerKind, Datastore, VirtualDisk, Vm, VolumeGroup
from gavel_lab.plan import VmPlan

GIB = 2**30
QUEUE_DEPTH: dict[ControllerKind, int] = {"pvscsi": 64, "lsi": 32, "nvme": 256}
UNIT_OF_CONTROLLER = 7


def add_vms(draft: Draft) -> None:
    """Every VM of the plan, datastore by datastore."""
    places = {plan.name: place for place, plan in enumerate(draft.datastore_plans)}
    for place, plan in enumerate(draft.datastore_plans):
        for vm in plan.vms:
            _add_vm(draft, vm, draft.datastores[place], places)


def add_bare_loads(draft: Draft) -> None:
    """Volumes of bare machines, eight to a machine, dealt round over the arrays."""
    for number in range(draft.scale.bare_volumes):
        array = number % len(draft.arrays)
        machine = number // (8 * len(draft.arrays))
        volume = draft.add_volume(array, f"linux-{machine:03}-data-{number:05}", TIB)
        host = _bare_host(draft, array, machine)
        draft.connect(host, volume, 1 + number // len(draft.arrays) % 8, nvme=False)
        draft.bare_loads.append(BareLoad(number, host, volume, "bare"))


def _bare_host(draft: Draft, array: int, machine: int) -> int:
    name = f"linux-{machine:03}"
    last = next((host for host in reversed(draft.array_hosts) if host.array == array and host.name == name), None)
    if last:
        return last.index
    wwns = tuple(draft.ids.wwn("10000090FA", "bare", array, machine, port) for port in range(2))
    draft.array_hosts.append(ArrayHost(len(draft.array_hosts), array, name, wwns, (), (), None, None, ()))
    return len(draft.array_hosts) - 1


@dataclass
class _Slots:
    """Which controllers a VM has and where its next disk goes. SCSI controllers share one row of bus numbers."""

    buses: dict[ControllerKind, int] = field(default_factory=dict)
    used: Counter[ControllerKind] = field(default_factory=Counter)

    def next(self, kind: ControllerKind) -> tuple[int, int]:
        """(bus, unit) of the next disk on that kind of controller."""
        if kind not in self.buses:
            same_row = [other for other in self.buses if (other == "nvme") == (kind == "nvme")]
            self.buses[kind] = len(same_row)
        unit = self.used[kind]
        self.used[kind] += 1
        return self.buses[kind], unit if unit < UNIT_OF_CONTROLLER or kind == "nvme" else unit + 1


def _add_vm(draft: Draft, plan: VmPlan, home: Datastore, places: dict[str, int]) -> None:
    index, cluster = len(draft.vms), draft.clusters[home.cluster]
    instance_uuid, slots = draft.ids.uuid("instance", index), _Slots()
    if home.kind == "vvol":
        _add_volume_group(draft, plan, home, index, instance_uuid)
    disks = []
    for number, text in enumerate(plan.disks):
        last = number == len(plan.disks) - 1
        limit = plan.iops_limit if last else None
        disks.append(_add_disk(draft, _DiskPlan.parse(text, number, limit), index, plan, home, places, slots))
    draft.vms.append(
        Vm(
            index=index,
            vcenter=cluster.vcenter,
            cluster=cluster.index,
            name=plan.name,
            moref=draft.moref(cluster.vcenter, "vm"),
            instance_uuid=instance_uuid,
            bios_uuid=draft.ids.uuid("bios", index),
            home_host=cluster.hosts[plan.host],
            is_powered_on=True,
            guest_id="windows2022srvNext_64Guest" if index % 3 == 0 else "rhel9_64Guest",
            cpus=(2, 4, 8, 16)[index % 4],
            memory_mb=(8, 16, 32, 64)[index % 4] * 1024,
            datastore=home.index,
            disks=tuple(disks),
            commute=tuple((minute, cluster.hosts[place]) for minute, place in plan.commute),
        )
    )


@dataclass(frozen=True)
class _DiskPlan:
    number: int
    controller: ControllerKind
    workload: str
    where: str  # "" or a datastore's name or "rdm"
    iops_limit: int | None

    @classmethod
    def parse(cls, text: str, number: int, iops_limit: int | None) -> "_DiskPlan":
        head, _, where = text.partition("@")
        controller, _, workload = head.partition(":")
        kinds: dict[str, ControllerKind] = {"pvscsi": "pvscsi", "lsi": "lsi", "nvme": "nvme"}
        return cls(number, kinds[controller], workload, where, iops_limit)


def _add_disk(
    draft: Draft, plan: _DiskPlan, vm: int, vm_plan: VmPlan, home: Datastore, places: dict[str, int], slots: _Slots
) -> int:
    index, is_rdm = len(draft.disks), plan.where == "rdm"
    datastore = draft.datastores[places[plan.where]] if plan.where and not is_rdm else home
    bus, unit = slots.next(plan.controller)
    is_nvme = plan.controller == "nvme"
    capacity = 60 * GIB if plan.workload == "boot" else 1024 * GIB
    volumes, vvol_id = _volumes(draft, plan, vm, vm_plan, datastore, capacity)
    suffix = "" if plan.number == 0 else f"_{plan.number}"
    draft.disks.append(
        VirtualDisk(
            index=index,
            vm=vm,
            key=(32000 if is_nvme else 2000) + 16 * bus + unit,
            label=f"Hard disk {plan.number + 1}",
            controller=plan.controller,
            controller_key=(31000 if is_nvme else 1000) + bus,
            bus=bus,
            unit=unit,
            capacity_bytes=capacity,
            datastore=datastore.index,
            volumes=volumes,
            directory=datastore.directory,
            file_name=f"[{datastore.name}] {vm_plan.name}/{vm_plan.name}{suffix}{'-rdmp' if is_rdm else ''}.vmdk",
            backing_uuid=draft.ids.disk_uuid(index),
            is_thin=not is_rdm and index % 3 != 0,
            is_rdm=is_rdm,
            rdm_mode="physicalMode" if is_rdm else None,
            vvol_id=vvol_id,
            iops_limit=plan.iops_limit,
            queue_depth=QUEUE_DEPTH[plan.controller],
            workload=plan.workload,
            io_filter=vm_plan.io_filter if plan.number else None,
        )
    )
    return index


def _volumes(
    draft: Draft, plan: _DiskPlan, vm: int, vm_plan: VmPlan, datastore: Datastore, capacity: int
) -> tuple[tuple[int, ...], str | None]:
    """(volumes that hold the disk's data, vVol id)."""
    if plan.where == "rdm":
        volume = draft.add_volume(datastore.array, f"{vm_plan.name}-rdm-{plan.number}", capacity)
        present(draft, volume, datastore.hosts, draft.transport_of[datastore.index])
        return (volume,), None
    if datastore.kind == "vvol":
        vvol_id = f"rfc4122.{draft.ids.uuid('vvol', vm, plan.number)}"
        return (_add_vvol(draft, vm, datastore, f"Data-{plan.number}", capacity, vvol_id),), vvol_id
    return datastore.extents, None


def _add_volume_group(draft: Draft, plan: VmPlan, home: Datastore, vm: int, instance_uuid: str) -> None:
    index = len(draft.volume_groups)
    name = f"vvol-{plan.name[:46]}-{draft.ids.hex(8, 'vgroup', vm)}-vg"
    draft.volume_groups.append(VolumeGroup(index, home.array, name, draft.ids.uuid("vgroup", vm), vm, plan.group_limit))
    _add_vvol(draft, vm, home, "Config", 4 * GIB, f"rfc4122.{draft.ids.uuid('vvol', instance_uuid)}")


def _add_vvol(draft: Draft, vm: int, datastore: Datastore, what: str, size_bytes: int, vvol_id: str) -> int:
    """A vVol in the VM's group, bound to every host through the datastore's endpoint."""
    group = next(group for group in reversed(draft.volume_groups) if group.vm == vm)
    name = f"{group.name}/{what.partition('-')[0]}-{draft.ids.hex(8, 'vvol', vm, what)}"
    volume = draft.add_volume(
        datastore.array,
        name,
        size_bytes,
        volume_group=group.index,
        vvol_id=vvol_id,
        vm_instance_uuid=draft.ids.uuid("instance", vm),
    )
    endpoint = datastore.endpoint
    for host in datastore.hosts:
        array_host = draft.array_host_of[host, datastore.array, datastore.is_nvme]
        lun = (draft.devices[draft.device_of[host, endpoint]].lun << 32) + volume if endpoint is not None else 0
        draft.connect(array_host, volume, lun, nvme=False, endpoint=endpoint)
    return volume
