"""Migrate, check, export and import the database. The embedded database is served for the purpose when Gavel is not running."""

import argparse
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from gavel.alerting.use import settings as channel_settings
from gavel.cli import data_dir, dump
from gavel.cli.opened import refuse_new_key
from gavel.cli.running import database
from gavel.config import Settings
from gavel.db import migrate
from gavel.db.engine import Engine, Role, open_engine, reading
from gavel.db.queries.channels import channel_rows
from gavel.db.queries.health import refuses_writes
from gavel.db.queries.sources import sources as all_sources
from gavel.db.series.retention import RetentionChange
from gavel.domain.errors import SettingsError
from gavel.domain.retention import VARIABLES, Grain, format_length
from gavel.ingest import connections
from gavel.vault import load_vault

_GRAINS: Mapping[Grain, str] = {
    Grain.SAMPLES: "Samples and minutes of disks and devices",
    Grain.MINUTES: "Minutes of other objects",
    Grain.FIVE_MINUTES: "5-minute sums",
    Grain.HOURS: "hourly sums",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    migrating = actions.add_parser("migrate", help="bring the schema up to date")
    migrating.add_argument(
        "--new-key",
        action="store_true",
        help="where the key file is lost: make a new one; secrets have to be entered again",
    )
    actions.add_parser("check", help="say whether the schema fits, and whether anything needs attention")
    writing = actions.add_parser("export", help="write everything into one file (pg_dump's custom format)")
    writing.add_argument("file", type=Path)
    reading = actions.add_parser("import", help="read such a file into an empty database")
    reading.add_argument("file", type=Path)
    reading.add_argument("--replace", action="store_true", help="remove what the database holds now")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    if arguments.action == "import":
        return _import(arguments, settings)
    if arguments.action == "migrate":
        data_dir.require_remembered(arguments, settings)
        with database(settings, create=True) as url:
            return _migrate(url, settings, new_key=arguments.new_key)
    with database(settings) as url:
        if arguments.action == "check":
            return _check(url, settings.key_file)
        dump.export(url, arguments.file)
    print(f"Exported to {arguments.file} ({arguments.file.stat().st_size / 1e6:.1f} MB).")
    print(
        f"Secrets of sources and channels are in it encrypted. The key file that opens them is not: it is {settings.key_file}."
        " Keep a copy of it apart from the export, and put it at GAVEL_KEY_FILE where you import."
    )
    return 0


def _migrate(url: str, settings: Settings, *, new_key: bool) -> int:
    applied = migrate.migrate(url)
    print(f"Applied {', '.join(applied)}." if applied else "The schema is up to date.")
    _set_retention(url, settings)
    key_file = settings.key_file
    if not new_key:
        engine = open_engine(url, Role.MIGRATIONS)
        try:
            refuse_new_key(engine, key_file)
        finally:
            engine.dispose()
    load_vault(key_file)
    return 0


def _set_retention(url: str, settings: Settings) -> None:
    for change in migrate.set_retention(url, settings.keep):
        print(_retention_line(change))


def _retention_line(change: RetentionChange) -> str:
    """What stays longer or shorter from now on, by which setting, and what becomes of older rows."""
    before, after = format_length(change.before), format_length(change.after)
    by = f"{VARIABLES[change.grain]}, the default" if change.is_default else VARIABLES[change.grain]
    what = f"{_GRAINS[change.grain]} are kept {after} now, {before} before ({by})."
    if change.after > change.before:
        return f"{what} What is older than {before} is gone already."
    return f"{what} Older ones are deleted within {'minutes' if change.drops_at_once else 'a day'}."


def _check(url: str, key_file: Path) -> int:
    """Print the state of the schema, the account's rights, the secrets and what an import left. Returns the exit status."""
    report = migrate.check(url)
    print(f"Schema {report.current or 'none'}, needed {report.wanted}; storage mode {report.mode or 'unknown'}.")
    problems = [*report.problems]
    engine = open_engine(url, Role.MIGRATIONS)
    try:
        migrate.require_server(engine)
        with reading(engine) as connection:
            if refuses_writes(connection):
                problems.append(
                    "The database is read-only, and Gavel cannot store anything. Make it the primary again, or lift"
                    " default_transaction_read_only."
                )
        if report.ok:
            problems += _closed_secrets(engine, key_file)
    finally:
        engine.dispose()
    for said in (*problems, *report.warnings, *dump.leftovers(url)):
        print(said)
    return 1 if problems else 0


def _closed_secrets(engine: Engine, key_file: Path) -> list[str]:
    """Open each stored secret with the key. Return why it cannot be opened, each reason once."""
    try:
        refuse_new_key(engine, key_file)
        if not key_file.exists():
            return []
        vault = load_vault(key_file)
    except SettingsError as error:
        return [str(error)]
    with reading(engine) as connection:
        sources, channels = all_sources(connection), channel_rows(connection)
    opened = [
        *((row.name, partial(connections.stored_secrets, row, vault)) for row in sources),
        *((row.name, partial(channel_settings.stored_secrets, row, vault)) for row in channels),
    ]
    reasons = []
    for name, open_secrets in opened:
        try:
            open_secrets()
        except SettingsError as error:
            reasons.append(f"{name}: {error}")
    return reasons


def _import(arguments: argparse.Namespace, settings: Settings) -> int:
    data_dir.require_remembered(arguments, settings)
    dump.require_nobody_running(settings.data_dir)
    # Before a database is created for it.
    dump.require_export(arguments.file)
    with database(settings, create=True) as url:
        imported = dump.restore(url, arguments.file, replace=arguments.replace)
        _set_retention(url, settings)
    applied = f" Then applied {', '.join(imported.applied)}." if imported.applied else ""
    print(f"Imported {arguments.file}.{applied}")
    for note in imported.notes:
        print(note)
    there = "is there" if settings.key_file.is_file() else "is NOT there, and a new one would open none of them"
    print(
        "The key file that opens the secrets of sources and channels is not in an export. It has to be that of where the export was made;"
        f" {settings.key_file} {there}. Without it, enter the secrets again under Sources."
    )
    return 0
