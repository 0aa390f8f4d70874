"""The cause of an excess, from the ledger to the API: a limit that binds is named, its quiet twin is not."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, text
from tests.api.ledgers import HEALTHY, KERNEL, MINUTE, NOW, Environment, Interval, ask, between, minute, span
from tests.api.stories import (
    DEVICE,
    LIMITED,
    SLOW_ARRAY,
    SLOW_SAN,
    THROTTLED,
    Story,
    full_queue,
    in_segment,
    limited_disk,
    throttled,
)
from tests.api.test_statements import counted
from tests.db.environments import SERIALS, eui, naa

from gavel.db.engine import transaction
from gavel.domain.io_path import Layer, Segment
from gavel.domain.scope import ScopeKind

# Their limit of time is one.
MOST_OF_A_LIST = 20


@pytest.fixture
def story(engine: Engine, environment: Environment) -> Story:
    return Story(engine, environment)


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


def test_one_normal_minute_in_which_the_limit_was_in_use_as_well_takes_the_proof_away(
    client: TestClient, story: Story
) -> None:
    vm = limited_disk(story, elevated_iops=1490, normal=throttled(300, HEALTHY))
    disk, mild = story.environment.id("vm_disk", "vm-1/scsi0:0"), {**HEALTHY, span(Layer.KERNEL): (300.0, 295.0, 305.0)}
    story.environment.write([(ScopeKind.VM_DISK, disk, NOW - 12 * MINUTE, throttled(1490, mild))])
    cause = ask(client, f"vms/{vm}/diagnosis")["cause"]
    assert cause["kind"] == "no_single_cause"
    assert [one["kind"] for one in cause["candidates"]] == ["iops_limit"]


def test_the_minute_in_which_the_load_begins_is_no_normal_one(client: TestClient, story: Story) -> None:
    vm = limited_disk(story, elevated_iops=1490, normal=throttled(300, HEALTHY))
    disk, mild = story.environment.id("vm_disk", "vm-1/scsi0:0"), {**HEALTHY, span(Layer.KERNEL): (300.0, 295.0, 305.0)}
    story.environment.write([(ScopeKind.VM_DISK, disk, NOW - 6 * MINUTE, throttled(1490, mild))])
    cause = ask(client, f"vms/{vm}/diagnosis")["cause"]
    assert (cause["kind"], cause["confidence"], cause["twin"]["normal_minutes"]) == ("iops_limit", "confirmed", 15)


def test_a_window_of_hours_is_decided_on_its_own_minutes(client: TestClient, story: Story) -> None:
    vm, environment = limited_disk(story, elevated_iops=1490, normal=throttled(300, HEALTHY)), story.environment
    disk = environment.id("vm_disk", "vm-1/scsi0:0")
    stamps = [NOW - n * MINUTE for n in range(1, 100)]
    environment.write(
        [
            (kind, thing, at, throttled(1490) if n < 80 else throttled(300, HEALTHY))
            for kind, thing in ((ScopeKind.VM, vm), (ScopeKind.VM_DISK, disk))
            for n, at in enumerate(stamps)
        ]
    )
    cause = ask(client, f"vms/{vm}/diagnosis?{between(95, 0)}")["cause"]
    assert (cause["kind"], cause["confidence"]) == ("iops_limit", "confirmed")
    assert cause["twin"] == {
        "elevated_minutes": 60, "binding_minutes": 60, "normal_minutes": 15, "normal_binding_minutes": 0
    }  # fmt: skip


def test_without_minutes_of_single_disks_nothing_is_said_of_a_cause(client: TestClient, story: Story) -> None:
    vm = story.environment.id("vm", "vm-1")
    story.write(ScopeKind.VM, vm, throttled(1490), throttled(300, HEALTHY))
    found = ask(client, f"vms/{vm}/diagnosis")
    assert (found["layer"], found["cause"], found["sentence"]["cause"]) == ("kernel", None, "")


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


def test_a_queue_that_whole_milliseconds_leave_open_is_possible_and_not_named(client: TestClient, story: Story) -> None:
    """Counters of whole milliseconds give the kernel's time no lower bound, neither at the device nor at the virtual disk."""
    store = full_queue(story, dsnro=32, normal=minute(60_000, 0, HEALTHY, queue_depth=32.0))
    at_the_device_only_milliseconds(story, also_at_the_disk=True)
    found = ask(client, f"datastores/{store}/diagnosis")
    assert (found["cause"]["kind"], found["cause"]["confidence"]) == ("no_single_cause", None)
    assert found["sentence"]["cause"] == "No single cause; possible: db01 fills the queue of device simple on esx-1"
    (candidate,) = found["cause"]["candidates"]
    assert candidate["kind"] == "device_queue_full"
    assert candidate["needs"].startswith("microsecond counters of the queue time")


