"""Backtest of what-ifs: changes that the inventory shows, predicted from the minutes before and compared with those after."""

from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, text
from tests.api.ledgers import HEALTHY, KERNEL, MINUTE, NOW, Environment, minute, span
from tests.db.environments import SERIALS, naa

from gavel.db.engine import transaction
from gavel.domain.io_path import Layer
from gavel.domain.scope import ScopeKind

BACKTEST = "/api/v1/whatif/backtest"
CHANGED = NOW - 20 * MINUTE
# With twice the slots: no wait in the kernel, and a third more I/O.
AFTER = {
    span(Layer.KERNEL): (10.0, 5.0, 15.0),
    span(Layer.SAN): (92.0, 82.5, 101.5),
    span(Layer.ARRAY): (500.0, 498.5, 501.5),
}


def written(
    engine: Engine,
    environment: Environment,
    *,
    after_ops: int = 4_000_000,
    after: Any = AFTER,
    kind: str = "queue_depth",
) -> int:
    """Ten minutes of a full queue of 32 before the change, ten minutes after it; the inventory has the change at `CHANGED`."""
    device = environment.id("host_device", f"esx-1/{naa(SERIALS[0])}")
    with transaction(engine) as connection:
        connection.execute(text("UPDATE vm SET host_id = (SELECT id FROM esxi_host WHERE key = 'esx-1')"))
        connection.execute(text("UPDATE host_device SET queue_depth = 64, dsnro = 64 WHERE id = :id"), {"id": device})
        connection.execute(
            text(
                "INSERT INTO event (source_id, happened_at, kind, subject_table, subject_id, subject_name, before, after)"
                " SELECT source_id, :at, :kind, 'host_device', id, canonical_name, '32', '64' FROM host_device WHERE id = :id"
            ),
            {"at": CHANGED, "kind": kind, "id": device},
        )
    spans = {CHANGED - 16 * MINUTE: (KERNEL, 3_000_000, 32), CHANGED: (after, after_ops, 64)}
    for begin, (rows, ops, depth) in spans.items():
        for n in range(10):
            row = minute(ops, 0, rows, queue_depth=depth)
            environment.write([(ScopeKind.HOST_DEVICE, device, begin + n * MINUTE, row)])
    return device


def answered(client: TestClient, **query: Any) -> dict[str, Any]:
    answer = client.get(BACKTEST, params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_backtest_predicts_a_change_from_the_minutes_before_and_shows_what_came_after(
    client: TestClient, engine: Engine, environment: Environment
) -> None:
    device = written(engine, environment)
    found = answered(client)
    (change,) = found["changes"]
    outcome = change["outcome"]
    assert (change["settings"], change["reason"]) == ([{"name": "queue_depth", "before": "32", "after": "64"}], None)
    assert (change["subject"]["id"], change["queue"]["host"]["name"]) == (device, "esx-1")
    assert (outcome["iops"]["before"], outcome["after_iops"]) == pytest.approx((50_000, 4_000_000 / 60))
    assert outcome["latency_us"]["lower"] < outcome["latency_us"]["before"]
    assert outcome["is_inside"]
    assert outcome["is_direction_right"]
    assert (found["score"]["changes"], found["score"]["inside"]) == (1, 1)


def test_backtest_of_an_iops_limit_starts_from_the_limit_of_then(
    client: TestClient, engine: Engine, environment: Environment
) -> None:
    device = environment.id("host_device", f"esx-1/{naa(SERIALS[0])}")
    disk, vm = environment.id("vm_disk", "vm-1/scsi0:0"), environment.id("vm", "vm-1")
    with transaction(engine) as connection:
        connection.execute(text("UPDATE vm SET host_id = (SELECT id FROM esxi_host WHERE key = 'esx-1')"))
        connection.execute(text("UPDATE vm_placement SET host_id = (SELECT id FROM esxi_host WHERE key = 'esx-1')"))
        connection.execute(text("UPDATE vm_disk SET iops_limit = 2000 WHERE id = :id"), {"id": disk})
        connection.execute(
            text(
                "INSERT INTO event (source_id, happened_at, kind, subject_table, subject_id, subject_name, before, after)"
                " SELECT source_id, :at, 'iops_limit', 'vm_disk', id, label, '1000', '2000' FROM vm_disk WHERE id = :id"
            ),
            {"at": CHANGED, "id": disk},
        )
    limited = dict(HEALTHY) | {span(Layer.KERNEL): (3_000.0, 2_995.0, 3_005.0)}
    for begin, rows, ops in ((CHANGED - 16 * MINUTE, limited, 60_000), (CHANGED, HEALTHY, 118_000)):
        for n in range(10):
            at = begin + n * MINUTE
            row = minute(ops, 0, rows, queue_depth=64)
            environment.write([(ScopeKind.HOST_DEVICE, device, at, row), (ScopeKind.VM_DISK, disk, at, row)])
    (change,) = answered(client, subject="vm", object_id=vm)["changes"]
    assert (change["subject"]["name"], change["settings"][0]["name"]) == ("db01", "iops_limit")
    outcome = change["outcome"]
    assert outcome["iops"]["before"] == pytest.approx(1_000)
    # From 2,000 to 2,000, as the inventory has it by now, nothing would change.
    assert 1_050 < outcome["iops"]["upper"] <= 2_000
    assert outcome["latency_us"]["lower"] < outcome["latency_us"]["before"]


def test_backtest_of_another_workload_counts_neither_way(
    client: TestClient, engine: Engine, environment: Environment
) -> None:
    written(engine, environment, after_ops=600_000)
    found = answered(client)
    assert "another workload" in found["changes"][0]["reason"]
    assert found["changes"][0]["outcome"] is not None
    assert found["score"]["changes"] == 0


def test_backtest_of_what_no_model_has_says_so(client: TestClient, engine: Engine, environment: Environment) -> None:
    written(engine, environment, kind="path_policy")
    (change,) = answered(client)["changes"]
    assert change["outcome"] is None
    assert "not predicted" in change["reason"]


def test_backtest_of_one_object_has_the_changes_of_its_queues_only(
    client: TestClient, engine: Engine, environment: Environment, store: int
) -> None:
    device = written(engine, environment)
    assert len(answered(client, subject="datastore", object_id=store)["changes"]) == 1
    assert len(answered(client, subject="device", object_id=device)["changes"]) == 1
    other = environment.id("datastore", "nvme")
    assert answered(client, subject="datastore", object_id=other)["changes"] == []


def test_backtest_of_changes_without_io_or_of_long_ago_has_none(
    client: TestClient, engine: Engine, environment: Environment
) -> None:
    written(engine, environment)
    with transaction(engine) as connection:
        connection.execute(text("UPDATE event SET happened_at = :at"), {"at": NOW - timedelta(hours=30)})
    assert answered(client)["changes"] == []


def test_backtest_is_of_a_whole_object(client: TestClient) -> None:
    assert client.get(BACKTEST, params={"subject": "vm"}).status_code == 422
    assert client.get(BACKTEST, params={"subject": "vm", "object_id": 4711}).status_code == 404
