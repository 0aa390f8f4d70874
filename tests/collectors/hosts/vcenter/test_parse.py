"""The inventory in Gavel's words, read from recorded property replies."""

import dataclasses

import pytest
from tests.collectors.hosts.vcenter.payloads import objects, recording

from gavel.collectors.hosts.vcenter import esxcli, parse
from gavel.collectors.hosts.vcenter.esxcli import HostQueueSettings
from gavel.collectors.hosts.vcenter.inventory import host_inventory
from gavel.domain.inventory import DatastoreType, HostInventory, Protocol, VcenterInfo
from gavel.domain.labels import Label, LabelKind

TARGET = parse.wwn(5929555180055265792)
NAA = "naa.624a9370a934ae2e94a9486b00011010"
VCENTER = VcenterInfo("0fbd0f24", "vc.example.org", "8.0.3", "24322831", "8.0.3.0")


@pytest.fixture(scope="module")
def inventory() -> HostInventory:
    everything = (
        objects("hosts_fc_nvme_iscsi_and_one_not_responding.xml")
        | objects("datastores_vmfs_two_extents_nfs_vvol_vsan.xml")
        | objects("vms_rdm_vvol_vsan_snapshots_and_a_template.xml")
    )
    return host_inventory(VCENTER, everything, {101: "owner", 102: "application"}, {}, {})


@pytest.mark.parametrize(
    ("signed", "name"), [(-6823462961362009088, "a14e3f25b5aa0000"), (0, "0" * 16), (-1, "f" * 16)]
)
def test_world_wide_names_are_unsigned(signed: int, name: str) -> None:
    assert int(parse.wwn(signed), 16) == signed % (1 << 64)
    assert len(parse.wwn(signed)) == len(name)


def test_adapters_tell_their_protocol_and_address(inventory: HostInventory) -> None:
    found = {hba.device: (hba.protocol, hba.address, hba.driver) for hba in inventory.hbas}
    assert found == {
        "vmhba2": (Protocol.FC, parse.wwn(-6823462961362009088), "nfnic"),
        "vmhba3": (Protocol.NVME_FC, parse.wwn(2377900720026501125), "lpfc"),
        "vmhba64": (Protocol.ISCSI, "iqn.1998-01.com.vmware:esx-01-5f3a", "iscsi_vmk"),
        "vmhba65": (Protocol.NVME_TCP, None, "nvmetcp"),
        "vmhba0": (Protocol.LOCAL, None, "vmw_ahci"),
    }


def test_devices_are_disks_and_protocol_endpoints_only(inventory: HostInventory) -> None:
    found = {device.canonical_name: device for device in inventory.devices}
    assert set(found) == {NAA, "eui.00bca5e2f6368c4b24a9379300011014", "naa.624a9370a934ae2e94a9486b0001101f"}
    assert (found[NAA].queue_depth, found[NAA].path_policy, found[NAA].vendor) == (32, "VMW_PSP_RR", "PURE")
    nvme = found["eui.00bca5e2f6368c4b24a9379300011014"]
    assert (nvme.queue_depth, nvme.path_policy, nvme.key) == (None, "LB-RR", f"host-15/{nvme.canonical_name}")
    assert [name for name, device in found.items() if device.is_protocol_endpoint] == [
        "naa.624a9370a934ae2e94a9486b0001101f"
    ]


def test_paths_join_a_device_an_adapter_and_a_target(inventory: HostInventory) -> None:
    good, dead, nvme = inventory.paths
    adapter = f"{parse.wwn(2305843045895569408)}:{parse.wwn(-6823462961362009088)}"
    uid = f"fc.{adapter}-fc.{TARGET}:{TARGET}-{NAA}"
    assert (good.name, good.counter, good.key) == ("vmhba2:C0:T0:L1", uid, f"host-15/{uid}")
    assert (good.host_device_key, good.hba_key) == (f"host-15/{NAA}", "host-15/vmhba2")
    assert (good.target, good.state) == (TARGET, "active")
    assert (dead.state, dead.target) == ("dead", None)
    assert (nvme.hba_key, nvme.target, nvme.is_optimized) == ("host-15/vmhba65", None, None)


