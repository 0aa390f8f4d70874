"""An esxtop capture alone becomes an environment: what its pages say is what happened in the lab, and removing it leaves nothing."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from tests.collectors.imports.esxtop.twin import Device, Load, Machine, Twin
from tests.lab.model.conftest import HOUR

from gavel.api import offline
from gavel.api.app import build
from gavel.collectors.imports.esxtop.as_import import read_import
from gavel.config import Settings
from gavel.db import databases
from gavel.db.engine import Role, open_engine, reading
from gavel.db.errors import ConflictError, NameTakenError, NotFoundError
from gavel.db.locks import only_one
from gavel.db.queries.sources import sources
from gavel.domain.errors import GavelError, SettingsError
from gavel.domain.imports import ImportedCapture, ImportOptions
from gavel.offline import environments
from gavel.offline.environments import add_environment, list_environments, remove_environment
from gavel.offline.fill import CaptureFile
from gavel.vault import load_vault
from gavel_lab.esxtop import EsxtopCapture
from gavel_lab.lab import Lab, create_lab
from gavel_lab.model import By
from gavel_lab.reading import LAYERS

NOW = datetime(2026, 8, 1, tzinfo=UTC)
NAME = "site-a"
BASE = f"/offline/{NAME}/api/v1"
# Of the story whose device queue is too short: minutes 4 to 24 of each hour; its last minutes are looked at.
FIRST_S, MINUTES, WINDOW_MIN = HOUR + 6 * 60, 8, 5
GUILTY = "kernel"


@dataclass(frozen=True)
class Installation:
    """Gavel itself, with one offline environment of a host of the lab. admin_token: of Gavel's admin."""

    settings: Settings
    engine: Engine
    client: TestClient
    lab: Lab
    admin_token: str

    def ask(self, path: str) -> Any:
        answer = self.client.get(f"{BASE}{path}")
        assert answer.status_code == 200, answer.text
        return answer.json()


def captured(lab: Lab, host_name: str, rows: int = 12 * MINUTES + 1) -> CaptureFile:
    host = next(each for each in lab.environment.hosts if each.name.startswith(host_name))
    text = "".join(f"{line}\n" for line in EsxtopCapture(lab, host, FIRST_S, interval_s=5, rows=rows).lines())
    return CaptureFile(f"{host_name}.csv", len(text), read(text.encode()))


def read(data: bytes) -> ImportedCapture:
    return read_import(io.BytesIO(data), "capture.csv", ImportOptions())


def twin(**more: Any) -> CaptureFile:
    """Two minutes of one device and one VM."""
    device = Device("naa.624a9370a934ae2e94a9486b00011010", [Load(reads=1000, read=(0.6, 0.3, 0.2))], {7001: 1.0})
    data = Twin([device], [Machine("db01", 7001, {"scsi0:0": (1000, 0, 0.9, 0)})], rows=25, **more).data()
    return CaptureFile("twin.csv", len(data), read(data))


