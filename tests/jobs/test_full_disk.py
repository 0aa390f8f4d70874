"""A disk that fills up under a running database: what health says, what workers log, and that all goes on once there is room again."""

import dataclasses
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from structlog.testing import CapturingLogger

from gavel.api.app import build
from gavel.config import Settings
from gavel.db.engine import transaction
from gavel.db.migrate import migrate
from gavel.db.queries.sources import add_source
from gavel.db.series import maintenance
from gavel.domain.source import SourceKind
from gavel.egress.policy import OutboundPolicy
from gavel.embedded import postgres
from gavel.ingest import troubles
from gavel.jobs import tasks, workplace

# The database without a row takes some 200 of them.
_DISK_MB = 600
_TICKS = 5


@dataclass
class Disk:
    """A small one, with a database on it that a worker of this process works with."""

    folder: Path
    settings: Settings

    @property
    def filler(self) -> Path:
        return self.folder / "filler"

    def fill(self) -> None:
        with self.filler.open("wb", buffering=0) as file:
            try:
                while file.write(bytes(2**20)):
                    pass
            except OSError:
                return


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Disk]:
    if os.geteuid() != 0 or sys.platform != "linux":
        pytest.skip("only root can make a small disk")
    folder = tmp_path_factory.mktemp("disk")
    mount = ["mount", "-t", "tmpfs", "-o", f"size={_DISK_MB}m,mode=0755", "none", str(folder)]
    if subprocess.run(mount, check=False).returncode:
        pytest.skip("this container may not mount")
    settings = Settings(data_dir=folder, broker_url="memory://")
    try:
        with postgres.running(settings.postgres_dir, settings=postgres.UNSAFE_SETTINGS):
            migrate(settings.database_url)
            workplace.open_worker(settings.database_url, settings.key_file, lambda: False, OutboundPolicy())
            yield Disk(folder, settings)
            workplace.close_worker()
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def client(disk: Disk) -> Iterator[TestClient]:
    with TestClient(build(disk.settings), base_url="http://127.0.0.1:8321") as found:
        yield found


@pytest.fixture
def full(disk: Disk, client: TestClient) -> Iterator[Disk]:
    disk.fill()
    yield disk
    disk.filler.unlink(missing_ok=True)


def told(client: TestClient) -> tuple[str, str, str]:
    """Of the whole and of the database, and what is said about it."""
    answer = client.get("/api/v1/health")
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    part = next(part for part in found["parts"] if part["name"] == "database")
    return found["status"], part["status"], part["detail"]


def test_a_full_disk_is_what_health_says(client: TestClient, full: Disk) -> None:
    status, of_database, said = told(client)
    assert (status, of_database) == ("failed", "failed")
    assert f"the disk that holds {full.settings.postgres_dir} is full: 0 MiB free" in said
    assert "Free some space; Gavel goes on by itself then." in said


def test_a_disk_that_gets_full_is_told_before_it_is(disk: Disk, client: TestClient) -> None:
    kept = 200 * 2**20
    free = os.statvfs(disk.folder).f_bavail * os.statvfs(disk.folder).f_frsize
    disk.filler.write_bytes(bytes(free - kept))
    try:
        status, of_database, said = told(client)
    finally:
        disk.filler.unlink()
    assert (status, of_database) == ("degraded", "degraded")
    assert "nearly full: 200 MiB free, Gavel wants 256 MiB" in said


def test_the_full_disk_of_a_database_elsewhere_is_found_when_nothing_is_recorded_any_more(
    client: TestClient, full: Disk
) -> None:
    """Its disk cannot be looked at: a little is written, once the workers' runs stay away."""
    here = client.app.state.house  # type: ignore[attr-defined]
    client.app.state.house = dataclasses.replace(here, database_dir=None)  # type: ignore[attr-defined]
    full.filler.unlink()
    long_ago = datetime.now(UTC) - timedelta(minutes=5)
    with transaction(here.engine) as connection:
        add_source(
            connection, kind=SourceKind.VCENTER, name="vc", address="vc", settings={}, enabled=True, now=long_ago
        )
    assert told(client)[:2] == ("degraded", "ok")
    full.fill()
    status, of_database, said = told(client)
    assert (status, of_database) == ("failed", "failed")
    assert "the database cannot write, for its disk is full" in said
    assert "Free some space there; Gavel goes on by itself then." in said


def test_workers_say_it_once_and_go_on_by_themselves(
    full: Disk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    log = CapturingLogger()
    monkeypatch.setattr(troubles, "log", log)
    monkeypatch.setattr(troubles, "_logged_at", {})
    caplog.set_level(logging.WARNING)
    maintain = tasks.run_maintenance
    # It makes the partitions of the coming hours first, here of many, for which there is no room.
    monkeypatch.setattr(maintenance, "AHEAD", timedelta(hours=100))
    ended = [maintain.apply().state for _ in range(_TICKS)]
    assert set(ended) == {"FAILURE"}
    (call,) = log.calls
    assert (call.method_name, call.args) == ("error", ("database unavailable",))
    assert "the database cannot write, for its disk is full" in call.kwargs["error"]
    assert not [record for record in caplog.records if record.exc_info], caplog.text
    full.filler.unlink()
    assert maintain.apply().state == "SUCCESS"
