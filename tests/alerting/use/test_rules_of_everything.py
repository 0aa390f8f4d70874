"""Rules of every kind of thing, quantity and scope on a real database: what they compare, what they look at, where their links lead."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.alerting.receivers import HttpReceiver
from tests.alerting.use.alert_scene import MINUTE, SOURCE_SILENT, AlertScene, alert_scene, told
from tests.api.ledgers import KERNEL, minute

from gavel.alerting.rules.model import Scope, Subject
from gavel.alerting.use.objects import SCOPES, things
from gavel.db.engine import reading, transaction
from gavel.db.write import alert_memory
from gavel.domain.scope import ScopeKind

FRONTEND = Path(__file__).parents[3] / "frontend/src"
# Of `KERNEL` (total 930 µs, surely 906 to 954) with 50 µs of SAN and 200 µs of array usual, at 1,500 I/Os a second.
USUAL_US = (50, 200)
QUEUE_US = 0.8 * 438
NUMBERS: dict[tuple[str, str | None], tuple[float, float]] = {
    ("latency", None): (930, 906),
    ("latency", "kernel"): (438, 425),
    # All that the layer's bound leaves open may be of the segment.
    ("latency", "kernel_queue"): (QUEUE_US, QUEUE_US - 13),
    # At its lowest, while all the rest is at its highest.
    ("share", "kernel"): (438 / 930, 425 / (425 + 503)),
    ("share", "kernel_queue"): (QUEUE_US / 930, (QUEUE_US - 13) / 954),
    ("excess", None): (680, 656),
    ("excess", "san"): (42, 32.5),
    ("baseline_ratio", None): (930 / 250, 906 / 250),
    ("baseline_ratio", "array"): (2.0, 398.5 / 200),
    ("excess_outstanding", None): (680e-6 * 1500, 656e-6 * 1500),
    ("queue_utilization", None): (64 / 32, 64 / 32),
    ("disagreement", None): (700, 700),
}
OF_SOURCES = {"clock_skew": (5.0, 4.6), "gap": (300.0, 300.0)}

# Of a kind, where, what is looked at (None: all of them).
SCOPED: tuple[tuple[str, dict[str, str], set[str] | None], ...] = (
    ("datastore", {}, None),
    ("datastore", {"name": "S*d"}, {"spanned", "stretched"}),
    ("datastore", {"array": "*array-a", "name": "n*"}, {"nvme", "nfs"}),
    ("datastore", {"cluster": "cluster a", "name": "loc?l"}, {"local"}),
    ("datastore", {"vm": "web_02%"}, {"simple"}),
    ("datastore", {"attribute.owner": "ada"}, {"simple", "spanned", "nvme", "stretched", "nfs", "vvol"}),
    ("datastore", {"attribute.owner": "bob"}, set()),
    ("datastore", {"tag.team": "sql"}, {"nvme"}),
    ("vm", {"datastore": "vvol"}, {"db01"}),
    ("vm", {"attribute.owner": "a?a"}, {"db01"}),
    ("vm", {"tag.team": "*"}, {"db01"}),
    ("host", {"vm": "db*"}, {"esx-1"}),
    ("host", {"attribute.owner": "ada"}, {"esx-1"}),
    ("volume", {"tag.team": "sql"}, {"v3"}),
    ("volume", {"datastore": "spanned"}, {"v1", "v2"}),
    ("source", {"array": "*array-a"}, {"source of flasharray"}),
)


@pytest.fixture
def scene(environment_url: str) -> Iterator[AlertScene]:
    with alert_scene(environment_url) as made:
        yield made


def when(quantity: str, part: str | None = None) -> list[dict[str, Any]]:
    whole = {"part": part, "direction": "all", "recover_below": None, "compared": "estimate"}
    return [{"quantity": quantity, "at_least": 0.001, **whole}]


def found(scene: AlertScene) -> dict[tuple[str, str | None], tuple[float, float]]:
    rows = scene.ask("SELECT measure ->> 'quantity', measure ->> 'part', value, lower FROM alert")
    return {(quantity, part): (value, lower) for quantity, part, value, lower in rows}


def test_every_quantity_is_the_number_that_the_docs_say(scene: AlertScene) -> None:
    scene.environment.expect(ScopeKind.DATASTORE, scene.store, dict.fromkeys(range(24), USUAL_US))
    for number, (quantity, part) in enumerate(NUMBERS):
        scene.rule(key=f"rule_{number}", when=when(quantity, part), min_quality="D")
    scene.now += MINUTE
    begin = scene.now - MINUTE
    row = minute(60_000, 30_000, KERNEL, disagreement_us=700.0)
    scene.environment.write([(ScopeKind.DATASTORE, scene.store, begin, row)])
    judge(scene)
    assert found(scene).keys() == NUMBERS.keys()
    for name, numbers in found(scene).items():
        assert numbers == pytest.approx(NUMBERS[name], rel=1e-3), name


def test_clocks_and_gaps_of_sources_are_compared(scene: AlertScene) -> None:
    for quantity in OF_SOURCES:
        scene.rule(SOURCE_SILENT, key=quantity, when=when(quantity), where={"name": "source of vcenter"})
    scene.ask_to_write(
        "INSERT INTO clock_offset (source_id, subject, read_at, offset_s, error_s) VALUES (:id, NULL, :now, -5, 0.4)",
        id=scene.environment.vcenter, now=scene.now,
    )  # fmt: skip
    for begin_min, state in ((90, "explained"), (30, "explained"), (10, "recovered")):
        # Only the second one counts: the first is older than an hour, and what was recovered is not missing.
        begin = scene.now - timedelta(minutes=begin_min)
        scene.ask_to_write(
            "INSERT INTO gap (source_id, stream, from_at, to_at, state, reason, noticed_at)"
            " VALUES (:id, 'host_device', :begin, :end, :state, 'x', :begin)",
            id=scene.environment.vcenter, begin=begin, end=begin + timedelta(minutes=5), state=state,
        )  # fmt: skip
    scene.turn()
    for (quantity, _), numbers in found(scene).items():
        assert numbers == pytest.approx(OF_SOURCES[quantity]), quantity
    assert len(found(scene)) == len(OF_SOURCES)


def test_rules_of_every_kind_of_thing_fire_and_their_links_lead_to_pages_that_exist(
    scene: AlertScene, receiver: HttpReceiver
) -> None:
    for subject in Subject:
        # What is on one array is one message otherwise.
        scene.channel(receiver, subject.value, route={"matchers": [{"label": "kind", "pattern": subject.value}]})
    scene.now += MINUTE
    entries = []
    for subject, kind in SCOPES.items():
        scene.rule(key=f"of_{subject}", of=subject.value, where={"name": name_of(scene, subject)})
        entries.append((kind, id_of(scene, subject), scene.now - MINUTE, minute(60_000, 30_000, KERNEL)))
    scene.rule(SOURCE_SILENT, where={"name": "source of vcenter"}, when=when("sample_age"))
    scene.ran(scene.environment.vcenter, samples_until=scene.now - 5 * MINUTE, error="unreachable")
    scene.environment.write(entries)
    judge(scene)
    by_kind = {one["data"]["labels"]["kind"]: one["data"] for one in told(receiver)}
    assert by_kind.keys() == {subject.value for subject in Subject}
    for kind, data in by_kind.items():
        assert set(data["links"]) == {"Open", "Alert", "Silence", "Runbook"}, kind
        for label in ("Open", "Alert", "Silence"):
            path = data["links"][label].removeprefix("https://gavel.example.org").partition("?")[0]
            assert any(re.fullmatch(page, path) for page in pages()), f"{label} of a {kind} leads to {path}"
    assert by_kind["datastore"]["links"]["Silence"].endswith("?do=silence")


def pages() -> list[str]:
    """Addresses of the pages that the frontend has, as patterns."""
    named = re.findall(r"path: '([^']+)'", (FRONTEND / "app/pages.ts").read_text())
    kinds = re.findall(r"^    id: '(\w+)'", (FRONTEND / "domain/kinds.ts").read_text(), re.MULTILINE)
    of_kinds = [path for kind in kinds for path in (f"/{kind}", f"/{kind}/$id")]
    return [re.sub(r"\$\w+", r"\\w+", path) for path in (*named, *of_kinds)]


def name_of(scene: AlertScene, subject: Subject) -> str:
    ((name,),) = scene.ask(f"SELECT name FROM {table_of(subject)} WHERE id = :id", id=id_of(scene, subject))
    return str(name)


def id_of(scene: AlertScene, subject: Subject) -> int:
    if subject is Subject.DATASTORE:
        return scene.store
    with reading(scene.engine) as connection:
        return things(connection, subject).ids[0]


def table_of(subject: Subject) -> str:
    return {Subject.ARRAY: "storage_array", Subject.HOST: "esxi_host"}.get(subject, subject.value)


def judge(scene: AlertScene) -> None:
    scene.environment.attributed_until(scene.now)
    with transaction(scene.engine) as connection:
        alert_memory.minutes_written(connection, [round((scene.now - MINUTE).timestamp()) // 60], is_whole=True)
    scene.turn()


def test_a_scope_looks_at_what_its_selectors_say(scene: AlertScene) -> None:
    scene.ask_to_write(
        "INSERT INTO label (source_id, subject_table, subject_id, kind, name, value, valid_from)"
        " SELECT source_id, 'volume', id, 'tag', 'team', 'sql', :now FROM volume WHERE name = 'v3'",
        now=scene.now,
    )
    with reading(scene.engine) as connection:
        there = {subject: things(connection, subject).objects for subject in Subject}
    for of, where, names in SCOPED:
        scope = Scope(Subject(of), tuple(where.items()))
        seen = {one.name for one in there[scope.subject] if scope.covers(scope.subject, one.facts)}
        assert seen == ({one.name for one in there[scope.subject]} if names is None else names), (of, where)