@pytest.fixture(scope="module")
def installed(module_postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    settings = Settings(
        database_url=module_postgres_url, data_dir=tmp_path_factory.mktemp("data"), broker_url="memory://"
    )
    lab = create_lab(seed=1)
    engine = open_engine(module_postgres_url, Role.API)
    vault = load_vault(settings.key_file)
    add_environment(engine, vault, NAME, [captured(lab, "esx-01")], NOW)
    with TestClient(build(settings), base_url="http://127.0.0.1:8321") as client:
        # Who signs in on a page of the environment is signed in to Gavel.
        token = settings.setup_token_file.read_text().strip()
        signed_in = client.post(f"{BASE}/session", json={"token": token}).json()
        client.cookies.clear()
        yield Installation(settings, engine, client, lab, signed_in["admin_token"])
    for each in list_environments(engine):
        remove_environment(engine, each.name)
    engine.dispose()


def test_offline_environment_has_hosts_devices_vms_and_disks_of_the_file(installed: Installation) -> None:
    (host,) = installed.ask("/hosts")["items"]
    assert host["name"] == "esx-01.lab.example"
    assert (host["devices"], host["vms"]) == (10, 10)
    assert {each["name"] for each in installed.ask("/vms")["items"]} >= {"sql-01", "web-01", "erp-db-01"}
    assert installed.ask("/arrays")["items"] == []


def test_offline_settings_of_disks_are_not_read_and_no_0(installed: Installation) -> None:
    vm = next(each for each in installed.ask("/vms")["items"] if each["name"] == "sql-01")
    disks = installed.ask(f"/vms/{vm['id']}")["vm_disks"]
    assert disks
    assert {disk["snapshot_depth"] for disk in disks} == {None}


def test_offline_diagnosis_names_the_layer_that_the_lab_made_guilty(installed: Installation) -> None:
    vm = next(each for each in installed.ask("/vms")["items"] if each["name"] == "sql-01")
    diagnosis = installed.ask(f"/vms/{vm['id']}/diagnosis")
    assert diagnosis["layer"] == GUILTY
    assert diagnosis["severity"] == "elevated"
    assert diagnosis["confidence"] != "inconclusive"


def test_offline_bounds_hold_what_really_happened_on_every_device(installed: Installation) -> None:
    lab = installed.lab
    host = next(each for each in lab.environment.hosts if each.name == "esx-01.lab.example")
    end_s = FIRST_S + 60 * MINUTES
    window = lab.clocks.hosts[host.index].windows(np.array([end_s], dtype=np.int64), 60 * WINDOW_MIN)
    devices = [each for each in lab.environment.devices if each.host == host.index]
    truth = lab.model.read(By.DEVICE, [each.index for each in devices], window)
    kernel_us = np.sum([truth.segment_us(segment) for segment in LAYERS[GUILTY]], axis=0)
    ops = truth.ops[:, 0]
    checked = 0
    for store in installed.ask("/datastores")["items"]:
        own = [n for n, each in enumerate(devices) if each.name == store["name"]]
        if len(own) != 1:
            continue
        directions = installed.ask(f"/datastores/{store['id']}/waterfall")["directions"]
        layers = next(each["layers"] for each in directions if each["direction"] == "all")
        kernel = next(each for each in layers if each["name"] == GUILTY)
        true_us = float(np.nansum(kernel_us[own[0], 0] * ops[own[0]]) / ops[own[0]].sum())
        assert kernel["lower_us"] <= true_us <= kernel["upper_us"], store["name"]
        # Whole milliseconds of a vCenter would leave a thousand open.
        assert kernel["upper_us"] - kernel["lower_us"] < 150, store["name"]
        checked += 1
    assert checked >= 3


def test_offline_clock_stands_at_the_end_of_the_file(installed: Installation) -> None:
    window = installed.ask("/overview")
    assert window["to_at"].startswith(datetime.fromtimestamp(FIRST_S + 60 * MINUTES, UTC).isoformat()[:16])
    assert installed.client.get(f"{BASE}/live").status_code == 204


def test_offline_pages_say_what_they_are(installed: Installation) -> None:
    page = installed.client.get(f"/offline/{NAME}/vms", headers={"accept": "text/html"})
    assert page.status_code == 200
    assert installed.client.get(f"/offline/{NAME}", follow_redirects=False).headers["location"] == f"/offline/{NAME}/"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/sources"),
        ("POST", "/silences"),
        ("DELETE", "/imports/1"),
        ("POST", "/imports"),
        ("POST", "/wall-token"),
    ],
)
def test_offline_environment_refuses_every_change_even_to_the_admin(
    installed: Installation, method: str, path: str
) -> None:
    headers = {"authorization": f"Bearer {installed.admin_token}"}
    answer = installed.client.request(method, f"{BASE}{path}", json={}, headers=headers)
    assert answer.status_code == 403
    assert "nothing can be changed in it" in answer.json()["detail"]


def test_offline_environments_are_listed_and_removed_by_the_admin_alone(installed: Installation) -> None:
    vault = load_vault(installed.settings.key_file)
    add_environment(installed.engine, vault, "to-remove", [twin()], NOW)
    listed = {each["name"]: each for each in installed.client.get("/api/v1/offline-environments").json()}
    assert listed["to-remove"]["from_at"] == "2026-03-14T09:30:00Z"
    assert listed["to-remove"]["files"] == [
        {"kind": "esxtop", "file_name": "twin.csv", "subject": "esx-04.example.com"}
    ]
    assert listed["to-remove"]["size_bytes"] > 1_000_000
    address = "/api/v1/offline-environments/to-remove"
    assert installed.client.delete(address).status_code == 403
    headers = {"authorization": f"Bearer {installed.admin_token}"}
    assert installed.client.delete(address, headers=headers).status_code == 204
    assert installed.client.delete(address, headers=headers).status_code == 404
    assert "to-remove" not in {each.name for each in list_environments(installed.engine)}


def test_offline_environment_leaves_gavel_itself_untouched(installed: Installation) -> None:
    with reading(installed.engine) as connection:
        assert sources(connection) == ()
    assert installed.client.get("/api/v1/hosts").json()["items"] == []
    assert installed.client.get("/api/v1/imports").json() == []


