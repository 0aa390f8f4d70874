"""The depth of the queue where I/Os wait, in a diagnosis: which is in force, why, and who brought it down."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, text
from tests.api.ledgers import HEALTHY, KERNEL, MINUTE, NOW, Environment, ask, minute
from tests.db.environments import SERIALS, batch, every, naa

from gavel import clock
from gavel.db.engine import transaction
from gavel.db.write.samples import write_samples
from gavel.domain.io_path import Segment
from gavel.domain.scope import ScopeKind
from gavel.domain.source import Stream

DEVICE = naa(SERIALS[0])
QUEUE = f"Device queue of simple ({DEVICE}) on esx-1:"


_LOWERED = (
    "less than the 32 expected from its settings with 2 VMs (db01, web_02%);"
    " possibly lowered by Storage I/O Control or adaptive queue depth, which are not read"
)


class Story:
    """Datastore "simple" on esx-1, where db01 and web_02% have a disk each; what the last ten minutes were like is up to the test."""

    def __init__(self, engine: Engine, environment: Environment) -> None:
        self._engine, self._environment = engine, environment
        self.store = environment.id("datastore", "simple")
        self.device = environment.id("host_device", f"esx-1/{DEVICE}")
        self.disks = [environment.id("vm_disk", f"{vm}/scsi0:0") for vm in ("vm-1", "vm-2")]
        self.change("UPDATE vm_placement SET host_id = (SELECT id FROM esxi_host WHERE key = 'esx-1')")

    def change(self, statement: str, **values: object) -> None:
        with transaction(self._engine) as connection:
            connection.execute(text(statement), values)

    def settings(self, configured: int | None, dsnro: int | None) -> None:
        with transaction(self._engine) as connection:
            connection.execute(
                text("UPDATE host_device SET queue_depth = :configured, dsnro = :dsnro WHERE id = :id"),
                {"configured": configured, "dsnro": dsnro, "id": self.device},
            )

    def reported(self, depth: int) -> None:
        """The host's own word for it, so that a depth is no mere setting."""
        with transaction(self._engine) as connection:
            samples = batch(Stream.HOST_DEVICE, f"esx-1/{DEVICE}", every(20, NOW - MINUTE, 3), queue_depth=depth)
            write_samples(connection, self._environment.vcenter, samples)

    def passes(
        self,
        depths: Sequence[float],
        writers: Sequence[int],
        *,
        ill: bool = True,
        limited: bool = False,
        well_minutes: int = 0,
    ) -> None:
        """Minute by minute up to NOW: the depth in force, and how many of both VMs do I/O; `limited` by the virtual disk's own limit.

        well_minutes: the first of them in which nothing waits.
        """
        for n, (depth, count) in enumerate(zip(depths, writers, strict=True)):
            at = NOW - (len(depths) - n) * MINUTE
            is_well = not ill or n < well_minutes
            # Where nothing waits there are few of them, here.
            few = 100 if n < well_minutes else 1
            row = minute(2_600_000 // few, 1_300_000 // few, HEALTHY if is_well else KERNEL, queue_depth=depth)
            if limited:
                queue_time = row[0].segment_time[..., Segment.KERNEL_QUEUE].copy()
                row[0].segment_time[..., Segment.KERNEL_QUEUE] = row[0].segment_time[..., Segment.HYPERVISOR]
                row[0].segment_time[..., Segment.HYPERVISOR] = queue_time
            self._environment.write(
                [
                    (ScopeKind.DATASTORE, self.store, at, row),
                    (ScopeKind.HOST_DEVICE, self.device, at, row),
                    *(
                        (ScopeKind.VM_DISK, disk, at, minute(40_000 if k < count else 0, 0, KERNEL))
                        for k, disk in enumerate(self.disks)
                    ),
                ]
            )

    def calm_device(self, minutes: int, depth: float) -> None:
        """The kernel's time is not below it, as far as its counters tell. 32 I/Os are in flight."""
        row = minute(2_600_000, 1_300_000, HEALTHY, queue_depth=depth)
        stamps = [NOW - n * MINUTE for n in range(1, minutes + 1)]
        self._environment.write([(ScopeKind.HOST_DEVICE, self.device, at, row) for at in stamps])


@pytest.fixture
def story(engine: Engine, environment: Environment) -> Story:
    return Story(engine, environment)


def caveats(client: TestClient, story: Story) -> list[str]:
    found = ask(client, f"datastores/{story.store}/diagnosis")["sentence"]["caveats"]
    return [one["text"] for one in found if one["code"] in ("queue_depth", "competing_worlds")]


def test_a_queue_in_which_little_of_the_kernels_time_is_explains_nothing(client: TestClient, story: Story) -> None:
    """The kernel takes its 438 µs above the device, as it does where a virtual disk's own queue is full; the device's takes 10."""
    story.settings(64, 32)
    story.reported(64)
    story.passes([64] * 6, [1] * 6)
    assert len(caveats(client, story)) == 1
    story.calm_device(6, 64.0)
    assert caveats(client, story) == []
    # In whole ms counters see no time in a queue that is full.
    story.calm_device(6, 32.0)
    assert len(caveats(client, story)) == 1


def test_a_second_vm_that_brings_dsnro_into_play_is_named_with_what_it_did(client: TestClient, story: Story) -> None:
    story.settings(64, 32)
    story.reported(32)
    story.passes([64] * 4 + [32] * 6, [1] * 4 + [2] * 6)
    assert caveats(client, story) == [
        f"{QUEUE} DQLEN 32, limited by DSNRO 32 (device queue depth 64), as 2 VMs (db01, web_02%) issue I/O",
        f"Competing worlds: DQLEN fell from 64 to 32 at {NOW - 6 * MINUTE:%H:%M} UTC, when web_02% started I/O",
    ]
    found = ask(client, f"datastores/{story.store}/diagnosis")
    mine = {one["name"]: one for one in found["evidence"] if one["subject"]["kind"] == "device"}
    assert {name: (one["value"], one["unit"]) for name, one in mine.items()} == {
        "queue_depth": (32, "I/Os"),
        "device_depth": (64, "I/Os"),
        "dsnro": (32, "I/Os"),
        "active_vms": (2, "count"),
    }
    assert "competing worlds" in mine["dsnro"]["counter"]
    assert {one["subject"]["name"] for one in mine.values()} == {DEVICE}


def test_a_depth_under_which_all_ios_waited_is_told_of_whatever_most_minutes_had(
    client: TestClient, story: Story
) -> None:
    story.settings(64, 32)
    story.reported(32)
    story.passes([64] * 7 + [32] * 2, [1] * 7 + [2] * 2, well_minutes=7)
    assert caveats(client, story) == [
        f"{QUEUE} DQLEN 32, limited by DSNRO 32 (device queue depth 64), as 2 VMs (db01, web_02%) issue I/O",
        f"Competing worlds: DQLEN fell from 64 to 32 at {NOW - 2 * MINUTE:%H:%M} UTC, when web_02% started I/O",
    ]


@pytest.mark.parametrize(
    ("own", "depth", "writers", "why"),
    [
        ((64, 32), 64, 1, "its own depth, as only one VM (db01) issues I/O"),
        ((32, 32), 32, 2, "its own depth: DSNRO 32 is not below it (2 VMs (db01, web_02%) issue I/O)"),
        ((64, 32), 16, 2, _LOWERED),
        ((64, 32), 32, 1, "limited by DSNRO as if several VMs issued I/O; 64 expected from its settings with one VM (db01)"),
        ((32, 32), 96, 1, "more than the 32 expected from its settings with one VM (db01)"),
        ((64, None), 32, 2, "cause unknown: DSNRO not read (esxcli)"),
        ((None, 32), 32, 2, "cause unknown: device queue depth not read"),
    ],
)  # fmt: skip
def test_why_a_depth_is_in_force_is_said_as_far_as_it_is_known(
    client: TestClient, story: Story, own: tuple[int | None, int | None], depth: int, writers: int, why: str
) -> None:
    story.settings(*own)
    story.reported(depth)
    story.passes([depth] * 10, [writers] * 10)
    assert caveats(client, story) == [f"{QUEUE} DQLEN {depth}, {why}"]


def test_a_depth_that_only_the_settings_tell_is_not_called_measured(client: TestClient, story: Story) -> None:
    story.settings(64, 32)
    story.passes([64] * 10, [2] * 10)
    assert caveats(client, story) == [f"{QUEUE} depth 64 as configured, DQLEN not measured"]
    names = {one["name"] for one in _of_device(client, story)}
    assert names == {"device_depth", "dsnro", "active_vms"}


def test_a_depth_that_nobody_tells_is_not_measured(client: TestClient, story: Story) -> None:
    story.settings(None, None)
    story.passes([float("nan")] * 10, [2] * 10)
    assert caveats(client, story) == [f"{QUEUE} depth not measured"]


def test_vms_that_were_not_measured_are_not_counted(client: TestClient, story: Story) -> None:
    story.settings(64, 32)
    story.reported(32)
    story.passes([32] * 10, [2] * 10)
    story.change("DELETE FROM ledger_leaf_1m WHERE entity_id < (2 << 27)")
    assert caveats(client, story) == [f"{QUEUE} DQLEN 32, cause unknown: VMs with I/O not measured"]
    assert "active_vms" not in {one["name"] for one in _of_device(client, story)}


def test_settings_that_changed_later_are_those_of_the_window(client: TestClient, story: Story) -> None:
    story.settings(64, 32)
    story.reported(32)
    story.passes([32] * 10, [2] * 10)
    story.change(
        "INSERT INTO event (source_id, happened_at, kind, subject_table, subject_id, subject_name, before, after)"
        " SELECT source_id, CAST(:later AS timestamptz), 'dsnro', 'host_device', id, 'x', '32', '64'"
        f" FROM host_device WHERE id = {story.device}",
        later=clock.now() + timedelta(minutes=1),
    )
    story.settings(64, 64)
    assert "limited by DSNRO 32" in caveats(client, story)[0]


def test_a_vm_is_counted_where_it_ran(client: TestClient, story: Story) -> None:
    """It came in the middle: before that its I/O was another host's."""
    story.settings(64, 32)
    story.reported(32)
    story.passes([64] * 5 + [32] * 5, [2] * 10)
    at = f"timestamptz '{(NOW - 5 * MINUTE).isoformat()}'"
    mine = "vm_id = (SELECT id FROM vm WHERE key = 'vm-2')"
    story.change(
        f"UPDATE vm_placement SET valid_from = {at} - interval '1 day', valid_to = {at},"
        f" host_id = (SELECT id FROM esxi_host WHERE key = 'esx-2') WHERE {mine}"
    )
    story.change(
        "INSERT INTO vm_placement (vm_id, host_id, valid_from)"
        f" SELECT m.id, h.id, {at} FROM vm m, esxi_host h WHERE m.key = 'vm-2' AND h.key = 'esx-1'"
    )
    assert caveats(client, story)[1].startswith("Competing worlds: DQLEN fell from 64 to 32")


def test_a_full_queue_is_told_though_another_layer_is_named_and_one_with_room_is_not(
    client: TestClient, story: Story
) -> None:
    story.settings(64, 32)
    story.reported(32)
    story.passes([32] * 5, [2] * 5, ill=False)
    assert caveats(client, story)[0].startswith(f"{QUEUE} DQLEN 32")
    story.passes([64] * 5, [2] * 5, ill=False)
    assert caveats(client, story) == []


def test_a_virtual_disks_own_limit_is_no_matter_of_the_devices_queue(client: TestClient, story: Story) -> None:
    story.settings(64, 32)
    story.passes([64] * 5, [1] * 5, limited=True)
    assert ask(client, f"datastores/{story.store}/diagnosis")["sentence"]["head"]["text"].startswith(
        "Kernel on esx-1, mostly hypervisor: "
    )
    assert caveats(client, story) == []
    story.reported(32)
    story.passes([32] * 5, [1] * 5, limited=True)
    assert caveats(client, story)[0].startswith(f"{QUEUE} DQLEN 32")


def _of_device(client: TestClient, story: Story) -> list[dict[str, Any]]:
    evidence: list[dict[str, Any]] = ask(client, f"datastores/{story.store}/diagnosis")["evidence"]
    return [one for one in evidence if one["subject"]["kind"] == "device"]
