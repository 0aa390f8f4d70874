"""Sources through the API: secrets go in and never come out, and every mistake gets a sentence."""

import ssl
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text
from tests.api.ledgers import NOW, Environment
from tests.collectors.tls import make_identity, tls_server
from tests.db.environments import array_inventory, host_inventory

from gavel.db.engine import Role, open_engine, transaction
from gavel.db.queries.clocks import record_clocks
from gavel.db.queries.gaps import note_gap
from gavel.db.queries.runs import SourceRun, record_run
from gavel.db.write.inventory import store_inventory
from gavel.domain.errors import ErrorKind
from gavel.domain.inventory import InventoryTaken
from gavel.domain.source import ClockReading, Stream

TOKEN = "0b6b1d3e-canary-4d2c-9a77-8d8e4bb1f001"
PIN = "ab" * 32
ARRAY = {"address": "127.0.0.1:9", "api_token": TOKEN, "fingerprint_sha256": PIN}


def _add(admin: TestClient, name: str = "array-1", **settings: object) -> dict[str, object]:
    answer = admin.post("/api/v1/sources", json={"kind": "flasharray", "name": name, "settings": ARRAY | settings})
    assert answer.status_code == 201, answer.text
    found: dict[str, object] = answer.json()
    return found


def test_a_new_source_waits_for_its_first_run(admin: TestClient) -> None:
    added = _add(admin)
    assert added["state"] == "waiting"
    assert [source["name"] for source in admin.get("/api/v1/sources").json()] == ["array-1"]


def test_secrets_never_leave(admin: TestClient, postgres_url: str) -> None:
    added = _add(admin)
    assert added["secrets_set"] == ["api_token"]
    for path in ("/api/v1/sources", f"/api/v1/sources/{added['id']}"):
        assert "canary" not in admin.get(path).text
    engine = open_engine(postgres_url, Role.WORKER)
    with engine.connect() as connection:
        stored = connection.execute(text("SELECT source::text FROM source")).scalar_one()
    engine.dispose()
    assert "canary" not in stored
    assert TOKEN.encode().hex() not in stored


def test_the_clocks_of_hosts_have_their_names(client: TestClient, environment: Environment) -> None:
    with transaction(environment.engine) as connection:
        connection.execute(
            text("UPDATE esxi_host SET key = 'host-12', name = 'esx-12.example.com' WHERE key = 'esx-1'")
        )
        readings = [ClockReading(subject, 30.0, 0.5, NOW) for subject in (None, "host-12", "host-99")]
        record_clocks(connection, environment.vcenter, readings)
    found = client.get(f"/api/v1/sources/{environment.vcenter}").json()
    assert [(clock["subject"], clock["name"]) for clock in found["clocks"]] == [
        (None, None), ("host-12", "esx-12.example.com"), ("host-99", None),
    ]  # fmt: skip
    owners = [warning.removeprefix("The clock of ").partition(" is ")[0] for warning in found["warnings"]]
    assert owners == ["the source", "esx-12.example.com", "host-99"]


def test_a_stream_tells_what_its_last_run_read_and_what_of_it_was_new(
    client: TestClient, environment: Environment
) -> None:
    with transaction(environment.engine) as connection:
        record_run(
            connection, SourceRun(environment.array, Stream.ARRAY_VOLUME, "live", NOW, 0.5, samples=44, new_samples=11)
        )
    (stream, *_) = client.get(f"/api/v1/sources/{environment.array}").json()["streams"]
    assert (stream["last_samples"], stream["last_new_samples"]) == (44, 11)


def test_samples_that_changed_after_arrival_are_counted_for_an_hour_and_corrections_are_a_warning(
    client: TestClient, environment: Environment
) -> None:
    # The hour is that before the question, not before the module was loaded.
    now = datetime.now(UTC)
    with transaction(environment.engine) as connection:
        for at, completed, corrected in (
            (now, 40, 0),
            (now - timedelta(minutes=40), 2, 3),
            (now - timedelta(hours=2), 500, 0),
        ):
            late = SourceRun(
                environment.array, Stream.ARRAY_VOLUME, "live", at, 0.5, completed=completed, corrected=corrected
            )
            record_run(connection, late)
    found = client.get(f"/api/v1/sources/{environment.array}").json()
    (stream, *_) = found["streams"]
    assert (stream["completed_1h"], stream["corrected_1h"]) == (42, 3)
    assert [(run["completed"], run["corrected"]) for run in found["runs"]] == [(40, 0), (2, 3), (500, 0)]
    assert [
        warning
        for warning in found["warnings"]
        if warning.startswith("3 samples read in the last hour had other values")
    ]


