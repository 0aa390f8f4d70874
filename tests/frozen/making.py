"""Makes the held hour in this one process, one thing after the other: what `tests.frozen.hour` starts.

    .venv/bin/python -m tests.frozen.making FOLDER

The lab stands on its real protocols at held instants. The collectors read its whole last hour, and the ordinary stages attribute
and judge it, each by the same clock: nothing in the hour is written by hand, and no instant of the machine is in it.
"""

import argparse
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient
from sqlalchemy import text
from tests.frozen.codes import codes
from tests.frozen.content import content
from tests.frozen.instant import AT, hold

from gavel import clock
from gavel.admin.maintenance import maintain, pack
from gavel.alerting.use.evaluate import evaluate_rules
from gavel.alerting.use.notify import enqueue_messages
from gavel.api.app import PREFIX, build
from gavel.cli import register
from gavel.config import Settings, load_settings
from gavel.correlate.baseline import renew_baseline
from gavel.correlate.findings import evaluate_findings
from gavel.correlate.run import correlate
from gavel.db.engine import Engine, transaction
from gavel.db.migrate import migrate
from gavel.embedded import postgres
from gavel.ingest.backfill import backfill, find_holes
from gavel.ingest.guest_matching import match_guests
from gavel.ingest.inventory import refresh_inventory
from gavel.ingest.live import collect_live
from gavel.ingest.schedule import due_work
from gavel.ingest.worker import WorkerContext
from gavel.supervise.checks import ensure_data_dir
from gavel.supervise.lock import InstanceLock
from gavel_lab.clocks import LabTime
from gavel_lab.lab import create_lab
from gavel_lab.sources import Served, announce, serve_lab

# The first look is so many steps before the instant. A step is no whole second, as the dates of answers narrow the offset of a clock only
# from several fractions of a second, and a little longer than a minute, so that clocks are read again.
_STEPS, _STEP = 5, timedelta(seconds=60.15)
# No stage is cut short: what it finds does not depend on how fast the machine is.
_BUDGET_S = 3600.0
# Statistics that autovacuum renews at some moment would change plans, and with them the order of rows without one of their own.
_SERVER = postgres.UNSAFE_SETTINGS | {"autovacuum": "off"}
# Where a lab listens by default. The sources of the hour are there, whichever ports were free.
_FIRST_PORT = 8331


def make(folder: Path) -> None:
    """`data` of a product, `codes.txt`, and last of all `hour.json`."""
    settings = load_settings(data_dir=folder / "data", lab=False)
    hold(AT - _STEPS * _STEP)
    ensure_data_dir(settings.data_dir)
    with _as_product(settings), postgres.running(settings.postgres_dir, settings=_SERVER):
        migrate(settings.database_url)
        with _served_lab(settings) as (served, lab_time), _worker(settings) as worker:
            _work(worker)
            for step in range(_STEPS - 1, -1, -1):
                hold(AT - step * _STEP)
                lab_time.pass_by(_STEP.total_seconds())
                _work(worker)
            _leave_out_the_machine(worker.engine, served, settings.data_dir / "lab")
            held = content(settings.database_url)
        (folder / "codes.txt").write_text(_codes(settings))
    (folder / "hour.json").write_text(json.dumps({"at": AT.timestamp(), "content": held}))


@contextmanager
def _as_product(settings: Settings) -> Iterator[None]:
    """Commands take this process for the product that serves the data directory."""
    lock = InstanceLock(settings.data_dir)
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _served_lab(settings: Settings) -> Iterator[tuple[Served, LabTime]]:
    """Registered as at every start of a product."""
    lab_time = LabTime(clock.now().timestamp(), speed=0)
    folder = settings.data_dir / "lab"
    served = serve_lab(create_lab(settings.lab_seed, lab_time=lab_time), 0, folder)
    try:
        announce(folder / "sources.json", served.announcement)
        register.run(argparse.Namespace(file=folder / "sources.json", away=False), settings)
        yield served, lab_time
    finally:
        served.stop()


@contextmanager
def _worker(settings: Settings) -> Iterator[WorkerContext]:
    worker = WorkerContext.open(settings.database_url, settings.key_file)
    try:
        yield worker
    finally:
        worker.close()


def _work(worker: WorkerContext) -> None:
    """All that is due at this instant, in the order in which a product comes to it: what is new, then what is owed."""
    while due := due_work(worker):
        for work in due:
            if work.live:
                collect_live(worker, work.source_id)
            if work.inventory:
                refresh_inventory(worker, work.source_id)
        _analyze(worker)
        for work in due:
            if work.backfill:
                backfill(worker, work.source_id, budget_s=_BUDGET_S)
        _analyze(worker)
    for stage in (renew_baseline, evaluate_findings, find_holes, match_guests, maintain, pack):
        stage(worker)


def _analyze(worker: WorkerContext) -> None:
    correlate(worker, budget_s=_BUDGET_S)
    evaluate_rules(worker, budget_s=_BUDGET_S)
    enqueue_messages(worker)


# --- what depends on the machine -------------------------------------------------------------------------------------------


def _leave_out_the_machine(engine: Engine, served: Served, lab_folder: Path) -> None:
    """Set the default ports, also where the lab's sources are remembered, and durations by calls and bytes."""
    memory = lab_folder / "sources.registered"
    remembered = json.loads(memory.read_text())
    with transaction(engine) as connection:
        for place, source in enumerate(served.announcement):
            names = {"found": str(source["address"]), "held": f"127.0.0.1:{_FIRST_PORT + place}"}
            for statement in _ADDRESSES:
                connection.execute(text(statement), names)
            for each in remembered:
                if each["address"] == names["found"]:
                    each["address"] = names["held"]
        connection.execute(text("UPDATE collection_run SET duration_s = calls * 0.01 + bytes_received / 2e7"))
    memory.write_text(json.dumps(remembered))


_SETTINGS = "jsonb_set(settings, '{address}', to_jsonb(CAST(:held AS text)))"
_ADDRESSES = (
    f"UPDATE source SET address = :held, settings = {_SETTINGS} WHERE address = :found",
    "UPDATE vcenter SET name = :held WHERE name = :found",
)


def _codes(settings: Settings) -> str:
    with TestClient(build(settings), base_url=f"http://127.0.0.1:{settings.port}") as client:

        def ask(path: str, parameters: Mapping[str, str]) -> Mapping[str, Any]:
            answer: Mapping[str, Any] = client.get(f"{PREFIX}{path}", params=parameters).raise_for_status().json()
            return answer

        return codes(settings.database_url, ask)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    make(parser.parse_args().folder)


if __name__ == "__main__":
    main()
