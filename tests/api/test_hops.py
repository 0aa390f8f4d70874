"""The way of I/Os over HTTP: who stands on it, how loaded each is, the time between, and what nobody timed."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text
from tests.api.ledgers import KERNEL, NOW, Environment, Interval, ask, minute, span
from tests.db.environments import SERIALS, batch, naa

from gavel.analysis.attribution import QualityReason
from gavel.db.engine import transaction
from gavel.db.write.samples import write_samples
from gavel.domain.io_path import Layer
from gavel.domain.scope import ScopeKind
from gavel.domain.source import Stream

DISK, DEVICE, VOLUME, ARRAY = ScopeKind.VM_DISK, ScopeKind.HOST_DEVICE, ScopeKind.VOLUME, ScopeKind.ARRAY


def by_name(answer: Any) -> dict[str, Any]:
    return {hop["name"]: hop for hop in answer["hops"]}


def times(answer: Any) -> dict[tuple[str, str], Any]:
    return {(link["from_id"], link["to_id"]): link for link in answer["links"]}


@pytest.fixture
def way(environment: Environment, store: int) -> Environment:
    """Five minutes of a datastore with a disk of each of two VMs; one host does nearly everything."""
    environment.last_minutes(ScopeKind.DATASTORE, store, 5, minute(66_000, 0, KERNEL))
    for disk, ops in (("vm-1/scsi0:0", 60_000), ("vm-2/scsi0:0", 6_000)):
        environment.last_minutes(DISK, environment.id("vm_disk", disk), 5, minute(ops, 0, KERNEL))
    for host, ops in (("esx-1", 60_000), ("esx-2", 6_000)):
        device = environment.id("host_device", f"{host}/{naa(SERIALS[0])}")
        environment.last_minutes(DEVICE, device, 5, minute(ops, 0, KERNEL))
    below: dict[int, Interval] = {key: KERNEL[key] for key in (span(Layer.SAN), span(Layer.ARRAY))}
    environment.last_minutes(VOLUME, environment.id("volume", "id-v0"), 5, minute(66_000, 0, below))
    environment.last_minutes(ARRAY, environment.id("storage_array", "array-a"), 5, minute(132_000, 0, below))
    return environment


def test_every_hop_from_vm_to_array_has_its_load_and_the_busiest_comes_first(
    client: TestClient, way: Environment, store: int
) -> None:
    hops = by_name(ask(client, f"datastores/{store}/hops"))
    assert list(hops) == ["vm", "vm_disk", "queue", "path", "volume", "array"]
    assert [node["name"] for node in hops["vm"]["nodes"]] == ["db01", "web_02%"]
    assert [node["detail"] for node in hops["vm_disk"]["nodes"]] == [["scsi0:0", "pvscsi"]] * 2
    assert [(node["name"], node["ref"]["kind"]) for node in hops["queue"]["nodes"]] == [
        ("esx-1", "host"),
        ("esx-2", "host"),
    ]
    busy = hops["queue"]["nodes"][0]["load"]
    assert (busy["iops"], busy["depth"]) == (1000, 32)
    assert busy["ios"] == pytest.approx(1000 * 492e-6)
    assert hops["vm"]["nodes"][0]["load"]["ios"] == pytest.approx(1000 * 930e-6, rel=1e-5)
    assert hops["volume"]["nodes"][0]["load"]["us"] == pytest.approx(492, rel=1e-5)
    assert hops["array"]["nodes"][0]["load"]["iops"] == 2200


def test_the_time_between_hops_is_that_of_the_part_of_the_path_between_them(
    client: TestClient, way: Environment, store: int
) -> None:
    found = ask(client, f"datastores/{store}/hops")
    links, hops = times(found), by_name(found)
    first = {name: hop["nodes"][0]["id"] for name, hop in hops.items()}
    guest = links[first["vm"], first["vm_disk"]]
    assert (guest["layers"], guest["us"], guest["lower_us"]) == (["guest"], None, None)
    hypervisor = links[first["vm_disk"], first["queue"]]
    assert (hypervisor["label"], hypervisor["layers"]) == ("Hypervisor", ["kernel"])
    # What waits above the device is within all of the disk's kernel.
    assert [hypervisor[key] for key in ("us", "lower_us", "upper_us")] == pytest.approx([43.8, 0, 451], rel=1e-5)
    kernel = links[first["queue"], first["path"]]
    assert [kernel[key] for key in ("us", "lower_us", "upper_us")] == pytest.approx([438, 425, 451], rel=1e-5)
    san, array = links[first["path"], first["volume"]], links[first["volume"], first["array"]]
    assert (san["layers"], array["layers"]) == (["san"], ["array"])
    assert (san["us"], array["us"]) == (pytest.approx(92, rel=1e-5), pytest.approx(400, rel=1e-5))
    ids = {node["id"] for hop in found["hops"] for node in hop["nodes"]}
    assert {end for pair in links for end in pair} == ids


def test_a_queue_says_that_its_time_is_fitted_to_whole_milliseconds(
    client: TestClient, way: Environment, store: int
) -> None:
    device = way.id("host_device", f"esx-1/{naa(SERIALS[0])}")
    way.last_minutes(DEVICE, device, 5, minute(60_000, 0, KERNEL, quality_reasons=int(QualityReason.MILLISECONDS)))
    coarse, fine = by_name(ask(client, f"datastores/{store}/hops"))["queue"]["nodes"]
    assert (coarse["load"]["us"], coarse["load"]["precision_us"]) == (pytest.approx(930, rel=1e-5), 1000)
    assert fine["load"]["precision_us"] is None


def test_a_path_that_is_down_is_said_and_its_own_counters_tell_its_load(
    client: TestClient, way: Environment, store: int
) -> None:
    """Two paths through one adapter, of which one works and carried everything."""
    samples = batch(
        Stream.PATH, "esx-1/p0", [NOW], 300, read_ops=300_000, write_ops=0, read_latency_us=1000, precision=2
    )
    with transaction(way.engine) as connection:
        write_samples(connection, way.vcenter, samples)
        connection.execute(text("UPDATE path SET state = 'dead' WHERE key LIKE '%/p1'"))
    nodes = by_name(ask(client, f"datastores/{store}/hops"))["path"]["nodes"]
    assert [(node["name"], node["detail"], node["state"]) for node in nodes] == [
        ("vmhba1", ["1/2 paths up"], "degraded")
    ] * 2
    assert [(node["load"]["iops"], node["load"]["us"], node["load"]["precision_us"]) for node in nodes] == [
        (1000, 1000, 1000),
        (None, None, None),
    ]


def test_layers_that_were_not_told_apart_are_said_to_be_one_time(
    client: TestClient, environment: Environment, store: int
) -> None:
    unsplit: dict[int, Interval] = {span(Layer.KERNEL, Layer.SAN): (530, 520, 540), span(Layer.ARRAY): (400, 398, 402)}
    device = environment.id("host_device", f"esx-1/{naa(SERIALS[0])}")
    environment.last_minutes(DEVICE, device, 5, minute(60_000, 0, unsplit))
    links = [link for link in ask(client, f"datastores/{store}/hops")["links"] if link["from_id"] == f"queue-{device}"]
    assert [(link["label"], link["layers"], link["is_merged"]) for link in links] == [
        ("Kernel + SAN", ["kernel", "san"], True)
    ]
    assert (links[0]["us"], links[0]["lower_us"], links[0]["upper_us"]) == (pytest.approx(530), 0, pytest.approx(540))


def test_a_kernel_and_san_that_were_not_told_apart_are_one_time_told_once_from_the_queue_on(
    client: TestClient, way: Environment, store: int
) -> None:
    unsplit: dict[int, Interval] = {span(Layer.KERNEL, Layer.SAN): (530, 520, 540), span(Layer.ARRAY): (400, 398, 402)}
    device = way.id("host_device", f"esx-1/{naa(SERIALS[0])}")
    way.last_minutes(DEVICE, device, 5, minute(60_000, 0, unsplit))
    found = ask(client, f"datastores/{store}/hops")
    (above,) = [link for link in found["links"] if link["from_id"] == f"queue-{device}"]
    (below,) = [link for link in found["links"] if link["from_id"] == above["to_id"]]
    assert (above["label"], above["us"], above["is_merged"]) == ("Kernel + SAN", pytest.approx(530), True)
    assert (below["label"], below["us"], below["lower_us"], below["upper_us"]) == ("SAN", None, None, None)
    assert (below["is_merged"], below["layers"]) == (True, ["kernel", "san"])


@pytest.mark.parametrize(("kernel", "told"), [((438, 425, 451), False), ((8438, 8425, 8451), True)])
def test_whole_milliseconds_tell_a_disks_hypervisor_from_its_queue_only_where_the_disk_surely_waits_longer(
    client: TestClient, way: Environment, store: int, kernel: Interval, told: bool
) -> None:
    disk = way.id("vm_disk", "vm-1/scsi0:0")
    device = way.id("host_device", f"esx-1/{naa(SERIALS[0])}")
    spans: dict[int, Interval] = {**KERNEL, span(Layer.KERNEL): kernel}
    way.last_minutes(DISK, disk, 5, minute(60_000, 0, spans, quality_reasons=int(QualityReason.MILLISECONDS)))
    links = times(ask(client, f"datastores/{store}/hops"))
    own = links[f"vm_disk-{disk}", f"queue-{device}"]
    assert (own["label"], own["is_merged"]) == ("Hypervisor", not told)
    assert own["us"] == (pytest.approx(843.8, rel=1e-5) if told else None)
    assert (own["upper_us"] is not None) == told


def test_a_vm_is_followed_through_its_own_hosts_queues_alone_and_nfs_leads_straight_to_the_array(
    client: TestClient, environment: Environment
) -> None:
    vm = environment.id("vm", "vm-1")
    environment.last_minutes(DISK, environment.id("vm_disk", "vm-1/scsi0:4"), 5, minute(6_000, 0, KERNEL))
    found = ask(client, f"vms/{vm}/hops")
    hops = by_name(found)
    assert (hops["vm"]["total"], hops["vm_disk"]["total"], len(hops["vm_disk"]["nodes"])) == (1, 7, 6)
    assert hops["vm_disk"]["nodes"][0]["name"] == "Hard disk 5"
    assert {node["name"] for node in hops["queue"]["nodes"]} == {"esx-1"}
    nfs, array = hops["vm_disk"]["nodes"][0]["id"], hops["array"]["nodes"][0]["id"]
    straight = times(found)[nfs, array]
    assert straight["us"] == pytest.approx(930, rel=1e-5)
    assert straight["layers"] == ["kernel", "san", "array"]


def test_a_vvol_is_reached_through_its_protocol_endpoint_or_straight_where_that_is_not_listed(
    client: TestClient, environment: Environment
) -> None:
    store, disk = environment.id("datastore", "vvol"), environment.id("vm_disk", "vm-1/scsi0:5")
    endpoint, vvol = environment.id("host_device", f"esx-1/{naa(SERIALS[15])}"), environment.id("volume", "id-vvol-1")
    environment.last_minutes(DISK, disk, 5, minute(6_000, 0, KERNEL))
    links = times(ask(client, f"datastores/{store}/hops"))
    assert (f"vm_disk-{disk}", f"queue-{endpoint}") in links
    assert (f"queue-{endpoint}", f"volume-{vvol}") in links
    with transaction(environment.engine) as connection:
        connection.execute(text("UPDATE host_device SET present = false"))
    straight = times(ask(client, f"datastores/{store}/hops"))[f"vm_disk-{disk}", f"volume-{vvol}"]
    assert (straight["layers"], straight["us"]) == (["kernel", "san"], pytest.approx(530, rel=1e-5))


def test_without_a_minute_everything_stands_there_unmeasured(
    client: TestClient, environment: Environment, store: int
) -> None:
    found = ask(client, f"datastores/{store}/hops")
    assert [hop["total"] for hop in found["hops"]] == [2, 2, 2, 2, 1, 1]
    assert {node["load"]["iops"] for hop in found["hops"] for node in hop["nodes"]} == {None}
    assert {link["us"] for link in found["links"]} == {None}


def test_other_kinds_and_unknown_things_are_refused(client: TestClient, environment: Environment) -> None:
    assert client.get("/api/v1/arrays/1/hops").status_code == 422
    assert client.get("/api/v1/vms/99/hops").status_code == 404
