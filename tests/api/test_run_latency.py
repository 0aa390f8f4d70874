"""A latency log over the API: the tool's latency over time beside the VM's layers of the same minutes, by one clock."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, text
from tests.api.ledgers import HEALTHY, KERNEL, MINUTE, NOW, Environment, minute
from tests.api.test_imports import part, read
from tests.api.test_load_runs import API, IOPS, fio, imported, runs
from tests.collectors.imports.fio.logged import averages, tar

from gavel.db.engine import transaction
from gavel.domain.scope import ScopeKind

LENGTH_S = 300


@pytest.fixture
def vm_id(environment: Environment) -> int:
    found = environment.id("vm", "vm-1")
    environment.last_minutes(ScopeKind.VM, found, 20, minute(IOPS * 60, 0, HEALTHY))
    return found


def imported_log(admin: TestClient, engine: Engine, vm_id: int, files: dict[str, str], **given: Any) -> dict[str, Any]:
    """The only run of the VM."""
    data = tar(files)
    announced = {"format": "fio", "file_name": "run.tar", "size_bytes": len(data), "vm_id": vm_id, **given}
    import_id = int(admin.post(f"{API}/imports", json=announced).json()["id"])
    assert part(admin, import_id, 0, data).json()["is_complete"]
    read(engine)
    (one,) = runs(admin, vm_id)["items"]
    found: dict[str, Any] = one
    return found


def log_of(seconds: int = LENGTH_S, every_s: int = 10, *, since_ms: int = 0) -> str:
    ends = range(every_s, seconds + every_s, every_s)
    return averages([(since_ms + at * 1000, 600_000 + at * 100, 0) for at in ends])


def test_run_latency_is_beside_the_layers_of_its_minutes_by_one_clock(
    admin: TestClient, engine: Engine, vm_id: int
) -> None:
    one = imported_log(admin, engine, vm_id, {"run.json": fio(605), "oltp_lat.1.log": log_of()})
    assert (one["run"]["file_name"], one["run"]["has_series"]) == ("run.tar", True)
    answer = admin.get(f"{API}/vms/{vm_id}/test-runs/{one['run']['id']}/latency")
    assert answer.status_code == 200, answer.text
    found = answer.json()
    start_ms = round((NOW - 5 * MINUTE).timestamp() * 1000)
    assert (found["tool"], found["step_s"], len(found["times_ms"])) == ("fio", 10, 30)
    assert (found["times_ms"][0], found["times_ms"][-1]) == (start_ms, start_ms + 290_000)
    (reads,) = found["series"]
    assert (reads["direction"], reads["phase"], reads["grain_s"], reads["ops"]) == ("read", "lat", 10.0, None)
    assert (reads["mean_us"][0], reads["mean_us"][-1]) == (601.0, 630.0)
    gavel = found["gavel"]
    assert (gavel["subject"]["kind"], gavel["step_s"], len(gavel["times_ms"])) == ("vm", 60, 5)
    assert gavel["times_ms"][0] == start_ms
    layers = {each["direction"]: each for each in gavel["directions"]}["read"]
    assert layers["total_us"] == pytest.approx([502] * 5, abs=30)


def test_run_latency_of_a_clock_that_is_off_stands_at_the_minutes_of_its_hosts(
    admin: TestClient, engine: Engine, vm_id: int
) -> None:
    since_ms = round((NOW - 5 * MINUTE + timedelta(minutes=10)).timestamp() * 1000)
    files = {"oltp_lat.1.log": log_of(since_ms=since_ms)}
    one = imported_log(admin, engine, vm_id, files, offset_s=600.0)
    assert datetime.fromisoformat(one["run"]["starts_at"]) < NOW
    found = admin.get(f"{API}/vms/{vm_id}/test-runs/{one['run']['id']}/latency").json()
    assert found["times_ms"][0] == round((NOW - 5 * MINUTE).timestamp() * 1000)
    assert found["gavel"]["minutes"] == 5


def test_run_of_averages_alone_has_no_rates_and_says_so(admin: TestClient, engine: Engine, vm_id: int) -> None:
    since_ms = round((NOW - 5 * MINUTE).timestamp() * 1000)
    one = imported_log(admin, engine, vm_id, {"oltp_lat.1.log": log_of(since_ms=since_ms)})
    assert one["sentence"] == "fio logged averages of its latency over time, without I/O rates."
    whole = one["directions"][-1]
    assert (whole["figures"]["ops_per_s"], whole["figures"]["mean_us"], whole["ops_ratio"]) == (None, None, None)
    assert (whole["remainder"], whole["total_us"] is not None) == (None, True)
    run_id = one["run"]["id"]
    changes = admin.get(f"{API}/vms/{vm_id}/test-runs/changes?before={run_id}&after={run_id}").json()
    assert {(each["before"], each["change"]) for each in changes["directions"][-1]["figures"]} == {(None, None)}


def test_run_without_a_log_has_no_latency_over_time(admin: TestClient, engine: Engine, vm_id: int) -> None:
    imported(admin, engine, vm_id, fio(605))
    (one,) = runs(admin, vm_id)["items"]
    assert one["run"]["has_series"] is False
    assert admin.get(f"{API}/vms/{vm_id}/test-runs/{one['run']['id']}/latency").status_code == 404
    assert admin.get(f"{API}/vms/{vm_id}/test-runs/99/latency").status_code == 404


def test_run_latency_is_of_its_own_vm_and_goes_with_its_import(admin: TestClient, engine: Engine, vm_id: int) -> None:
    one = imported_log(admin, engine, vm_id, {"run.json": fio(605), "oltp_lat.1.log": log_of()})
    run_id = one["run"]["id"]
    assert admin.get(f"{API}/vms/{vm_id + 1}/test-runs/{run_id}/latency").status_code == 404
    assert admin.delete(f"{API}/imports/{one['run']['import_id']}").status_code == 204
    with transaction(engine) as connection:
        assert connection.execute(text("SELECT count(*) FROM load_run_series")).scalar_one() == 0


def test_run_of_a_virtual_disk_stands_beside_the_layers_of_that_disk(
    admin: TestClient, engine: Engine, environment: Environment, vm_id: int
) -> None:
    with transaction(engine) as connection:
        disk_id, label = connection.execute(
            text("SELECT id, label FROM vm_disk WHERE vm_id = :vm ORDER BY id LIMIT 1"), {"vm": vm_id}
        ).one()
    environment.last_minutes(ScopeKind.VM_DISK, disk_id, 20, minute(IOPS * 60, 0, KERNEL))
    files = {"run.json": fio(1400), "oltp_lat.1.log": log_of()}
    one = imported_log(admin, engine, vm_id, files, disk_id=disk_id)
    assert one["run"]["subject"] == {"kind": "vm", "id": vm_id, "name": "db01"}
    assert (one["run"]["disk_id"], one["run"]["disk"]) == (disk_id, label)
    assert one["sentence"] == "fio saw 1.40 ms at 65,000 IOPS: guest 0.47, kernel 0.44, SAN 0.09, array 0.40."
    assert one["window"]["minutes"] == 5
    gavel = admin.get(f"{API}/vms/{vm_id}/test-runs/{one['run']['id']}/latency").json()["gavel"]
    assert (gavel["subject"], gavel["minutes"]) == ({"kind": "vm_disk", "id": disk_id, "name": label}, 5)
    listed = admin.get(f"{API}/imports").json()[0]
    assert (listed["disk_id"], listed["disk"]) == (disk_id, label)


def test_run_of_a_virtual_disk_that_the_vm_has_not_is_refused_with_those_that_it_has(
    admin: TestClient, engine: Engine, vm_id: int
) -> None:
    with transaction(engine) as connection:
        labels = connection.scalars(text("SELECT label FROM vm_disk WHERE vm_id = :vm"), {"vm": vm_id}).all()
    announced = {"format": "fio", "file_name": "x", "size_bytes": 1, "vm_id": vm_id, "disk_id": 99_999}
    answer = admin.post(f"{API}/imports", json=announced)
    assert answer.status_code == 422
    assert "has no virtual disk 99999" in answer.json()["detail"]
    assert all(label in answer.json()["detail"] for label in labels)
    capture = admin.post(f"{API}/imports", json=announced | {"format": "esxtop", "vm_id": None})
    assert capture.status_code == 422
