"""The QoS limit of a volume group as the cause of an excess, from the ledger and the inventory to the API, and its quiet twins."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from tests.api.ledgers import HEALTHY, MINUTE, NOW, Environment, ask, minute
from tests.api.stories import LIMITED, Row, Story, in_segment

from gavel import clock
from gavel.correlate.finding_evidence import LOADERS
from gavel.correlate.finding_loads import EvidenceWindow
from gavel.db.engine import reading
from gavel.domain.io_path import Segment
from gavel.domain.scope import ScopeKind
from gavel.findings.model import Finding
from gavel.findings.registry import RULES_BY_ID

RULE = RULES_BY_ID["iops-limit-at-work"]


@pytest.fixture
def story(engine: Engine, environment: Environment) -> Story:
    return Story(engine, environment)


def waiting(iops: float) -> Row:
    row = minute(iops * 60, 0, LIMITED)
    return in_segment(row, Segment.ARRAY_QOS, 0.8, Segment.ARRAY_SERVICE, Segment.ARRAY_QUEUE)


def grouped(story: Story, *, own: float, other: float, limit: int, before: float = 500.0) -> int:
    """v0 below the datastore "simple" and v1 share a limit; both wait for it. before: IOPS of each in normal minutes."""
    story.run(
        "INSERT INTO volume_group (source_id, key, first_seen_at, last_seen_at, present, name, qos_iops_limit)"
        " SELECT source_id, 'group-1', :now, :now, true, 'vg', :limit FROM volume WHERE key = 'id-v0'",
        limit=limit,
        now=clock.now(),
    )
    story.run("UPDATE volume SET volume_group = 'vg' WHERE key IN ('id-v0', 'id-v1')")
    store = story.environment.id("datastore", "simple")
    volumes = [story.environment.id("volume", key) for key in ("id-v0", "id-v1")]
    calm = minute(before * 60, 0, HEALTHY)
    for kind, thing, iops in (
        (ScopeKind.DATASTORE, store, own),
        (ScopeKind.VOLUME, volumes[0], own),
        (ScopeKind.VOLUME, volumes[1], other),
    ):
        story.environment.write([(kind, thing, NOW - n * MINUTE, waiting(iops)) for n in range(1, 11)])
        story.environment.write([(kind, thing, NOW - n * MINUTE, calm) for n in range(11, 31)])
    return store


def cause_of(client: TestClient, store: int) -> dict[str, Any]:
    cause: dict[str, Any] = ask(client, f"datastores/{store}/diagnosis")["cause"]
    return cause


def raised(story: Story) -> list[Finding]:
    window = EvidenceWindow(NOW - 10 * MINUTE, NOW, NOW)
    with reading(story.engine) as connection:
        every = [RULE.evaluate(one) for one in LOADERS[RULE.evidence].load(connection, window)]
    return [one for one in every if one is not None]


def test_a_limit_that_volumes_of_a_group_use_up_together_is_the_cause_and_a_finding(
    client: TestClient, story: Story
) -> None:
    store = grouped(story, own=6000, other=3900, limit=10_000)
    cause = cause_of(client, store)
    assert (cause["kind"], cause["confidence"]) == ("qos_limit", "confirmed")
    assert cause["limit"] | {"set_where": ""} == {
        "name": "QoS limit of the volume group",
        "value": 10_000,
        "used": pytest.approx(9900),
        "used_share": pytest.approx(0.99),
        "unit": "IOPS",
        "is_derived": False,
        "set_where": "",
    }
    assert cause["text"].startswith("volume group vg is at its QoS limit (9,900 of 10,000 IOPS")
    assert cause["text"].endswith("which 2 volumes share")
    (found,) = raised(story)
    assert (found.object.kind, found.part) == ("array", "vg")
    assert found.title == "Volume group vg at its QoS limit: 9,900 of 10,000 IOPS"
    assert [one.name for one in found.affected] == ["v0", "v1"]


@pytest.mark.parametrize("limit", [12_000, 100_000])
def test_a_limit_of_a_group_that_is_not_used_up_is_neither(client: TestClient, story: Story, limit: int) -> None:
    store = grouped(story, own=6000, other=3900, limit=limit)
    assert cause_of(client, store)["kind"] != "qos_limit"
    assert raised(story) == []
