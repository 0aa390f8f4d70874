"""Guests over the API: tokens are made once and revoked, disks are listed and matched by hand, and a reader changes nothing."""

from datetime import UTC, datetime
from typing import Any

from fastapi.testclient import TestClient
from sqlalchemy import Engine, text
from tests.api.ledgers import Environment

from gavel.admin.guests import guest_token
from gavel.db.engine import transaction
from gavel.db.queries.guest_tokens import GuestToken
from gavel.ingest.guest_matching import match_now
from gavel.ingest.guests import Push, read_line_protocol, store_pushes


def push(engine: Engine, token: GuestToken, *lines: str) -> None:
    now = datetime.now(UTC)
    now_us = round(now.timestamp() * 1e6)
    body = "\n".join(f"{line} {now_us}" for line in lines).encode()
    with transaction(engine) as connection:
        store_pushes(connection, [Push(token, "192.0.2.9", now_us, read_line_protocol(body, "us"))], now)
        match_now(connection, now)


def asked(client: TestClient, path: str) -> Any:
    answer = client.get(f"/api/v1{path}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_token_is_shown_once_listed_with_its_use_and_revoked(admin: TestClient, engine: Engine) -> None:
    made = admin.post("/api/v1/guests/tokens", json={"name": "linux", "vm_names": ["Web-01"]})
    assert (made.status_code, made.headers["cache-control"]) == (201, "no-store")
    token = guest_token(engine, made.json()["token"])
    assert token is not None
    assert admin.post("/api/v1/guests/tokens", json={"name": "linux"}).status_code == 409
    push(engine, token, "diskio,host=web-01,name=sda reads=1i,writes=1i", "diskio,host=b,name=sda reads=1i,writes=1i")
    (listed,) = asked(admin, "/guests")["tokens"]
    assert made.json()["token"] not in str(listed)
    assert (listed["vm_names"], listed["guests"], listed["disks"]) == (["web-01"], 1, 1)
    assert [(each["reason"], each["lines"]) for each in listed["refused"]] == [("not_allowed", 1)]
    assert admin.delete(f"/api/v1/guests/tokens/{token.id}").status_code == 204
    assert admin.delete(f"/api/v1/guests/tokens/{token.id}").status_code == 404
    assert guest_token(engine, made.json()["token"]) is None
    assert asked(admin, "/guests")["tokens"] == []


def test_disks_are_listed_and_matched_by_hand(admin: TestClient, engine: Engine, environment: Environment) -> None:
    made = admin.post("/api/v1/guests/tokens", json={"name": "linux"}).json()["token"]
    token = guest_token(engine, made)
    assert token is not None
    push(engine, token, "diskio,host=far,name=sda reads=1i,writes=1i")
    summary = asked(admin, "/guests")
    assert {name: summary[name] for name in ("port", "guests", "disks", "live_disks", "matched_disks")} == {
        "port": None, "guests": 1, "disks": 1, "live_disks": 1, "matched_disks": 0,
    }  # fmt: skip
    page = asked(admin, "/guests/disks?unmatched=true")
    (disk,) = page["items"]
    assert (page["total"], disk["host_name"], disk["reason"], disk["vm_disk_id"]) == (1, "far", "no_vm", None)
    with transaction(engine) as connection:
        virtual = connection.scalar(text("SELECT id FROM vm_disk WHERE present ORDER BY id LIMIT 1"))
    path = f"/api/v1/guests/disks/{disk['id']}/virtual-disk"
    assert admin.put(path, json={"vm_disk_id": virtual}).status_code == 204
    (tied,) = asked(admin, "/guests/disks")["items"]
    assert (tied["vm_disk_id"], tied["matched_by"], tied["reason"]) == (virtual, "hand", None)
    assert asked(admin, "/guests/disks?unmatched=true")["items"] == []
    assert admin.put(path, json={"vm_disk_id": 999_999}).status_code == 404
    assert admin.put(path, json={"vm_disk_id": None}).status_code == 204
    assert asked(admin, "/guests/disks")["items"][0]["reason"] == "no_vm"


def test_scripts_come_with_the_marks_where_address_and_token_belong(client: TestClient) -> None:
    linux, windows = asked(client, "/guests/scripts")
    assert (linux["file_name"], windows["file_name"]) == ("gavel-guest.sh", "gavel-guest.ps1")
    for script in (linux, windows):
        assert script["text"].count(script["address_mark"]) == script["text"].count(script["token_mark"]) == 1


def test_a_reader_sees_guests_and_changes_nothing(client: TestClient) -> None:
    assert asked(client, "/guests")["guests"] == 0
    assert client.post("/api/v1/guests/tokens", json={"name": "x"}).status_code == 403
    assert client.delete("/api/v1/guests/tokens/1").status_code == 403
    assert client.put("/api/v1/guests/disks/1/virtual-disk", json={"vm_disk_id": None}).status_code == 403
