"""Alerts through the API, from minutes that were judged: now, history, one with its story, acknowledged, silenced."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from threading import BoundedSemaphore
from typing import Any

import psycopg
import pytest
from fastapi.testclient import TestClient
from tests.alerting.receivers import Says, http_receiver
from tests.alerting.use.alert_scene import HEALTHY, KERNEL, KERNEL_SLOW, MINUTE, SOURCE_SILENT, AlertScene, alert_scene
from tests.api.ledgers import ask, span
from tests.api.ledgers import minute as row

from gavel.alerting.render.picture_link import signed
from gavel.alerting.use import preview
from gavel.api.routes import pictures
from gavel.db import live
from gavel.domain.io_path import Layer
from gavel.domain.scope import ScopeKind


@pytest.fixture
def scene(postgres_url: str) -> Iterator[AlertScene]:
    with alert_scene(postgres_url) as made:
        # The API looks at the real clock: what happens here has happened just before.
        made.now -= 30 * MINUTE
        made.rule()
        yield made


def firing(client: TestClient) -> Any:
    (alert,) = ask(client, "alerts/now")["alerts"]
    return alert


def test_what_fires_is_there_with_its_numbers_and_its_diagnosis(client: TestClient, scene: AlertScene) -> None:
    scene.step(HEALTHY)
    scene.step(KERNEL)
    alert = firing(client)
    assert alert["subject"] == {"kind": "datastore", "id": scene.store, "name": "simple"}
    assert (alert["state"], alert["layer"], alert["rule_key"]) == ("firing", "kernel", "kernel_slow")
    assert (alert["value"], alert["lower"]) == pytest.approx((438, 425), rel=1e-3)
    assert alert["measure"] == {
        "quantity": "latency",
        "part": "kernel",
        "direction": "all",
        "unit": "µs",
        "finding": None,
        "finding_severity": None,
    }
    assert alert["sentence"]["claim"].startswith("Kernel, mostly kernel queue: 0.44 of 0.93 ms")
    assert ask(client, f"alerts/now?subject=datastore&object_id={scene.store}")["alerts"] == [alert]
    assert ask(client, "alerts/now?subject=vm")["alerts"] == []
    assert ask(client, "alert-rules")[0]["open"] == 1


def test_open_pages_hear_of_a_command_about_alerts_and_not_of_one_that_was_refused(
    admin: TestClient, scene: AlertScene, postgres_url: str
) -> None:
    scene.step(HEALTHY)
    scene.step(KERNEL)
    alert_id = firing(admin)["id"]
    with psycopg.connect(postgres_url.replace("+psycopg", ""), autocommit=True) as listening:
        listening.execute(f"LISTEN {live.CHANNEL}")

        def heard() -> list[str]:
            return [json.loads(news.payload)["stream"] for news in listening.notifies(timeout=0.5)]

        assert admin.post("/api/v1/alerts/99999999/acknowledge", json={"by": "ana"}).status_code == 404
        assert admin.post(f"/api/v1/alerts/{alert_id}/acknowledge", json={"by": "ana"}).status_code == 200
        assert heard() == [live.ALERTS]
        (rule,) = ask(admin, "alert-rules")
        assert admin.patch(f"/api/v1/alert-rules/{rule['id']}", json={"enabled": False}).status_code == 200
        assert heard() == [live.ALERTS]


def test_one_alert_has_its_story_and_its_messages(client: TestClient, scene: AlertScene) -> None:
    with http_receiver() as receiver:
        receiver.answers[:] = [Says(403)]
        scene.channel(receiver)
        for spans in (KERNEL, HEALTHY):
            scene.step(spans)
    (alert,) = ask(client, "alerts/history?from=-2h")["items"]
    found = ask(client, f"alerts/{alert['id']}")
    assert [one["after"] for one in found["transitions"]] == ["firing", "resolved"]
    assert [(one["status"], one["state"]) for one in found["messages"]] == [("firing", "dead"), ("resolved", "dead")]
    (dead, _) = reversed(ask(client, "notifications?state=dead")["items"])
    log = ask(client, f"notifications/{dead['id']}")["log"]
    assert [(one["result"], one["status"]) for one in log] == [("refused", 403)]
    assert log[0]["request"].startswith(f"POST {receiver.url}\n")
    assert "/hook" not in log[0]["request"]
    assert ask(client, "channels")[0]["dead"] == 2
    parts = {part["name"]: part for part in ask(client, "health")["parts"]}
    assert parts["alerts"]["status"] == "degraded"
    assert "notifications not delivered: 2" in parts["alerts"]["detail"]


def test_one_alert_tells_what_its_measure_is_by_now(client: TestClient, scene: AlertScene) -> None:
    scene.step(KERNEL)
    scene.step(KERNEL)
    fired = firing(client)
    path = f"alerts/{fired['id']}"
    newest = ask(client, path)["newest"]
    assert newest["at"] == f"{scene.now - MINUTE:%Y-%m-%dT%H:%M:%SZ}" != fired["since_at"]
    assert (newest["value"], newest["lower"]) == pytest.approx((438, 425), rel=1e-3)
    scene.step(None)
    assert ask(client, path)["newest"] == {
        "at": f"{scene.now - MINUTE:%Y-%m-%dT%H:%M:%SZ}", "value": None, "lower": None,
    }  # fmt: skip
    scene.step(HEALTHY)
    assert ask(client, path)["ended_at"] is not None
    assert ask(client, path)["newest"] is None


def test_a_silent_source_tells_how_long_it_is_silent_by_now(client: TestClient, scene: AlertScene) -> None:
    scene.rule(SOURCE_SILENT)
    scene.now = datetime.now(UTC)
    scene.ran(scene.environment.array, samples_until=scene.now - 10 * MINUTE, error="unreachable")
    scene.turn()
    (alert,) = (one for one in ask(client, "alerts/now")["alerts"] if one["rule_key"] == "silent")
    assert alert["array_ids"] == [scene.environment.id("storage_array", "array-a")]
    newest = ask(client, f"alerts/{alert['id']}")["newest"]
    assert newest["value"] == newest["lower"] == pytest.approx(600, abs=30)


def test_an_alert_names_the_arrays_it_lies_on_also_when_they_were_renamed_since(
    client: TestClient, scene: AlertScene
) -> None:
    scene.step(KERNEL)
    scene.ask_to_write("UPDATE storage_array SET name = 'renamed'")
    alert = firing(client)
    assert alert["labels"]["array"] != "renamed"
    assert alert["array_ids"] == [scene.environment.id("storage_array", "array-a")]


def test_history_is_what_was_open_in_the_range(client: TestClient, scene: AlertScene) -> None:
    for spans in (KERNEL, HEALTHY, HEALTHY):
        scene.step(spans)
    began = scene.now - 3 * MINUTE

    def count(begin: timedelta, end: timedelta, more: str = "") -> int:
        times = [f"{began + span:%Y-%m-%dT%H:%M:%SZ}" for span in (begin, end)]
        total: int = ask(client, f"alerts/history?from={times[0]}&to={times[1]}{more}")["total"]
        return total

    assert count(-5 * MINUTE, -1 * MINUTE) == 0
    assert count(-5 * MINUTE, 1 * MINUTE) == 1
    assert count(5 * MINUTE, 9 * MINUTE) == 0
    assert count(-5 * MINUTE, 5 * MINUTE, "&search=SIMP") == 1
    assert count(-5 * MINUTE, 5 * MINUTE, "&severity=critical") == 0
    assert count(-5 * MINUTE, 5 * MINUTE, f"&subject=datastore&object_id={scene.store}&rule=kernel_slow") == 1


def test_who_looks_after_it_is_written_down_and_can_be_taken_back(admin: TestClient, scene: AlertScene) -> None:
    scene.step(KERNEL)
    path = f"/api/v1/alerts/{firing(admin)['id']}/acknowledge"
    taken = admin.post(path, json={"by": "Ada", "note": "on it"}).json()
    assert (taken["acknowledged_by"], taken["acknowledged_note"]) == ("Ada", "on it")
    assert admin.delete(path).json()["acknowledged_by"] is None
    assert admin.post("/api/v1/alerts/999/acknowledge", json={"by": "Ada"}).status_code == 404


def test_a_silenced_alert_says_why_it_is_quiet(admin: TestClient, scene: AlertScene) -> None:
    scene.step(KERNEL)
    body = {"matchers": [{"label": "layer", "pattern": "kernel"}], "until_at": "2099-01-01T00:00:00Z", "reason": "known",
            "by": "Ada"}  # fmt: skip
    assert admin.post("/api/v1/silences", json=body).json()["matching"] == 1
    assert firing(admin)["quiet"] == "silenced by Ada until 2099-01-01 00:00 UTC: known"


def test_late_breaches_are_told_by_object(client: TestClient, scene: AlertScene) -> None:
    scene.step(HEALTHY)
    scene.write(KERNEL, at=scene.now - 20 * MINUTE)
    scene.turn()
    (late,) = ask(client, f"alerts/late?from=-3h&subject=datastore&object_id={scene.store}")
    assert (late["rule_key"], late["subject"]["name"], late["minutes"], late["unit"]) == (
        "kernel_slow",
        "simple",
        1,
        "µs",
    )
    assert ask(client, "alerts/late?from=-3h&subject=vm") == []


def test_a_preview_finds_what_would_have_fired(admin: TestClient, scene: AlertScene) -> None:
    for spans in (HEALTHY, KERNEL, KERNEL, HEALTHY, HEALTHY):
        scene.step(spans)
    tried = admin.post("/api/v1/alert-rules/preview", json={"rule": KERNEL_SLOW, "days": 1})
    assert tried.status_code == 200, tried.text
    found = tried.json()
    (fired,) = found["firings"]
    assert fired["object_name"] == "simple"
    assert fired["fired_at"] == f"{scene.now - 4 * MINUTE:%Y-%m-%dT%H:%M:%SZ}"
    assert fired["ended_at"] == f"{scene.now - 2 * MINUTE:%Y-%m-%dT%H:%M:%SZ}"
    assert [span["resolution"] for span in found["spans"]] == ["1m"]


def test_a_picture_opens_by_its_signed_address_and_by_no_login(client: TestClient, scene: AlertScene) -> None:
    """Chat services fetch it. The scene's worker and the API have the same key, as on one installation."""
    vault = client.app.state.house.vault  # type: ignore[attr-defined]
    with http_receiver() as receiver:
        settings = {"webhook_url": f"{receiver.url}/hooks/x"}
        scene.channel(receiver, kind="mattermost", settings=settings)
        scene.step(KERNEL)
    (event_id,) = (row for (row,) in scene.ask("SELECT event_id FROM notification"))
    token = signed(vault.derived("alert pictures"), event_id, datetime.now(UTC) + MINUTE)
    found = client.get(f"/api/v1/alert-pictures/{token}")
    assert (found.status_code, found.headers["content-type"]) == (200, "image/png")
    assert found.content.startswith(b"\x89PNG")
    for wrong in (token[:-1] + ("a" if token[-1] != "a" else "b"), "x.1.y", f"other.{token.partition('.')[2]}"):
        assert client.get(f"/api/v1/alert-pictures/{wrong}").status_code == 404
    # While every place is taken, what nobody signed is refused as ever, and takes none.
    with pytest.MonkeyPatch.context() as patch:
        drawn = BoundedSemaphore(1)
        drawn.acquire()
        patch.setattr(pictures, "_DRAWN", drawn)
        assert client.get("/api/v1/alert-pictures/x.1.y").status_code == 404
        assert client.get(f"/api/v1/alert-pictures/{token}").status_code == 429
    over = signed(vault.derived("alert pictures"), event_id, datetime.now(UTC) - MINUTE)
    assert client.get(f"/api/v1/alert-pictures/{over}").status_code == 404


