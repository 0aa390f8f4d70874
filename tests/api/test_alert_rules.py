"""Rules, silences, windows and channels through the API: what goes in comes out the same, and every mistake gets a sentence."""

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, text
from tests.alerting.receivers import HttpReceiver, Says, http_receiver

from gavel import clock
from gavel.api.app import build
from gavel.config import Settings
from gavel.db.engine import transaction

CONDITION = {"quantity": "latency", "part": "kernel", "at_least": 300, "recover_below": 200}
RULE = {
    "key": "slow_kernel",
    "name": "Slow kernel",
    "of": "datastore",
    "where": {"name": "prod-*"},
    "when": [CONDITION],
    "for_min": 0,
}
SECRET = "whsec_" + "Q2FuYXJ5Q2FuYXJ5Q2FuYXJ5Q2FuYXJ5"
MATCHER = {"label": "datastore", "pattern": "prod-*"}


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Messages may go to this machine."""
    return settings.model_copy(update={"alert_networks": "127.0.0.0/8", "alert_plain_http": True})


@pytest.fixture
def receiver() -> Iterator[HttpReceiver]:
    with http_receiver() as found:
        yield found


def post(client: TestClient, path: str, body: object, status: int = 201) -> Any:
    answer = client.post(f"/api/v1/{path}", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


def test_a_rule_comes_out_as_it_went_in(admin: TestClient) -> None:
    added = post(admin, "alert-rules", RULE)
    assert {name: added[name] for name in ("key", "name", "of", "where", "for_min")} == {
        name: RULE[name] for name in ("key", "name", "of", "where", "for_min")
    }
    assert added["when"][0] == {
        "quantity": "latency", "part": "kernel", "direction": "all", "at_least": 300, "recover_below": 200, "compared": "lower",
        "finding": None, "finding_severity": None,
    }  # fmt: skip
    assert (added["enabled"], added["is_default"], added["open"]) == (True, False, 0)
    changed = admin.put(f"/api/v1/alert-rules/{added['id']}", json={**RULE, "for_min": 3}).json()
    assert changed["for_min"] == 3
    assert admin.patch(f"/api/v1/alert-rules/{added['id']}", json={"enabled": False}).json()["enabled"] is False
    assert admin.delete(f"/api/v1/alert-rules/{added['id']}").status_code == 204
    assert admin.get(f"/api/v1/alert-rules/{added['id']}").status_code == 404


def test_only_what_the_machine_looks_at_makes_another_rule(admin: TestClient, engine: Engine) -> None:
    rule_id = post(admin, "alert-rules", RULE)["id"]

    def revision() -> int:
        with engine.connect() as connection:
            found: int = connection.execute(text("SELECT revision FROM alert_rule")).scalar_one()
        return found

    admin.put(f"/api/v1/alert-rules/{rule_id}", json={**RULE, "name": "Other words", "severity": "critical"})
    assert revision() == 1
    admin.put(f"/api/v1/alert-rules/{rule_id}", json={**RULE, "for_min": 9})
    assert revision() == 2


def test_a_rule_that_cannot_be_says_what_to_write(admin: TestClient) -> None:
    wrong = {**RULE, "when": [{"quantity": "share", "at_least": 2}], "min_ops": 3}
    found = post(admin, "alert-rules", wrong, 422)
    assert "name the layer or segment" in found["detail"]
    assert "give 30 or more" in found["detail"]


def test_a_form_learns_which_field_of_a_rule_is_wrong(admin: TestClient) -> None:
    conditions = [CONDITION, {"quantity": "share", "at_least": 2}]
    wrong = {**RULE, "key": "Not a key", "when": conditions, "min_ops": 3, "keep_firing_min": -1}
    named = {one["field"]: one["message"] for one in post(admin, "alert-rules", wrong, 422)["errors"]}
    assert set(named) == {"key", "when.1.quantity", "when.1.at_least", "min_ops", "keep_firing_min"}
    assert named["min_ops"].startswith("give 30 or more")
    low = {**RULE, "when": [{**CONDITION, "recover_below": 9e9}]}
    assert [one["field"] for one in post(admin, "alert-rules", low, 422)["errors"]] == ["when.0.recover_below"]


def test_a_key_is_used_once(admin: TestClient) -> None:
    post(admin, "alert-rules", RULE)
    assert "slow_kernel" in post(admin, "alert-rules", RULE, 409)["detail"]


def test_what_is_exported_is_imported_without_a_change(admin: TestClient) -> None:
    post(admin, "alert-rules", RULE)
    yaml = admin.get("/api/v1/alert-rules/export").text
    assert post(admin, "alert-rules/import", {"yaml": yaml}, 200)["unchanged"] == ["slow_kernel"]
    other = yaml.replace("slow_kernel", "other_key")
    tried = post(admin, "alert-rules/import", {"yaml": other, "replace": True, "dry_run": True}, 200)
    assert (tried["added"], tried["removed"]) == (["other_key"], ["slow_kernel"])
    assert [rule["key"] for rule in admin.get("/api/v1/alert-rules").json()] == ["slow_kernel"]
    post(admin, "alert-rules/import", {"yaml": other, "replace": True}, 200)
    assert [rule["key"] for rule in admin.get("/api/v1/alert-rules").json()] == ["other_key"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("post", "alert-rules"),
        ("post", "alert-rules/import"),
        ("post", "silences"),
        ("post", "maintenance-windows"),
        ("post", "channels"),
        ("post", "channels/test"),
        ("post", "alerts/1/acknowledge"),
        ("post", "notifications/1/replay"),
        ("delete", "channels/1"),
    ],
)
def test_writing_needs_the_admin(client: TestClient, method: str, path: str) -> None:
    assert getattr(client, method)(f"/api/v1/{path}").status_code == 403


def test_a_silence_is_in_force_until_it_is_ended(admin: TestClient) -> None:
    body = {"matchers": [MATCHER], "until_at": "2099-01-01T00:00:00Z", "reason": "moving", "by": "Ada"}
    made = post(admin, "silences", body)
    assert (made["state"], made["by"], made["matching"]) == ("active", "Ada", 0)
    ended = admin.patch(f"/api/v1/silences/{made['id']}", json={"until_at": "2020-01-01T00:00:00Z"}).json()
    assert ended["state"] == "over"
    assert admin.delete(f"/api/v1/silences/{made['id']}").status_code == 204
    assert admin.get("/api/v1/silences").json() == []


def test_a_silence_without_a_reason_or_an_end_in_time_is_refused(admin: TestClient) -> None:
    body = {"matchers": [MATCHER], "until_at": "2020-01-01T00:00:00Z", "reason": "moving", "by": "Ada"}
    assert "after its start" in post(admin, "silences", body, 422)["detail"]
    assert "reason" in post(admin, "silences", {**body, "reason": ""}, 422)["detail"]


def test_a_maintenance_window_repeats(admin: TestClient) -> None:
    body = {
        "name": "patch night", "first_day": "2026-11-01", "starts": "22:00:00", "lasts_min": 240, "zone": "Europe/Berlin",
        "repeat": "weekly", "weekdays": [2], "last_day": None, "matchers": [MATCHER],
    }  # fmt: skip
    made = post(admin, "maintenance-windows", body)
    assert {name: made[name] for name in body} == {**body, "matchers": [{**MATCHER, "negated": False}]}
    daily = {**body, "repeat": "daily", "weekdays": []}
    assert admin.put(f"/api/v1/maintenance-windows/{made['id']}", json=daily).json()["repeat"] == "daily"
    assert "no time zone" in post(admin, "maintenance-windows", {**body, "zone": "Mars/Base"}, 422)["detail"]
    assert admin.delete(f"/api/v1/maintenance-windows/{made['id']}").status_code == 204


def channel(admin: TestClient, url: str, **more: object) -> Any:
    settings = {"url": f"{url}/hook/canary", "secrets": [SECRET]}
    return post(admin, "channels", {"kind": "webhook", "name": "ours", "settings": settings, **more})


def test_a_channel_keeps_its_secrets(admin: TestClient, engine: Engine, receiver: HttpReceiver) -> None:
    made = channel(admin, receiver.url)
    assert (made["state"], made["settings"], made["secrets_set"]) == ("ok", {}, ["secrets", "url"])
    assert "canary" not in admin.get("/api/v1/channels").text
    with engine.connect() as connection:
        stored = connection.execute(text("SELECT channel::text FROM channel")).scalar_one()
    assert "canary" not in stored


def test_a_test_message_arrives_signed_and_over_at_once(admin: TestClient, receiver: HttpReceiver) -> None:
    made = channel(admin, receiver.url)
    tried = post(admin, f"channels/{made['id']}/test", {}, 200)
    assert (tried["result"], tried["status"]) == ("delivered", 200)
    (got,) = receiver.received
    assert got.headers["webhook-signature"].startswith("v1,")
    assert b"alert.resolved" in got.body
    receiver.answers[:] = [Says(403)]
    assert post(admin, f"channels/{made['id']}/test", {}, 200)["result"] == "refused"


def test_signing_secrets_do_not_follow_to_another_address(admin: TestClient, receiver: HttpReceiver) -> None:
    made = channel(admin, receiver.url)
    answer = admin.patch(f"/api/v1/channels/{made['id']}", json={"settings": {"url": "https://other.example.org/x"}})
    assert answer.status_code == 422
    assert "secrets must be entered again" in answer.json()["detail"]
    kept = admin.patch(f"/api/v1/channels/{made['id']}", json={"settings": {}})
    assert kept.status_code == 200, kept.text


def test_an_address_that_nobody_allowed_is_not_asked(settings: Settings, receiver: HttpReceiver) -> None:
    strict = settings.model_copy(update={"alert_networks": ""})
    with TestClient(build(strict), base_url="http://127.0.0.1:8321") as client:
        token = strict.setup_token_file.read_text().strip()
        client.post("/api/v1/session", json={"token": token})
        body = {"kind": "webhook", "settings": {"url": receiver.url, "secrets": [SECRET]}}
        tried = client.post("/api/v1/channels/test", json=body, headers={"origin": "http://127.0.0.1:8321"})
    assert tried.status_code == 200, tried.text
    assert tried.json()["result"] == "refused"
    assert "private address" in tried.json()["detail"]
    assert "add its network to GAVEL_ALERT_NETWORKS, as in GAVEL_ALERT_NETWORKS=127.0.0.1/32" in tried.json()["detail"]
    assert receiver.received == []


def test_every_kind_has_a_form_whose_secrets_are_for_writing_only(admin: TestClient) -> None:
    kinds = {kind["kind"]: kind for kind in admin.get("/api/v1/channel-kinds").json()}
    assert {"webhook", "slack_bot", "email"} <= set(kinds)
    assert kinds["slack_bot"]["settings_schema"]["properties"]["token"]["writeOnly"] is True


def test_quiet_answers_are_empty_and_not_absent(client: TestClient) -> None:
    assert client.get("/api/v1/alerts/now").json() == {"alerts": [], "pending": [], "analyzed_until_at": None}
    assert client.get("/api/v1/alerts/history").json()["items"] == []
    assert client.get("/api/v1/alerts/late").json() == []
    assert client.get("/api/v1/notifications?state=dead").json()["total"] == 0
    assert client.get("/api/v1/alerts/7").status_code == 404


def test_a_preview_says_what_it_cannot_look_at(admin: TestClient) -> None:
    found = post(admin, "alert-rules/preview", {"rule": RULE}, 200)
    assert (found["objects"], found["total"]) == (0, 0)
    assert "No object matches" in found["note"]


def test_a_rule_that_cannot_be_judged_says_why_and_hides_no_other(admin: TestClient, engine: Engine) -> None:
    """As another version may have stored it: one field is missing, another is not what it should be."""
    good, bad = (admin.post("/api/v1/alert-rules", json={**RULE, "key": key}).json()["id"] for key in ("good", "bad"))
    with transaction(engine) as connection:
        spoilt = """(definition - 'for_min') || '{"min_quality": "F"}'"""
        connection.execute(text(f"UPDATE alert_rule SET definition = {spoilt} WHERE id = :id"), {"id": bad})
        late = "INSERT INTO alert_late VALUES (:id, 1, CAST(:now AS timestamptz) - interval '10 min', 1, 1, :now)"
        connection.execute(text(late), {"id": bad, "now": clock.now()})
    listed = {rule["id"]: rule for rule in admin.get("/api/v1/alert-rules").raise_for_status().json()}
    assert listed[good]["error"] is None
    assert admin.get("/api/v1/alerts/late").raise_for_status().json() == []
    assert "cannot be read" in listed[bad]["error"]
    assert (listed[bad]["key"], listed[bad]["of"]) == ("bad", RULE["of"])
    assert "bad" in admin.get("/api/v1/alert-rules/export").json()["detail"]
    assert admin.patch(f"/api/v1/alert-rules/{bad}", json={"enabled": False}).status_code == 200
    mended = admin.put(f"/api/v1/alert-rules/{bad}", json={**RULE, "key": "bad"}).raise_for_status().json()
    assert mended["error"] is None
