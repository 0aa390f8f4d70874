"""VMs by the value of a label over HTTP: what each group adds up to, and which VM is its worst."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text
from tests.api.ledgers import BLURRED, HEALTHY, KERNEL, Environment, ago, ask, between, minute

from gavel.db.engine import transaction
from gavel.domain.scope import ScopeKind

VM = ScopeKind.VM
COPIED = """
    INSERT INTO vm (source_id, key, name, instance_uuid, power_state, host_id, first_seen_at, last_seen_at, present)
    SELECT source_id, :key, :key, :key, power_state, host_id, first_seen_at, last_seen_at, true FROM vm WHERE key = 'vm-2' RETURNING id
"""
LABELED = """
    INSERT INTO label (source_id, subject_table, subject_id, kind, name, value, valid_from)
    SELECT source_id, 'vm', id, 'tag', :name, :value, first_seen_at FROM vm WHERE id = :vm
"""


@pytest.fixture
def grouped(environment: Environment) -> Environment:
    """Finance: one VM above its baseline by much, one normal, one without a minute; HR: one by little; db01 without an application."""
    numbers = {"pay-1": (600_000, KERNEL), "pay-2": (900_000, HEALTHY), "pay-3": None, "hr-1": (6_000, KERNEL)}
    values = {"pay-1": "finance", "pay-2": "Finance", "pay-3": "finance", "hr-1": "HR"}
    for key, row in numbers.items():
        with transaction(environment.engine) as connection:
            vm = connection.execute(text(COPIED), {"key": key}).scalar_one()
            connection.execute(text(LABELED), {"vm": vm, "name": "Application", "value": values[key]})
        if row is not None:
            environment.last_minutes(VM, vm, 5, minute(row[0], 0, row[1]))
    environment.last_minutes(VM, environment.id("vm", "vm-1"), 5, minute(60_000, 0, BLURRED, outermost_us=836.0))
    return environment


def of(found: Any, value: str | None) -> Any:
    (one,) = [item for item in found["items"] if item["value"] == value]
    return one


def test_groups_are_the_values_of_the_label_that_means_an_application_worst_first_and_those_without_last(
    client: TestClient, grouped: Environment
) -> None:
    found = ask(client, "groups")
    assert (found["label"], found["total"]) == ("Application", 3)
    assert [(one["value"], one["members"]) for one in found["items"]] == [("finance", 3), ("HR", 1), (None, 2)]


def test_a_group_adds_up_its_vms_and_names_the_worst(client: TestClient, grouped: Environment) -> None:
    finance = of(ask(client, "groups"), "finance")
    totals = finance["totals"]
    assert totals["iops"] == pytest.approx(1_500_000 / 60)
    assert (totals["by_severity"], totals["by_state"]) == ({"elevated": 1, "normal": 1}, {"judged": 2, "no_data": 1})
    assert finance["worst"]["subject"]["name"] == "pay-1"
    assert finance["worst"]["sentence"]["headline"] == "Kernel"
    inside = {one["name"]: one["ios"] for one in totals["occupancy"]}
    alone = {one["name"]: one["us"] for one in finance["worst"]["layers"]}
    assert inside["kernel"] >= alone["kernel"] * 600_000 / 60e6
    assert inside.keys() == {"kernel", "san", "array"}


def test_a_group_has_the_totals_of_the_overview_narrowed_to_it(client: TestClient, grouped: Environment) -> None:
    narrowed = ask(client, "overview?kind=vms&label=application=finance")
    assert of(ask(client, "groups?label=application"), "finance")["totals"] == narrowed["totals"]


def test_what_is_inconclusive_is_in_a_layer_of_its_own(client: TestClient, grouped: Environment) -> None:
    without = of(ask(client, "groups"), None)
    assert without["totals"]["by_confidence"] == {"inconclusive": 1}
    names = [one["name"] for one in without["totals"]["occupancy"] if one["ios"] > 0]
    assert any("_or_" in name for name in names), names


@pytest.mark.parametrize(
    ("query", "values"),
    [
        ("sort=members", ["finance", "HR", None]),
        ("sort=members&order=asc", ["HR", "finance", None]),
        ("sort=name&order=asc", ["finance", "HR", None]),
        ("sort=name", ["HR", "finance", None]),
        ("sort=iops", ["finance", "HR", None]),
        ("search=fin", ["finance"]),
        ("limit=1&offset=1", ["HR"]),
        ("search=nothing", []),
    ],
)
def test_groups_are_sorted_searched_and_paged(
    client: TestClient, grouped: Environment, query: str, values: list[str | None]
) -> None:
    assert [one["value"] for one in ask(client, f"groups?{query}")["items"]] == values


def test_a_vm_with_two_values_is_in_both_groups_and_a_label_that_no_vm_has_makes_one_group(
    client: TestClient, grouped: Environment
) -> None:
    with transaction(grouped.engine) as connection:
        connection.execute(text(LABELED), {"vm": grouped.id("vm", "hr-1"), "name": "application", "value": "finance"})
    found = ask(client, "groups")
    assert (of(found, "finance")["members"], of(found, "HR")["members"]) == (4, 1)
    none = ask(client, "groups?label=tier")
    assert [(one["value"], one["members"]) for one in none["items"]] == [(None, 6)]


def test_a_group_without_elevated_vms_names_no_worst(client: TestClient, grouped: Environment) -> None:
    with transaction(grouped.engine) as connection:
        connection.execute(text(LABELED), {"vm": grouped.id("vm", "pay-2"), "name": "tier", "value": "gold"})
    assert of(ask(client, "groups?label=TIER"), "gold")["worst"] is None


def test_groups_of_a_range_are_of_that_range(client: TestClient, grouped: Environment) -> None:
    before = ask(client, f"groups?{between(60, 30)}")
    assert (before["from_at"], before["to_at"]) == (ago(60), ago(30))
    assert all(one["worst"] is None for one in before["items"])
