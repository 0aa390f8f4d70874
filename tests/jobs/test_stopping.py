"""A worker that is told to stop: a real process with a real broker and database, reading a lab over the real protocols."""

import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from celery import Celery
from sqlalchemy import Engine, text
from tests.waiting import exit_code, wait_for

from gavel.admin import sources
from gavel.db.engine import Role, open_engine
from gavel.embedded import valkey
from gavel.embedded.deathsignal import with_parent
from gavel.vault import load_vault
from gavel_lab import sources as serving
from gavel_lab.flasharray import server as flasharray
from gavel_lab.lab import Lab, create_lab
from gavel_lab.serve import App, Request, Response
from gavel_lab.vcenter import server as vcenter


@dataclass
class Scene:
    """A worker of the queue of slow sources, one array, one vCenter. `asked` counts what the sources were asked, by name and request."""

    engine: Engine
    lab: Lab
    tasks: Celery
    worker: subprocess.Popen[bytes]
    log: Path
    source_ids: dict[str, int]
    asked: Counter[str]

    def read(self, name: str) -> None:
        self.tasks.send_task("gavel.collect_slowly", (self.source_ids[name], "slow"), queue="slow")

    def runs(self, *, failed: bool = False) -> int:
        with self.engine.connect() as connection:
            wanted = "error_kind IS NOT NULL" if failed else "stream <> 'inventory' AND error_kind IS NULL"
            return int(connection.scalar(text(f"SELECT count(*) FROM collection_run WHERE {wanted}")) or 0)

    def wait_for(self, what: Callable[[], bool], name: str) -> None:
        wait_for(lambda: self.worker.poll() is not None or what(), name, explain=self.log.read_text)
        assert self.worker.poll() is None, self.log.read_text()

    def stop(self) -> int:
        self.worker.send_signal(signal.SIGTERM)
        return exit_code(self.worker)


@pytest.fixture
def scene(postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    lab, asked = create_lab(), Counter[str]()
    for kind in (flasharray, vcenter):
        monkeypatch.setattr(kind, "create", counting(kind.create, asked))
    served = serving.serve_lab(lab, 0, tmp_path / "lab")
    broker = valkey.prepare(tmp_path / "valkey")
    server = subprocess.Popen(broker.argv, stdout=subprocess.DEVNULL, preexec_fn=with_parent(signal.SIGKILL))  # noqa: PLW1509
    engine = open_engine(postgres_url, Role.API)
    key_file, url = tmp_path / "key", valkey.broker_url(tmp_path / "valkey")
    wanted = {"flasharray-1", "vcenter-1"}
    ids = {
        str(each["name"]): registered(engine, key_file, each) for each in served.announcement if each["name"] in wanted
    }
    own = {"DATABASE_URL": postgres_url, "BROKER_URL": url, "KEY_FILE": str(key_file), "DATA_DIR": str(tmp_path)}
    log = tmp_path / "worker.log"
    with log.open("wb") as output:
        worker = subprocess.Popen(
            [sys.executable, "-m", "gavel.jobs.run", "worker-slow"],
            env=os.environ | {f"GAVEL_{name}": value for name, value in own.items()},
            stdout=output, stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=with_parent(signal.SIGKILL),  # noqa: PLW1509
        )  # fmt: skip
    try:
        with Celery("test", broker=url) as tasks:
            yield Scene(engine, lab, tasks, worker, log, ids, asked)
    finally:
        if worker.poll() is None:
            os.killpg(worker.pid, signal.SIGKILL)
            worker.wait()
        server.send_signal(valkey.STOP_SIGNAL)
        exit_code(server)
        served.stop()
        engine.dispose()


def registered(engine: Engine, key_file: Path, announced: dict[str, Any]) -> int:
    settings = dict(announced["settings"])
    pin = settings.pop("tls_sha256")
    return sources.register(
        engine, load_vault(key_file), kind=announced["kind"], name=announced["name"],
        settings={"address": announced["address"], "fingerprint_sha256": pin, **settings},
    )  # fmt: skip


def counting(create: Callable[..., App], asked: Counter[str]) -> Callable[..., App]:
    """The same source, with logins, logouts and readings of samples counted under its name."""
    lock = threading.Lock()

    def counted(lab: Lab, source: Any) -> App:
        answer = create(lab, source)

        def app(request: Request) -> Response:
            with lock:
                asked[f"{source.name} {word_for(request)}"] += 1
            return answer(request)

        return app

    return counted


def word_for(request: Request) -> str:
    for word, path, body in (("login", "/login", b"<Login "), ("logout", "/logout", b"<Logout ")):
        if request.path.endswith(path) or body in request.body:
            return word
    return "other"


def test_it_logs_out_of_every_source_and_ends_in_order(scene: Scene) -> None:
    for name in scene.source_ids:
        scene.read(name)
    scene.wait_for(lambda: scene.runs() >= 5, "a reading of every stream")
    failed_before = scene.runs(failed=True)
    assert scene.stop() == 0, scene.log.read_text()
    for name in scene.source_ids:
        assert scene.asked[f"{name} login"] >= 1
        assert scene.asked[f"{name} logout"] == scene.asked[f"{name} login"], scene.asked
    assert scene.runs(failed=True) == failed_before, scene.log.read_text()


def test_a_source_that_does_not_answer_keeps_it_neither_from_ending_nor_from_logging_out_elsewhere(
    scene: Scene,
) -> None:
    scene.read("vcenter-1")
    scene.wait_for(lambda: scene.runs() >= 3, "a reading of the vCenter")
    silence = scene.lab.faults.add({"source": "flasharray-1", "kind": "black_hole", "count": 1})
    scene.read("flasharray-1")
    scene.wait_for(lambda: silence not in scene.lab.faults.all(), "the array to be asked")
    assert scene.stop() == 0, scene.log.read_text()
    assert scene.asked["vcenter-1 logout"] == scene.asked["vcenter-1 login"] >= 1, scene.asked
    # A worker that had waited for the array would have booked its silence as a failure.
    assert scene.runs(failed=True) == 0
