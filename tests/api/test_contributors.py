"""Who takes part in a layer's time, over HTTP: VMs and hosts, and what is of none of them."""

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from tests.api.ledgers import HEALTHY, KERNEL, NOW, Environment, Interval, ask, minute, span
from tests.db.environments import SERIALS, naa, stretched_peer

from gavel.db.engine import transaction
from gavel.db.queries.sources import add_source
from gavel.db.write.inventory import store_inventory
from gavel.domain.inventory import InventoryTaken
from gavel.domain.io_path import Layer
from gavel.domain.scope import ScopeKind
from gavel.domain.source import SourceKind

DATASTORE = ScopeKind.DATASTORE


def test_contributors_are_vms_and_hosts_by_their_time_in_the_layer(
    client: TestClient, environment: Environment, store: int
) -> None:
    environment.last_minutes(DATASTORE, store, 5, minute(80_000, 0, KERNEL))
    for disk, ops in (("vm-1/scsi0:0", 60_000), ("vm-2/scsi0:0", 15_000)):
        environment.last_minutes(ScopeKind.VM_DISK, environment.id("vm_disk", disk), 5, minute(ops, 0, KERNEL))
    for host, ops in (("esx-1", 62_000), ("esx-2", 18_000)):
        device = environment.id("host_device", f"{host}/{naa(SERIALS[0])}")
        environment.last_minutes(ScopeKind.HOST_DEVICE, device, 5, minute(ops, 0, KERNEL))
    found = ask(client, f"datastores/{store}/contributors?layer=san")
    assert found["layer"] == "san"
    # Of the datastore's time, not of that of the VMs: 5,000 I/Os come from none of them.
    told = [(one["subject"]["name"], one["time_share"]) for one in found["vms"]]
    assert told == [("db01", pytest.approx(0.75)), ("web_02%", pytest.approx(0.1875))]
    assert [one["subject"]["name"] for one in found["hosts"]] == ["esx-1", "esx-2"]
    assert found["vms"][0]["us"] == pytest.approx(92)
    assert found["vms"][0]["ios"] == pytest.approx(1_000 * 92e-6)
    assert found["non_vm_iops"] == pytest.approx(5_000 / 60)


def test_vms_and_hosts_share_the_same_time_and_what_is_of_none_of_them_is_told(
    client: TestClient, environment: Environment, store: int
) -> None:
    """Of 438 µs in the kernel 44 are above the device; 5,000 of 80,000 I/Os come from no VM."""
    environment.last_minutes(DATASTORE, store, 5, minute(80_000, 0, KERNEL))
    below: dict[int, Interval] = {**KERNEL, span(Layer.KERNEL): (394.2, 388.0, 400.0)}
    for disk, ops in (("vm-1/scsi0:0", 60_000), ("vm-2/scsi0:0", 15_000)):
        environment.last_minutes(ScopeKind.VM_DISK, environment.id("vm_disk", disk), 5, minute(ops, 0, KERNEL))
    for host, ops in (("esx-1", 60_000), ("esx-2", 20_000)):
        device = environment.id("host_device", f"{host}/{naa(SERIALS[0])}")
        environment.last_minutes(ScopeKind.HOST_DEVICE, device, 5, minute(ops, 0, below))
    found = ask(client, f"datastores/{store}/contributors?layer=kernel")
    occupancy = ask(client, f"datastores/{store}/occupancy")["layers"][0]
    assert found["ios"] == pytest.approx(occupancy["ios"]) == pytest.approx(80_000 / 60 * 438e-6)
    vms, hosts = found["vms"], found["hosts"]
    assert [one["time_share"] for one in vms] == pytest.approx([60 / 80, 15 / 80])
    assert found["vms_rest_ios"] == pytest.approx(5_000 / 60 * 438e-6)
    # The host's disks have 43.8 µs above its devices, and of esx-2 only three quarters of the I/Os are theirs.
    assert [one["us"] for one in hosts] == pytest.approx([438.0, 394.2 + 0.75 * 43.8])
    assert hosts[0]["lower_ios"] == pytest.approx(1_000 * 425e-6)
    assert hosts[0]["upper_ios"] == pytest.approx(1_000 * 451e-6)
    assert found["hosts_rest_ios"] == pytest.approx(5_000 / 60 * 43.8e-6)
    for listed, rest in ((vms, found["vms_rest_ios"]), (hosts, found["hosts_rest_ios"])):
        assert sum(one["ios"] for one in listed) + rest == pytest.approx(found["ios"])
        assert sum(one["time_share"] for one in listed) + rest / found["ios"] == pytest.approx(1)
        assert all(one["share_lower"] <= one["time_share"] <= one["share_upper"] for one in listed)


