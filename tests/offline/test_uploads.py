"""Files are uploaded for an offline environment, a worker makes it, and what cannot be made says why; nothing of it is an import."""

import gzip
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, text
from tests.collectors.imports.esxtop.twin import Device, Load, Machine, Twin
from tests.waiting import join, wait_for

from gavel import clock
from gavel.api.app import build
from gavel.config import Settings
from gavel.correlate.captures import tie_import
from gavel.db import databases
from gavel.db.engine import transaction
from gavel.db.locks import only_one
from gavel.db.write.offline_builds import drop_abandoned_builds
from gavel.ingest.connections import Connections
from gavel.ingest.imports import MOST_ENDED_READERS, read_uploads
from gavel.ingest.worker import WorkerContext
from gavel.offline import builds, environments
from gavel.offline.builds import make_environments
from gavel.offline.environments import list_environments, remove_environment
from gavel.offline.names import unfinished_prefix
from gavel.vault import load_vault

API = "/api/v1/offline-environments"
BUILDS = "/api/v1/offline-builds"
PART = 5_000


@dataclass(frozen=True)
class Site:
    client: TestClient
    engine: Engine
    context: WorkerContext

    def announce(self, name: str, *files: tuple[str, str, bytes], **more: Any) -> Any:
        listed = [{"kind": kind, "file_name": file, "size_bytes": len(data)} for kind, file, data in files]
        return self.client.post(API, json={"name": name, "files": listed, **more})

    def upload(self, name: str, *files: tuple[str, str, bytes], **more: Any) -> None:
        answer = self.announce(name, *files, **more)
        assert answer.status_code == 201, answer.text
        for each, (_, _, data) in zip(answer.json()["files"], files, strict=True):
            self.send(each["import_id"], data, 0)

    def send(self, import_id: int, data: bytes, position: int) -> None:
        for start in range(position, len(data), PART):
            answer = self.client.put(
                f"/api/v1/imports/{import_id}/parts?position={start}",
                content=data[start : start + PART],
                headers={"content-type": "application/octet-stream"},
            )
            assert answer.status_code == 200, answer.text

    def builds(self) -> dict[str, Any]:
        return {each["name"]: each for each in self.client.get(BUILDS).json()}

    def names(self) -> list[str]:
        return [each["name"] for each in self.client.get(API).json()]

    def chunks(self) -> int:
        with transaction(self.engine) as connection:
            return int(connection.execute(text("SELECT count(*) FROM import_chunk")).scalar_one())


