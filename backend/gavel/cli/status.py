"""What runs and where, the mode of the database, how far each source has been read, and how much is on one side only."""

import argparse
import json
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from gavel import clock
from gavel.admin.health import state, warnings
from gavel.cli.data_dir import no_database
from gavel.cli.running import running_listener, setup_link
from gavel.config import Settings
from gavel.db.engine import Role, open_engine, reading
from gavel.db.errors import StorageError
from gavel.db.migrate import check
from gavel.db.queries.kept import Kept, KeptGrain, kept
from gavel.db.queries.sources import SourceHealth, source_health
from gavel.db.queries.unmatched import UnmatchedQuery, unmatched
from gavel.domain.retention import VARIABLES
from gavel.embedded import postgres
from gavel.supervise.journal import read_journal
from gavel.supervise.lock import running_pid

_DAY = timedelta(days=1)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="for programs")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """0 when the database can be reached and no source fails, else 1."""
    now = clock.now()
    found = _look(settings, now)
    if arguments.json:
        print(json.dumps(found, indent=2))
    else:
        print("\n".join(_lines(found)))
    sources = found["sources"]
    return 0 if found["database"]["ok"] and not any(source["state"] == "failing" for source in sources) else 1


def _look(settings: Settings, now: datetime) -> dict[str, Any]:
    pid = running_pid(settings.data_dir)
    return {
        "data_dir": str(settings.data_dir),
        "supervisor_pid": pid,
        "url": setup_link(settings),
        "guests_url": running_listener(settings),
        "processes": read_journal(settings.data_dir) if pid else [],
        **_stored(settings, now),
    }


def _stored(settings: Settings, now: datetime) -> dict[str, Any]:
    """`database`, `kept`, `sources` and `unmatched`: all but the first empty where the database cannot be read."""
    place = "embedded" if settings.embedded_postgres else "external"
    nothing: dict[str, Any] = {"kept": [], "sources": [], "unmatched": []}
    if settings.embedded_postgres and not postgres.exists(settings.postgres_dir):
        return {"database": {"place": place, "ok": False, "mode": None, "detail": no_database(settings)}, **nothing}
    try:
        report = check(settings.database_url)
        if not report.ok:
            problems = " ".join(report.problems)
            return {"database": {"place": place, "ok": False, "mode": report.mode, "detail": problems}, **nothing}
        engine = open_engine(settings.database_url, Role.API)
        try:
            with reading(engine) as connection:
                sources = [_source(health) for health in source_health(connection, now)]
                sizes = [_kept(each, settings) for each in kept(connection)]
                counts = [asdict(each) for each in unmatched(connection, UnmatchedQuery(limit=0)).counts]
        finally:
            engine.dispose()
    except StorageError as error:
        return {"database": {"place": place, "ok": False, "mode": None, "detail": str(error)}, **nothing}
    database = {"place": place, "ok": True, "mode": report.mode, "detail": " ".join(report.warnings)}
    return {"database": database, "kept": sizes, "sources": sources, "unmatched": counts}


def _kept(each: Kept, settings: Settings) -> dict[str, Any]:
    """`bytes_a_day`, `full_bytes`: None before the first day is over. `next_keep_days`: by the settings here, None
    for the default; `is_pending` where that is not in force yet."""
    chosen = next((length for grain, length in settings.keep.items() if VARIABLES[grain] == each.setting), None)
    next_keep_days = None if chosen is None else chosen / _DAY
    return {
        "grain": str(each.grain),
        "keep_days": each.keep_days,
        "setting": each.setting,
        "is_default": each.is_default,
        "is_pending": next_keep_days != (None if each.is_default else each.keep_days),
        "next_keep_days": next_keep_days,
        "since": None if each.since is None else each.since.isoformat(),
        "bytes": each.bytes,
        "bytes_a_day": each.bytes_a_day,
        "full_bytes": each.full_bytes,
    }


