"""What the processes of a worker leave to one another."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import Engine
from structlog.testing import CapturingLogger
from tests.ports import reserve_port

from gavel.db.engine import Role, open_engine
from gavel.db.errors import UnavailableError
from gavel.ingest import troubles
from gavel.ingest.worker import WorkerContext
from gavel.jobs import app, tasks
from gavel.jobs.schedule import ROUTES


@dataclass
class Done:
    """What was done; `meanwhile` begins in the middle of the first."""

    names: list[str] = field(default_factory=list)
    meanwhile: Any = None

    def note(self, name: str) -> None:
        self.names.append(name)
        if self.meanwhile is not None:
            started, self.meanwhile = self.meanwhile, None
            started()


@pytest.fixture
def engine(postgres_url: str) -> Iterator[Engine]:
    engine = open_engine(postgres_url, Role.WORKER)
    yield engine
    engine.dispose()


@pytest.fixture
def done(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Done:
    found = Done()
    monkeypatch.setattr(tasks, "current_worker", lambda: SimpleNamespace(engine=engine))
    monkeypatch.setattr("gavel.ingest.backfill.backfill", lambda *_, **__: found.note("history"))
    monkeypatch.setattr("gavel.admin.maintenance.pack", lambda *_: found.note("packing"))
    monkeypatch.setattr("gavel.offline.builds.make_environments", lambda *_: found.note("environment"))
    monkeypatch.setattr("gavel.correlate.run.correlate", lambda *_, **__: found.note("minutes"))
    return found


def test_histories_never_take_all_processes_of_a_worker(done: Done) -> None:
    """Two arrays with an hour to read held both for 15 s at a time, and no minute was written for most of the first one."""

    def others() -> None:
        tasks.backfill(2, "slow")
        tasks.pack()
        tasks.make_offline()
        tasks.correlate()

    done.meanwhile = others
    tasks.backfill(1, "slow")
    assert done.names == ["history", "environment", "minutes"]
    tasks.backfill(2, "slow")
    assert done.names[3:] == ["history"]


_ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "collect_live": (1,),
    "collect_slowly": (1, "slow"),
    "refresh_inventory": (1, "fast"),
    "backfill": (1, "slow"),
    "deliver": (1,),
}


def test_every_job_ends_without_a_traceback_while_the_database_is_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    url = f"postgresql://gavel@127.0.0.1:{reserve_port()}/gavel"
    worker = WorkerContext.open(url, tmp_path / "key")
    monkeypatch.setattr(tasks, "current_worker", lambda: worker)
    log = CapturingLogger()
    monkeypatch.setattr(troubles, "log", log)
    monkeypatch.setattr(troubles, "_logged_at", {})
    caplog.set_level(logging.WARNING)
    loud = {}
    for name in ROUTES:
        short = name.removeprefix("gavel.")
        job = app.app.tasks[name]
        error = job.apply(_ARGUMENTS.get(short, ())).result
        if not isinstance(error, UnavailableError):
            loud[short] = repr(error)
    worker.close()
    assert loud == {}
    assert [call.args for call in log.calls] == [("database unavailable",)]
    assert not [record for record in caplog.records if record.exc_info], caplog.text


def test_a_job_that_outlasts_the_visibility_timeout_is_acknowledged_when_it_begins() -> None:
    """The broker delivers again what is not acknowledged by then, also while it runs."""
    conf = app.app.conf
    limits = {name: app.app.tasks[name].time_limit or conf.task_time_limit for name in ROUTES}
    long = {name for name, limit_s in limits.items() if limit_s >= conf.broker_transport_options["visibility_timeout"]}
    assert long == {"gavel.pack", "gavel.read_imports", "gavel.make_offline"}
    late = {name for name in ROUTES if app.app.tasks[name].acks_late}
    assert late == set(ROUTES) - long