@pytest.fixture(scope="module")
def site(module_postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    settings = Settings(
        database_url=module_postgres_url, data_dir=tmp_path_factory.mktemp("data"), broker_url="memory://"
    )
    with TestClient(build(settings), base_url="http://127.0.0.1:8321") as client:
        answer = client.post("/api/v1/session", json={"token": settings.setup_token_file.read_text().strip()})
        client.cookies.clear()
        client.headers["authorization"] = f"Bearer {answer.json()['admin_token']}"
        engine = client.app.state.house.engine  # type: ignore[attr-defined]
        yield Site(client, engine, WorkerContext(engine, Connections(load_vault(settings.key_file))))


@pytest.fixture(autouse=True)
def nothing_left(site: Site) -> Iterator[None]:
    yield
    for name in site.builds():
        assert site.client.delete(f"{BUILDS}/{name}").status_code == 204
    for each in list_environments(site.engine):
        remove_environment(site.engine, each.name)
    assert site.chunks() == 0
    assert site.client.get("/api/v1/imports").json() == []


def capture(host: str = "esx-04.example.com", **more: Any) -> bytes:
    """Two minutes of one device and one VM."""
    device = Device("naa.624a9370a934ae2e94a9486b00011010", [Load(reads=1000, read=(0.6, 0.3, 0.2))], {7001: 1.0})
    return Twin([device], [Machine("db01", 7001, {"scsi0:0": (1000, 0, 0.9, 0)})], rows=25, host=host, **more).data()


def test_offline_upload_becomes_an_environment_of_all_its_files_and_leaves_no_import(site: Site) -> None:
    site.upload(
        "site-a",
        ("esxtop", "esx-04.csv", capture()),
        ("esxtop", "esx-05.csv.gz", gzip.compress(capture("esx-05.example.com"), mtime=0)),
    )
    assert (site.builds()["site-a"]["state"], site.names()) == ("waiting", [])
    assert site.client.get("/api/v1/imports").json() == []
    assert read_uploads(site.context) == []
    make_environments(site.context)
    assert (site.builds(), site.names(), site.chunks()) == ({}, ["site-a"], 0)
    hosts = site.client.get("/offline/site-a/api/v1/hosts").json()["items"]
    assert {each["name"] for each in hosts} == {"esx-04.example.com", "esx-05.example.com"}
    (made,) = site.client.get(API).json()
    assert [each["file_name"] for each in made["files"]] == ["esx-04.csv", "esx-05.csv.gz"]


def test_offline_upload_that_broke_off_is_gone_on_with_by_the_same_request(site: Site) -> None:
    data = capture()
    file = ("esxtop", "esx-04.csv", data)
    first = site.announce("site-a", file).json()["files"][0]["import_id"]
    site.send(first, data[:PART], 0)
    again = site.announce("site-a", file)
    assert again.status_code == 201
    (begun,) = again.json()["files"]
    assert (begun["import_id"], begun["received_bytes"], again.json()["state"]) == (first, PART, "uploading")
    make_environments(site.context)
    assert site.names() == []
    other = site.announce("site-a", ("esxtop", "other.csv", data))
    assert (other.status_code, "is being made" in other.json()["detail"]) == (409, True)
    site.send(first, data, PART)
    make_environments(site.context)
    assert site.names() == ["site-a"]
    taken = site.announce("site-a", file)
    assert (taken.status_code, "There is an offline environment" in taken.json()["detail"]) == (409, True)


def test_offline_environment_is_made_of_a_capture_that_was_imported_and_leaves_the_import(site: Site) -> None:
    data = capture()
    announced = {"format": "esxtop", "file_name": "esx-04.csv", "size_bytes": len(data)}
    import_id = site.client.post("/api/v1/imports", json=announced).json()["id"]
    assert site.announce("site-a", import_ids=[import_id]).status_code == 422
    site.send(import_id, data, 0)
    for each in read_uploads(site.context):
        tie_import(site.engine, each, clock.now())
    imported = site.client.get(f"/api/v1/imports/{import_id}").json()
    assert (imported["state"], imported["host_id"], imported["suggests_offline"]) == ("ready", None, True)
    assert site.announce("site-a", import_ids=[import_id]).status_code == 201
    site.upload("site-b", ("esxtop", "esx-04.csv", data))
    make_environments(site.context)
    assert site.names() == ["site-a", "site-b"]
    stored, uploaded = (
        site.client.get(f"/offline/{name}/api/v1/hosts").json()["items"][0]["newest"] for name in ("site-a", "site-b")
    )
    assert stored == uploaded
    assert stored["host_gavg_us"] is not None
    assert site.client.delete(f"/api/v1/imports/{import_id}").status_code == 204


@pytest.mark.parametrize(
    ("kind", "data", "reason"),
    [
        ("esxtop", b"top - 10:00:01 up 1 day\n", "output of top of Linux"),
        ("array", b"{}", "is no export of an array"),
        ("array", gzip.compress(b"{}", mtime=0)[:-4], "cannot be read"),
    ],
    ids=["top of Linux", "no export", "cut gzip"],
)
def test_offline_upload_that_cannot_be_used_fails_with_file_and_reason_and_keeps_no_bytes(
    site: Site, kind: str, data: bytes, reason: str
) -> None:
    site.upload("site-a", ("esxtop", "good.csv", capture()), (kind, "bad.file", data))
    make_environments(site.context)
    failed = site.builds()["site-a"]
    assert failed["state"] == "failed"
    assert "bad.file" in failed["error"]
    assert reason in failed["error"]
    assert (site.names(), site.chunks()) == ([], 0)
    make_environments(site.context)
    assert site.builds()["site-a"] == failed


def test_offline_upload_whose_parts_the_database_lost_says_so(site: Site) -> None:
    site.upload("site-a", ("esxtop", "esx-04.csv", capture()))
    with transaction(site.engine) as connection:
        connection.execute(text("DELETE FROM import_chunk"))
    make_environments(site.context)
    assert "Upload it again" in site.builds()["site-a"]["error"]


def test_offline_captures_with_more_numbers_than_fit_memory_are_refused(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builds, "MOST_NUMBERS", 100)
    site.upload("site-a", ("esxtop", "esx-04.csv", capture()))
    make_environments(site.context)
    assert "fewer hosts, or of a shorter time" in site.builds()["site-a"]["error"]


def test_offline_upload_that_ends_its_workers_is_given_up_with_the_reason(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ends(*_: object, **__: object) -> None:
        raise SystemExit

    site.upload("site-a", ("esxtop", "esx-04.csv", capture()))
    monkeypatch.setattr(builds, "add_environment", ends)
    for _ in range(MOST_ENDED_READERS):
        make_environments(site.context)
        assert site.builds()["site-a"]["state"] == "making"
    make_environments(site.context)
    assert "3 processes ended" in site.builds()["site-a"]["error"]


def test_removal_ends_the_maker_of_an_offline_environment_and_the_next_one_is_made_at_once(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = environments.add_environment

    def never_ends(engine: Engine, vault: Any, name: str, *rest: Any, **others: Any) -> None:
        if name != "site-a":
            usual(engine, vault, name, *rest, **others)
            return
        with environments._building(engine, name):
            others["say"]("It is being made.")
            while True:
                signal.pause()

    for name in ("site-a", "site-b"):
        site.upload(name, ("esxtop", "esx-04.csv", capture()))
    monkeypatch.setattr(builds, "add_environment", never_ends)
    maker = threading.Thread(target=make_environments, args=(site.context,))
    maker.start()
    wait_for(lambda: site.builds()["site-a"]["step"] == "It is being made.", "it is being made")
    assert site.client.delete("/api/v1/offline-builds/site-a").status_code == 204
    join(maker)
    make_environments(site.context)
    assert (site.builds(), site.names()) == ({}, ["site-b"])
    own = databases.own_name(site.engine)
    assert databases.beside(site.engine, unfinished_prefix(own), with_sizes=False) == []


def test_offline_environment_whose_maker_ended_after_it_was_made_is_made(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ends(*_: object) -> None:
        raise SystemExit

    site.upload("site-a", ("esxtop", "esx-04.csv", capture()))
    with monkeypatch.context() as patched:
        patched.setattr(builds, "drop_build", ends)
        with pytest.raises(SystemExit):
            make_environments(site.context)
    make_environments(site.context)
    assert (site.builds(), site.names()) == ({}, ["site-a"])


def test_offline_upload_waits_while_another_environment_is_made(site: Site) -> None:
    site.upload("site-a", ("esxtop", "esx-04.csv", capture()))
    with only_one(site.engine, "offline environments"):
        for _ in range(MOST_ENDED_READERS + 1):
            make_environments(site.context)
    assert site.builds()["site-a"]["state"] == "waiting"


def test_offline_upload_is_given_up_with_its_files_and_its_files_not_alone(site: Site) -> None:
    site.upload("site-a", ("esxtop", "esx-04.csv", capture()))
    import_id = site.builds()["site-a"]["files"][0]["import_id"]
    alone = site.client.delete(f"/api/v1/imports/{import_id}")
    assert (alone.status_code, "remove that" in alone.json()["detail"]) == (409, True)
    assert site.client.delete(f"{BUILDS}/site-a").status_code == 204
    assert site.client.get(f"/api/v1/imports/{import_id}").status_code == 404
    assert site.client.delete(f"{BUILDS}/site-a").status_code == 404


def test_offline_upload_that_nobody_goes_on_with_is_dropped_and_one_that_is_whole_is_not(site: Site) -> None:
    site.announce("left", ("esxtop", "esx-04.csv", capture()))
    site.upload("whole", ("esxtop", "esx-04.csv", capture()))
    with transaction(site.engine) as connection:
        assert drop_abandoned_builds(connection, clock.now() - timedelta(days=1)) == 0
        assert drop_abandoned_builds(connection, clock.now() + timedelta(minutes=1)) == 1
    assert list(site.builds()) == ["whole"]


@pytest.mark.parametrize(
    ("files", "more"),
    [
        ([], {}),
        ([("array", "fa1.json.gz", b"x")], {}),
        ([("esxtop", "a.csv", b"x"), ("esxtop", "a.csv", b"x")], {}),
        ([("esxtop", "a.csv", b"x")], {"name": "Site"}),
        ([("esxtop", "a.csv", b"x")], {"utc_bias_minutes": 10_000}),
        ([("excel", "a.csv", b"x")], {}),
    ],
)
def test_offline_upload_that_cannot_become_an_environment_is_refused_at_once(
    site: Site, files: list[tuple[str, str, bytes]], more: dict[str, Any]
) -> None:
    wanted = {"name": "site-a"} | more
    assert site.announce(wanted.pop("name"), *files, **wanted).status_code == 422
    huge = {"kind": "array", "file_name": "fa1.json.gz", "size_bytes": 2**30}
    small = {"kind": "esxtop", "file_name": "a.csv", "size_bytes": 1}
    assert site.client.post(API, json={"name": "site-a", "files": [small, huge]}).status_code == 422
    assert site.announce("site-a", import_ids=[4711]).status_code == 404
    assert site.builds() == {}


def test_offline_upload_needs_the_admin(site: Site) -> None:
    anonymous = {"authorization": ""}
    announced = {"name": "site-a", "files": [{"kind": "esxtop", "file_name": "a.csv", "size_bytes": 1}]}
    assert site.client.post(API, json=announced, headers=anonymous).status_code == 403
    assert site.client.delete(f"{BUILDS}/site-a", headers=anonymous).status_code == 403
    assert site.client.get(BUILDS, headers=anonymous).json() == []
