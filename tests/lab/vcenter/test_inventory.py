"""What an unchanged pyVmomi reads of the inventory is what the environment holds."""

from typing import Any

import pytest
from pyVmomi import vim, vmodl
from tests.lab.vcenter.labs import Place
from tests.lab.vcenter.reading import Collector, filter_spec, properties, view_of

from gavel_lab.environment import Datastore, EsxiHost, Vm
from gavel_lab.vcenter.applications import application, owner

CONTROLLERS = {
    "pvscsi": vim.vm.device.ParaVirtualSCSIController,
    "lsi": vim.vm.device.VirtualLsiLogicController,
    "nvme": vim.vm.device.VirtualNVMEController,
}


def vms_of(place: Place) -> list[Vm]:
    return [vm for vm in place.lab.environment.vms if vm.vcenter == place.vcenter.index]


def hosts_of(place: Place) -> list[EsxiHost]:
    return [host for host in place.lab.environment.hosts if host.vcenter == place.vcenter.index]


def datastores_of(place: Place) -> list[Datastore]:
    return [one for one in place.lab.environment.datastores if one.vcenter == place.vcenter.index]


def test_everything_is_found_once_page_by_page(place: Place, vsphere: Any) -> None:
    found = properties(vsphere, vim.VirtualMachine, "name", page=7)
    assert {moref: one["name"] for moref, one in found.items()} == {vm.moref: vm.name for vm in vms_of(place)}


