"""Which object a column belongs to, however VMs and devices are called; and which world is whose."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.collectors.imports.esxtop.twin import Machine, Twin, incident

from gavel.collectors.imports.esxtop.columns import ObjectKind
from gavel.collectors.imports.esxtop.header import ReadPlan, header_cells, plan_header, split_disks, split_world

ODD_NAMES = [
    "a,b", "x (1)", "ü", 'q"q', "p\\q", "c:scsi0:0", "SQL02 (df09cdf2-1)", "a/b", "n#1", "tail)", "(", '","', "a  b", 'two"quo"tes', "-7",
]  # fmt: skip


def planned(line: str) -> ReadPlan:
    return plan_header(header_cells(line, ","))


def disks(plan: ReadPlan) -> set[tuple[str, str | None]]:
    names = {cell.key[1] for cell in plan.cells if cell.key[0] is ObjectKind.VIRTUAL_DISK}
    return set(split_disks(names).values())


@pytest.mark.parametrize("name", ODD_NAMES)
@pytest.mark.parametrize("broken_pcpus", [0, 2])
def test_vm_of_any_name_keeps_its_disks(name: str, broken_pcpus: int) -> None:
    twin = Twin(
        machines=[Machine(name, 480214, {"scsi0:0": (1, 1, 1, 1), "nvme1:15": (1, 1, 1, 1)})], broken_pcpus=broken_pcpus
    )
    plan = planned(twin.header())
    assert plan.columns == len(twin.columns()) + 1 + broken_pcpus
    assert disks(plan) == {(name, None), (name, "scsi0:0"), (name, "nvme1:15")}
    assert plan.world_vms["480214"] == plan.world_vms["480213"] == name
    assert plan.report.unknown_columns == 0


@given(name=st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=20))
def test_vm_of_drawn_name_keeps_the_columns_behind_it_in_place(name: str) -> None:
    if '"\\\\' in name:  # what a column starts with
        name = name.replace('"', "")
    twin = Twin(machines=[Machine(name, 5000, {"sata0:1": (1, 1, 1, 1)})], more={"Memory\\Last": ["1"] * 13})
    cells = header_cells(twin.header(), ",")
    assert len(cells) == len(twin.columns()) + 3
    assert (rf"\\{twin.host}\Memory\Last", True) in cells


def test_plan_reads_storage_columns_only() -> None:
    plan = planned(incident().header())
    assert plan.host == "esx-04.example.com"
    kinds = {cell.key[0] for cell in plan.cells}
    assert kinds == set(ObjectKind) - {ObjectKind.NFS_VOLUME}
    objects = {each.object: each for each in plan.report.objects}
    assert objects["Group Cpu"].used_columns == 0
    assert objects["Physical Disk SCSI Device"].instances == 3
    assert plan.report.used_columns == len(plan.cells) == sum(each.used_columns for each in objects.values())
    assert plan.report.unnamed_columns == 2


def test_unknown_objects_and_counters_are_reported_by_name() -> None:
    twin = Twin(more={"Quantum Disk(a)\\Reads/sec": ["1"] * 13, "Virtual Disk(v:scsi0:0)\\Colour": ["1"] * 13})
    report = planned(twin.header()).report
    assert report.unknown_columns == 2
    assert report.unknown_names == (
        rf"\\{twin.host}\Quantum Disk(a)\Reads/sec",
        rf"\\{twin.host}\Virtual Disk(v:scsi0:0)\Colour",
    )


@pytest.mark.parametrize(
    "device", ["naa.624a9370a934ae2e94a9486b00011010", "t10.ATA_____Disk-7____-8", "mpx.vmhba0:C0:T5:L0", "eui.00-1"]
)
def test_world_is_what_follows_the_last_hyphen(device: str) -> None:
    assert split_world(f"{device}-480214") == (device, "480214")


@pytest.mark.parametrize(
    "sibling",
    [
        "Vcpu(7:vm:a:480215:NetWorld-VM-480214)",
        "Vcpu(7:vm:a:480216:vmast.480214)",
        "Vcpu(7:vm:a:480222:PVSCSI-480214:0)",
        "Vcpu(7:vm:a:480222:LSI-480214:0)",
        "Vcpu(7:vm:a:480214:vmx)",
        "Network Port(vSwitch0:33554449:480214:vm:a)",
    ],
)
def test_leader_world_is_found_in_the_names_of_its_siblings(sibling: str) -> None:
    plan = planned(Twin(more={f"{sibling}\\% Run": ["0"] * 13}).header())
    assert plan.world_vms["480214"] == "vm:a"


@pytest.mark.parametrize(
    "other",
    ["Vcpu(7:vm:480215:vmx-vcpu-0:vm)", "Vcpu(1:system:65669:BCFlush-0)", "Network Port(vSwitch0:33554433:Management)"],
)
def test_other_worlds_belong_to_no_vm(other: str) -> None:
    assert planned(Twin(more={f"{other}\\% Run": ["0"] * 13}).header()).world_vms == {}


def test_adapter_queue_depth_is_read_from_the_plain_object_only() -> None:
    more = {
        "Physical Disk(vmhba2:vmhba2:C0:T0:L1)\\Adapter Q Depth": ["1"] * 13,
        "Physical Disk(vmhba2:vmhba2:C0:T0:L1)\\Reads/sec": ["1"] * 13,
    }
    plan = planned(Twin(more=more).header())
    assert {cell.key[1] for cell in plan.cells if cell.key[0] is ObjectKind.ADAPTER} == {"vmhba2"}


def test_header_without_quotation_marks_is_split_before_each_name() -> None:
    line = r"(PDH-CSV 4.0) (UTC)(0),\\h\Virtual Disk(a,b:scsi0:0)\Reads/sec,\\h\Memory\Free MBytes"
    assert [name for name, _ in header_cells(line, ",")][1:] == [
        r"\\h\Virtual Disk(a,b:scsi0:0)\Reads/sec",
        r"\\h\Memory\Free MBytes",
    ]
