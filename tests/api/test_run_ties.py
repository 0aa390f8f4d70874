"""What test runs are tied to: a VM, a datastore or a volume, whose layers stand beside them; and what is refused."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, text
from sqlalchemy.exc import IntegrityError
from tests.api.ledgers import KERNEL, MINUTE, NOW, Environment, minute
from tests.api.test_imports import listed, part, read
from tests.api.test_load_runs import API, IOPS, fio

from gavel.db.engine import transaction
from gavel.domain.scope import ScopeKind

KINDS = {"datastores": ("datastore", ScopeKind.DATASTORE), "volumes": ("volume", ScopeKind.VOLUME)}


@pytest.fixture(params=sorted(KINDS))
def tied(request: pytest.FixtureRequest, environment: Environment) -> tuple[str, str, int, str]:
    """Its address, kind, id and name; twice the tool's I/Os a second, with a full device queue."""
    kind, scope = KINDS[request.param]
    with transaction(environment.engine) as connection:
        found, name = connection.execute(text(f"SELECT id, name FROM {kind} WHERE present ORDER BY id LIMIT 1")).one()
    environment.last_minutes(scope, found, 20, minute(2 * IOPS * 60, 0, KERNEL))
    return request.param, kind, found, name


def announced(client: TestClient, **given: Any) -> Any:
    return client.post(f"{API}/imports", json={"format": "fio", "file_name": "run.json", "size_bytes": 1, **given})


def imported(admin: TestClient, engine: Engine, data: str, **given: Any) -> int:
    import_id = int(announced(admin, size_bytes=len(data), **given).json()["id"])
    assert part(admin, import_id, 0, data.encode()).json()["is_complete"]
    read(engine)
    return import_id


def test_test_run_of_a_datastore_or_volume_stands_beside_its_layers_with_the_ios_of_all(
    admin: TestClient, engine: Engine, tied: tuple[str, str, int, str]
) -> None:
    path, kind, thing_id, name = tied
    import_id = imported(admin, engine, fio(1400), **{f"{kind}_id": thing_id})
    subject = {"kind": kind, "id": thing_id, "name": name}
    found = listed(admin, import_id)
    assert (found["state"], found["runs"], found["subject"], found["disk_id"]) == ("ready", 1, subject, None)
    (one,) = admin.get(f"{API}/{path}/{thing_id}/test-runs").json()["items"]
    assert one["run"]["subject"] == subject
    whose = "all VMs on datastore" if kind == "datastore" else "all hosts on volume"
    assert one["sentence"] == (
        f"fio saw 1.40 ms at 65,000 IOPS; I/Os of {whose} {name} took 0.93 ms at 130,000 IOPS:"
        " kernel 0.44, SAN 0.09, array 0.40."
    )
    whole = one["directions"][-1]
    assert (whole["ops_ratio"], whole["total_us"]) == (pytest.approx(2), pytest.approx(930))
    assert (one["window"]["minutes"], whole["remainder"]["us"]) == (5, pytest.approx(470))


def test_test_runs_of_a_datastore_or_volume_are_compared_with_one_another_alone(
    admin: TestClient, engine: Engine, environment: Environment, tied: tuple[str, str, int, str]
) -> None:
    path, kind, thing_id, _ = tied
    vm_id = environment.id("vm", "vm-1")
    for data in (fio(605, ended_at=NOW - 12 * MINUTE), fio(1400)):
        imported(admin, engine, data, **{f"{kind}_id": thing_id})
    imported(admin, engine, fio(900), vm_id=vm_id)
    page = admin.get(f"{API}/{path}/{thing_id}/test-runs").json()
    assert page["total"] == 2
    after, before = (one["run"]["id"] for one in page["items"])
    (of_vm,) = admin.get(f"{API}/vms/{vm_id}/test-runs").json()["items"]
    changes = admin.get(f"{API}/{path}/{thing_id}/test-runs/changes?before={before}&after={after}").json()
    figures = {each["name"]: each for each in changes["directions"][-1]["figures"]}
    assert figures["mean_us"]["change"] == pytest.approx(795)
    own = of_vm["run"]["id"]
    for asked in (f"{path}/{thing_id}", f"vms/{vm_id}"):
        assert admin.get(f"{API}/{asked}/test-runs/changes?before={own}&after={after}").status_code == 404
    assert admin.get(f"{API}/{path}/{thing_id}/test-runs/{own}/latency").status_code == 404


@pytest.mark.parametrize("kind", ["vm", "datastore", "volume"])
def test_test_run_of_what_is_not_there_is_refused(admin: TestClient, kind: str) -> None:
    refused = announced(admin, **{f"{kind}_id": 99_999})
    assert refused.status_code == 404
    assert "99999" in refused.json()["detail"]


def test_test_run_is_tied_to_exactly_one_thing(admin: TestClient, environment: Environment) -> None:
    vm_id = environment.id("vm", "vm-1")
    both = announced(admin, vm_id=vm_id, datastore_id=1)
    assert (both.status_code, "name one of VM, datastore and volume" in both.json()["detail"]) == (422, True)
    none = announced(admin)
    assert (none.status_code, "or the datastore or volume" in none.json()["detail"]) == (422, True)
    capture = announced(admin, format="esxtop", datastore_id=1)
    assert (capture.status_code, "leave VM, datastore and volume out" in capture.json()["detail"]) == (422, True)


def test_test_run_of_a_datastore_has_no_virtual_disk(admin: TestClient, tied: tuple[str, str, int, str]) -> None:
    _, kind, thing_id, _ = tied
    refused = announced(admin, disk_id=1, **{f"{kind}_id": thing_id})
    assert (refused.status_code, f"not of a {kind}" in refused.json()["detail"]) == (422, True)


def test_test_run_fails_where_its_tie_has_gone_before_it_was_read(
    admin: TestClient, engine: Engine, tied: tuple[str, str, int, str]
) -> None:
    path, kind, thing_id, _ = tied
    data = fio(1400)
    import_id = int(announced(admin, size_bytes=len(data), **{f"{kind}_id": thing_id}).json()["id"])
    part(admin, import_id, 0, data.encode())
    with transaction(engine) as connection:
        connection.execute(text("SET LOCAL session_replication_role = replica"))
        connection.execute(text(f"DELETE FROM {kind} WHERE id = :id"), {"id": thing_id})
    read(engine)
    found = listed(admin, import_id)
    assert (found["state"], found["subject"]) == ("failed", None)
    assert f"The {kind} is no longer in the inventory" in found["error"]
    assert admin.get(f"{API}/{path}/{thing_id}/test-runs").status_code == 404


@pytest.mark.parametrize("also", ["", ", vm_id = NULL, datastore_id = NULL, volume_id = NULL"])
def test_test_run_rows_have_exactly_one_tie(
    admin: TestClient, engine: Engine, tied: tuple[str, str, int, str], also: str
) -> None:
    _, kind, thing_id, _ = tied
    imported(admin, engine, fio(1400), **{f"{kind}_id": thing_id})
    change = "name = name" + also if also else "vm_id = (SELECT min(id) FROM vm)"
    with pytest.raises(IntegrityError, match="ck_load_run_tie"), transaction(engine) as connection:
        connection.execute(text(f"UPDATE load_run SET {change}"))