def test_the_server_may_page_lower_than_asked(vsphere: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gavel_lab.vcenter.retrieval.PAGE_OBJECTS", 4)
    spec = filter_spec(view_of(vsphere, vim.VirtualMachine), vim.VirtualMachine, ["name"])
    collector = vsphere.RetrieveContent().propertyCollector
    page = collector.RetrievePropertiesEx([spec], Collector.RetrieveOptions(maxObjects=1000))
    assert len(page.objects) == 4
    assert page.token
    with pytest.raises(vmodl.fault.InvalidArgument):
        collector.ContinueRetrievePropertiesEx("no such token")


def test_a_page_ends_when_it_grows_too_big(place: Place, vsphere: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gavel_lab.vcenter.retrieval.PAGE_BYTES", 1)
    assert len(properties(vsphere, vim.HostSystem, "name")) == len(hosts_of(place))


def test_disks_carry_their_controller_backing_and_limit(place: Place, vsphere: Any) -> None:
    read = properties(vsphere, vim.VirtualMachine, "config.hardware.device")
    for vm in vms_of(place):
        devices = read[vm.moref]["config.hardware.device"]
        controllers = {one.key: one for one in devices if hasattr(one, "busNumber")}
        disks = {one.key: one for one in devices if isinstance(one, vim.vm.device.VirtualDisk)}
        assert set(disks) == {place.lab.environment.disks[index].key for index in vm.disks}
        for index in vm.disks:
            disk = place.lab.environment.disks[index]
            seen: Any = disks[disk.key]  # to pyVmomi's own types no int is its `long`
            controller = controllers[seen.controllerKey]
            assert isinstance(controller, CONTROLLERS[disk.controller])
            assert (controller.busNumber, seen.unitNumber) == (disk.bus, disk.unit)
            assert seen.capacityInBytes == disk.capacity_bytes
            assert seen.storageIOAllocation.limit == (-1 if disk.iops_limit is None else disk.iops_limit)
            assert seen.backing.fileName == disk.file_name


def test_a_raw_mapping_names_the_device_of_the_host_that_runs_the_vm(new: Place) -> None:
    environment = new.lab.environment
    raw = [
        (vm, environment.disks[index])
        for vm in environment.vms
        for index in vm.disks
        if environment.disks[index].is_rdm
    ]
    assert raw, "the default environment has an RDM user"
    for vm, disk in raw:
        place = new if vm.vcenter == new.vcenter.index else None
        assert place is not None
        with place.connection() as vsphere:
            devices = properties(vsphere, vim.VirtualMachine, "config.hardware.device")[vm.moref]
            luns = properties(vsphere, vim.HostSystem, "config.storageDevice.scsiLun")
        seen = next(one for one in devices["config.hardware.device"] if one.key == disk.key)
        assert isinstance(seen.backing, vim.vm.device.VirtualDisk.RawDiskMappingVer1BackingInfo)
        host = environment.hosts[new.lab.placement.host_of(vm.index, new.lab.clocks.lab_time.now())]
        names = {lun.uuid: lun.canonicalName for lun in luns[host.moref]["config.storageDevice.scsiLun"]}
        assert names[seen.backing.lunUuid] == environment.volumes[disk.volumes[0]].naa


def test_a_vvol_disk_names_the_object_the_array_tags(new: Place) -> None:
    environment = new.lab.environment
    with new.connection() as vsphere:
        read = properties(vsphere, vim.VirtualMachine, "config.hardware.device")
    seen = {
        device.backing.backingObjectId
        for one in read.values()
        for device in one["config.hardware.device"]
        if isinstance(device, vim.vm.device.VirtualDisk)
        and isinstance(device.backing, vim.vm.device.VirtualDevice.FileBackingInfo)
        and device.backing.backingObjectId
    }
    own = {
        disk.vvol_id
        for disk in environment.disks
        if disk.vvol_id and environment.vms[disk.vm].vcenter == new.vcenter.index
    }
    assert seen == own != set()
    assert own <= {volume.vvol_id for volume in environment.volumes}


def test_devices_and_paths_of_a_host_are_those_of_the_environment(place: Place, vsphere: Any) -> None:
    environment = place.lab.environment
    read = properties(vsphere, vim.HostSystem, "config.storageDevice")
    for host in hosts_of(place):
        storage = read[host.moref]["config.storageDevice"]
        luns = {lun.canonicalName: lun for lun in storage.scsiLun}
        units = {unit.id: unit for unit in storage.multipathInfo.lun}
        assert set(luns) == {environment.devices[index].name for index in host.devices}
        for index in host.devices:
            device = environment.devices[index]
            unit = units[luns[device.name].uuid]
            assert luns[device.name].queueDepth == place.lab.model.max_queue_depth(
                index, place.lab.clocks.lab_time.now()
            )
            assert luns[device.name].protocolEndpoint == device.is_protocol_endpoint
            assert unit.policy.policy == device.policy
            assert {path.name for path in unit.path} == {environment.paths[one].name for one in device.paths}
            active = {path.name for path in unit.path if path.state == "active"}
            working = {path.name for path in unit.path if path.isWorkingPath}
            # The policy always has paths to send I/O to while any is active, optimized or not.
            assert working <= active
            assert bool(working) == bool(active)


def test_runtime_names_of_paths_can_be_put_together(place: Place, vsphere: Any) -> None:
    environment = place.lab.environment
    for host in hosts_of(place):
        topology = properties(vsphere, vim.HostSystem, "config.storageDevice.plugStoreTopology")[host.moref]
        read = topology["config.storageDevice.plugStoreTopology"]
        adapters = {one.key: one.adapter.rsplit("-", 1)[-1] for one in read.adapter}
        names = {
            f"{adapters[path.adapter]}:C{path.channelNumber}:T{path.targetNumber}:L{path.lunNumber}": path.name
            for path in read.path
        }
        own = [environment.paths[path] for index in host.devices for path in environment.devices[index].paths]
        assert names == {path.name: path.name for path in own}


def test_adapters_carry_driver_and_address(place: Place, vsphere: Any) -> None:
    read = properties(vsphere, vim.HostSystem, "config.storageDevice.hostBusAdapter")
    for host in hosts_of(place):
        adapters = {one.device: one for one in read[host.moref]["config.storageDevice.hostBusAdapter"]}
        for index in host.hbas:
            hba = place.lab.environment.hbas[index]
            seen = adapters[hba.name]
            assert seen.driver == hba.driver
            if hba.transport == "fc":
                assert f"{seen.portWorldWideName & (1 << 64) - 1:016X}" == (hba.wwpn or "").upper()
            elif hba.transport == "iscsi":
                assert seen.iScsiName == hba.iqn
            else:
                assert seen.storageProtocol == "nvme"


def test_nvme_controllers_tell_their_queues(new: Place) -> None:
    environment = new.lab.environment
    with new.connection() as vsphere:
        read = properties(vsphere, vim.HostSystem, "config.storageDevice.nvmeTopology")
    hbas = [
        hba for hba in environment.hbas if hba.transport == "nvme-tcp" and environment.hosts[hba.host] in hosts_of(new)
    ]
    assert hbas
    for hba in hbas:
        topology = read[environment.hosts[hba.host].moref]["config.storageDevice.nvmeTopology"]
        controllers = [one for interface in topology.adapter for one in interface.connectedController]
        assert {(one.queueSize, one.numberOfQueues) for one in controllers} == {(hba.queue_size, hba.number_of_queues)}
        spaces = {space.name for one in controllers for space in one.attachedNamespace}
        assert spaces
        assert all(name.startswith("eui.") for name in spaces)


def test_a_datastore_leads_to_its_devices_export_or_container(place: Place, vsphere: Any) -> None:
    environment = place.lab.environment
    read = properties(vsphere, vim.Datastore, "info", "summary")
    for datastore in datastores_of(place):
        info = read[datastore.moref]["info"]
        assert read[datastore.moref]["summary"].name == info.name == datastore.name
        if datastore.kind == "vmfs":
            volumes = [environment.volumes[index] for index in datastore.extents]
            names = [volume.eui if datastore.is_nvme else volume.naa for volume in volumes]
            assert [extent.diskName for extent in info.vmfs.extent] == names
            assert info.vmfs.uuid == datastore.uuid
        elif datastore.kind == "nfs":
            assert info.nas.remoteHost == environment.arrays[datastore.array].file_address
        else:
            assert info.vvolDS.scId == datastore.uuid
            assert {one.key._GetMoId() for one in info.vvolDS.hostPE} == {
                environment.hosts[host].moref for host in datastore.hosts
            }


@pytest.mark.parametrize("kind", [vim.VirtualMachine, vim.HostSystem, vim.Datastore, vim.Folder, vim.Datacenter,
                                  vim.ClusterComputeResource, vim.ResourcePool, vim.Network])  # fmt: skip
def test_all_properties_of_every_kind_can_be_read(vsphere: Any, kind: Any) -> None:
    read = properties(vsphere, kind)
    assert read
    assert all(one["name"] and one["overallStatus"] for one in read.values())


def test_ancestors_lead_from_a_host_to_the_root(place: Place, vsphere: Any) -> None:
    up = Collector.TraversalSpec(name="up", type=vim.ManagedEntity, path="parent", skip=False)
    up.selectSet = [Collector.SelectionSpec(name="up")]
    host = hosts_of(place)[0]
    spec = Collector.FilterSpec(
        objectSet=[Collector.ObjectSpec(obj=vim.HostSystem(host.moref), skip=False, selectSet=[up])],
        propSet=[Collector.PropertySpec(type=vim.ManagedEntity, pathSet=["name"])],
    )
    found = vsphere.RetrieveContent().propertyCollector.RetrieveContents([spec])
    cluster = place.lab.environment.clusters[host.cluster]
    datacenter = place.lab.environment.datacenters[cluster.datacenter]
    names = [one.propSet[0].val for one in found]
    assert names == [host.name, cluster.name, "host", datacenter.name, "Datacenters"]


def test_custom_attributes_have_names(place: Place, vsphere: Any) -> None:
    names = {one.key: one.name for one in vsphere.RetrieveContent().customFieldsManager.field}
    read = properties(vsphere, vim.VirtualMachine, "customValue")
    for vm in vms_of(place):
        values = {names[one.key]: one.value for one in read[vm.moref]["customValue"]}
        assert values == {"application": application(vm), "owner": owner(vm)}
        assert all(values.values())


def test_each_host_tells_its_own_time(place: Place, vsphere: Any) -> None:
    for host in hosts_of(place):
        manager = properties(vsphere, vim.HostSystem, "configManager")[host.moref]["configManager"]
        system = vim.host.DateTimeSystem(manager.dateTimeSystem._GetMoId(), vsphere._stub)
        own = place.lab.clocks.hosts[host.index].now()
        assert system.QueryDateTime().timestamp() == pytest.approx(own, abs=0.001)
    offsets = {place.lab.clocks.hosts[host.index].offset_s() for host in hosts_of(place)}
    assert len(offsets) > 1, "the hosts' clocks differ, so that a mix-up shows"


def test_options_of_the_server_and_of_a_host(place: Place, vsphere: Any) -> None:
    settings = vsphere.RetrieveContent().setting
    assert settings.QueryOptions("config.vpxd.stats.maxQueryMetrics")[0].value == "256"
    with pytest.raises(vim.fault.InvalidName):
        settings.QueryOptions("config.nonsense")
    host = vim.HostSystem(hosts_of(place)[0].moref, vsphere._stub)
    advanced = host.configManager.advancedOption
    assert advanced is not None
    options = {one.key: one.value for one in advanced.QueryOptions("Disk.")}
    assert options["Disk.SchedNumReqOutstanding"] == 32


def test_a_vm_is_found_by_its_uuid(place: Place, vsphere: Any) -> None:
    vm = vms_of(place)[0]
    index = vsphere.RetrieveContent().searchIndex
    assert index.FindByUuid(None, vm.instance_uuid, True, True)._GetMoId() == vm.moref
    assert index.FindByUuid(None, "00000000-0000-0000-0000-000000000000", True, True) is None
