"""Imports over the API: a file comes in parts, is read by a worker, and is listed with what it holds or why it cannot be used."""

import gzip
import signal
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any, NoReturn

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, text
from tests.collectors.imports.esxtop.twin import incident
from tests.waiting import join, wait_for

from gavel import clock
from gavel.admin.maintenance import maintain
from gavel.api.convert_imports import report_out
from gavel.collectors.import_registry import FORMATS
from gavel.correlate.captures import tie_import
from gavel.db.engine import transaction
from gavel.domain.imports import MOST_UPLOADS, ImportedCapture, ImportOptions
from gavel.ingest.connections import Connections
from gavel.ingest.imports import MOST_ENDED_READERS, read_uploads
from gavel.ingest.worker import WorkerContext
from gavel.vault import Vault

API = "/api/v1/imports"
PART = 100_000


def begin(admin: TestClient, data: bytes, name: str = "esx-04.csv") -> int:
    made = admin.post(API, json={"format": "esxtop", "file_name": name, "size_bytes": len(data)})
    assert made.status_code == 201, made.text
    return int(made.json()["id"])


def part(admin: TestClient, import_id: int, position: int, data: bytes) -> Any:
    return admin.put(
        f"{API}/{import_id}/parts?position={position}",
        content=data,
        headers={"content-type": "application/octet-stream"},
    )


def upload(admin: TestClient, data: bytes) -> int:
    import_id = begin(admin, data)
    answers = [part(admin, import_id, start, data[start : start + PART]) for start in range(0, len(data), PART)]
    assert [answer.status_code for answer in answers] == [200] * len(answers)
    assert answers[-1].json() == {"received_bytes": len(data), "is_complete": True}
    return import_id


def read(engine: Engine) -> None:
    context = WorkerContext(engine, Connections(Vault(bytes(32))))
    for import_id in read_uploads(context):
        tie_import(engine, import_id, clock.now())


def listed(client: TestClient, import_id: int) -> Any:
    answer = client.get(f"{API}/{import_id}")
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.fixture
def nothing_left(engine: Engine) -> Iterator[None]:
    yield
    with transaction(engine) as connection:
        assert connection.execute(text("SELECT count(*) FROM import_chunk")).scalar_one() == 0


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.usefixtures("nothing_left")
def test_upload_in_parts_becomes_an_import_with_its_report(admin: TestClient, engine: Engine, packed: bool) -> None:
    plain = incident().data()
    import_id = upload(admin, gzip.compress(plain, mtime=0) if packed else plain)
    assert listed(admin, import_id)["state"] == "waiting"
    assert admin.get(f"{API}/{import_id}/report").status_code == 409
    read(engine)
    found = listed(admin, import_id)
    assert (found["state"], found["host_name"], found["devices"]) == ("ready", "esx-04.example.com", 3)
    assert (found["narrows"], found["host"]) == (False, None)
    assert "Choose the host" in found["note"]
    report = admin.get(f"{API}/{import_id}/report").json()
    device = report["devices"][0]
    assert (device["name"], device["kavg_us"], device["queue_depth"]) == (
        "naa.624a9370a934ae2e94a9486b00011010",
        442.0,
        32,
    )
    assert device["worlds"][0]["vm"] == "vdi-03"
    assert report["is_consistent"]
    assert admin.get(f"{API}/{import_id}/hosts").json() == []
    assert import_id in [each["id"] for each in admin.get(API).json()]
    assert admin.delete(f"{API}/{import_id}").status_code == 204
    assert admin.get(f"{API}/{import_id}").status_code == 404


def test_report_takes_each_counter_from_its_own_field() -> None:
    counters = {"guest": 1.0, "driver": 2.0, "kernel": 3.0, "queue": 4.0}
    instants = ("device_queue_depth", "active", "queued", "load_ratio")
    device = {
        "name": "naa.1",
        "reads_per_s": 5.0,
        "writes_per_s": 6.0,
        "latency": {"all": {name: {"mean_us": us} for name, us in counters.items()}},
        "instants": {name: {"mean": 10.0 * n, "max": 10.0 * n + 1} for n, name in enumerate(instants, 1)},
        "worlds": [],
    }
    whole = {"rows": 9, "rows_with_rates": 8, "refused_rows": 1, "interval_s": 5.0, "latency_half_us": 0.5}
    stored: dict[str, Any] = {**whole, "consistent": True, "warnings": [], "refused": [], "devices": [device]}
    report = report_out(stored).model_dump()
    assert {name: report[name] for name in whole} == whole
    assert report["devices"] == [
        {
            "name": "naa.1",
            "reads_per_s": 5.0,
            "writes_per_s": 6.0,
            "gavg_us": 1.0,
            "davg_us": 2.0,
            "kavg_us": 3.0,
            "qavg_us": 4.0,
            "queue_depth": 11.0,
            "active": 20.0,
            "queued": 30.0,
            "queued_max": 31.0,
            "load": 40.0,
            "worlds": [],
        }
    ]


