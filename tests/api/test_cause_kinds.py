"""Each kind of cause at its edge, from the ledger and the inventory to the API, and the quiet twin of each in which it is not named."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from tests.api.ledgers import HEALTHY, Environment, Interval, ask, minute, span
from tests.api.stories import DEVICE, SLOW_ARRAY, SLOW_SAN, Row, Story, full_queue, limited_disk, throttled

from gavel.domain.io_path import Layer, Segment
from gavel.domain.samples import Precision
from gavel.domain.scope import ScopeKind

Found = dict[str, Any]


@pytest.fixture
def story(engine: Engine, environment: Environment) -> Story:
    return Story(engine, environment)


def cause_of(client: TestClient, path: str) -> Found:
    cause: Found = ask(client, f"{path}/diagnosis")["cause"]
    return cause


# --- above the SAN ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("vms_on_the_host", "kind"), [(2, "competing_worlds"), (1, "device_queue_full")])
def test_dsnro_is_the_limit_only_while_several_vms_issue_io(
    client: TestClient, story: Story, vms_on_the_host: int, kind: str
) -> None:
    normal = minute(60_000, 0, HEALTHY, queue_depth=32.0)
    store = full_queue(story, dsnro=32, normal=normal)
    story.set("host_device", DEVICE, "queue_depth", 64)
    disk = story.environment.id("vm_disk", "vm-2/scsi0:0")
    story.write(ScopeKind.VM_DISK, disk, minute(600_000, 0, HEALTHY), normal)
    if vms_on_the_host == 2:
        story.run("UPDATE vm SET host_id = (SELECT id FROM esxi_host WHERE key = 'esx-1')")
        story.run("UPDATE vm_placement SET host_id = (SELECT id FROM esxi_host WHERE key = 'esx-1')")
    cause = cause_of(client, f"datastores/{store}")
    assert (cause["kind"], cause["confidence"]) == (kind, "confirmed")
    assert cause["limit"]["name"] == ("DSNRO" if kind == "competing_worlds" else "DQLEN")
    assert ("by DSNRO as 2 VMs issue I/O" in cause["text"]) == (kind == "competing_worlds")


GUEST_WAITS: Mapping[int, Interval] = {**HEALTHY, span(Layer.GUEST): (900, 895, 905)}


def guest(outstanding: float, us: Mapping[int, Interval]) -> Row:
    """A minute that the guest timed as well, with so many I/Os outstanding in the virtual disk."""
    rows, notes = minute(60_000, 0, us, outstanding_s=outstanding * 60)
    index = span(Layer.GUEST)
    time, ops = rows.segment_time.copy(), rows.segment_ops.copy()
    time[..., Segment.GUEST_QUEUE], ops[..., Segment.GUEST_QUEUE] = (
        rows.span_time[..., index],
        rows.span_ops[..., index],
    )
    return replace(rows, segment_time=time, segment_ops=ops), notes


@pytest.mark.parametrize(
    ("outstanding", "kind"), [(63.5, "virtual_disk_queue_full"), (40, "no_single_cause"), (96, "no_single_cause")]
)
def test_a_virtual_disk_queue_is_named_only_at_its_limit(
    client: TestClient, story: Story, outstanding: float, kind: str
) -> None:
    vm, disk = story.environment.id("vm", "vm-1"), story.environment.id("vm_disk", "vm-1/scsi0:0")
    story.set("vm_disk", "vm-1/scsi0:0", "controller_type", "PVSCSI")
    calm = {**HEALTHY, span(Layer.GUEST): (20.0, 15.0, 25.0)}
    for scope, thing in ((ScopeKind.VM, vm), (ScopeKind.VM_DISK, disk)):
        story.write(scope, thing, guest(outstanding, GUEST_WAITS), guest(2, calm))
    cause = cause_of(client, f"vms/{vm}")
    assert cause["kind"] == kind
    if kind == "virtual_disk_queue_full":
        assert (cause["confidence"], cause["limit"]["value"], cause["limit"]["used"]) == (
            "confirmed",
            64,
            pytest.approx(63.5),
        )
        # 1,000 I/Os a second wait 0.9 ms in the guest.
        assert cause["text"] == (
            "the guest has ≈ 64 I/Os outstanding, and the virtual disk queue of Hard disk 1 of db01 is full "
            "(OIO 64 of 64, PVSCSI)"
        )


@pytest.mark.parametrize(("depth", "kind"), [(3, "snapshot_chain"), (1, "no_single_cause")])
def test_a_chain_of_snapshots_is_named_likely_at_most(client: TestClient, story: Story, depth: int, kind: str) -> None:
    vm = limited_disk(story, elevated_iops=900, normal=throttled(300, HEALTHY))
    story.set("vm_disk", "vm-1/scsi0:0", "snapshot_depth", depth)
    cause = cause_of(client, f"vms/{vm}")
    assert (cause["kind"], cause["confidence"]) == (kind, "likely" if kind == "snapshot_chain" else None)
    if kind == "snapshot_chain":
        assert cause["text"] == "Hard disk 1 of db01 runs on 3 snapshots"


def test_a_limit_in_use_comes_before_the_chain_beneath_it(client: TestClient, story: Story) -> None:
    vm = limited_disk(story, elevated_iops=1490, normal=throttled(300, HEALTHY))
    story.set("vm_disk", "vm-1/scsi0:0", "snapshot_depth", 3)
    assert cause_of(client, f"vms/{vm}")["kind"] == "iops_limit"


def sized(row: Row, bytes_per_io: int) -> Row:
    rows, notes = row
    return replace(rows, bytes=rows.ops * bytes_per_io), notes


@pytest.mark.parametrize(("size", "kind"), [(262_144, "iops_limit"), (32_768, "no_single_cause")])
def test_large_ios_count_several_times_against_a_limit_and_that_is_likely_at_most(
    client: TestClient, story: Story, size: int, kind: str
) -> None:
    vm, disk = (
        limited_disk(story, elevated_iops=190, normal=throttled(20, HEALTHY)),
        story.environment.id("vm_disk", "vm-1/scsi0:0"),
    )
    for scope, thing in ((ScopeKind.VM, vm), (ScopeKind.VM_DISK, disk)):
        story.write(scope, thing, sized(throttled(190), size), None)
    cause = cause_of(client, f"vms/{vm}")
    assert cause["kind"] == kind
    if kind == "iops_limit":
        assert (cause["confidence"], cause["limit"]["is_derived"]) == ("likely", True)
        assert cause["limit"]["used"] == pytest.approx(1520)
        assert cause["text"].endswith("(190 IOPS count as ≈ 1,520 I/Os of 32 KiB, limit 1,500)")


# --- SAN ----------------------------------------------------------------------------------------------------------------


def slow_san(story: Story) -> int:
    """A datastore that waits in the SAN, on esx-1 only."""
    store, device = story.environment.id("datastore", "simple"), story.environment.id("host_device", DEVICE)
    for scope, thing in ((ScopeKind.DATASTORE, store), (ScopeKind.HOST_DEVICE, device)):
        story.write(scope, thing, minute(60_000, 0, SLOW_SAN), minute(60_000, 0, HEALTHY))
    return store


PATHS = ["esx-1/p0", "esx-1/p1"]


def two_paths(story: Story, *, optimized: tuple[bool, bool], working: tuple[bool, bool]) -> None:
    for n in range(2):
        story.set("path", f"esx-1/p{n}", "is_optimized", optimized[n])
        story.set("path", f"esx-1/p{n}", "state", "active" if working[n] else "dead")


@pytest.mark.parametrize(
    ("works", "before", "kind"),
    [
        (True, 0.0, "non_optimized_io"),
        (False, 0.0, "paths_down"),
        (True, 400.0, "no_single_cause"),
        (False, 400.0, "no_single_cause"),
    ],
)
def test_io_on_non_optimized_paths_is_named_where_it_was_not_there_before(
    client: TestClient, story: Story, works: bool, before: float, kind: str
) -> None:
    store = slow_san(story)
    two_paths(story, optimized=(True, False), working=(works, True))
    story.paths_did(PATHS, 8, [1000 - before, before], [500, 1800])
    story.paths_did(PATHS, 0, [100 if works else 0, 900], [500, 1800])
    cause = cause_of(client, f"datastores/{store}")
    assert cause["kind"] == kind
    if kind != "no_single_cause":
        assert cause["confidence"] == "confirmed"
        share = "90 %" if works else "100 %"
        down = "" if works else "; 1 of 2 paths down"
        assert cause["text"] == f"{share} of the I/O of esx-1 is on non-optimized paths{down}"
        assert [ref["name"] for ref in cause["on"]["refs"]] == ["esx-1"]


@pytest.mark.parametrize(("carried", "kind"), [(500.0, "paths_down"), (0.0, "no_single_cause")])
def test_paths_that_are_down_are_named_if_they_carried_io_before(
    client: TestClient, story: Story, carried: float, kind: str
) -> None:
    store = slow_san(story)
    two_paths(story, optimized=(True, True), working=(True, False))
    story.paths_did(PATHS, 8, [1000 - carried, carried], [500, 500])
    story.paths_did(PATHS, 0, [1000, 0], [1900, 0])
    cause = cause_of(client, f"datastores/{store}")
    assert cause["kind"] == kind
    if kind == "paths_down":
        assert (cause["confidence"], cause["finding"]) == ("likely", "paths-down")
        assert cause["text"] == "1 of 2 paths of esx-1 are down, which had 50 % of its I/O before"


def slow_adapter(story: Story) -> int:
    """A datastore whose two paths are of two adapters."""
    store = slow_san(story)
    story.run(
        "INSERT INTO hba OVERRIDING SYSTEM VALUE SELECT (jsonb_populate_record(h, jsonb_build_object('id', 1 + (SELECT max(id) FROM hba),"
        " 'key', 'esx-1/vmhba2', 'device', 'vmhba2'))).* FROM hba h WHERE key = 'esx-1/vmhba1'"
    )
    story.set("path", "esx-1/p1", "hba_id", story.environment.id("hba", "esx-1/vmhba2"))
    two_paths(story, optimized=(True, True), working=(True, True))
    return store


def test_a_latency_that_whole_milliseconds_read_as_0_is_below_the_first(client: TestClient, story: Story) -> None:
    store = slow_adapter(story)
    story.paths_did(PATHS, 8, [500, 500], [0, 0], int(Precision.MILLISECOND))
    story.paths_did(PATHS, 0, [500, 500], [0, 4000], int(Precision.MILLISECOND))
    text = cause_of(client, f"datastores/{store}")["text"]
    assert text == "paths through vmhba2 of esx-1 are slow (4.00 ms, other adapter below 1.00 ms)"


@pytest.mark.parametrize(("before_us", "kind"), [(550, "slow_path"), (2300, "no_single_cause")])
def test_a_slow_adapter_is_named_against_the_other_one(
    client: TestClient, story: Story, before_us: int, kind: str
) -> None:
    store = slow_adapter(story)
    story.paths_did(PATHS, 8, [500, 500], [500, before_us])
    story.paths_did(PATHS, 0, [500, 500], [520, 4300])
    cause = cause_of(client, f"datastores/{store}")
    assert cause["kind"] == kind
    if kind == "slow_path":
        assert cause["confidence"] == "confirmed"
        assert cause["text"] == "paths through vmhba2 of esx-1 are slow (4.30 ms, other adapter 0.52 ms)"


@pytest.mark.parametrize(("other", "kind"), [(HEALTHY, "one_host"), (SLOW_SAN, "no_single_cause")])
def test_one_host_is_named_where_the_others_do_not_wait(
    client: TestClient, story: Story, other: Mapping[int, Interval], kind: str
) -> None:
    store = slow_san(story)
    peer = story.environment.id("host_device", DEVICE.replace("esx-1", "esx-2"))
    story.write(ScopeKind.HOST_DEVICE, peer, minute(60_000, 0, other), minute(60_000, 0, HEALTHY))
    cause = cause_of(client, f"datastores/{store}")
    assert cause["kind"] == kind
    if kind == "one_host":
        assert (cause["confidence"], cause["twin"]["binding_minutes"]) == ("likely", 5)
        assert cause["text"] == "the SAN is slow for esx-1 only (1.90 ms, other hosts 95 µs)"


# --- array --------------------------------------------------------------------------------------------------------------


def volumes(story: Story, slow: int, *, iops: float = 1000) -> int:
    """Volume v0 and three others with I/O, of which so many are slower than before, v0 among them. v0 does `iops` now, 1,000 before."""
    ids = [story.environment.id("volume", f"id-v{n}") for n in range(4)]
    for n, thing in enumerate(ids):
        now = minute((iops if n == 0 else 1000) * 60, 0, SLOW_ARRAY if n < slow else HEALTHY)
        story.write(ScopeKind.VOLUME, thing, now, minute(60_000, 0, HEALTHY))
    return ids[0]


@pytest.mark.parametrize(("slow", "kind"), [(2, "array_load"), (1, "no_single_cause")])
def test_load_of_the_array_is_named_where_half_of_its_volumes_are_slower(
    client: TestClient, story: Story, slow: int, kind: str
) -> None:
    cause = cause_of(client, f"volumes/{volumes(story, slow)}")
    assert cause["kind"] == kind
    if kind == "array_load":
        assert cause["confidence"] == "likely"
        assert cause["text"] == "load of name of array-a: 2 of 4 active volumes are slower than before"


@pytest.mark.parametrize(("queue_us", "confidence"), [(69, "likely"), (70, "confirmed"), (None, "likely")])
def test_load_of_the_array_is_confirmed_by_its_own_queue(
    client: TestClient, story: Story, queue_us: int | None, confidence: str
) -> None:
    """20 µs per I/O before, over all I/O of the array."""
    if queue_us is not None:
        story.array_waited(queue_us, 20)
    cause = cause_of(client, f"volumes/{volumes(story, 2)}")
    assert (cause["kind"], cause["confidence"]) == ("array_load", confidence)
    assert ("its own queue 20 µs to 70 µs per I/O" in cause["text"]) is (confidence == "confirmed")
    numbers = {one["label"]: one["value"] for one in cause["evidence"]}
    assert numbers.get("Array queue") == queue_us
    assert numbers.get("Array queue before") == (None if queue_us is None else 20)


@pytest.mark.parametrize(("iops", "kind"), [(1500, "volume_load"), (1400, "no_single_cause")])
def test_the_own_load_of_a_volume_is_named_where_it_grew_and_others_are_not_slower(
    client: TestClient, story: Story, iops: float, kind: str
) -> None:
    cause = cause_of(client, f"volumes/{volumes(story, 1, iops=iops)}")
    assert cause["kind"] == kind
    if kind == "volume_load":
        assert cause["confidence"] == "likely"
        assert cause["text"] == (
            "own load of volume v0, 1,000 to 1,500 IOPS, 4 MB/s to 6 MB/s; 0 of 3 other active volumes are slower"
        )


@pytest.mark.parametrize(
    ("counted", "before", "kind"),
    [
        (2.5, 1.0, "unmonitored_initiators"),
        (1.5, 1.0, "no_single_cause"),
        (2.5, 2.5, "no_single_cause"),
    ],
)
def test_unmonitored_initiators_are_named_where_most_io_is_theirs_and_was_not_before(
    client: TestClient, story: Story, counted: float, before: float, kind: str
) -> None:
    volume = story.environment.id("volume", "id-v0")
    rows = [minute(60_000, 0, us, array_ops=60_000 * ops) for us, ops in ((SLOW_ARRAY, counted), (HEALTHY, before))]
    story.write(ScopeKind.VOLUME, volume, *rows)
    cause = cause_of(client, f"volumes/{volume}")
    assert cause["kind"] == kind
    if kind == "unmonitored_initiators":
        assert (cause["confidence"], cause["object"]) == ("likely", {"name": "unmonitored initiators", "refs": []})
        assert cause["text"] == "unmonitored initiators issue 60 % of the I/O that the array counted"
        assert np.isclose(cause["share"], 0.6)