def test_offline_environment_that_is_not_there_is_said_so(installed: Installation) -> None:
    answer = installed.client.get("/offline/nowhere/api/v1/hosts")
    assert answer.status_code == 404
    assert answer.json()["detail"] == "There is no offline environment 'nowhere'."


def test_offline_environment_is_removed_with_its_database_while_it_is_looked_at(installed: Installation) -> None:
    engine, vault = installed.engine, load_vault(installed.settings.key_file)
    before = databases.beside(engine, "")
    add_environment(engine, vault, "short-lived", [twin()], NOW)
    path = "/offline/short-lived/api/v1/hosts"
    assert len(installed.client.get(path).json()["items"]) == 1
    remove_environment(engine, "short-lived")
    assert [each.name for each in databases.beside(engine, "")] == [each.name for each in before]
    assert installed.client.get(path).status_code in (404, 503)
    with pytest.raises(NotFoundError, match="short-lived"):
        remove_environment(engine, "short-lived")


def test_offline_environment_made_anew_under_a_name_is_the_one_that_is_shown(
    installed: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, vault = installed.engine, load_vault(installed.settings.key_file)
    monkeypatch.setattr(offline, "_LOOKED_UP_S", 0.0)
    for host in ("esx-7", "esx-8"):
        add_environment(engine, vault, "again", [twin(host=host)], NOW)
        shown = installed.client.get("/offline/again/api/v1/hosts").json()["items"]
        assert [each["name"] for each in shown] == [host]
        remove_environment(engine, "again")


@pytest.mark.parametrize("fault", [SettingsError("the disk is full"), KeyboardInterrupt()])
def test_offline_environment_is_whole_or_not_there(
    installed: Installation, monkeypatch: pytest.MonkeyPatch, fault: BaseException
) -> None:
    def fails(*_: object) -> None:
        raise fault

    engine, vault = installed.engine, load_vault(installed.settings.key_file)
    before = [each.name for each in databases.beside(engine, "")]
    monkeypatch.setattr(environments, "fill_database", fails)
    with pytest.raises(type(fault)):
        add_environment(engine, vault, "half", [twin()], NOW)
    assert [each.name for each in databases.beside(engine, "")] == before


def test_offline_environment_whose_maker_was_killed_goes_with_the_next(installed: Installation) -> None:
    engine, vault = installed.engine, load_vault(installed.settings.key_file)
    left = f"{databases.own_name(engine)}_offnew_half"
    databases.create(engine, left)
    assert [each.name for each in list_environments(engine)] == [NAME]
    add_environment(engine, vault, "next", [twin()], NOW)
    remove_environment(engine, "next")
    assert left not in [each.name for each in databases.beside(engine, "")]


def test_offline_environment_with_a_name_that_is_taken_is_refused(installed: Installation) -> None:
    vault = load_vault(installed.settings.key_file)
    with pytest.raises(NameTakenError, match="'site-a'"):
        add_environment(installed.engine, vault, NAME, [twin()], NOW)


def test_offline_environments_are_made_one_at_a_time(installed: Installation) -> None:
    vault = load_vault(installed.settings.key_file)
    with only_one(installed.engine, "offline environments"), pytest.raises(ConflictError, match="is being made"):
        add_environment(installed.engine, vault, "second", [twin()], NOW)


@pytest.mark.parametrize("name", ["", "Site", "a_b", "a/b", "-a", "a-", "x" * 31, "../etc", "a b", "ä"])
def test_offline_name_that_cannot_stand_in_an_address_is_refused(tmp_path: Path, name: str) -> None:
    engine = open_engine("postgresql://nobody@127.0.0.1:1/none", Role.API)
    with pytest.raises(SettingsError, match="lower-case letters"):
        add_environment(engine, load_vault(tmp_path / "key"), name, [twin()], NOW)


def test_offline_capture_that_covers_no_whole_minute_is_refused(installed: Installation) -> None:
    vault = load_vault(installed.settings.key_file)
    short = captured(installed.lab, "esx-01", rows=8)
    with pytest.raises(GavelError, match="covers no whole minute"):
        add_environment(installed.engine, vault, "short", [short], NOW)


def test_offline_capture_without_a_lists_what_it_cannot_say(installed: Installation) -> None:
    vault = load_vault(installed.settings.key_file)
    made = add_environment(installed.engine, vault, "plain", [twin(with_all=False)], NOW)
    assert any("captured without -a" in note for note in made.contents.notes)
    host = installed.client.get("/offline/plain/api/v1/hosts").json()["items"][0]
    assert host["newest"]["host_gavg_us"] is None
    remove_environment(installed.engine, "plain")