@pytest.mark.usefixtures("nothing_left")
def test_upload_that_broke_off_is_gone_on_with_and_parts_may_be_repeated(admin: TestClient, engine: Engine) -> None:
    data = incident().data()
    import_id = begin(admin, data)
    assert part(admin, import_id, 0, data[:1000]).json() == {"received_bytes": 1000, "is_complete": False}
    # The answer got lost: the same part again changes nothing.
    assert part(admin, import_id, 0, data[:1000]).json()["received_bytes"] == 1000
    ahead = part(admin, import_id, 5000, data[5000:6000])
    assert (ahead.status_code, "1000 bytes have come" in ahead.json()["detail"]) == (422, True)
    received = listed(admin, import_id)["received_bytes"]
    for position in range(received, len(data), PART):
        part(admin, import_id, position, data[position : position + PART])
    assert part(admin, import_id, 0, data[:1000]).json()["is_complete"]
    read(engine)
    assert listed(admin, import_id)["state"] == "ready"


@pytest.mark.usefixtures("nothing_left")
def test_upload_of_what_is_no_capture_fails_with_the_reason(admin: TestClient, engine: Engine) -> None:
    import_id = upload(admin, b"top - 10:00:01 up 1 day\n")
    read(engine)
    found = listed(admin, import_id)
    assert (found["state"], found["devices"]) == ("failed", 0)
    assert "output of top of Linux" in found["error"]
    assert admin.put(f"{API}/{import_id}/host", json={}).status_code == 422


def test_upload_whose_parts_the_database_lost_says_so(admin: TestClient, engine: Engine) -> None:
    import_id = upload(admin, incident().data())
    with transaction(engine) as connection:
        connection.execute(text("DELETE FROM import_chunk"))
    read(engine)
    assert "Upload it again" in listed(admin, import_id)["error"]