def test_a_host_that_does_not_respond_is_there_without_what_it_cannot_tell(inventory: HostInventory) -> None:
    up, away = inventory.hosts
    assert (up.name, up.cluster_key, up.version, up.build) == ("esx-01.example.org", "domain-c9", "8.0.3", "24022510")
    assert (away.connection_state, away.version, away.hardware_uuid) == ("notResponding", None, None)
    assert away.cluster_key is None, "a compute resource of one host is no cluster"
    assert not [device for device in inventory.devices if device.host_key == away.key]


def test_datastores_tell_what_they_lie_on(inventory: HostInventory) -> None:
    vmfs, nfs, vvol, vsan = inventory.datastores
    assert vmfs.extents == (NAA, "naa.624a9370a934ae2e94a9486b00011011")
    assert (vmfs.type, vmfs.uuid) == (DatastoreType.VMFS, "f4d88c97-28a5ad2f-e244-e00f14bc0d2f")
    assert vmfs.host_keys == ("host-15",)
    assert (nfs.type, nfs.nfs_host, nfs.nfs_path, nfs.uuid) == (
        DatastoreType.NFS, "10.1.1.9", "/nfs-13", "a1b2c3d4-e5f60718",
    )  # fmt: skip
    assert (vvol.type, vvol.vvol_container_id) == (DatastoreType.VVOL, "vvol:8c33057bdd5f3fb6-ebfde598f561dd28")
    assert vvol.vvol_array_ids == ("com.purestorage:a934ae2e-94a9-486b-9f3e-5f1d4a6f8f11",)
    assert (vsan.type, vsan.capacity_bytes, vsan.uuid) == (DatastoreType.VSAN, None, None)


def test_a_template_is_no_vm_and_unset_attributes_are_no_labels(inventory: HostInventory) -> None:
    (vm,) = inventory.vms
    assert (vm.name, vm.host_key, vm.power_state) == ("sql-01", "host-15", "poweredOn")
    assert vm.labels == (Label(LabelKind.ATTRIBUTE, "owner", "platform team"),)


def test_disks_carry_the_name_their_counters_use(inventory: HostInventory) -> None:
    found = {disk.instance: disk.controller_type for disk in inventory.disks}
    assert found == {
        "scsi0:0": "PVSCSI", "scsi0:1": "PVSCSI", "scsi1:0": "LSI Logic SAS", "nvme0:2": "NVMe", "nvme0:3": "NVMe",
    }  # fmt: skip


def test_disks_tell_what_is_behind_them(inventory: HostInventory) -> None:
    found = {disk.instance: disk for disk in inventory.disks}
    assert (found["scsi0:0"].snapshot_depth, found["scsi0:0"].iops_limit) == (0, None)
    assert (found["scsi0:1"].snapshot_depth, found["scsi0:1"].iops_limit) == (2, 1500)
    assert found["scsi1:0"].device_name == NAA, "the mapped device by the name hosts give it"
    assert found["nvme0:2"].vvol_id == "rfc4122.33c50e6d-9e33-44bb-bb95-169060141d90"
    assert found["nvme0:3"].vvol_id is None, "an object of vSAN is no vVol"
    assert found["scsi0:0"].datastore_key == "datastore-20"


def test_every_key_is_unique_within_its_kind(inventory: HostInventory) -> None:
    for kind in ("hosts", "hbas", "devices", "paths", "datastores", "vms", "disks"):
        keys = [thing.key for thing in getattr(inventory, kind)]
        assert len(keys) == len(set(keys)), kind


# --- esxcli -------------------------------------------------------------------------------------------------------------


