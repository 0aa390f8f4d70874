"""What runs and where, the mode of the database, and how far each source has been read."""

import argparse
import json
from datetime import UTC, datetime
from typing import Any

from gavel.cli.running import setup_link
from gavel.config import Settings
from gavel.db.engine import Role, open_engine, reading
from gavel.db.errors import StorageError
from gavel.db.migrate import check
from gavel.db.queries.sources import SourceHealth, source_health
from gavel.pipeline.health import state
from gavel.supervise.journal import read_journal
from gavel.supervise.lock import running_pid


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="for programs")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """0 when the database can be reached and no source fails, else 1."""
    now = datetime.now(UTC)
    found = _look(settings, now)
    if arguments.json:
        print(json.dumps(found, indent=2))
    else:
        print("\n".join(_lines(found)))
    sources = found["sources"]
    return 0 if found["database"]["ok"] and not any(source["state"] == "failing" for source in sources) else 1


def _look(settings: Settings, now: datetime) -> dict[str, Any]:
    pid = running_pid(settings.data_dir)
    database, sources = _database(settings, now)
    return {
        "data_dir": str(settings.data_dir),
        "supervisor_pid": pid,
        "url": setup_link(settings),
        "processes": read_journal(settings.data_dir) if pid else [],
        "database": database,
        "sources": sources,
    }


def _database(settings: Settings, now: datetime) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    place = "embedded" if settings.embedded_postgres else "external"
    try:
        report = check(settings.database_url)
        if not report.ok:
            return {"place": place, "ok": False, "mode": report.mode, "detail": " ".join(report.problems)}, []
        engine = open_engine(settings.database_url, Role.API)
        try:
            with reading(engine) as connection:
                sources = [_source(health) for health in source_health(connection, now)]
        finally:
            engine.dispose()
    except StorageError as error:
        return {"place": place, "ok": False, "mode": None, "detail": str(error)}, []
    return {"place": place, "ok": True, "mode": report.mode, "detail": " ".join(report.warnings)}, sources


def _source(health: SourceHealth) -> dict[str, Any]:
    return {
        "name": health.source.name,
        "kind": str(health.source.kind),
        "address": health.source.address,
        "state": state(health),
        "error": health.newest_run.error_message if health.failing_since and health.newest_run else None,
        "lag_s": {str(stream.stream): stream.lag_s for stream in health.streams},
        "open_gaps": health.open_gaps,
    }


def _lines(found: dict[str, Any]) -> list[str]:
    database = found["database"]
    running = (
        f"running, supervisor is process {found['supervisor_pid']}" if found["supervisor_pid"] else "not running here"
    )
    return [
        f"Gavel is {running}. Data in {found['data_dir']}.",
        f"Pages and API: {found['url']}" if found["supervisor_pid"] else "Start it with: gavel up",
        *(_process_line(process) for process in found["processes"]),
        f"Database: {database['place']}, {database['mode'] or 'mode unknown'}, "
        f"{'reachable' if database['ok'] else 'not usable'}. {database['detail']}".rstrip(),
        *(_source_line(source) for source in found["sources"]),
    ]


def _process_line(process: dict[str, Any]) -> str:
    restarts = f", restarted {process['restarts']} times" if process["restarts"] else ""
    pid = f" (process {process['pid']})" if process["pid"] else ""
    return f"  {process['name']:<12} {process['state']}{pid}{restarts}"


def _source_line(source: dict[str, Any]) -> str:
    lags = ", ".join(
        f"{stream} {'no sample yet' if lag is None else f'{lag:.0f} s behind'}"
        for stream, lag in source["lag_s"].items()
    )
    gaps = f"; {source['open_gaps']} gaps being filled" if source["open_gaps"] else ""
    error = f"; {source['error']}" if source["error"] else ""
    return f"  {source['name']:<16} {source['kind']:<11} {source['address']:<24} {source['state']}: {lags or 'nothing yet'}{gaps}{error}"