def test_the_worst_minute_and_when_the_breach_ended_are_told(client: TestClient, scene: AlertScene) -> None:
    worse = {**KERNEL, span(Layer.KERNEL): (900.0, 870.0, 930.0)}
    began = scene.now
    for spans in (KERNEL, worse, KERNEL):
        scene.step(spans)
    alert = firing(client)
    assert [alert["peak"], alert["peak_lower"]] == pytest.approx([900, 870])
    assert alert["peak_at"] == f"{began + MINUTE:%Y-%m-%dT%H:%M:%SZ}"
    # What it says of now is the newest transition's, which was before the worst minute.
    assert alert["value"] == pytest.approx(438)
    assert (alert["recovered_at"], alert["ended_at"]) == (None, None)
    scene.step(HEALTHY)
    (over,) = ask(client, "alerts/history?from=-2h")["items"]
    assert over["peak_at"] == alert["peak_at"]
    assert over["recovered_at"] == f"{began + 3 * MINUTE:%Y-%m-%dT%H:%M:%SZ}"
    assert ask(client, f"alerts/{over['id']}")["recovered_at"] == over["recovered_at"]


def test_a_preview_of_much_takes_rows_of_five_minutes_for_what_is_further_back_and_says_so(
    admin: TestClient, scene: AlertScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As for many objects; here a few rows are many."""
    monkeypatch.setattr(preview, "_MOST_ROWS", 200)
    scene.now = scene.now.replace(minute=30)
    slow = {400: 20, 30: 10}
    minutes = [begin - n for begin, length in slow.items() for n in range(length)]
    scene.environment.write(
        [(ScopeKind.DATASTORE, scene.store, scene.now - back * MINUTE, row(60_000, 30_000, KERNEL if back in minutes else HEALTHY))
         for back in range(1, 451)]
    )  # fmt: skip
    scene.environment.attributed_until(scene.now)
    rule = {**KERNEL_SLOW, "where": {"name": "simple"}}
    tried = admin.post("/api/v1/alert-rules/preview", json={"rule": rule, "days": 1})
    found = tried.raise_for_status().json()
    assert [one["resolution"] for one in found["spans"]] == ["5m", "1m"]
    assert (
        found["spans"][0]["to_at"] == found["spans"][1]["from_at"] == f"{scene.now - 100 * MINUTE:%Y-%m-%dT%H:%M:%SZ}"
    )
    assert "evaluated from 5-minute rows" in found["note"]
    assert "nothing before" in found["note"]
    assert [one["fired_at"] for one in found["firings"]] == [
        f"{scene.now - back * MINUTE:%Y-%m-%dT%H:%M:%SZ}" for back in (30, 400)
    ]


def test_a_preview_beyond_the_minutes_that_are_kept_takes_rows_of_five_minutes_and_says_so(
    admin: TestClient, scene: AlertScene
) -> None:
    scene.ask_to_write("UPDATE storage_mode SET keep_minutes = INTERVAL '2 days'")
    scene.now = scene.now.replace(minute=30)
    begin = 3 * 24 * 60
    scene.environment.write(
        [(ScopeKind.DATASTORE, scene.store, scene.now - back * MINUTE, row(60_000, 30_000, KERNEL if back > begin - 10 else HEALTHY))
         for back in range(begin - 30, begin + 1)]
    )  # fmt: skip
    scene.environment.attributed_until(scene.now)
    rule = {**KERNEL_SLOW, "where": {"name": "simple"}}
    asked_at = datetime.now(UTC)
    tried = admin.post("/api/v1/alert-rules/preview", json={"rule": rule, "days": 4})
    found = tried.raise_for_status().json()
    assert [one["resolution"] for one in found["spans"]] == ["5m", "1m"]
    until = datetime.fromisoformat(found["spans"][1]["from_at"])
    assert timedelta(0) <= until - (asked_at - timedelta(days=2)) <= 6 * MINUTE
    assert found["note"].startswith("Minutes are kept since ")
    assert [one["fired_at"] for one in found["firings"]] == [f"{scene.now - begin * MINUTE:%Y-%m-%dT%H:%M:%SZ}"]


def test_a_dead_letter_is_sent_again_when_somebody_asks_for_it(admin: TestClient, scene: AlertScene) -> None:
    with http_receiver() as receiver:
        receiver.answers[:] = [Says(403), Says(200)]
        scene.channel(receiver)
        scene.step(KERNEL)
        (dead,) = ask(admin, "notifications?state=dead")["items"]
        path = f"/api/v1/notifications/{dead['id']}/replay"
        assert admin.post(path).raise_for_status().json()["state"] == "pending"
        scene.now = datetime.now(UTC) + MINUTE  # beyond the API's own clock
        scene.turn()
        assert admin.post(path).status_code == 404
    assert ask(admin, f"notifications/{dead['id']}")["state"] == "delivered"
    assert len({one.headers["webhook-id"] for one in receiver.received}) == 1
    assert len(receiver.received) == 2