def test_a_stream_whose_last_run_failed_is_not_said_to_have_read_nothing(
    client: TestClient, environment: Environment
) -> None:
    with transaction(environment.engine) as connection:
        failed = SourceRun(environment.array, Stream.ARRAY_VOLUME, "live", NOW, 0.5, error_kind=ErrorKind.TIMEOUT)
        record_run(connection, failed)
    (stream, *_) = client.get(f"/api/v1/sources/{environment.array}").json()["streams"]
    assert stream["last_run_at"] is not None
    assert (stream["last_samples"], stream["last_new_samples"]) == (None, None)


def test_runs_of_what_a_source_has_nothing_for_are_left_out_unless_they_failed(
    client: TestClient, environment: Environment
) -> None:
    without_files = replace(array_inventory(), directories=())
    with transaction(environment.engine) as connection:
        store_inventory(connection, environment.array, InventoryTaken(without_files, NOW + timedelta(minutes=1)))
        for stream, error in (
            (Stream.ARRAY_VOLUME, None),
            (Stream.ARRAY_DIRECTORY, None),
            (Stream.ARRAY_DIRECTORY, ErrorKind.TIMEOUT),
        ):
            record_run(connection, SourceRun(environment.array, stream, "live", NOW, 0.5, error_kind=error))
    told = [
        client.get(f"/api/v1/sources/{environment.array}").json()["runs"],
        client.get(f"/api/v1/sources/{environment.array}/runs").json(),
    ]
    for runs in told:
        assert [(run["stream"], run["error_kind"]) for run in runs] == [
            ("array_directory", "timeout"), ("array_volume", None),
        ]  # fmt: skip


def test_what_a_vcenter_keeps_from_its_account_is_a_warning(client: TestClient, environment: Environment) -> None:
    kept = "The queue settings of esx-1 may not be read."
    with transaction(environment.engine) as connection:
        taken = InventoryTaken(replace(host_inventory(), withheld=(kept,)), NOW + timedelta(minutes=1))
        store_inventory(connection, environment.vcenter, taken)
    assert client.get(f"/api/v1/sources/{environment.vcenter}").json()["warnings"] == [kept]


def test_a_source_in_which_nothing_is_visible_says_so_and_what_to_do(
    client: TestClient, environment: Environment
) -> None:
    inventory = host_inventory()
    nothing = dict.fromkeys(("clusters", "hosts", "hbas", "devices", "paths", "datastores", "vms", "disks"), ())
    with transaction(environment.engine) as connection:
        hidden = InventoryTaken(replace(inventory, **nothing), NOW + timedelta(minutes=1))  # type: ignore[arg-type]
        store_inventory(connection, environment.vcenter, hidden)
    (warning,) = client.get(f"/api/v1/sources/{environment.vcenter}").json()["warnings"]
    assert warning.startswith("Nothing of the vCenter is visible to the account. Give the user the role Read-only")


def test_a_secret_left_out_stays_and_can_be_changed_alone(admin: TestClient) -> None:
    added = _add(admin)
    answer = admin.patch(
        f"/api/v1/sources/{added['id']}",
        json={"settings": {"address": "127.0.0.1:9", "fingerprint_sha256": PIN, "poll_interval_s": 60}},
    )
    assert answer.status_code == 200
    assert answer.json()["settings"]["poll_interval_s"] == 60
    assert answer.json()["secrets_set"] == ["api_token"]


@pytest.mark.parametrize("moved", [{"address": "127.0.0.1:10"}, {"fingerprint_sha256": "cd" * 32}])
def test_a_secret_does_not_follow_to_another_place(admin: TestClient, moved: dict[str, str]) -> None:
    added = _add(admin)
    settings = {"address": "127.0.0.1:9", "fingerprint_sha256": PIN} | moved
    answer = admin.patch(f"/api/v1/sources/{added['id']}", json={"settings": settings})
    assert answer.status_code == 422
    assert "api_token must be entered again" in answer.json()["detail"]
    trial = admin.post(
        "/api/v1/sources/test", json={"kind": "flasharray", "settings": settings, "source_id": added["id"]}
    )
    assert trial.status_code == 422


def test_a_name_can_be_used_once(admin: TestClient) -> None:
    _add(admin)
    answer = admin.post("/api/v1/sources", json={"kind": "flasharray", "name": "array-1", "settings": ARRAY})
    assert answer.status_code == 409


def test_settings_that_do_not_fit_name_their_fields(admin: TestClient) -> None:
    wrong = {"address": "https://array/login", "poll_interval_s": 5, "fingerprint_sha256": "12:34"}
    answer = admin.post("/api/v1/sources", json={"kind": "flasharray", "name": "x", "settings": wrong})
    assert answer.status_code == 422
    fields = {error["field"] for error in answer.json()["errors"]}
    assert fields == {
        "settings.address",
        "settings.api_token",
        "settings.poll_interval_s",
        "settings.fingerprint_sha256",
    }
    assert answer.headers["content-type"] == "application/problem+json"
    assert "Value error" not in answer.text