class Recorded(esxcli.Esxcli):
    """An esxcli that answers from recordings and refuses the rest, as a host without NMP devices does."""

    def __init__(self, **answers: str) -> None:
        self._answers = answers

    def rows(self, namespace: str, **_arguments: str) -> list[esxcli.Row]:
        name = self._answers.get(namespace.replace(".", "_"))
        if name is None:
            raise esxcli.EsxcliError(f"{namespace}: not found")
        return esxcli.rows(recording(name).decode())


def test_queue_settings_come_from_the_host_and_missing_commands_leave_nulls(inventory: HostInventory) -> None:
    host = Recorded(
        storage_core_device="esxcli_core_devices.xml",
        system_module_parameters="esxcli_nfnic_without_a_set_depth.xml",
    )
    told = esxcli.queue_settings(host, {"nfnic", "lpfc", "vmw_ahci"})
    device = next(device for device in inventory.devices if device.canonical_name == NAA)
    assert told.of_device(device) == dataclasses.replace(device, dsnro=32)
    unread = dataclasses.replace(device, queue_depth=None)
    assert told.of_device(unread).queue_depth == 96
    depths = {hba.device: told.of_hba(hba).queue_depth for hba in inventory.hbas}
    assert depths == {"vmhba2": 32, "vmhba3": None, "vmhba64": None, "vmhba65": None, "vmhba0": None}
    assert told.of_path(inventory.paths[0]).is_optimized is None


def test_a_host_that_refuses_even_its_devices_tells_nothing() -> None:
    with pytest.raises(esxcli.EsxcliError, match="not found"):
        esxcli.queue_settings(Recorded(), set())


def test_a_field_that_repeats_is_kept_whole_and_broken_xml_is_named() -> None:
    first = esxcli.rows(recording("esxcli_core_devices.xml").decode())[0]
    assert first["OtherUIDs"] == "vml.1,vml.2"
    assert esxcli.rows(" ") == []
    with pytest.raises(esxcli.EsxcliError, match="not XML"):
        esxcli.rows("<obj><a></obj>")


@pytest.mark.parametrize(
    ("state", "group", "is_optimized"),
    [
        ("active", "{TPG_id=1,TPG_state=AO,RTP_id=1,RTP_health=UP}", True),
        ("active unoptimized", "{TPG_id=2,TPG_state=ANO,RTP_id=2,RTP_health=UP}", False),
        ("dead", "{TPG_id=1,TPG_state=AO,RTP_id=1,RTP_health=DOWN}", True),
        ("active", "{}", True),
        ("active unoptimized", "", False),
        ("dead", "", None),
        ("standby", "{TPG_id=3,TPG_state=STBY,RTP_id=2,RTP_health=UP}", None),
    ],
)
def test_a_path_that_goes_down_stays_in_its_group(state: str, group: str, is_optimized: bool | None) -> None:
    class Host(Recorded):
        def rows(self, namespace: str, **arguments: str) -> list[esxcli.Row]:
            if namespace != "storage.nmp.path":
                return super().rows(namespace, **arguments)
            return [{"RuntimeName": "p1", "GroupState": state, "StorageArrayTypePathConfig": group}]

    told = esxcli.queue_settings(Host(storage_core_device="esxcli_core_devices.xml"), set())
    assert told.optimized.get("p1") is is_optimized


def test_path_policies_and_groups_are_read_when_told() -> None:
    settings = HostQueueSettings(policy={NAA: "VMW_PSP_RR policy=iops,iops=1"}, optimized={"vmhba2:C0:T0:L1": False})
    inventory = host_inventory(
        VCENTER, objects("hosts_fc_nvme_iscsi_and_one_not_responding.xml"), {}, {"host-15": settings}, {}
    )
    assert {device.path_policy for device in inventory.devices if device.canonical_name == NAA} == {
        "VMW_PSP_RR policy=iops,iops=1"
    }
