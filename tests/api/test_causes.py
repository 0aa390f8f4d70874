"""The cause of an excess, from the ledger to the API: a limit that binds is named, its quiet twin is not."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, text
from tests.api.ledgers import HEALTHY, KERNEL, MINUTE, NOW, Environment, Interval, ask, minute, span
from tests.db.environments import SERIALS, naa

from gavel.db.engine import transaction
from gavel.domain.io_path import Layer, Segment
from gavel.domain.ledger import LedgerRows, Notes
from gavel.domain.scope import ScopeKind

Row = tuple[LedgerRows, Notes]
ELEVATED, NORMAL = range(1, 6), range(6, 26)
THROTTLED: Mapping[int, Interval] = {
    span(Layer.KERNEL): (4500, 4450, 4550),
    span(Layer.SAN): (92, 82.5, 101.5),
    span(Layer.ARRAY): (400, 398.5, 401.5),
}
# µs per I/O inside the array, of which 1,500 at the QoS limit.
LIMITED: Mapping[int, Interval] = {
    span(Layer.KERNEL): (10, 5, 15),
    span(Layer.SAN): (92, 82.5, 101.5),
    span(Layer.ARRAY): (1900, 1895, 1905),
}


def in_segment(row: Row, segment: Segment, share: float, *others: Segment) -> Row:
    """The row with `share` of the layer's time in one segment, the rest of it in the first of the others."""
    rows, notes = row
    time = rows.segment_time.copy()
    whole = time[..., [segment, *others]].sum(axis=-1)
    time[..., segment] = share * whole
    time[..., list(others)] = 0.0
    time[..., others[0]] = (1 - share) * whole
    return replace(rows, segment_time=time), notes


def throttled(iops: float, us: Mapping[int, Interval] = THROTTLED) -> Row:
    return in_segment(minute(iops * 60, 0, us), Segment.HYPERVISOR, 0.99, Segment.KERNEL_SERVICE, Segment.KERNEL_QUEUE)


class Story:
    """Elevated minutes after normal ones."""

    def __init__(self, engine: Engine, environment: Environment) -> None:
        self.engine, self.environment = engine, environment

    def set(self, table: str, key: str, column: str, value: int) -> None:
        with transaction(self.engine) as connection:
            connection.execute(
                text(f"UPDATE {table} SET {column} = :value WHERE key = :key"), {"value": value, "key": key}
            )

    def write(self, kind: ScopeKind, thing: int, elevated: Row, normal: Row | None) -> None:
        sides = [(ELEVATED, elevated), *([(NORMAL, normal)] if normal is not None else [])]
        self.environment.write([(kind, thing, NOW - n * MINUTE, row) for times, row in sides for n in times])


@pytest.fixture
def story(engine: Engine, environment: Environment) -> Story:
    return Story(engine, environment)


def limited_disk(story: Story, *, elevated_iops: float, normal: Row | None, limit: int = 1500) -> int:
    environment = story.environment
    vm, disk = environment.id("vm", "vm-1"), environment.id("vm_disk", "vm-1/scsi0:0")
    story.set("vm_disk", "vm-1/scsi0:0", "iops_limit", limit)
    for kind, thing in ((ScopeKind.VM, vm), (ScopeKind.VM_DISK, disk)):
        story.write(kind, thing, throttled(elevated_iops), normal)
    return vm


def test_an_iops_limit_in_use_is_named_with_its_numbers(client: TestClient, story: Story) -> None:
    vm = limited_disk(story, elevated_iops=1490, normal=throttled(300, HEALTHY))
    found = ask(client, f"vms/{vm}/diagnosis")
    cause = found["cause"]
    assert (found["layer"], cause["kind"], cause["confidence"]) == ("kernel", "iops_limit", "confirmed")
    assert [ref["name"] for ref in cause["object"]["refs"]] == ["db01", "Hard disk 1"]
    assert (cause["limit"]["value"], cause["limit"]["used"]) == (1500, pytest.approx(1490))
    assert cause["twin"] == {
        "elevated_minutes": 5, "binding_minutes": 5, "normal_minutes": 15, "normal_binding_minutes": 0
    }  # fmt: skip
    assert cause["finding"] == "iops-limit-at-work"
    assert found["sentence"]["cause"] == (
        "Cause (confirmed): Hard disk 1 of db01 is at its IOPS limit (1,490 of 1,500 IOPS)"
    )
    assert found["sentence"]["cause"] in found["sentence"]["text"]
    assert cause["changed"]["changes"][0] == {
        "label": "IOPS", "before": pytest.approx(300), "after": pytest.approx(1490), "unit": "IOPS"
    }  # fmt: skip


def test_a_limit_without_normal_minutes_before_is_likely(client: TestClient, story: Story) -> None:
    vm = limited_disk(story, elevated_iops=1490, normal=None)
    cause = ask(client, f"vms/{vm}/diagnosis")["cause"]
    assert (cause["kind"], cause["confidence"], cause["twin"]["normal_minutes"]) == ("iops_limit", "likely", 0)


