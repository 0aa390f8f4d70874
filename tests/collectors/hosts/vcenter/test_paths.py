"""Which counters are those of a path: the inventory calls a path otherwise than its counters do, on every transport in its own way."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pyVmomi import vim

from gavel.collectors.hosts.vcenter.parse import wwn
from gavel.collectors.hosts.vcenter.paths import HostPaths, host_paths

NAA, OTHER, EUI = "naa.624a9370aa01", "naa.624a9370aa02", "eui.00aa01"
NODE, PORT, TARGETS = 0x20000025B5AA000F, 0x21000025B5AA001F, (0x524A937B7C4B0100, 0x524A937B7C4B0101)
IQN, FAR_IQN = "iqn.1998-01.com.vmware:esx-01-5f3a", "iqn.2010-06.com.purestorage:flasharray.7a1b"


def signed(number: int) -> int:
    return number - (1 << 64) if number >= 1 << 63 else number


def fc_hba(name: str = "vmhba2", port: int = PORT) -> Any:
    return vim.host.FibreChannelHba(
        key=f"key-{name}", device=name, portWorldWideName=signed(port), nodeWorldWideName=signed(NODE)
    )


def iscsi_hba() -> Any:
    return vim.host.InternetScsiHba(key="key-vmhba64", device="vmhba64", iScsiName=IQN)


def tcp_hba() -> Any:
    return vim.host.TcpHba(key="key-vmhba65", device="vmhba65", associatedPnic="vmnic2")


def fc_target(port: int) -> Any:
    return vim.host.FibreChannelTargetTransport(portWorldWideName=signed(port), nodeWorldWideName=signed(port))


def iscsi_target(portal: str) -> Any:
    return vim.host.InternetScsiTargetTransport(iScsiName=FAR_IQN, iScsiAlias="", address=[portal])


def path(name: str, adapter: Any, transport: Any = None, state: str = "active") -> Any:
    return vim.host.MultipathInfo.Path(
        name=name, state=state, isWorkingPath=state == "active", adapter=adapter.key, transport=transport
    )


def read(
    adapters: Sequence[Any],
    devices: Mapping[str, Sequence[Any]],
    uids: Mapping[str, str] | None = None,
    served: Collection[str] | None = None,
) -> HostPaths:
    luns = [vim.host.ScsiDisk(key=f"key-{name}", canonicalName=name, lunType="disk") for name in devices]
    lun_units = [vim.host.MultipathInfo.LogicalUnit(lun=f"key-{name}", path=list(own)) for name, own in devices.items()]
    properties = {
        "config.storageDevice.hostBusAdapter": adapters,
        "config.storageDevice.scsiLun": luns,
        "config.storageDevice.multipathInfo": vim.host.MultipathInfo(lun=lun_units),
    }
    return host_paths("host-15", properties, uids or {}, served)


def counters(found: HostPaths) -> dict[str, str | None]:
    return {seen.name: seen.counter for seen in found.paths}


def fc_uid(port: int, device: str = NAA, near: int = PORT) -> str:
    return f"fc.{wwn(NODE)}:{wwn(near)}-fc.{wwn(port)}:{wwn(port)}-{device}"


def session(number: int, device: str = NAA) -> str:
    return f"{IQN}-00023d{number:06x},{FAR_IQN},t,1-{device}"


FC_PATHS = {
    device: [path(f"vmhba2:C0:T{n}:L{lun}", fc_hba(), fc_target(port)) for n, port in enumerate(TARGETS)]
    for lun, device in enumerate((NAA, OTHER))
}
FC_NAMES = {
    f"vmhba2:C0:T{n}:L{lun}": fc_uid(port, device)
    for lun, device in enumerate((NAA, OTHER))
    for n, port in enumerate(TARGETS)
}
PORTALS = ("10.1.1.10:3260", "10.1.1.11:3260")
ISCSI_PATHS = [path(f"vmhba64:C{n}:T0:L1", iscsi_hba(), iscsi_target(portal)) for n, portal in enumerate(PORTALS)]


# --- Fibre Channel ------------------------------------------------------------------------------------------------------


def test_fc_paths_get_the_name_of_their_counters_from_adapter_target_and_device() -> None:
    found = read([fc_hba()], FC_PATHS)
    assert counters(found) == FC_NAMES
    assert {seen.key for seen in found.paths} == {f"host-15/{name}" for name in FC_NAMES.values()}
    assert {seen.target for seen in found.paths} == {wwn(port) for port in TARGETS}
    assert found.unknown == ()


def test_fc_counters_in_capitals_are_recognized_all_the_same() -> None:
    served = [name.replace("fc.", "FC.").upper().replace(NAA.upper(), NAA) for name in (fc_uid(p) for p in TARGETS)]
    found = read([fc_hba()], {NAA: FC_PATHS[NAA]}, served=served)
    assert sorted(filter(None, counters(found).values())) == sorted(served)
    assert found.unknown == ()


def test_paths_of_two_ports_of_an_adapter_are_told_apart() -> None:
    second = PORT + 1
    adapters = [fc_hba(), fc_hba("vmhba3", second)]
    own = [path(f"{hba.device}:C0:T0:L1", hba, fc_target(TARGETS[0])) for hba in adapters]
    served = [fc_uid(TARGETS[0]), fc_uid(TARGETS[0], near=second)]
    assert counters(read(adapters, {NAA: own}, served=served)) == {
        "vmhba2:C0:T0:L1": served[0],
        "vmhba3:C0:T0:L1": served[1],
    }


# --- iSCSI --------------------------------------------------------------------------------------------------------------


def test_iscsi_sessions_are_matched_by_adapter_target_and_device_in_the_order_of_their_channels() -> None:
    served = [session(3), session(1), session(1, OTHER)]
    found = read([iscsi_hba()], {NAA: ISCSI_PATHS}, served=served)
    assert counters(found) == {"vmhba64:C0:T0:L1": session(1), "vmhba64:C1:T0:L1": session(3)}
    assert {seen.key for seen in found.paths} == {f"host-15/{IQN},{FAR_IQN}@{portal}-{NAA}" for portal in PORTALS}


def test_a_dead_iscsi_path_has_no_session_and_takes_none_from_the_others() -> None:
    dead = path("vmhba64:C0:T0:L1", iscsi_hba(), iscsi_target("10.1.1.10:3260"), state="dead")
    found = read([iscsi_hba()], {NAA: [dead, ISCSI_PATHS[1]]}, served=[session(7)])
    assert counters(found) == {"vmhba64:C0:T0:L1": None, "vmhba64:C1:T0:L1": session(7)}


def test_esxcli_settles_which_session_a_path_has() -> None:
    uids = {"vmhba64:C0:T0:L1": session(3), "vmhba64:C1:T0:L1": session(1)}
    served = [session(1), session(3)]
    assert counters(read([iscsi_hba()], {NAA: ISCSI_PATHS}, uids, served)) == uids
    assert counters(read([iscsi_hba()], {NAA: ISCSI_PATHS}, uids)) == uids, "also where counters were not listed"


def test_what_esxcli_gave_before_a_restart_is_not_believed_for_another_target() -> None:
    stale = {"vmhba2:C0:T0:L0": fc_uid(TARGETS[1]), "vmhba2:C0:T1:L0": fc_uid(TARGETS[0])}
    assert counters(read([fc_hba()], {NAA: FC_PATHS[NAA]}, stale)) == {
        name: uid for name, uid in FC_NAMES.items() if uid.endswith(NAA)
    }


def test_two_sessions_with_one_portal_are_two_paths() -> None:
    own = [path(f"vmhba64:C{n}:T0:L1", iscsi_hba(), iscsi_target("10.1.1.10:3260")) for n in range(2)]
    keys = [seen.key for seen in read([iscsi_hba()], {NAA: own}).paths]
    assert len(set(keys)) == 2
    assert keys[1] == f"{keys[0]}#2"


# --- others -------------------------------------------------------------------------------------------------------------


def test_nvme_paths_are_matched_by_adapter_and_device_though_the_inventory_names_no_target() -> None:
    own = [path(f"vmhba65:C0:T{n}:L1", tcp_hba(), vim.host.TcpTargetTransport()) for n in range(2)]
    served = [f"tcp.vmnic2:34:80:0d:30:ca:e0-tcp.10.10.1.{n}:4420-{EUI}" for n in (14, 9)]
    found = read([tcp_hba()], {EUI: own}, served=served)
    assert counters(found) == {"vmhba65:C0:T0:L1": served[1], "vmhba65:C0:T1:L1": served[0]}
    assert [seen.key for seen in found.paths] == ["host-15/vmhba65:C0:T0:L1", "host-15/vmhba65:C0:T1:L1"]
    assert {seen.target for seen in found.paths} == {None}


def test_a_name_that_is_the_counters_own_is_taken_as_it_is() -> None:
    own = [path(fc_uid(TARGETS[0]), fc_hba(), None)]
    assert counters(read([fc_hba()], {NAA: own})) == {fc_uid(TARGETS[0]): fc_uid(TARGETS[0])}
    runtime = [path("vmhba1:C0:T0:L0", fc_hba("vmhba1"), None)]
    found = read([fc_hba("vmhba1")], {NAA: runtime}, served=["vmhba1:C0:T0:L0", NAA, "vmhba1"])
    assert counters(found) == {"vmhba1:C0:T0:L0": "vmhba1:C0:T0:L0"}


def test_the_only_path_of_a_local_disk_has_the_only_counters_of_it() -> None:
    adapter = vim.host.PcieHba(key="key-vmhba1", device="vmhba1")
    disk = "t10.NVMe____EXAMPLE_Local_Disk_0001"
    own = [path("vmhba1:C0:T0:L0", adapter, vim.host.PcieTargetTransport())]
    found = read([adapter], {disk: own}, served=[f"pcie.300-pcie.0:0-{disk}", disk])
    assert counters(found) == {"vmhba1:C0:T0:L0": f"pcie.300-pcie.0:0-{disk}"}
    assert found.unknown == ()
    assert len(read([adapter], {disk: own}, served=[f"pcie.{n}00-pcie.0:0-{disk}" for n in (3, 4)]).unknown) == 2


def test_counters_that_fit_no_path_are_unknown_and_name_the_paths_that_lack_counters() -> None:
    served = [fc_uid(TARGETS[0]), f"new.form-of.name-{NAA}", NAA, "vmhba2", "naa.5000c500a1b2"]
    found = read([fc_hba()], {NAA: FC_PATHS[NAA]}, served=served)
    (unknown,) = found.unknown
    assert (unknown.key, unknown.host_key) == (f"host-15/new.form-of.name-{NAA}", "host-15")
    assert unknown.path_names == ("vmhba2:C0:T1:L0",)
    assert counters(found)["vmhba2:C0:T1:L0"] == fc_uid(TARGETS[1]), "what it will be called once it has counters"


def test_more_sessions_than_paths_are_not_guessed() -> None:
    found = read([iscsi_hba()], {NAA: ISCSI_PATHS}, served=[session(n) for n in (1, 2, 3)])
    assert set(counters(found).values()) == {None}
    assert {unknown.counter for unknown in found.unknown} == {session(1), session(2), session(3)}
    assert {unknown.path_names for unknown in found.unknown} == {("vmhba64:C0:T0:L1", "vmhba64:C1:T0:L1")}