def at_the_device_only_milliseconds(
    story: Story, *, also_at_the_disk: bool = False, disk_ops: int = 2_600_000, device_kernel_us: float = 438.0
) -> None:
    environment, coarse = story.environment, {**KERNEL, span(Layer.KERNEL): (438.0, 0.0, 900.0)}
    normal = minute(60_000, 0, HEALTHY)
    device = environment.id("host_device", DEVICE)
    at_device = {**KERNEL, span(Layer.KERNEL): (device_kernel_us, 0.0, 900.0)}
    story.write(ScopeKind.HOST_DEVICE, device, minute(2_600_000, 1_300_000, at_device, queue_depth=32.0), normal)
    at_disk = minute(disk_ops, 1_300_000, coarse if also_at_the_disk else KERNEL)
    story.write(ScopeKind.VM_DISK, environment.id("vm_disk", "vm-1/scsi0:0"), at_disk, normal)


def test_a_full_queue_of_whole_milliseconds_is_named_by_the_wait_of_its_virtual_disks(
    client: TestClient, story: Story
) -> None:
    """The device has as many I/Os in flight as it may, and its disks' finer counters prove a wait in the kernel above it."""
    store = full_queue(story, dsnro=32, normal=minute(60_000, 0, HEALTHY, queue_depth=32.0))
    at_the_device_only_milliseconds(story)
    cause = ask(client, f"datastores/{store}/diagnosis")["cause"]
    assert (cause["kind"], cause["confidence"]) == ("device_queue_full", "likely")
    assert cause["text"].startswith(
        "db01 issues 100 % of the I/O; the queue of device simple on esx-1 is full (ACTV ≈ 32,"
    )
    assert cause["text"].endswith("DQLEN 32, I/Os in the kernel ≈ 28)")
    assert (cause["twin"]["binding_minutes"], cause["twin"]["normal_binding_minutes"]) == (5, 0)


def test_a_full_queue_is_named_with_its_vm_where_the_device_reads_no_time_in_the_kernel(
    client: TestClient, story: Story
) -> None:
    """Less than a whole millisecond is counted as 0."""
    store = full_queue(story, dsnro=32, normal=minute(60_000, 0, HEALTHY, queue_depth=32.0))
    at_the_device_only_milliseconds(story, device_kernel_us=0.0)
    cause = ask(client, f"datastores/{store}/diagnosis")["cause"]
    assert (cause["kind"], cause["object"]["name"]) == ("device_queue_full", "db01")
    assert {one["label"]: one["value"] for one in cause["evidence"]}["VMs with I/O in the queue"] == 1


def test_the_wait_of_disks_with_other_io_than_the_device_proves_nothing(client: TestClient, story: Story) -> None:
    store = full_queue(story, dsnro=32, normal=minute(60_000, 0, HEALTHY, queue_depth=32.0))
    at_the_device_only_milliseconds(story, disk_ops=5_200_000)
    assert ask(client, f"datastores/{store}/diagnosis")["cause"]["kind"] == "no_single_cause"


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


# --- lists --------------------------------------------------------------------------------------------------------------


def test_a_list_has_the_cause_of_each_of_its_rows_as_its_own_page_has_it(client: TestClient, story: Story) -> None:
    vm = limited_disk(story, elevated_iops=1490, normal=throttled(300, HEALTHY))
    rows = {row["subject"]["name"]: row for row in ask(client, "overview?kind=vms")["items"]}
    whole = ask(client, f"vms/{vm}/diagnosis")["cause"]
    assert rows["db01"]["cause"] == {name: whole[name] for name in rows["db01"]["cause"]}
    assert rows["db01"]["cause"]["headline"] == "Hard disk 1 of db01 at its IOPS limit of 1,500"
    assert rows["web_02%"]["cause"] is None


