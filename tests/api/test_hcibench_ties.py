"""One archive of HCIBench over the API: runs of the VMs that it names, their sum as a run of the datastore, and what is left out."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, text
from tests.api.ledgers import KERNEL, MINUTE, NOW, Environment, minute
from tests.api.test_imports import listed, part, read
from tests.api.test_load_runs import API, IOPS, fio, runs
from tests.collectors.imports.fio.logged import tar

from gavel.db.engine import transaction
from gavel.domain.scope import ScopeKind


@pytest.fixture
def datastore_id(environment: Environment) -> int:
    """With vm-1 (db01) on it, and their ledger."""
    found = environment.id("datastore", "simple")
    environment.last_minutes(ScopeKind.DATASTORE, found, 20, minute(2 * IOPS * 60, 0, KERNEL))
    environment.last_minutes(ScopeKind.VM, environment.id("vm", "vm-1"), 20, minute(IOPS * 60, 0, KERNEL))
    return found


def imported(admin: TestClient, engine: Engine, names: dict[str, str], **tie: int) -> int:
    data = tar({f"test-1/{name}": result for name, result in names.items()})
    announced = {"format": "hcibench", "file_name": "test-1.tar", "size_bytes": len(data), **tie}
    import_id = int(admin.post(f"{API}/imports", json=announced).json()["id"])
    step = 2**20
    for position in range(0, len(data), step):
        part(admin, import_id, position, data[position : position + step])
    read(engine)
    return import_id


def left_out(admin: TestClient, import_id: int) -> dict[str, str]:
    found: list[dict[str, Any]] = admin.get(f"{API}/imports/{import_id}/left-out").json()
    return {each["file"]: each["reason"] for each in found}


def other_vm(engine: Engine, name: str, **changed: Any) -> int:
    """A copy of vm-1 under another name, without disks."""
    values = {"present": True, "first_seen_at": NOW - timedelta(days=9), "last_seen_at": NOW, **changed}
    with transaction(engine) as connection:
        columns = connection.scalars(
            text(
                "SELECT column_name FROM information_schema.columns WHERE table_name = 'vm' AND column_name NOT IN"
                " ('id', 'key', 'name', 'present', 'first_seen_at', 'last_seen_at')"
            )
        ).all()
        same = ", ".join(columns)
        found: int = connection.execute(
            text(
                f"INSERT INTO vm (key, name, present, first_seen_at, last_seen_at, {same})"
                f" SELECT :key, :name, :present, :first_seen_at, :last_seen_at, {same} FROM vm WHERE key = 'vm-1' RETURNING id"
            ),
            {"key": f"{name}-{values['first_seen_at']}", "name": name, **values},
        ).scalar_one()
    return found


def test_hcibench_archive_gives_runs_of_its_vms_and_one_of_the_datastore(
    admin: TestClient, engine: Engine, environment: Environment, datastore_id: int
) -> None:
    import_id = imported(
        admin,
        engine,
        {"DB01.json": fio(1400), "gone-vm.json": fio(1000), "cut.json": fio(1)[:500]},
        datastore_id=datastore_id,
    )
    found = listed(admin, import_id)
    assert (found["state"], found["runs"], found["left_out"]) == ("ready", 2, 2)
    assert found["subject"]["kind"] == "datastore"
    reasons = left_out(admin, import_id)
    assert "No VM of this name" in reasons["gone-vm"]
    assert "breaks off" in reasons["cut.json"]
    (of_vm,) = runs(admin, environment.id("vm", "vm-1"))["items"]
    assert of_vm["sentence"] == "fio saw 1.40 ms at 65,000 IOPS: guest 0.47, kernel 0.44, SAN 0.09, array 0.40."
    (whole,) = admin.get(f"{API}/datastores/{datastore_id}/test-runs").json()["items"]
    assert whole["sentence"] == (
        "HCIBench saw 1.20 ms at 130,000 IOPS; I/Os of all VMs on datastore simple took 0.93 ms at 130,000 IOPS:"
        " kernel 0.44, SAN 0.09, array 0.40."
    )
    assert whole["directions"][-1]["ops_ratio"] == pytest.approx(1)


def test_hcibench_archive_is_removed_in_one_action(
    admin: TestClient, engine: Engine, environment: Environment, datastore_id: int
) -> None:
    import_id = imported(admin, engine, {"db01.json": fio(1400)}, datastore_id=datastore_id)
    assert admin.delete(f"{API}/imports/{import_id}").status_code == 204
    assert runs(admin, environment.id("vm", "vm-1"))["total"] == 0
    assert admin.get(f"{API}/datastores/{datastore_id}/test-runs").json()["total"] == 0
    assert admin.get(f"{API}/imports/{import_id}/left-out").status_code == 404


def test_hcibench_archive_names_that_several_vms_have_are_left_out(
    admin: TestClient, engine: Engine, datastore_id: int
) -> None:
    for key in (1, 2):
        other_vm(engine, "twin", first_seen_at=NOW - timedelta(days=key))
    import_id = imported(admin, engine, {"twin.json": fio(1400)}, datastore_id=datastore_id)
    assert left_out(admin, import_id)["twin"].startswith("2 VMs have this name.")
    assert listed(admin, import_id)["runs"] == 1


def test_hcibench_archive_goes_to_the_vm_that_was_there_when_it_ran(
    admin: TestClient, engine: Engine, datastore_id: int
) -> None:
    """Tests remove their VMs and make others of the same names."""
    was = other_vm(engine, "hci-1", present=False, last_seen_at=NOW - MINUTE, first_seen_at=NOW - timedelta(hours=1))
    other_vm(
        engine, "hci-1", present=False, last_seen_at=NOW - timedelta(days=2), first_seen_at=NOW - timedelta(days=3)
    )
    other_vm(engine, "hci-1", first_seen_at=NOW + MINUTE)
    import_id = imported(admin, engine, {"hci-1.json": fio(1400)}, datastore_id=datastore_id)
    assert left_out(admin, import_id) == {}
    assert runs(admin, was)["total"] == 1


def test_hcibench_archive_says_which_vms_are_not_on_the_datastore(
    admin: TestClient, engine: Engine, datastore_id: int
) -> None:
    other_vm(engine, "elsewhere")
    imported(admin, engine, {"elsewhere.json": fio(1400), "db01.json": fio(1400)}, datastore_id=datastore_id)
    (whole,) = admin.get(f"{API}/datastores/{datastore_id}/test-runs").json()["items"]
    (warning,) = [each for each in whole["run"]["warnings"] if each["code"] == "other_datastore"]
    assert "1 of the VMs (elsewhere)" in warning["text"]


def test_hcibench_archive_of_vms_is_imported_with_their_datastore_alone(
    admin: TestClient, engine: Engine, environment: Environment, datastore_id: int
) -> None:
    vm_id = environment.id("vm", "vm-1")
    import_id = imported(admin, engine, {"db01.json": fio(1400)}, vm_id=vm_id)
    found = listed(admin, import_id)
    assert (found["state"], "Import it with the datastore" in found["error"]) == ("failed", True)
    assert runs(admin, vm_id)["total"] == 0


def test_hcibench_archive_of_500_vms_is_stored_in_one_action(
    admin: TestClient, engine: Engine, datastore_id: int
) -> None:
    names = {f"hci-{number}": fio(1400) for number in range(500)}
    for name in list(names)[:5]:
        other_vm(engine, name)
    import_id = imported(
        admin, engine, {f"{name}.json": result for name, result in names.items()}, datastore_id=datastore_id
    )
    found = listed(admin, import_id)
    assert (found["state"], found["runs"], found["left_out"]) == ("ready", 6, 495)
    assert len(left_out(admin, import_id)) == 495
    assert datetime.fromisoformat(found["starts_at"]) == NOW - 5 * MINUTE
