"""paths-down: what is missing, where, and how near the end is."""

from dataclasses import replace

from tests.findings.objects import DATASTORE, DEVICE, NOW, host

from gavel.domain.io_path import Severity
from gavel.findings.evidence import HostPathCount, PathEvidence
from gavel.findings.rules.paths_down import evaluate

DEAD = tuple(f"vmhba{n}:C0:T{t}:L6" for n in (1, 2) for t in (0, 1))


def counted(number: int, total: int, down: tuple[str, ...] = ()) -> HostPathCount:
    return HostPathCount(host=host(number), total=total, down=down, least=total - len(down))


def paths(*hosts: HostPathCount, adapter: str | None = None) -> PathEvidence:
    return PathEvidence(
        source_id=1, object=DATASTORE, adapter=adapter, hosts=hosts, most=max(one.total for one in hosts), devices=(DEVICE,),
        arrays=("array-a",), affected=tuple(one.host for one in hosts), vms=4, read_at=NOW,
    )  # fmt: skip


def test_paths_down_half_of_a_metro_datastore_is_reported_with_hosts_and_array() -> None:
    found = evaluate(paths(*(counted(n, 8, DEAD) for n in (1, 2, 3))))
    assert found is not None
    assert found.title == "12 of 24 paths down on esx-01, esx-02 and esx-03"
    assert "array-a" in found.cause
    assert found.severity is Severity.ELEVATED
    assert [row.cells[:2] for row in found.tables[0].rows] == [(4.0, 8.0)] * 3
    assert found.affected_text == "4 VMs with disks on it"


def test_paths_down_one_path_left_is_high() -> None:
    found = evaluate(paths(counted(1, 2, DEAD[:1]), counted(2, 2)))
    assert found is not None
    assert found.severity is Severity.HIGH
    assert "next failure ends its I/O" in found.cause


def test_paths_down_a_host_with_fewer_paths_than_its_neighbors_is_reported_though_none_is_dead() -> None:
    found = evaluate(paths(counted(1, 8), counted(2, 4)))
    assert found is not None
    assert found.title == "Fewer paths than other hosts of the cluster on esx-02"
    assert [row.is_odd for row in found.tables[0].rows] == [False, True]


def test_paths_down_all_paths_working_and_as_many_on_every_host_is_no_finding() -> None:
    assert evaluate(paths(*(counted(n, 8) for n in (1, 2)))) is None


def test_paths_down_an_adapter_without_a_working_path_is_one_finding_of_the_host() -> None:
    dead = HostPathCount(host=host(1), total=4, down=DEAD, least=1)
    found = evaluate(replace(paths(dead, adapter="vmhba2"), object=host(1)))
    assert found is not None
    assert (found.object, found.part) == (host(1), "vmhba2")
    assert found.title == "All 4 paths of vmhba2 down on esx-01"
    assert found.severity is Severity.HIGH
    assert found.advice[0].commands[0].change == "esxcli storage core adapter rescan --adapter=vmhba2"


def test_paths_down_a_datastore_of_several_extents_is_as_near_the_end_as_its_worst_device() -> None:
    """One device with one path left beside one with four: five paths are not five chances."""
    one_left = HostPathCount(host=host(1), total=8, down=DEAD[:3], least=1)
    found = evaluate(paths(one_left))
    assert found is not None
    assert found.severity is Severity.HIGH