def test_a_list_of_more_than_an_hour_names_no_causes(client: TestClient, story: Story) -> None:
    limited_disk(story, elevated_iops=1490, normal=throttled(300, HEALTHY))
    assert ask(client, f"overview?kind=vms&{between(60, 0)}")["items"][0]["cause"] is not None
    assert ask(client, f"overview?kind=vms&{between(61, 0)}")["items"][0]["cause"] is None


def test_the_causes_of_a_list_take_as_many_statements_as_that_of_one(client: TestClient, story: Story) -> None:
    normal = minute(60_000, 0, HEALTHY, queue_depth=32.0)
    full_queue(story, dsnro=32, normal=normal)
    with counted() as of_one:
        ask(client, "overview")
    row = minute(2_600_000, 1_300_000, KERNEL, queue_depth=32.0)
    for name, serial in (("spanned", 1), ("nvme", 3), ("stretched", 5)):
        story.write(ScopeKind.DATASTORE, story.environment.id("datastore", name), row, normal)
        key = f"esx-1/{(eui if name == 'nvme' else naa)(SERIALS[serial])}"
        story.write(ScopeKind.HOST_DEVICE, story.environment.id("host_device", key), row, normal)
    with counted() as of_four:
        found = ask(client, "overview")
    assert [item["cause"]["kind"] for item in found["items"][:4]] == ["device_queue_full"] * 4
    assert len(of_four) == len(of_one) <= MOST_OF_A_LIST


# --- what is only seen at an object -------------------------------------------------------------------------------------


def test_a_volume_is_not_red_since_a_vm_is_at_its_limit(client: TestClient, story: Story) -> None:
    limited_disk(story, elevated_iops=1490, normal=throttled(300, HEALTHY))
    volume = story.environment.id("volume", "id-v0")
    story.write(ScopeKind.VOLUME, volume, throttled(1490), throttled(300, HEALTHY))
    found = ask(client, f"volumes/{volume}/diagnosis")
    assert (found["severity"], found["seen_only"], found["layer"]) == ("normal", True, "kernel")
    assert found["cause"]["kind"] == "iops_limit"
    assert found["sentence"]["head"]["headline"] == "Normal"
    assert found["sentence"]["head"]["detail"].startswith("SAN and array not elevated; only seen here: ")
    listed = ask(client, "overview?kind=volumes&severity=normal")["items"][0]
    assert (listed["subject"]["name"], listed["severity"], listed["seen_only"]) == ("v0", "normal", True)
    assert listed["cause"]["headline"] == "Hard disk 1 of db01 at its IOPS limit of 1,500"


def test_a_volume_is_red_where_its_array_is_slow_besides(client: TestClient, story: Story) -> None:
    volume = story.environment.id("volume", "id-v0")
    both = throttled(1490, {**THROTTLED, span(Layer.ARRAY): (2500.0, 2495.0, 2505.0)})
    story.write(ScopeKind.VOLUME, volume, both, throttled(300, HEALTHY))
    found = ask(client, f"volumes/{volume}/diagnosis")
    assert (found["severity"], found["seen_only"]) == ("high", False)


@pytest.mark.parametrize(("us", "seen_only"), [(SLOW_ARRAY, True), (SLOW_SAN, False)])
def test_a_host_is_not_red_since_an_array_is_slow(
    client: TestClient, story: Story, us: Mapping[int, Interval], seen_only: bool
) -> None:
    host = story.environment.id("esxi_host", "esx-1")
    story.write(ScopeKind.HOST, host, minute(60_000, 0, us), minute(60_000, 0, HEALTHY))
    found = ask(client, f"hosts/{host}/diagnosis")
    assert found["seen_only"] is seen_only
    assert (found["severity"] == "normal") is seen_only


def test_a_vm_is_red_whoever_is_slow(client: TestClient, story: Story) -> None:
    vm = story.environment.id("vm", "vm-1")
    story.write(ScopeKind.VM, vm, minute(60_000, 0, SLOW_ARRAY), minute(60_000, 0, HEALTHY))
    assert ask(client, f"vms/{vm}/diagnosis")["seen_only"] is False
