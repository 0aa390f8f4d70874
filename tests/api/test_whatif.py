"""What-if of an object's queue and of typed workloads: from the ledger and the inventory, and refusals that say what to do."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, text
from tests.api.ledgers import KERNEL, MINUTE, NOW, Environment, minute
from tests.db.environments import SERIALS, naa

from gavel.db.engine import transaction
from gavel.domain.scope import ScopeKind

DEVICE = naa(SERIALS[0])
WHATIF = "/api/v1/whatif"


@pytest.fixture
def queue(engine: Engine, environment: Environment) -> int:
    """The device of datastore "simple" on esx-1 with a full queue of 32, in which db01 has a third of the I/O."""
    device = environment.id("host_device", f"esx-1/{DEVICE}")
    with transaction(engine) as connection:
        connection.execute(text("UPDATE vm_placement SET host_id = (SELECT id FROM esxi_host WHERE key = 'esx-1')"))
        connection.execute(text("UPDATE vm SET host_id = (SELECT id FROM esxi_host WHERE key = 'esx-1')"))
        connection.execute(text("UPDATE host_device SET queue_depth = 64, dsnro = 32 WHERE id = :id"), {"id": device})
    disks = [environment.id("vm_disk", f"{vm}/scsi0:0") for vm in ("vm-1", "vm-2")]
    for n in range(10):
        at = NOW - (10 - n) * MINUTE
        environment.write(
            [
                (ScopeKind.HOST_DEVICE, device, at, minute(2_000_000, 1_000_000, KERNEL, queue_depth=32)),
                *(
                    (ScopeKind.VM_DISK, disk, at, minute(ops, 0, KERNEL))
                    for disk, ops in zip(disks, (1_000_000, 2_000_000), strict=True)
                ),
            ]
        )
    return device


def tried(client: TestClient, subject: dict[str, Any], **scenario: Any) -> dict[str, Any]:
    answer = client.post(WHATIF, json={"subject": subject, "scenario": scenario})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def refused(client: TestClient, body: dict[str, Any]) -> str:
    answer = client.post(WHATIF, json=body)
    assert answer.status_code == 422, answer.text
    return str(answer.json()["detail"])


def test_what_if_of_a_datastore_starts_from_its_ledger_and_its_settings(
    client: TestClient, environment: Environment, queue: int, store: int
) -> None:
    found = client.get(WHATIF, params={"subject": "datastore", "object_id": store}).json()
    start = found["start"]
    assert (start["queue"]["device"]["id"], start["queue"]["host"]["name"]) == (queue, "esx-1")
    assert (start["configured_depth"], start["dsnro"], start["is_competing"]) == (64, 32, True)
    assert found["now"]["device_depth"] == 32
    assert found["iops"]["before"] == pytest.approx(50_000)
    assert found["modelled_now"]["iops"] * found["modelled_now"]["total_us"] / 1e6 == pytest.approx(
        found["now"]["threads"]
    )


def test_what_if_of_a_vm_has_the_other_vms_of_its_queue_as_neighbors(
    client: TestClient, environment: Environment, queue: int
) -> None:
    vm = environment.id("vm", "vm-1")
    found = tried(client, {"kind": "vm", "id": vm}, dsnro=64)
    assert found["iops"]["before"] == pytest.approx(1_000_000 / 60)
    assert [one["name"] for one in found["start"]["others"]] == ["web_02%"]
    assert found["neighbor_iops"]["before"] == pytest.approx(2_000_000 / 60)
    assert found["then"]["device_depth"] == 64
    assert found["iops"]["upper"] > found["iops"]["before"]
    assert found["total_us"]["lower"] < found["total_us"]["before"]


def test_what_if_dsnro_binds_only_below_the_device_depth(client: TestClient, queue: int, store: int) -> None:
    subject = {"kind": "datastore", "id": store}
    assert tried(client, subject, device_depth=128)["then"]["device_depth"] == 32
    assert tried(client, subject, device_depth=128, dsnro=128)["then"]["device_depth"] == 128


CONTRADICTIONS = (
    ({"demand_iops": 5_000, "iops_limit": 100}, "A demand of 5000 IOPS is above the IOPS limit"),
    ({"iops_limit": 100, "lifts_iops_limit": True}, "either lifted or set"),
    ({"threads": 2, "disks": 4}, "2 threads cannot keep 4 virtual disks busy"),
    ({"non_optimized_percent": 50}, "give non_optimized_extra_us, too"),
    ({"dsnro": 128}, "DSNRO 128 is above the device queue depth 64"),
    *(({name: 0}, f"{name}: Input should be") for name in ("device_depth", "dsnro", "virtual_disk_queue")),
    *(({name: 65_535}, f"{name}: Input should be") for name in ("device_depth", "dsnro", "virtual_disk_queue")),
)


def test_what_if_refuses_settings_that_contradict_each_other_or_that_no_queue_has(
    client: TestClient, queue: int, store: int
) -> None:
    for scenario, words in CONTRADICTIONS:
        assert words in refused(client, {"subject": {"kind": "datastore", "id": store}, "scenario": scenario})


def test_what_if_of_settings_that_were_not_read_invents_none(
    client: TestClient, engine: Engine, queue: int, store: int
) -> None:
    with transaction(engine) as connection:
        connection.execute(text("UPDATE host_device SET queue_depth = NULL WHERE id = :id"), {"id": queue})
    body = {"subject": {"kind": "datastore", "id": store}, "scenario": {"dsnro": 64}}
    assert "device queue depth of this queue was not read" in refused(client, body)


def test_what_if_of_disks_whose_limit_was_not_read_says_so_until_it_is_given(
    client: TestClient, engine: Engine, environment: Environment, queue: int
) -> None:
    vm = environment.id("vm", "vm-1")
    known = tried(client, {"kind": "vm", "id": vm}, dsnro=64)
    with transaction(engine) as connection:
        connection.execute(
            text("UPDATE vm_disk SET snapshot_depth = NULL, iops_limit = NULL WHERE vm_id = :vm"), {"vm": vm}
        )
    found = tried(client, {"kind": "vm", "id": vm}, dsnro=64)
    assert (found["now"]["is_limit_read"], found["then"]["is_limit_read"]) == (False, False)
    assert [note for note in found["notes"] if note.startswith("IOPS limit not known")]
    assert found["total_us"]["upper"] >= known["total_us"]["upper"]
    assert found["iops"]["lower"] == pytest.approx(found["iops"]["before"], rel=0.01)
    assert tried(client, {"kind": "vm", "id": vm}, iops_limit=500)["then"]["is_limit_read"]
    assert known["now"]["is_limit_read"]


def test_what_if_of_a_deeper_queue_is_narrower_where_the_volume_has_much_other_io(
    client: TestClient, environment: Environment, queue: int, store: int
) -> None:
    alone = tried(client, {"kind": "datastore", "id": store}, dsnro=64)
    volume = environment.id("volume", "id-v0")
    minutes = [NOW - n * MINUTE for n in range(1, 11)]
    environment.write([(ScopeKind.VOLUME, volume, at, minute(20_000_000, 10_000_000, KERNEL)) for at in minutes])
    shared = tried(client, {"kind": "datastore", "id": store}, dsnro=64)
    assert shared["total_us"]["upper"] < alone["total_us"]["upper"] * 0.99
    assert shared["total_us"]["lower"] == pytest.approx(alone["total_us"]["lower"])


def test_what_if_without_io_object_or_workload_says_so(
    client: TestClient, environment: Environment, store: int
) -> None:
    assert "Nothing to start from" in refused(client, {"subject": {"kind": "datastore", "id": store}})
    assert "either subject" in refused(client, {})
    answer = client.post(WHATIF, json={"subject": {"kind": "vm", "id": 4711}})
    assert (answer.status_code, answer.json()["detail"]) == (404, "There is no VM 4711.")


def test_what_if_examples_hold_what_was_seen(client: TestClient) -> None:
    examples = {one["id"]: one for one in client.get(f"{WHATIF}/examples").json()}
    found = {}
    for name, one in examples.items():
        body = {"typed": {"load": one["load"], "settings": one["settings"]}, "scenario": one["scenario"]}
        answer = client.post(WHATIF, json=body)
        assert answer.status_code == 200, answer.text
        found[name] = answer.json()
    both, deeper, paths = (found[name] for name in ("both-queues", "deeper-device-queue", "optimized-paths-only"))
    assert both["iops"]["lower"] < 125_000 < both["iops"]["upper"]
    assert both["total_us"]["lower"] < 700 < both["total_us"]["upper"]
    assert deeper["iops"]["lower"] < 169_000 < deeper["iops"]["upper"]
    assert paths["fast"]["iops"] == pytest.approx(14_545, abs=1)
    assert found["virtual-disk-queue-alone"]["fast"]["iops"] == pytest.approx(65_000)
    assert found["virtual-disk-queue-alone"]["ceilings"][0]["name"] == "device_queue"