def test_a_limit_that_is_not_in_use_is_not_named(client: TestClient, story: Story) -> None:
    vm = limited_disk(story, elevated_iops=900, normal=throttled(300, HEALTHY))
    found = ask(client, f"vms/{vm}/diagnosis")
    assert found["cause"]["kind"] == "no_single_cause"
    assert (found["cause"]["confidence"], found["cause"]["limit"]) == (None, None)
    assert found["sentence"]["cause"] == "No single cause"


def test_without_an_excess_there_is_no_cause(client: TestClient, story: Story) -> None:
    environment = story.environment
    vm = environment.id("vm", "vm-1")
    story.write(ScopeKind.VM, vm, minute(60_000, 0, HEALTHY), minute(60_000, 0, HEALTHY))
    found = ask(client, f"vms/{vm}/diagnosis")
    assert (found["severity"], found["cause"], found["sentence"]["cause"]) == ("normal", None, "")


def full_queue(story: Story, *, dsnro: int, normal: Row) -> int:
    """A device queue of esx-1 with 32 I/Os in flight of two VMs, one of which issues nearly all."""
    environment = story.environment
    store = environment.id("datastore", "simple")
    device = environment.id("host_device", f"esx-1/{naa(SERIALS[0])}")
    story.set("host_device", f"esx-1/{naa(SERIALS[0])}", "dsnro", dsnro)
    row = minute(2_600_000, 1_300_000, KERNEL, queue_depth=32.0)
    disk = environment.id("vm_disk", "vm-1/scsi0:0")
    for kind, thing in ((ScopeKind.DATASTORE, store), (ScopeKind.HOST_DEVICE, device), (ScopeKind.VM_DISK, disk)):
        story.write(kind, thing, row, normal)
    return store


def test_a_full_device_queue_is_named_with_the_vm_that_fills_it(client: TestClient, story: Story) -> None:
    store = full_queue(story, dsnro=32, normal=minute(60_000, 0, HEALTHY, queue_depth=32.0))
    cause = ask(client, f"datastores/{store}/diagnosis")["cause"]
    assert (cause["kind"], cause["confidence"]) == ("device_queue_full", "confirmed")
    assert (cause["object"]["name"], cause["share"], cause["share_of"]) == (
        "db01",
        pytest.approx(1),
        "I/O in the queue",
    )
    assert [ref["kind"] for ref in cause["on"]["refs"]] == ["host", "device"]
    assert cause["text"] == (
        "db01 issues 100 % of the I/O; the queue of device simple on esx-1 is full (ACTV ≈ 32, DQLEN 32, QUED ≈ 23)"
    )


def test_a_queue_that_was_full_in_normal_minutes_too_is_not_the_cause(client: TestClient, story: Story) -> None:
    mild = {**KERNEL, span(Layer.KERNEL): (190.0, 185.0, 195.0)}
    store = full_queue(story, dsnro=32, normal=minute(2_600_000, 1_300_000, mild, queue_depth=32.0))
    found = ask(client, f"datastores/{store}/diagnosis")
    assert found["cause"]["kind"] == "no_single_cause"
    assert found["cause"]["candidates"][0]["kind"] == "device_queue_full"


@pytest.mark.parametrize(("iops", "kind"), [(9800, "qos_limit"), (5000, "no_single_cause")])
def test_a_qos_limit_is_named_only_where_it_is_in_use(client: TestClient, story: Story, iops: float, kind: str) -> None:
    environment = story.environment
    volume = environment.id("volume", "id-v0")
    story.set("volume", "id-v0", "qos_iops_limit", 10_000)
    limited = in_segment(
        minute(iops * 60, 0, LIMITED), Segment.ARRAY_QOS, 0.8, Segment.ARRAY_SERVICE, Segment.ARRAY_QUEUE
    )
    story.write(ScopeKind.VOLUME, volume, limited, minute(60_000, 0, HEALTHY))
    cause: dict[str, Any] = ask(client, f"volumes/{volume}/diagnosis")["cause"]
    assert cause["kind"] == kind
    if kind == "qos_limit":
        assert cause["confidence"] == "confirmed"
        assert cause["text"] == "volume v0 is at its QoS limit (9,800 of 10,000 IOPS, QoS rate limit 1.52 ms)"


def test_the_scoreboard_proves_which_layers_are_not_the_cause(client: TestClient, story: Story) -> None:
    vm = limited_disk(story, elevated_iops=1490, normal=throttled(300, HEALTHY))
    board = ask(client, f"vms/{vm}/diagnosis")["scoreboard"]
    assert [one["state"] for one in board] == ["not_measured", "cause", "not_the_cause", "not_the_cause"]
    array = board[3]
    assert array["delta_us"] == pytest.approx(array["us"] - array["baseline_us"])


def test_time_that_an_array_is_not_responsible_for_is_marked_on_its_scoreboard(
    client: TestClient, story: Story
) -> None:
    with transaction(story.engine) as connection:
        array = connection.execute(text("SELECT id FROM storage_array")).scalar_one()
    story.write(ScopeKind.ARRAY, array, minute(2_600_000, 0, KERNEL), minute(60_000, 0, HEALTHY))
    board = ask(client, f"arrays/{array}/diagnosis")["scoreboard"]
    assert {one["layer"]: one["is_own"] for one in board} == {
        "guest": False, "kernel": False, "san": True, "array": True
    }  # fmt: skip
    assert np.isfinite([one["us"] for one in board[1:]]).all()
