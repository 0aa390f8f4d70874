"""Inventories: the stored environment follows the source, history never mixes, and every change of note is an event."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.db.conftest import Store
from tests.db.environments import SERIALS, array_inventory, batch, host_inventory, naa

from gavel.db.errors import NotFoundError
from gavel.db.write.inventory_kinds import ARRAY_KINDS, HOST_KINDS
from gavel.db.write.inventory_sync import Counts
from gavel.domain.inventory import HostInventory, Inventory
from gavel.domain.source import Stream

NOW = datetime.now(UTC).replace(microsecond=0)
STEP = timedelta(minutes=5)


def everything(store: Store, source_id: int) -> dict[str, list[tuple[object, ...]]]:
    kinds = {kind.table.name: kind for kind in (*ARRAY_KINDS, *HOST_KINDS)}
    owners = {"pod_array": "pod", "datastore_extent": "datastore", "datastore_host": "datastore"}
    owners |= {"vm_placement": "vm", "vm_disk_placement": "vm_disk"}
    own = "SELECT * FROM {} WHERE source_id = :id ORDER BY id"
    link = "SELECT l.* FROM {} l JOIN {} o ON o.id = l.{}_id WHERE o.source_id = :id ORDER BY 1, 2"
    things = {name: store.rows(own.format(name), id=source_id) for name in kinds}
    return things | {n: store.rows(link.format(n, owner, owner), id=source_id) for n, owner in owners.items()}


def events(store: Store, source_id: int) -> list[tuple[object, ...]]:
    query = "SELECT kind, subject_table, subject_name, before, after FROM event WHERE source_id = :id ORDER BY id"
    return store.rows(query, id=source_id)


@pytest.mark.parametrize("inventory", [array_inventory(), host_inventory()], ids=["array", "vcenter"])
def test_the_same_inventory_again_changes_no_row(store: Store, inventory: Inventory) -> None:
    source_id = store.with_environment(inventory, NOW)
    before = everything(store, source_id)
    again = store.take(source_id, inventory, NOW + STEP)
    assert all(counts == Counts() for counts in again.tables.values())
    assert (again.events, everything(store, source_id)) == (0, before)


def test_everything_in_an_inventory_is_stored(store: Store) -> None:
    source_id = store.source()
    stored = store.take(source_id, array_inventory(), NOW)
    assert {name: counts.added for name, counts in stored.tables.items()} == {
        "label": 0, "storage_array": 1, "pod": 1, "volume_group": 1, "volume": 8, "array_host": 1, "connection": 8, "array_port": 1,
        "directory_export": 1, "array_directory": 1,
    }  # fmt: skip
    row = "SELECT serial, pod_id IS NOT NULL, vvol_id FROM volume WHERE source_id = :id AND key = 'id-v5'"
    assert store.rows(row, id=source_id) == [(SERIALS[5], True, None)]
    arrays = "SELECT array_key FROM pod_array a JOIN pod p ON p.id = a.pod_id WHERE source_id = :id ORDER BY 1"
    assert store.rows(arrays, id=source_id) == [("array-a",), ("array-b",)]
    assert store.rows("SELECT identity, inventory_at FROM source WHERE id = :id", id=source_id) == [("array-a", NOW)]


def test_an_older_inventory_is_ignored(store: Store) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    before = everything(store, source_id)
    old = replace(host_inventory(), vms=(), disks=())
    assert store.take(source_id, old, NOW - STEP).tables == {}
    assert everything(store, source_id) == before


def test_an_inventory_of_a_removed_source_is_refused(store: Store) -> None:
    with pytest.raises(NotFoundError, match="2147483647"):
        store.take(2**31 - 1, host_inventory(), NOW)


def test_what_vanishes_keeps_its_row_and_returns_under_its_old_id(store: Store) -> None:
    inventory = host_inventory()
    source_id = store.with_environment(inventory, NOW)
    query = "SELECT id, present, last_seen_at FROM vm WHERE source_id = :id AND key = 'vm-2'"
    ((vm_id, *_),) = store.rows(query, id=source_id)
    without = replace(inventory, vms=inventory.vms[:1], disks=inventory.disks[:-1])
    assert store.take(source_id, without, NOW + STEP).tables["vm"] == Counts(vanished=1)
    assert store.rows(query, id=source_id) == [(vm_id, False, NOW)]
    assert store.take(source_id, inventory, NOW + 2 * STEP).tables["vm"] == Counts(changed=1)
    assert store.rows(query, id=source_id) == [(vm_id, True, NOW + 2 * STEP)]


def test_a_moved_vm_has_a_range_for_every_host_it_was_on(store: Store) -> None:
    inventory = host_inventory()
    source_id = store.with_environment(inventory, NOW)
    moved = replace(inventory, vms=(replace(inventory.vms[0], host_key="esx-2"), inventory.vms[1]))
    store.take(source_id, moved, NOW + STEP)
    store.take(source_id, replace(moved, vms=moved.vms[1:], disks=moved.disks[-1:]), NOW + 2 * STEP)
    ranges = (
        "SELECT h.name, p.valid_from, p.valid_to FROM vm_placement p JOIN vm m ON m.id = p.vm_id"
        " JOIN esxi_host h ON h.id = p.host_id WHERE m.source_id = :id AND m.key = 'vm-1' ORDER BY 2"
    )
    assert store.rows(ranges, id=source_id) == [("esx-1", NOW, NOW + STEP), ("esx-2", NOW + STEP, NOW + 2 * STEP)]
    assert ("moved", "vm", "db01", "esx-1", "esx-2") in events(store, source_id)


def test_a_disk_moved_to_another_datastore_has_a_range_for_both(store: Store) -> None:
    inventory = host_inventory()
    source_id = store.with_environment(inventory, NOW)
    disks = (replace(inventory.disks[0], datastore_key="nvme"), *inventory.disks[1:])
    store.take(source_id, replace(inventory, disks=disks), NOW + STEP)
    ranges = (
        "SELECT d.name, p.valid_to FROM vm_disk_placement p JOIN vm_disk k ON k.id = p.vm_disk_id"
        " JOIN datastore d ON d.id = p.datastore_id WHERE k.source_id = :id AND k.key = 'vm-1/scsi0:0' ORDER BY p.valid_from"
    )
    assert store.rows(ranges, id=source_id) == [("simple", NOW + STEP), ("nvme", None)]


def test_changes_of_note_are_events_with_before_and_after(store: Store) -> None:
    inventory = host_inventory()
    source_id = store.with_environment(inventory, NOW)
    changed = replace(
        inventory,
        devices=(replace(inventory.devices[0], queue_depth=64), *inventory.devices[1:]),
        paths=(replace(inventory.paths[0], state="dead"), *inventory.paths[1:]),
        vms=(replace(inventory.vms[0], name="db02"), inventory.vms[1]),
        disks=(replace(inventory.disks[0], snapshot_depth=1), *inventory.disks[1:]),
    )
    assert store.take(source_id, changed, NOW + STEP).events == 4
    assert sorted(events(store, source_id)) == [
        ("path_state", "path", "esx-1/p0", "active", "dead"),
        ("queue_depth", "host_device", naa(SERIALS[0]), "32", "64"),
        ("renamed", "vm", "db02", "db01", "db02"),
        ("snapshot_depth", "vm_disk", "Hard disk 1", "0", "1"),
    ]


def test_another_volume_under_the_same_key_is_a_new_row_with_its_own_samples(store: Store) -> None:
    inventory = array_inventory()
    source_id = store.with_environment(inventory, NOW)
    end = NOW - timedelta(hours=1)
    sample = batch(Stream.ARRAY_VOLUME, "id-v0", [end], 30, read_ops=1)
    store.write(source_id, sample)
    other = (replace(inventory.volumes[0], serial=SERIALS[14]), *inventory.volumes[1:])
    assert store.take(source_id, replace(inventory, volumes=other), NOW + STEP).tables["volume"] == Counts(
        added=1, retired=1
    )
    assert store.write(source_id, sample).new_rows == 1
    rows = (
        "SELECT v.key = 'id-v0' || CASE WHEN v.present THEN '' ELSE '~' || v.id END, v.serial, s.ts FROM array_volume_sample s"
        " JOIN volume v ON v.id = s.entity_id WHERE v.source_id = :id ORDER BY v.id"
    )
    assert store.rows(rows, id=source_id) == [(True, SERIALS[0], end), (True, SERIALS[14], end)]
    assert ("replaced", "volume", "v0", None, None) in events(store, source_id)


def test_another_host_under_the_same_key_takes_none_of_the_old_ones_devices(store: Store) -> None:
    inventory = host_inventory()
    source_id = store.with_environment(inventory, NOW)
    hosts = (replace(inventory.hosts[0], hardware_uuid="another"), inventory.hosts[1])
    tables = store.take(source_id, replace(inventory, hosts=hosts), NOW + STEP).tables
    assert tables["esxi_host"] == Counts(added=1, retired=1)
    assert tables["host_device"] == Counts(added=8, retired=8)
    assert (tables["path"], tables["hba"]) == (Counts(added=2, retired=2), Counts(added=1, retired=1))


def test_another_vcenter_behind_the_address_starts_from_nothing(store: Store) -> None:
    source_id = store.with_environment(host_inventory("vc-1"), NOW)
    tables = store.take(source_id, host_inventory("vc-2"), NOW + STEP).tables
    assert (tables["vm"].added, tables["host_device"].added, tables["path"].added) == (2, 16, 4)
    assert store.value("SELECT count(*) FROM vm WHERE source_id = :id AND present", id=source_id) == 2
    assert store.value("SELECT count(*) FROM vm_placement p JOIN vm m ON m.id = p.vm_id"
                       " WHERE m.source_id = :id AND valid_to IS NULL", id=source_id) == 2  # fmt: skip
    store.take(source_id, host_inventory("vc-1"), NOW + 2 * STEP)
    assert store.value("SELECT count(*) FROM vm WHERE source_id = :id", id=source_id) == 6


def test_parts_whose_whole_is_missing_wait_for_the_next_inventory(store: Store) -> None:
    inventory = host_inventory()
    source_id = store.source()
    torn = replace(inventory, vms=inventory.vms[:1])
    assert store.take(source_id, torn, NOW).tables["vm_disk"] == Counts(added=7, orphans=1)
    assert store.take(source_id, inventory, NOW + STEP).tables["vm_disk"] == Counts(added=1)


def test_names_from_outside_are_stored_on_one_line_without_controls_and_bounded(store: Store) -> None:
    names = ("x" * 300, "<script>", "a\\Nb", "😀", "\u202ertl", "a\tb\nc", "nul\0", "x" * 1_000_000)
    inventory = host_inventory()
    vms = tuple(replace(inventory.vms[0], key=f"vm-{n}", instance_uuid=None, name=name) for n, name in enumerate(names))
    source_id = store.with_environment(
        HostInventory(inventory.vcenter, inventory.clusters, inventory.hosts, (), (), (), (), vms, ()), NOW
    )
    stored = [row[0] for row in store.rows("SELECT name FROM vm WHERE source_id = :id ORDER BY key", id=source_id)]
    assert stored == [*names[:4], "\ufffdrtl", "a b c", "nul\ufffd", "x" * 1023 + "…"]


def test_a_thing_listed_twice_is_one_thing(store: Store) -> None:
    inventory = array_inventory()
    source_id = store.source()
    doubled = replace(inventory, volumes=inventory.volumes * 2)
    assert store.take(source_id, doubled, NOW).tables["volume"].added == 8
