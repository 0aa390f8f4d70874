"""Adapters, paths and NFS volumes of a capture in its offline environment: the file's own numbers, and what it lacks not measured."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.collectors.imports.esxtop.twin import Device, Load, Machine, Twin
from tests.offline.test_environments import NOW, read

from gavel.api.app import build
from gavel.config import Settings
from gavel.db.engine import Role, open_engine
from gavel.domain.samples import NOT_MEASURED, SampleBatch
from gavel.domain.source import Stream
from gavel.offline.capture_inventory import capture_inventory
from gavel.offline.capture_samples import capture_batches
from gavel.offline.environments import add_environment, remove_environment
from gavel.offline.fill import CaptureFile
from gavel.vault import load_vault

NAA = "naa.624a9370a934ae2e94a9486b00011010"
HOST = "esx-04.example.com"
RATES = ("Commands/sec", "Reads/sec", "Writes/sec", "MBytes Read/sec", "MBytes Written/sec")
# Each row has its own load, as on a host: what is alike everywhere says of no path where it leads.
READS, FILES = [400, 800, 600, 1200, 1000, 200], [50, 90, 20, 70, 10, 60]


def counters(name: str, reads: Sequence[float], rows: int, read_ms: float, others: float = 0.0) -> dict[str, list[str]]:
    """Of what only reads, as the file writes it. others: commands per second that neither read nor write, which take 30 ms."""
    every = [reads[row % len(reads)] for row in range(rows - 1)]
    columns = {
        "Commands/sec": [each + others for each in every],
        "Reads/sec": every,
        "Writes/sec": [0.0] * len(every),
        "MBytes Read/sec": [each * 8 / 1024 for each in every],
        "MBytes Written/sec": [0.0] * len(every),
        "Average Guest MilliSec/Command": [(each * read_ms + others * 30) / (each + others) for each in every],
        "Average Guest MilliSec/Read": [read_ms] * len(every),
        "Average Guest MilliSec/Write": [0.0] * len(every),
    }
    return {f"{name}\\{counter}": ["0.00", *(f"{each:.2f}" for each in cells)] for counter, cells in columns.items()}


def site(rows: int = 61) -> Twin:
    """A device over two paths of two adapters, and a VM on NFS."""
    more: dict[str, list[str]] = {}
    for hba in ("vmhba3", "vmhba4"):
        half = [each / 2 for each in READS]
        more |= counters(f"Physical Disk Adapter({hba})", half, rows, 0.8, others=5)
        more[f"Physical Disk({hba})\\Adapter Q Depth"] = ["2048"] * rows
        more |= counters(f"Physical Disk Path({hba}:C0:T0:L7)", half, rows, 0.8)
        more |= counters(f"Physical Disk Path({hba}:C0:T1:L7)", [1e-9], rows, 0.0)
    more |= counters("Physical Disk NFS Volume(nfs-gold)", FILES, rows, 2.5)
    more["Physical Disk NFS Volume(nfs-gold)\\Active Commands"] = ["3"] * rows
    more |= {f"Virtual Disk(files-01:scsi0:0)\\{counter}": cells for counter, cells in files_of(rows).items()}
    return Twin(
        [Device(NAA, [Load(reads=each, read=(0.6, 0.2, 0.1)) for each in READS], {7001: 1.0})],
        [Machine("db01", 7001, {"scsi0:0": (667, 0, 0.9, 0)})],
        more=more,
        rows=rows,
    )


def files_of(rows: int) -> Mapping[str, list[str]]:
    every = [FILES[row % len(FILES)] for row in range(rows - 1)]
    cells: dict[str, Sequence[float]] = {
        "Reads/sec": every,
        "Commands/sec": every,
        "MBytes Read/sec": [each * 8 / 1024 for each in every],
        "Average MilliSec/Read": [2.7] * len(every),
    }
    idle = {
        "Writes/sec": ["0.00"] * rows,
        "MBytes Written/sec": ["0.00"] * rows,
        "Average MilliSec/Write": ["0.00"] * rows,
    }
    return {name: ["0.00", *(f"{each:.2f}" for each in own)] for name, own in cells.items()} | idle


def batches(twin: Twin) -> Mapping[Stream, SampleBatch]:
    return {batch.stream: batch for batch in capture_batches(read(twin.data()))}


def of_key(batch: SampleBatch, key: str) -> dict[str, list[int]]:
    own = batch.key_index == batch.keys.index(key)
    return {name: column[own].tolist() for name, column in batch.values.items()}


def test_inventory_takes_worlds_of_no_vm_for_no_vm() -> None:
    """The host's own worlds issue I/Os too, under no VM's name."""
    device = Device(NAA, [Load(reads=1000, read=(0.6, 0.2, 0.1))], {7001: 0.9, 2097: 0.1})
    capture = read(Twin([device], [Machine("db01", 7001, {"scsi0:0": (900, 0, 0.9, 0)})], rows=25).data())
    assert {each.vm_name for each in capture.objects if each.kind == "world"} == {"db01", None}
    assert [each.name for each in capture_inventory("site", [capture]).vms] == ["db01"]


def test_adapter_latency_holds_no_commands_that_neither_read_nor_write() -> None:
    adapter = of_key(batches(site())[Stream.ADAPTER], f"{HOST}/vmhba3")
    assert set(adapter["read_latency_us"]) == {800}
    assert set(adapter["write_latency_us"]) == {NOT_MEASURED}
    assert set(adapter["queue_depth"]) == {2048}
    assert set(adapter["queued"]) == set(adapter["outstanding"]) == {NOT_MEASURED}
    assert sum(adapter["read_ops"]) == sum(READS) * 10 * 5 / 2


def test_path_samples_are_of_five_minutes_and_hold_all_ios() -> None:
    paths = batches(site())[Stream.PATH]
    assert paths.keys == (f"{HOST}/vmhba3:C0:T0:L7", f"{HOST}/vmhba4:C0:T0:L7")
    assert paths.interval_s.tolist() == [300, 300]
    assert paths.values["read_ops"].tolist() == [sum(READS) * 10 * 5 / 2] * 2
    assert paths.values["read_latency_us"].tolist() == [800, 800]


def test_paths_without_a_are_listed_and_their_latency_is_not_measured() -> None:
    twin = site()
    plain = {name: cells for name, cells in twin.more.items() if name.split("\\")[1] in RATES}
    found = batches(Twin(twin.devices, twin.machines, rows=61, with_all=False, more=plain))
    assert set(found[Stream.PATH].values["read_latency_us"].tolist()) == {NOT_MEASURED}
    assert of_key(found[Stream.ADAPTER], f"{HOST}/vmhba3")["queue_depth"][0] == NOT_MEASURED


def test_inventory_lists_adapters_and_the_paths_whose_device_their_ios_say() -> None:
    inventory = capture_inventory("site", [read(site().data())] * 2)
    assert [each.device for each in inventory.hbas] == ["vmhba2", "vmhba3", "vmhba4"]
    assert {(each.name, each.host_device_key, each.hba_key) for each in inventory.paths} == {
        (f"{hba}:C0:T0:L7", f"{HOST}/{NAA}", f"{HOST}/{hba}") for hba in ("vmhba3", "vmhba4")
    }


def test_nfs_volume_is_a_datastore_of_the_disks_that_no_device_carries() -> None:
    inventory = capture_inventory("site", [read(site().data())])
    stores = {each.name: each for each in inventory.datastores}
    assert stores["nfs-gold"].type == "nfs"
    assert {each.vm_key: each.datastore_key for each in inventory.disks} == {
        f"{HOST}/db01": NAA,
        f"{HOST}/files-01": "nfs-gold",
    }


def test_nfs_volume_has_no_driver_kernel_queue_and_depth() -> None:
    volume = of_key(batches(site())[Stream.HOST_DEVICE], f"{HOST}/nfs-gold")
    assert set(volume["read_gavg_us"]) == {2500}
    for name in ("read_davg_us", "read_kavg_us", "read_qavg_us", "write_gavg_us", "queue_depth"):
        assert set(volume[name]) == {NOT_MEASURED}, name


def test_nfs_volumes_are_left_out_where_disks_without_a_device_count_more() -> None:
    twin = site()
    more = dict(twin.more) | {"Virtual Disk(web-01:scsi0:0)\\Reads/sec": ["0.00", *["900.00"] * 60]}
    capture = read(Twin(twin.devices, twin.machines, rows=61, more=more).data())
    assert [each.name for each in capture_inventory("site", [capture]).datastores] == [NAA]
    assert f"{HOST}/nfs-gold" not in {key for batch in capture_batches(capture) for key in batch.keys}


@pytest.fixture(scope="module")
def made(module_postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    settings = Settings(
        database_url=module_postgres_url, data_dir=tmp_path_factory.mktemp("data"), broker_url="memory://"
    )
    engine, vault = open_engine(module_postgres_url, Role.API), load_vault(settings.key_file)
    data = site(rows=121).data()
    add_environment(engine, vault, "parts", [CaptureFile("parts.csv", len(data), read(data))], NOW)
    with TestClient(build(settings), base_url="http://127.0.0.1:8321") as client:
        yield client
    remove_environment(engine, "parts")
    engine.dispose()


def ask(client: TestClient, path: str) -> Any:
    answer = client.get(f"/offline/parts/api/v1/{path}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_offline_host_has_its_adapters(made: TestClient) -> None:
    (host,) = ask(made, "hosts")["items"]
    assert {each["device"]: each["driver"] for each in ask(made, f"hosts/{host['id']}")["hbas"]} == {
        "vmhba2": None,
        "vmhba3": None,
        "vmhba4": None,
    }


def test_offline_io_path_goes_over_the_paths_of_the_device_by_adapter(made: TestClient) -> None:
    hops = {each["name"]: each["nodes"] for each in ask(made, f"datastores/{store(made, NAA)['id']}/hops")["hops"]}
    assert {
        node["name"]: (node["load"]["iops"], node["load"]["us"], node["load"]["precision_us"]) for node in hops["path"]
    } == {
        "vmhba3": (350, 800, 10),
        "vmhba4": (350, 800, 10),
    }


def test_offline_nfs_datastore_has_the_latency_of_its_volume_and_no_parts_of_it(made: TestClient) -> None:
    nfs = ask(made, f"datastores/{store(made, 'nfs-gold')['id']}")
    assert nfs["type"] == "nfs"
    assert [each["name"] for each in nfs["vms"]] == ["files-01"]
    assert not nfs["match"]["needs_action"]
    newest = nfs["newest"]
    assert (newest["host_iops"], newest["host_gavg_us"], newest["host_precision_us"]) == (50, 2500, 10)
    assert newest["host_davg_us"] is newest["host_kavg_us"] is None
    waterfall = ask(made, f"datastores/{nfs['id']}/waterfall")
    whole = next(each for each in waterfall["directions"] if each["direction"] == "all")
    assert whole["iops"] == 50
    # From the virtual disk on, which has 0.2 ms above the volume.
    assert whole["total_us"] == 2700
    assert [each["name"] for each in whole["layers"]] == ["kernel_san_array"]


def test_offline_nfs_datastore_has_no_device_queue_that_is_told_of(made: TestClient) -> None:
    for thing in (f"datastores/{store(made, 'nfs-gold')['id']}", f"vms/{vm(made, 'files-01')['id']}"):
        told = ask(made, f"{thing}/diagnosis")["sentence"]["text"]
        assert told
        assert "queue" not in told, thing


def test_offline_host_counts_the_ios_of_an_nfs_volume_and_of_its_disks_once(made: TestClient) -> None:
    (host,) = ask(made, "hosts")["items"]
    assert host["newest"]["host_iops"] == 750
    waterfall = ask(made, f"hosts/{host['id']}/waterfall")
    assert next(each["iops"] for each in waterfall["directions"] if each["direction"] == "all") == 750
    contributors = ask(made, f"datastores/{store(made, 'nfs-gold')['id']}/contributors")
    assert [(each["subject"]["name"], each["iops"]) for each in contributors["vms"]] == [("files-01", 50)]


def vm(client: TestClient, name: str) -> Any:
    return next(each for each in ask(client, "vms")["items"] if each["name"] == name)


def store(client: TestClient, name: str) -> Any:
    return next(each for each in ask(client, "datastores")["items"] if each["name"] == name)
