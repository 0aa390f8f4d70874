"""What is on one side only: every kind with its reason and remedy, what needs somebody apart from what is as it should be."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.db.conftest import Store
from tests.db.environments import array_inventory, disk, host_inventory, naa, serials, volume

from gavel.db.engine import reading
from gavel.db.queries.refs import RefKind
from gavel.db.queries.unmatched import UnmatchedKind, UnmatchedQuery, UnmatchedRecord, UnmatchedRecords, unmatched
from gavel.domain.inventory import ArrayHost, ArrayInventory, Connection, DirectoryExport, HostInventory, UnknownPath

NOW = datetime.now(UTC).replace(microsecond=0)
SERIAL = serials(0x9714)


@dataclass
class Both:
    """An array and a vCenter as a test made them."""

    store: Store
    array: int
    vcenter: int

    def page(self, **query: object) -> UnmatchedRecords:
        with reading(self.store.engine) as connection:
            return unmatched(connection, UnmatchedQuery(**query))  # type: ignore[arg-type]

    def of(self, kind: UnmatchedKind) -> dict[str, UnmatchedRecord]:
        return {row.name: row for row in self.page(kind=kind).items}


def both(store: Store, array: ArrayInventory | None = None, hosts: HostInventory | None = None) -> Both:
    return Both(
        store,
        store.with_environment(array or array_inventory(), NOW),
        store.with_environment(hosts or host_inventory(), NOW),
    )


def with_volumes(*more: tuple[str, str, str | None, Mapping[str, object]]) -> ArrayInventory:
    """The small array and volumes of (name, serial, host they are connected to)."""
    small = array_inventory()
    hosts = (
        ArrayHost("linux", "linux", None, True, (), ("iqn.linux",), (), (), None),
        ArrayHost("esx-9", "esx-9", "esxi", True, ("52:4A:93:99",), (), (), (), None),
        ArrayHost("esx-2", "esx-2", "esxi", True, ("20:00",), (), (), (), None),
    )
    made = tuple(volume(name, serial, **values) for name, serial, _, values in more)
    connections = tuple(Connection(host, None, f"id-{name}", 2, None) for name, _, host, _ in more if host)
    return replace(
        small,
        volumes=small.volumes + made,
        hosts=small.hosts + hosts,
        connections=small.connections + connections,
    )


def test_datastores_and_devices_without_a_volume_are_listed_with_who_sees_them(plain: Store) -> None:
    found = both(plain)
    stores, devices = found.of(UnmatchedKind.DATASTORE), found.of(UnmatchedKind.DEVICE)
    assert {name: row.needs_action for name, row in stores.items()} == {
        "unknown": True, "nfs-elsewhere": True, "local": False
    }  # fmt: skip
    assert SERIAL[14] in stores["unknown"].reason
    assert "Add its array" in stores["unknown"].remedy
    assert (stores["local"].hosts, stores["local"].shown_at.kind) == (("esx-1", "esx-2"), RefKind.DATASTORE)
    (local,) = devices.values()
    assert (local.name, local.hosts, local.needs_action) == ("naa.5000c500a1b2c3d4", ("esx-1", "esx-2"), False)
    assert (local.shown_at.kind, local.shown_at.name, local.source.kind) == (RefKind.HOST, "esx-1", RefKind.SOURCE)


def test_counters_of_a_path_that_the_inventory_names_otherwise_are_listed_with_both_names(plain: Store) -> None:
    unknown = (
        UnknownPath("esx-1/iqn.a-naa.1", "esx-1", "iqn.a-naa.1", ("vmhba64:C0:T0:L1", "vmhba64:C1:T0:L1")),
        UnknownPath("esx-2/fc.b-naa.1", "esx-2", "fc.b-naa.1", ()),
    )
    found = both(plain, hosts=replace(host_inventory(), unknown_paths=unknown))
    rows = found.of(UnmatchedKind.PATH)
    named, without = rows["iqn.a-naa.1"], rows["fc.b-naa.1"]
    assert "vmhba64:C0:T0:L1, vmhba64:C1:T0:L1" in named.reason
    assert (named.hosts, named.shown_at.kind, named.shown_at.name, named.needs_action) == (
        ("esx-1",), RefKind.HOST, "esx-1", True,
    )  # fmt: skip
    assert "not in the inventory" in without.reason
    assert found.page(search="C1:T0").total == 1
    found.store.take(found.vcenter, host_inventory(), NOW + timedelta(minutes=5))
    assert found.of(UnmatchedKind.PATH) == {}


def test_a_device_of_an_array_that_nobody_polls_needs_somebody(plain: Store) -> None:
    hosts = host_inventory()
    strange = replace(hosts.devices[0], key="esx-1/strange", canonical_name=naa(SERIAL[13]))
    row = both(plain, hosts=replace(hosts, devices=(*hosts.devices, strange))).of(UnmatchedKind.DEVICE)[naa(SERIAL[13])]
    assert (row.hosts, row.needs_action) == (("esx-1",), True)
    assert f"No polled array has a volume with serial {SERIAL[13]}" in row.reason


@pytest.mark.parametrize(
    ("name", "host", "values", "reason", "needs_action"),
    [
        ("unseen", "esx-1", {}, "Connected to esx-1, where no device has its serial", True),
        ("unseen-too", "esx-2", {}, "Connected to esx-2, where no device has its serial", True),
        ("elsewhere", "esx-9", {}, "Connected to esx-9, which no polled vCenter has", True),
        ("database", "linux", {}, "does not list as ESXi", False),
        ("home", "esx-1", {"vvol_id": "rfc4122.home"}, "the home, the swap file or a snapshot", False),
    ],
)
def test_a_connected_volume_without_a_device_says_which_host_is_missing_it(
    plain: Store, name: str, host: str, values: Mapping[str, object], reason: str, needs_action: bool
) -> None:
    """esx-1 is known by its other volumes, esx-2 by its initiator alone."""
    found = both(plain, with_volumes((name, SERIAL[9], host, values), ("spare", SERIAL[10], None, {})))
    (row,) = found.of(UnmatchedKind.VOLUME).values()
    assert (row.name, row.hosts, row.needs_action) == (name, (host,), needs_action)
    assert reason in row.reason
    assert row.remedy
    assert (row.source.id, row.shown_at.kind) == (found.array, RefKind.VOLUME)


def test_two_volumes_with_one_serial_are_both_listed_and_so_is_their_device(plain: Store) -> None:
    found = both(plain, with_volumes(("twin", SERIAL[0], "esx-1", {})))
    volumes = found.of(UnmatchedKind.VOLUME)
    assert set(volumes) == {"v0", "twin"}
    rows = [
        *volumes.values(),
        found.of(UnmatchedKind.DEVICE)[naa(SERIAL[0])],
        found.of(UnmatchedKind.DATASTORE)["simple"],
    ]
    assert all(f"2 volumes have the serial {SERIAL[0]}" in row.reason and row.needs_action for row in rows)


def test_disks_with_a_volume_of_their_own_are_listed_with_their_vm(plain: Store) -> None:
    hosts = host_inventory()
    more = (
        disk("vm-2", 1, "simple", device_name=naa(SERIAL[12])),
        disk("vm-2", 2, "vvol", vvol_id="rfc4122.nowhere"),
    )
    rows = both(plain, hosts=replace(hosts, disks=hosts.disks + more)).of(UnmatchedKind.VIRTUAL_DISK)
    assert set(rows) == {"web_02%: Hard disk 2", "web_02%: Hard disk 3"}
    assert {row.shown_at.kind for row in rows.values()} == {RefKind.VM}
    assert "vVol id rfc4122.nowhere" in rows["web_02%: Hard disk 3"].reason


def test_exports_that_nobody_mounts_are_listed_and_disabled_ones_are_not(plain: Store) -> None:
    small = array_inventory()
    more = (
        DirectoryExport("backup", "backup", "/backup", "fs:root", enabled=True),
        DirectoryExport("off", "off", "/off", "fs:root", enabled=False),
    )
    (row,) = both(plain, replace(small, exports=small.exports + more)).of(UnmatchedKind.EXPORT).values()
    assert (row.name, row.needs_action, row.shown_at.kind) == ("backup", False, RefKind.ARRAY)


def test_an_nfs_datastore_whose_export_has_no_directory_has_no_arrays_side(plain: Store) -> None:
    small = array_inventory()
    row = both(plain, replace(small, directories=())).of(UnmatchedKind.DATASTORE)["nfs"]
    assert "from no managed directory" in row.reason
    assert row.needs_action


def test_what_needs_somebody_comes_first_and_pages_search_and_counts_hold(plain: Store) -> None:
    found = both(plain, with_volumes(("unseen", SERIAL[9], "esx-1", {}), ("database", SERIAL[10], "linux", {})))
    everything = found.page()
    assert [row.name for row in everything.items] == [
        "nfs-elsewhere", "unknown", "unseen", "local", "naa.5000c500a1b2c3d4", "database"
    ]  # fmt: skip
    pages = [found.page(limit=4), found.page(limit=4, offset=4)]
    assert tuple(row for page in pages for row in page.items) == everything.items
    assert {page.total for page in pages} == {6}
    assert [row.name for row in found.page(search="LINUX").items] == ["database"]
    assert [row.name for row in found.page(source_id=found.array).items] == ["unseen", "database"]
    assert found.page(needs_action=True).total == 3
    counts = {each.kind: (each.needs_action, each.expected) for each in found.page(search="nothing like it").counts}
    assert counts == {
        UnmatchedKind.DATASTORE: (2, 1), UnmatchedKind.DEVICE: (0, 1), UnmatchedKind.VIRTUAL_DISK: (0, 0),
        UnmatchedKind.PATH: (0, 0),
        UnmatchedKind.VOLUME: (1, 1), UnmatchedKind.EXPORT: (0, 0),
    }  # fmt: skip


def test_where_everything_is_matched_nothing_is_listed(plain: Store) -> None:
    hosts = host_inventory()
    known = tuple(each for each in hosts.datastores if each.name not in ("local", "unknown", "nfs-elsewhere"))
    devices = tuple(each for each in hosts.devices if "5000c500" not in each.canonical_name)
    page = both(plain, hosts=replace(hosts, datastores=known, devices=devices)).page()
    assert (page.items, page.total) == ((), 0)
    assert sum(each.needs_action + each.expected for each in page.counts) == 0