@pytest.mark.usefixtures("nothing_left")
def test_upload_that_ends_its_readers_is_given_up_with_the_reason_and_holds_back_no_other(
    admin: TestClient, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_id = upload(admin, incident().data())
    usual = FORMATS["esxtop"]

    def ends(*_: object) -> NoReturn:
        raise SystemExit

    for _ in range(MOST_ENDED_READERS):
        monkeypatch.setitem(FORMATS, "esxtop", replace(usual, read=ends))
        read(engine)
        assert listed(admin, import_id)["state"] == "reading"
    monkeypatch.setitem(FORMATS, "esxtop", usual)
    another = upload(admin, incident().data())
    read(engine)
    assert "3 processes ended while reading it" in listed(admin, import_id)["error"]
    assert listed(admin, another)["state"] == "ready"


def test_upload_takes_no_more_than_it_announced(admin: TestClient) -> None:
    import_id = begin(admin, b"x" * 10)
    for position, data in ((0, b"x" * 11), (9, b"xx"), (0, b"x" * (2**20 + 1))):
        assert part(admin, import_id, position, data).status_code in (413, 422)
    assert listed(admin, import_id)["received_bytes"] == 0
    json_part = admin.put(f"{API}/{import_id}/parts?position=0", json={})
    assert json_part.status_code == 415
    assert admin.post(API, json={"format": "esxtop", "file_name": "x", "size_bytes": 2**40}).status_code == 422
    assert admin.post(API, json={"format": "excel", "file_name": "x", "size_bytes": 1}).status_code == 422


def announce_environment(admin: TestClient, name: str, files: int) -> Any:
    listed = [{"kind": "esxtop", "file_name": f"{n}.csv", "size_bytes": 10} for n in range(files)]
    return admin.post("/api/v1/offline-environments", json={"name": name, "files": listed})


def test_upload_beyond_the_most_at_once_is_refused_until_another_is_complete_or_removed(admin: TestClient) -> None:
    """An offline environment counts as one upload: its files come one after the other."""
    assert announce_environment(admin, "first", 3).status_code == 201
    *_, removed, completed = [begin(admin, b"x") for _ in range(MOST_UPLOADS - 1)]
    file = {"format": "esxtop", "file_name": "late.csv", "size_bytes": 1}
    for refused in (admin.post(API, json=file), announce_environment(admin, "second", 1)):
        assert refused.status_code == 409
        assert "8 uploads are incomplete" in refused.json()["detail"]
        assert "remove one" in refused.json()["detail"]
    assert announce_environment(admin, "first", 3).status_code == 201, "the same request goes on with its upload"
    assert part(admin, completed, 0, b"x").json()["is_complete"]
    assert admin.post(API, json=file).status_code == 201
    assert admin.post(API, json=file).status_code == 409
    assert admin.delete(f"{API}/{removed}").status_code == 204
    assert announce_environment(admin, "second", 1).status_code == 201


GIB = 2**30


@pytest.mark.parametrize(
    ("total", "free", "has_room"),
    [
        (20 * GIB, 2 * GIB, True),
        (20 * GIB, 2 * GIB - 1, False),
        (100 * GIB, 5 * GIB, True),
        (100 * GIB, 5 * GIB - 1, False),
    ],
)
def test_upload_needs_free_disk_beside_the_database_for_its_announcement_and_each_part(
    admin: TestClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, total: int, free: int, has_room: bool
) -> None:
    import_id = begin(admin, b"xx")
    monkeypatch.setattr("gavel.embedded.room.shutil.disk_usage", lambda _: SimpleNamespace(total=total, free=free))
    file = {"format": "esxtop", "file_name": "x.csv", "size_bytes": 1}
    assert admin.post(API, json=file).status_code == 201, "the disk of an external database is not known"
    state = admin.app.state  # type: ignore[attr-defined]
    monkeypatch.setattr(state, "house", replace(state.house, database_dir=tmp_path))
    answers = (admin.post(API, json=file), announce_environment(admin, "site", 1), part(admin, import_id, 0, b"x"))
    assert [answer.status_code for answer in answers] == ([201, 201, 200] if has_room else [409] * 3)
    assert has_room or all("Free disk space" in answer.json()["detail"] for answer in answers)


def test_upload_is_removed_an_hour_after_its_last_part(admin: TestClient, engine: Engine) -> None:
    import_id = begin(admin, b"xx")
    part(admin, import_id, 0, b"x")
    assert announce_environment(admin, "site", 1).status_code == 201
    left_at = clock.now()

    def after(passed: timedelta) -> tuple[int, list[str]]:
        maintain(WorkerContext(engine, Connections(Vault(bytes(32))), now=lambda: left_at + passed))
        builds = [each["name"] for each in admin.get("/api/v1/offline-builds").json()]
        return admin.get(f"{API}/{import_id}").status_code, builds

    assert after(timedelta(minutes=59)) == (200, ["site"])
    assert after(timedelta(minutes=61)) == (404, [])
    with transaction(engine) as connection:
        assert connection.execute(text("SELECT count(*) FROM import_chunk")).scalar_one() == 0


def test_upload_needs_the_admin(client: TestClient) -> None:
    assert client.get(API).json() == []
    announced = {"format": "esxtop", "file_name": "x", "size_bytes": 1}
    assert client.post(API, json=announced).status_code == 403
    assert part(client, 1, 0, b"x").status_code == 403
    assert client.put(f"{API}/1/host", json={}).status_code == 403
    assert client.delete(f"{API}/1").status_code == 403


def test_removal_ends_the_reader_of_an_upload_and_the_next_one_is_read_at_once(
    admin: TestClient, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 28, H4: 64 kB held all imports for an hour, also after they were removed."""
    usual = FORMATS["esxtop"]
    endless = upload(admin, incident().data())
    another = upload(admin, incident().data())

    def never_ends(stream: IO[bytes], file: str, options: ImportOptions) -> ImportedCapture:
        if file == "endless.csv":
            while True:
                signal.pause()
        held = usual.read(stream, file, options)
        assert isinstance(held, ImportedCapture)
        return held

    with transaction(engine) as connection:
        connection.execute(text("UPDATE file_import SET file_name = 'endless.csv' WHERE id = :id"), {"id": endless})
    monkeypatch.setitem(FORMATS, "esxtop", replace(usual, read=never_ends))
    reader = threading.Thread(target=read, args=(engine,))
    reader.start()
    wait_for(lambda: listed(admin, endless)["state"] == "reading", "the import is being read")
    assert admin.delete(f"{API}/{endless}").status_code == 204
    join(reader)
    assert admin.get(f"{API}/{endless}").status_code == 404
    assert listed(admin, another)["state"] == "ready"


def test_stop_of_a_worker_ends_its_reader_and_is_no_fault_of_the_file(
    admin: TestClient, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = FORMATS["esxtop"]
    import_id = upload(admin, incident().data())

    def never_ends(*_: object) -> NoReturn:
        while True:
            signal.pause()

    for _ in range(MOST_ENDED_READERS + 1):
        monkeypatch.setitem(FORMATS, "esxtop", replace(usual, read=never_ends))
        context = WorkerContext(
            engine, Connections(Vault(bytes(32))), stopping=partial(next, iter((False, True)), True)
        )
        assert read_uploads(context) == []
        assert listed(admin, import_id)["state"] == "waiting"
    monkeypatch.setitem(FORMATS, "esxtop", usual)
    read(engine)
    assert listed(admin, import_id)["state"] == "ready"