def _source(health: SourceHealth) -> dict[str, Any]:
    return {
        "name": health.source.name,
        "kind": str(health.source.kind),
        "address": health.source.address,
        "state": state(health),
        "error": health.newest_run.error_message if health.failing_since and health.newest_run else None,
        "lag_s": {str(stream.stream): stream.lag_s for stream in health.streams},
        "open_gaps": health.open_gaps,
        "completed_1h": sum(stream.completed for stream in health.streams),
        "corrected_1h": sum(stream.corrected for stream in health.streams),
        "warnings": warnings(health),
    }


def _lines(health: dict[str, Any]) -> list[str]:
    database = health["database"]
    running = (
        f"running, supervisor is process {health['supervisor_pid']}" if health["supervisor_pid"] else "not running here"
    )
    return [
        f"Gavel is {running}. Data in {health['data_dir']}.",
        f"Pages and API: {health['url']}" if health["supervisor_pid"] else "Start it with: gavel up",
        *([f"Guests push to: {health['guests_url']}"] if health["guests_url"] else []),
        *(_process_line(process) for process in health["processes"]),
        f"Database: {database['place']}, {database['mode'] or 'mode unknown'}, "
        f"{'reachable' if database['ok'] else 'not usable'}. {database['detail']}".rstrip(),
        *(_kept_line(each) for each in health["kept"]),
        *(line for source in health["sources"] for line in (_source_line(source), *_warning_lines(source))),
        *([_unmatched_line(health["unmatched"])] if health["sources"] else []),
    ]


_GRAINS = {
    KeptGrain.SAMPLES: "samples",
    KeptGrain.LEAF_MINUTES: "minutes of disks and devices",
    KeptGrain.MINUTES: "minutes",
    KeptGrain.FIVE_MINUTES: "5-minute sums",
    KeptGrain.HOURS: "hourly sums",
}


def _kept_line(each: dict[str, Any]) -> str:
    rate = (
        ""
        if each["bytes_a_day"] is None
        else f", {_size(each['bytes_a_day'])} a day, {_size(each['full_bytes'])} when full"
    )
    by = f"{each['setting']}, default" if each["is_default"] else each["setting"]
    return f"  {_GRAINS[each['grain']]}: keeps {each['keep_days']:g} days ({by}), {_size(each['bytes'])}{rate}{_pending(each)}"


def _pending(each: dict[str, Any]) -> str:
    """What another `gavel up` or `gavel db migrate` with the settings of here would change."""
    if not each["is_pending"]:
        return ""
    length = "the default" if each["next_keep_days"] is None else f"{each['next_keep_days']:g} days"
    return f"; here {each['setting']} says {length}, in force with the next gavel up or gavel db migrate"


def _size(number: float) -> str:
    return f"{number / 1e9:.1f} GB" if number >= 1e8 else f"{number / 1e6:.1f} MB"


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
    changes = " and ".join(
        f"{source[f'{what}_1h']} {what}" for what in ("completed", "corrected") if source[f"{what}_1h"]
    )
    late = f"; samples of the last hour, after they were first read: {changes}" if changes else ""
    error = f"; {source['error']}" if source["error"] else ""
    what = f"{source['name']:<16} {source['kind']:<11} {source['address']:<24} {source['state']}"
    return f"  {what}: {lags or 'nothing yet'}{gaps}{late}{error}"


def _warning_lines(source: dict[str, Any]) -> list[str]:
    return [f"    {warning}" for warning in source["warnings"]]


def _unmatched_line(counts: list[dict[str, Any]]) -> str:
    """Objects without a counterpart on the other side; those that need none apart."""
    owed = {each["kind"].replace("_", " "): each["needs_action"] for each in counts if each["needs_action"]}
    expected = sum(each["expected"] for each in counts)
    rest = f" On one side only, no match needed: {expected}." if expected else ""
    if not owed:
        return f"All objects that need a match are matched.{rest}"
    kinds = ", ".join(f"{count} {kind}{'' if count == 1 else 's'}" for kind, count in owed.items())
    return f"Not matched: {kinds}. The Sources page has the reasons.{rest}"
