"""VMs with one value of a label together over time: outstanding I/O and latency by layer, with gaps and what is not measured."""

from collections.abc import Mapping
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text
from tests.api.ledgers import HEALTHY, KERNEL, MINUTE, NOW, Environment, Interval, ask, between, minute, span
from tests.api.test_groups import COPIED, LABELED

from gavel.db.engine import transaction
from gavel.domain.io_path import Layer
from gavel.domain.scope import ScopeKind

GUEST: Mapping[int, Interval] = {span(Layer.GUEST): (70, 60, 80), **HEALTHY}
FINANCE = "groups/latency?label=application&value=finance"


@pytest.fixture
def members(environment: Environment) -> dict[str, int]:
    """Finance, in two spellings: pay-1 with six minutes up to now, pay-2 with the guest's latency, but only with the first three of them;
    pay-3 without any. Another VM beside them."""
    ids: dict[str, int] = {}
    for key, value in (("pay-1", "finance"), ("pay-2", "Finance"), ("pay-3", "finance"), ("hr-1", "HR")):
        with transaction(environment.engine) as connection:
            ids[key] = connection.execute(text(COPIED), {"key": key}).scalar_one()
            connection.execute(text(LABELED), {"vm": ids[key], "name": "Application", "value": value})
    rows = [(ids["pay-1"], n, minute(600_000, 0, KERNEL)) for n in range(6, 0, -1)]
    rows += [(ids["pay-2"], n, minute(300_000, 300_000, GUEST)) for n in (6, 5, 4)]
    rows += [(ids["hr-1"], n, minute(900_000, 0, KERNEL)) for n in range(6, 0, -1)]
    environment.write([(ScopeKind.VM, vm, NOW - n * MINUTE, row) for vm, n, row in rows])
    return ids


def layer(found: Any, name: str, part: str) -> list[float | None]:
    (one,) = [one for one in found["layers"] if one["name"] == name]
    return list(one[part])


def test_a_group_over_time_adds_up_the_ios_of_its_vms_by_layer(client: TestClient, members: dict[str, int]) -> None:
    found = ask(client, f"{FINANCE}&{between(7, 0)}")
    assert (found["members"], found["step_s"], found["resolution"]) == (3, 60, "1m")
    assert found["minutes_there"] == [0, 1, 1, 1, 1, 1, 1]
    assert found["members_there"] == [0, 2, 2, 2, 1, 1, 1]
    both, alone = 1_200_000, 600_000
    assert found["ops"] == [None, both, both, both, alone, alone, alone]
    kernel = (438 + 10) * 600_000 / 60e6
    assert layer(found, "kernel", "ios") == pytest.approx([None, *[kernel] * 3, *[438 * 600_000 / 60e6] * 3])
    assert layer(found, "guest", "ios") == pytest.approx([None, *[0.7] * 3, None, None, None])
    total = (930 + 575) * 600_000 / 60e6
    assert found["total_ios"] == pytest.approx([None, *[total] * 3, *[9.3] * 3])
    assert found["total_us"] == pytest.approx([None, *[(930 + 575) / 2] * 3, *[930] * 3])
    summed = [sum(one["ios"][1] or 0 for one in found["layers"]), sum(one["us"][1] or 0 for one in found["layers"])]
    assert summed == pytest.approx([found["total_ios"][1], found["total_us"][1]], abs=0.01)


def test_a_group_over_time_says_which_part_of_its_ios_a_layer_was_measured_for(
    client: TestClient, members: dict[str, int]
) -> None:
    found = ask(client, f"{FINANCE}&{between(7, 0)}")
    shares = {one["layer"]: one["ops_share"] for one in found["measured_shares"]}
    assert shares == pytest.approx({"guest": 1 / 3, "kernel": 1.0, "san": 1.0, "array": 1.0})
    hr = ask(client, f"groups/latency?label=application&value=hr&{between(7, 0)}")
    assert {one["layer"]: one["ops_share"] for one in hr["measured_shares"]}["guest"] == 0
    assert "guest" not in {one["name"] for one in hr["layers"]}