def test_an_address_copied_from_a_browser_is_taken_without_what_is_around_it(admin: TestClient) -> None:
    added = _add(admin, address="https://127.0.0.1:9/")
    settings = added["settings"]
    assert isinstance(settings, dict)
    assert settings["address"] == "127.0.0.1:9"


def test_an_unknown_kind_is_answered_with_the_known_ones(admin: TestClient) -> None:
    answer = admin.post("/api/v1/sources", json={"kind": "netapp", "name": "x", "settings": {}})
    assert answer.status_code == 422
    assert "flasharray" in answer.json()["detail"]


def test_a_removed_source_is_gone(admin: TestClient) -> None:
    added = _add(admin)
    assert admin.delete(f"/api/v1/sources/{added['id']}").status_code == 204
    gone = admin.get(f"/api/v1/sources/{added['id']}")
    assert gone.status_code == 404
    assert str(added["id"]) in gone.json()["detail"]


def test_trying_a_closed_port_says_so_and_saves_nothing(admin: TestClient) -> None:
    answer = admin.post("/api/v1/sources/test", json={"kind": "flasharray", "settings": ARRAY})
    assert answer.status_code == 200
    checks = answer.json()["checks"]
    assert checks[0]["state"] == "failed"
    assert "not reachable" in checks[0]["detail"]
    assert {check["state"] for check in checks[1:]} == {"skipped"}
    assert admin.get("/api/v1/sources").json() == []


@pytest.mark.parametrize("kind", ["flasharray", "vcenter"])
@pytest.mark.parametrize("pinned", [None, PIN])
def test_a_certificate_that_is_not_trusted_comes_with_the_fingerprint_to_pin(
    admin: TestClient, tmp_path: Path, kind: str, pinned: str | None
) -> None:
    identity = make_identity(tmp_path)
    secrets = {"api_token": TOKEN} if kind == "flasharray" else {"username": "gavel", "password": TOKEN}
    with tls_server(identity, _hear) as server:
        settings = {"address": server.address, "fingerprint_sha256": pinned, **secrets}
        found = admin.post("/api/v1/sources/test", json={"kind": kind, "settings": settings}).json()
        pinning = {**settings, "fingerprint_sha256": identity.fingerprint}
        pinned_now = admin.post("/api/v1/sources/test", json={"kind": kind, "settings": pinning}).json()
    (failed,) = (check for check in found["checks"] if check["state"] == "failed")
    assert failed["presented_sha256"] == identity.fingerprint
    assert {check["presented_sha256"] for check in found["checks"] if check != failed} == {None}
    # It speaks no REST and no SOAP: what fails now is no certificate any more.
    assert not pinned_now["passed"]
    assert {check["presented_sha256"] for check in pinned_now["checks"]} == {None}
    assert "ertificate" not in next(check["remedy"] for check in pinned_now["checks"] if check["state"] == "failed")


def _hear(connection: ssl.SSLSocket, received: bytearray) -> None:
    """Hangs up on whatever is asked."""
    received += connection.recv(65_536)


def test_every_kind_publishes_a_form_with_its_secrets_marked(client: TestClient) -> None:
    for kind in client.get("/api/v1/source-kinds").json():
        properties = kind["settings_schema"]["properties"]
        assert any(field.get("writeOnly") for field in properties.values())
        assert all(field.get("title") and field.get("description") for field in properties.values())


@pytest.mark.parametrize(
    ("kind", "asked"),
    [
        ("flasharray", {"address", "api_token", "fingerprint_sha256"}),
        ("vcenter", {"address", "username", "password", "fingerprint_sha256"}),
    ],
)
def test_a_form_asks_first_for_what_everybody_needs_and_says_where_to_get_it(
    client: TestClient, kind: str, asked: set[str]
) -> None:
    (found,) = (one for one in client.get("/api/v1/source-kinds").json() if one["kind"] == kind)
    schema = found["settings_schema"]
    assert {name for name, field in schema["properties"].items() if not field.get("advanced")} == asked
    assert set(schema["required"]) <= asked
    assert "role" in found["at_hand"]


def test_missing_intervals_of_all_sources_are_one_answer(admin: TestClient, environment: Environment) -> None:
    with transaction(environment.engine) as connection:
        for source_id, stream in ((environment.array, Stream.ARRAY_VOLUME), (environment.vcenter, Stream.HOST_DEVICE)):
            span = (NOW - timedelta(minutes=9), NOW - timedelta(minutes=7))
            note_gap(connection, source_id, stream, *span, reason="unreachable", now=NOW)
    found = admin.get("/api/v1/environment/gaps?from=-1h&to=now").json()
    assert {(one["source"]["id"], one["stream"], one["reason"]) for one in found} == {
        (environment.array, "array_volume", "unreachable"),
        (environment.vcenter, "host_device", "unreachable"),
    }
    assert admin.get("/api/v1/environment/gaps?from=-9d&to=-8d").json() == []
