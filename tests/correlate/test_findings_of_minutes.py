"""Findings of the newest minutes, from the ledger in a real database: a limit that binds is raised, its quiet twin is not."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest
from sqlalchemy import text
from tests.api.ledgers import HEALTHY, KERNEL, MINUTE, NOW, Environment, Interval, minute, span
from tests.db.environments import SERIALS, naa

from gavel.correlate.finding_evidence import LOADERS
from gavel.correlate.finding_loads import EvidenceWindow
from gavel.db.engine import Role, open_engine, reading, transaction
from gavel.domain.io_path import Layer, Segment
from gavel.domain.ledger import LedgerRows, Notes
from gavel.domain.scope import ScopeKind
from gavel.findings.model import Finding
from gavel.findings.registry import RULES

Row = tuple[LedgerRows, Notes]
WAITING: Mapping[int, Interval] = {
    span(Layer.KERNEL): (4500, 4450, 4550),
    span(Layer.SAN): (92, 82.5, 101.5),
    span(Layer.ARRAY): (400, 398.5, 401.5),
}
LIMITED: Mapping[int, Interval] = {
    span(Layer.KERNEL): (10, 5, 15),
    span(Layer.SAN): (92, 82.5, 101.5),
    span(Layer.ARRAY): (1900, 1895, 1905),
}


def in_segment(row: Row, segment: Segment, *others: Segment) -> Row:
    """The row with nearly all of a layer's time in one segment, the rest in the first of the others."""
    rows, notes = row
    time = rows.segment_time.copy()
    whole = time[..., [segment, *others]].sum(axis=-1)
    time[..., list(others)] = 0.0
    time[..., segment], time[..., others[0]] = 0.99 * whole, 0.01 * whole
    return replace(rows, segment_time=time), notes


def waiting(iops: float, **notes: float) -> Row:
    """4.5 ms in the hypervisor."""
    row = minute(iops * 60, 0, WAITING, **notes)
    return in_segment(row, Segment.HYPERVISOR, Segment.KERNEL_SERVICE, Segment.KERNEL_QUEUE)


@pytest.fixture
def environment(environment_url: str) -> Iterator[Environment]:
    engine = open_engine(environment_url, Role.WORKER)
    yield Environment.stored(engine)
    engine.dispose()


def set_to(environment: Environment, table: str, key: str, **values: object) -> int:
    with transaction(environment.engine) as connection:
        for column, value in values.items():
            connection.execute(
                text(f"UPDATE {table} SET {column} = :value WHERE key = :key"), {"value": value, "key": key}
            )
    return environment.id(table, key)


def together(environment: Environment) -> None:
    """All VMs on esx-1, and ever since."""
    with transaction(environment.engine) as connection:
        for table in ("vm", "vm_placement"):
            connection.execute(text(f"UPDATE {table} SET host_id = (SELECT id FROM esxi_host WHERE key = 'esx-1')"))


def raised(environment: Environment) -> dict[str, Finding]:
    """By rule, over the ten minutes before NOW."""
    window = EvidenceWindow(NOW - 10 * MINUTE, NOW, NOW)
    found = {}
    with reading(environment.engine) as connection:
        for rule in RULES:
            for evidence in LOADERS[rule.evidence].load(connection, window):
                if (one := rule.evaluate(evidence)) is not None:
                    found[rule.id] = one
    return found


@pytest.mark.parametrize(("iops", "is_raised"), [(1490, True), (900, False)])
def test_findings_of_minutes_a_disk_at_its_iops_limit_is_raised_and_its_twin_below_it_is_not(
    environment: Environment, iops: float, is_raised: bool
) -> None:
    disk = set_to(environment, "vm_disk", "vm-1/scsi0:0", iops_limit=1500)
    environment.last_minutes(ScopeKind.VM_DISK, disk, 10, waiting(iops, outstanding_s=600))
    found = raised(environment)
    assert set(found) == ({"iops-limit-at-work"} if is_raised else set())
    if is_raised:
        assert found["iops-limit-at-work"].title == "Hard disk 1 of db01 at its IOPS limit: 1,490 of 1,500"