def test_a_share_of_what_may_be_nothing_has_a_bound_beside_it(
    client: TestClient, environment: Environment, store: int
) -> None:
    """Whole milliseconds: nothing was seen to wait, and up to 0.3 ms may have."""
    unseen: dict[int, Interval] = {**HEALTHY, span(Layer.KERNEL): (0.0, 0.0, 300.0)}
    environment.last_minutes(DATASTORE, store, 5, minute(80_000, 0, unseen))
    for host, ops in (("esx-1", 60_000), ("esx-2", 20_000)):
        device = environment.id("host_device", f"{host}/{naa(SERIALS[0])}")
        environment.last_minutes(ScopeKind.HOST_DEVICE, device, 5, minute(ops, 0, unseen))
    found = ask(client, f"datastores/{store}/contributors?layer=kernel")
    assert (found["ios"], found["hosts_rest_ios"]) == (0, 0)
    for one in found["hosts"]:
        assert one["upper_ios"] > 0
        assert (one["time_share"], one["share_lower"], one["share_upper"]) == (None, 0, 1)


def test_an_array_shares_the_ios_of_a_stretched_volume_with_the_other_one(engine: Engine, client: TestClient) -> None:
    """3 in 4 of the stretched volume's I/Os were the peer's: hosts and VMs have no more of this array than it did."""
    environment = Environment.made(engine)
    environment.attributed_until(NOW)
    with transaction(engine) as connection:
        peer = add_source(
            connection, kind=SourceKind.FLASHARRAY, name="peer", address="192.0.2.2", settings={}, enabled=True, now=NOW
        )
        store_inventory(connection, peer, InventoryTaken(stretched_peer(), NOW))
    array = environment.id("storage_array", "array-a")
    environment.last_minutes(ScopeKind.ARRAY, array, 5, minute(30_000, 0, KERNEL))
    for disk, ops in (("vm-1/scsi0:3", 40_000), ("vm-2/scsi0:0", 20_000)):
        environment.last_minutes(ScopeKind.VM_DISK, environment.id("vm_disk", disk), 5, minute(ops, 0, KERNEL))
    for device, ops in ((f"esx-1/{naa(SERIALS[5])}", 40_000), (f"esx-2/{naa(SERIALS[0])}", 20_000)):
        environment.last_minutes(
            ScopeKind.HOST_DEVICE, environment.id("host_device", device), 5, minute(ops, 0, KERNEL)
        )
    found = ask(client, f"arrays/{array}/contributors?layer=array")
    for listed in (found["vms"], found["hosts"]):
        assert [one["iops"] for one in listed] == pytest.approx([20_000 / 60, 10_000 / 60])
        assert sum(one["ios"] for one in listed) == pytest.approx(found["ios"])


def test_contributors_of_an_nfs_datastore_are_told_by_disks_alone(client: TestClient, environment: Environment) -> None:
    nfs = environment.id("datastore", "nfs")
    rest: dict[int, Interval] = {span(Layer.KERNEL, Layer.ARRAY): (900.0, 890.0, 910.0)}
    environment.last_minutes(DATASTORE, nfs, 5, minute(6_000, 0, rest))
    environment.last_minutes(ScopeKind.VM_DISK, environment.id("vm_disk", "vm-1/scsi0:4"), 5, minute(6_000, 0, rest))
    found = ask(client, f"datastores/{nfs}/contributors?layer=array")
    assert [(one["subject"]["name"], one["is_merged"]) for one in found["vms"]] == [("db01", True)]
    assert [one["subject"]["name"] for one in found["hosts"]] == ["esx-1"]
    assert found["non_vm_iops"] is None
