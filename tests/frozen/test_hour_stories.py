"""The held hour through the API: both sides of every datastore, each minute, and every story of the lab with its diagnosis and alerts."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import make_url
from tests.conftest import libpq
from tests.frozen.hour import copy_hour, read_hour
from tests.product import chapters, ledgers
from tests.product.comparing import KEPT_S

from gavel import clock
from gavel.api.app import build
from gavel.config import load_settings
from gavel.domain.scope import ScopeKind
from gavel.embedded import postgres
from gavel_lab.lab import create_lab
from gavel_lab.truth import phases

DATASTORES = 17
# The newest minutes may lack a sample of a host whose clock is behind.
SETTLING_S = 120
# Every guilty layer plays in it, and the quiet twins.
LEAST_STORIES = 5


@dataclass(frozen=True)
class HeldHour:
    """The API on a copy of the hour while the clock stands still. `after`, `until`: its whole minutes."""

    api: chapters.Api
    url: str
    after: float
    until: float

    def ask(self, query: str, **values: object) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.url, autocommit=True) as connection:
            return connection.execute(query.encode(), values).fetchall()

    def phases(self) -> Sequence[Mapping[str, Any]]:
        return phases(create_lab(1, step_s=60).environment, self.after, self.until)


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HeldHour]:
    folder = tmp_path_factory.mktemp("hour")
    copy_hour(folder)
    at = read_hour(folder).at
    settings = load_settings(data_dir=folder / "data", lab=False)
    monkeypatch = pytest.MonkeyPatch()
    monkeypatch.setattr(clock, "_setting", clock.Setting(held_us=round(at * 1e6)))
    with (
        postgres.running(settings.postgres_dir, settings=postgres.UNSAFE_SETTINGS) as server,
        TestClient(build(settings), base_url=f"http://127.0.0.1:{settings.port}") as client,
    ):
        token = settings.setup_token_file.read_text().strip()
        answer = client.post("/api/v1/session", json={"token": token}).raise_for_status()
        client.cookies.clear()
        client.headers["authorization"] = f"Bearer {answer.json()['admin_token']}"
        client.base_url = client.base_url.copy_with(path="/api/v1/")
        after = math.ceil((at - KEPT_S) / 60) * 60.0
        yield HeldHour(client, libpq(make_url(server.url())), after, at // 60 * 60 - SETTLING_S)
    monkeypatch.undo()


def test_held_hour_has_numbers_of_both_sides_of_every_datastore(held: HeldHour) -> None:
    listed = held.api.get("/datastores", params={"limit": 500}).raise_for_status().json()["items"]
    assert len(listed) == DATASTORES
    sides = {row["name"]: (_measured_sides(held.api, row["id"]), row["match"]["matched"]) for row in listed}
    assert {name: found for name, found in sides.items() if found != ({"host", "array"}, True)} == {}


def _measured_sides(api: chapters.Api, datastore: int) -> set[str]:
    """Sides with a measured number, be it a zero, at some time of the last half hour."""
    answer = api.get(f"/datastores/{datastore}/series", params={"from": "-30m", "to": "now", "points": 200})
    groups: list[dict[str, Any]] = answer.raise_for_status().json()["groups"]
    return {
        group["side"]
        for group in groups
        for column in group["columns"]
        if any(value is not None for value in column["values"])
    }


def test_held_hour_has_every_minute_of_every_datastore_in_the_ledger(held: HeldHour) -> None:
    wanted = {held.after + 60 * n for n in range(round((held.until - held.after) / 60))}
    found = ledgers.minutes(held, ScopeKind.DATASTORE, held.after, held.until)
    assert len(wanted) > 40
    assert len(found) == DATASTORES
    assert {datastore: sorted(wanted - minutes) for datastore, minutes in found.items() if wanted - minutes} == {}


def test_held_hour_diagnoses_every_story_by_its_guilty_layer_and_no_other(held: HeldHour) -> None:
    told = list(chapters.chapters(held.phases(), held.after, held.until))
    assert len({chapter.story for chapter in told}) >= LEAST_STORIES, told
    assert [wrong for chapter in told if (wrong := chapters.unlike_the_story(held.api, chapter))] == []


def test_held_hour_shows_the_incident_of_the_article_with_its_queues(held: HeldHour) -> None:
    every = chapters.chapters(held.phases(), held.after, held.until)
    told = [chapter for chapter in every if chapter.story == "esxi-queuing"]
    assert len(told) >= 2
    assert [wrong for chapter in told if (wrong := chapters.unlike_the_article(held.api, chapter))] == []


def test_held_hour_fires_the_shipped_rules_as_documented(held: HeldHour) -> None:
    assert chapters.undocumented(held.api, held.phases(), held.after, held.until) == []