@pytest.mark.parametrize(("iops", "is_raised"), [(9800, True), (5000, False)])
def test_findings_of_minutes_a_volume_at_its_qos_limit_is_raised_and_its_twin_is_not(
    environment: Environment, iops: float, is_raised: bool
) -> None:
    volume = set_to(environment, "volume", "id-v0", qos_iops_limit=10_000)
    row = in_segment(minute(iops * 60, 0, LIMITED), Segment.ARRAY_QOS, Segment.ARRAY_SERVICE, Segment.ARRAY_QUEUE)
    environment.last_minutes(ScopeKind.VOLUME, volume, 10, row)
    assert set(raised(environment)) == ({"iops-limit-at-work"} if is_raised else set())


@pytest.mark.parametrize(
    ("dsnro", "configured", "us", "rule"),
    [
        (32, 64, KERNEL, "competing-worlds"),
        (32, 32, KERNEL, "device-queue-full"),
        (None, 64, KERNEL, "device-queue-full"),
        (32, 64, HEALTHY, None),
    ],
)
def test_findings_of_minutes_a_full_queue_is_of_the_limit_in_force_and_a_quiet_one_is_none(
    environment: Environment, dsnro: int | None, configured: int, us: Mapping[int, Interval], rule: str | None
) -> None:
    for host in ("esx-1", "esx-2"):
        set_to(environment, "host_device", f"{host}/{naa(SERIALS[0])}", dsnro=dsnro, queue_depth=configured)
    together(environment)
    device = environment.id("host_device", f"esx-1/{naa(SERIALS[0])}")
    loud = us is KERNEL
    row = minute(2_600_000 if loud else 60_000, 1_300_000 if loud else 0, us, queue_depth=32.0)
    entries = [(ScopeKind.HOST_DEVICE, device, NOW - n * MINUTE, row) for n in range(1, 11)]
    for key in ("vm-1/scsi0:0", "vm-2/scsi0:0"):
        disk = environment.id("vm_disk", key)
        part = minute(600_000 if loud else 30_000, 0, us, outstanding_s=600)
        entries += [(ScopeKind.VM_DISK, disk, NOW - n * MINUTE, part) for n in range(1, 11)]
    environment.write(entries)
    assert set(raised(environment)) == ({rule} if rule else set())


@pytest.mark.parametrize(("depth", "is_raised"), [(1, False), (2, True)])
def test_findings_of_minutes_a_chain_of_two_snapshots_with_wait_is_raised(
    environment: Environment, depth: int, is_raised: bool
) -> None:
    disk = set_to(environment, "vm_disk", "vm-1/scsi0:0", snapshot_depth=depth)
    environment.last_minutes(ScopeKind.VM_DISK, disk, 10, waiting(500, outstanding_s=600))
    assert set(raised(environment)) == ({"snapshot-chain"} if is_raised else set())


@pytest.mark.parametrize(("controller", "is_raised"), [("LSI Logic SAS", True), ("PVSCSI", False)])
def test_findings_of_minutes_a_busy_disk_on_an_lsi_controller_is_raised(
    environment: Environment, controller: str, is_raised: bool
) -> None:
    disk = set_to(environment, "vm_disk", "vm-1/scsi0:0", controller_type=controller)
    environment.last_minutes(ScopeKind.VM_DISK, disk, 10, minute(60_000, 0, HEALTHY, outstanding_s=28 * 60))
    assert set(raised(environment)) == ({"lsi-on-busy-disk"} if is_raised else set())


@pytest.mark.parametrize(
    ("array_ops", "missing_s", "is_raised"), [(120_000, 0, True), (61_000, 0, False), (120_000, 20, False)]
)
def test_findings_of_minutes_io_that_no_polled_host_issued_is_raised_where_no_sample_is_missing(
    environment: Environment, array_ops: float, missing_s: float, is_raised: bool
) -> None:
    volume = environment.id("volume", "id-v0")
    row = minute(60_000, 0, HEALTHY, array_ops=array_ops, missing_s=missing_s)
    environment.last_minutes(ScopeKind.VOLUME, volume, 60, row)
    assert set(raised(environment)) == ({"unmonitored-initiators"} if is_raised else set())