def test_a_group_over_time_is_averaged_over_the_minutes_that_are_there(
    client: TestClient, members: dict[str, int]
) -> None:
    found = ask(client, f"{FINANCE}&{between(60, 0)}&step=1800")
    assert sum(found["minutes_there"]) == 6
    inside = sum(ios * minutes for ios, minutes in zip(found["total_ios"], found["minutes_there"], strict=True) if ios)
    assert inside == pytest.approx(3 * ((930 + 575) / 100) + 3 * 9.3, rel=1e-4)
    assert max(found["members_there"]) == 2


def test_an_idle_group_has_no_outstanding_io_and_one_without_latency_is_not_measured(
    client: TestClient, environment: Environment, members: dict[str, int]
) -> None:
    pay = members["pay-3"]
    with transaction(environment.engine) as connection:
        connection.execute(text(LABELED), {"vm": pay, "name": "tier", "value": "gold"})
    rows = {3: minute(0, 0, {}), 2: minute(600_000, 0, {})}
    environment.write([(ScopeKind.VM, pay, NOW - n * MINUTE, row) for n, row in rows.items()])
    found = ask(client, f"groups/latency?label=tier&value=gold&{between(4, 0)}")
    assert found["total_ios"] == [None, 0, None, None]
    assert (found["ops"], found["layers"]) == ([None, 0, 600_000, None], [])
    assert {one["ops_share"] for one in found["measured_shares"]} == {0}


def test_a_group_names_the_sources_that_its_numbers_come_from(
    client: TestClient, environment: Environment, members: dict[str, int]
) -> None:
    with transaction(environment.engine) as connection:
        connection.execute(text(LABELED), {"vm": environment.id("vm", "vm-1"), "name": "tier", "value": "on-array"})
    on_array = ask(client, f"groups/latency?label=tier&value=on-array&{between(7, 0)}")
    assert on_array["source_ids"] == [environment.array, environment.vcenter]
    # Copies have no virtual disks, so no array.
    assert ask(client, f"{FINANCE}&{between(7, 0)}")["source_ids"] == [environment.vcenter]


def test_a_group_without_minutes_or_without_vms_has_empty_columns(client: TestClient, members: dict[str, int]) -> None:
    before = ask(client, f"{FINANCE}&{between(60, 30)}")
    nothing = ask(client, f"groups/latency?label=application&value=nothing&{between(60, 30)}")
    assert (before["members"], nothing["members"], nothing["source_ids"]) == (3, 0, [])
    for found in (before, nothing):
        assert (sum(found["minutes_there"]), found["layers"], set(found["total_ios"])) == (0, [], {None})
        assert {one["ops_share"] for one in found["measured_shares"]} == {None}


@pytest.mark.parametrize(
    ("query", "step_s"), [("from=-1h", 60), ("from=-24h", 300), ("from=-7d", 900), ("from=-30d", 3600)]
)
def test_a_small_group_has_the_buckets_of_an_object(
    client: TestClient, members: dict[str, int], query: str, step_s: int
) -> None:
    assert ask(client, f"{FINANCE}&{query}")["step_s"] == step_s


def test_a_large_group_has_wider_buckets_and_a_limit_that_is_named(
    client: TestClient, members: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gavel.views.group_latency._WANTED_ROWS", 60)
    monkeypatch.setattr("gavel.views.group_latency._MOST_ROWS", 3 * 24 * 3)
    assert ask(client, f"{FINANCE}&from=-1h")["step_s"] == 300
    assert ask(client, f"{FINANCE}&from=-24h")["step_s"] == 3600
    too_long = client.get(f"/api/v1/{FINANCE}&from=-7d")
    assert (too_long.status_code, too_long.json()["detail"]) == (
        422,
        "3 VMs over 7.0 days are too many to add up at once. Choose a range of at most 3 days, or a smaller group.",
    )
    too_fine = client.get(f"/api/v1/{FINANCE}&from=-24h&step=300")
    assert (too_fine.status_code, too_fine.json()["detail"]) == (
        422,
        "That step is too fine for 3 VMs; 3600 s would do.",
    )


@pytest.mark.parametrize(
    ("query", "words"), [("from=-24h&step=60", "300 s would do"), ("from=now&to=-1h", "empty"), ("step=61", "multiple")]
)
def test_a_question_about_a_group_that_makes_no_sense_is_explained(
    client: TestClient, members: dict[str, int], query: str, words: str
) -> None:
    answer = client.get(f"/api/v1/{FINANCE}&{query}")
    assert answer.status_code == 422
    assert words in answer.json()["detail"]
