"""Migrate, check, export and import the database. The embedded database is served for the purpose when Gavel is not running."""

import argparse
from pathlib import Path

from gavel.cli import dump
from gavel.cli.running import database
from gavel.config import Settings
from gavel.db import migrate


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("migrate", help="bring the schema up to date")
    actions.add_parser("check", help="say whether the schema fits, and whether anything needs attention")
    writing = actions.add_parser("export", help="write everything into one file (pg_dump's custom format)")
    writing.add_argument("file", type=Path)
    reading = actions.add_parser("import", help="read such a file into an empty database")
    reading.add_argument("file", type=Path)
    reading.add_argument("--replace", action="store_true", help="remove what the database holds now")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    if arguments.action == "import":
        return _import(arguments, settings)
    with database(settings) as url:
        if arguments.action == "migrate":
            return _migrate(url)
        if arguments.action == "check":
            return _check(url)
        dump.export(url, arguments.file)
    print(f"Exported to {arguments.file} ({arguments.file.stat().st_size / 1e6:.1f} MB).")
    print(
        f"Secrets of sources and channels are in it encrypted. The key file that opens them is not: it is {settings.key_file}."
        " Keep a copy of it apart from the export, and put it at GAVEL_KEY_FILE where you import."
    )
    return 0


def _migrate(url: str) -> int:
    applied = migrate.migrate(url)
    print(f"Applied {', '.join(applied)}." if applied else "The schema is up to date.")
    return 0


def _check(url: str) -> int:
    report = migrate.check(url)
    print(f"Schema {report.current or 'none'}, needed {report.wanted}; storage mode {report.mode or 'unknown'}.")
    for said in (*report.problems, *report.warnings):
        print(said)
    return 0 if report.ok else 1


def _import(arguments: argparse.Namespace, settings: Settings) -> int:
    dump.require_nobody_running(settings.data_dir)
    with database(settings) as url:
        dump.restore(url, arguments.file, replace=arguments.replace)
        applied = migrate.migrate(url)
    print(f"Imported {arguments.file}." + (f" Then applied {', '.join(applied)}." if applied else ""))
    there = "is there" if settings.key_file.is_file() else "is NOT there, and a new one would open none of them"
    print(
        "The key file that opens the secrets of sources and channels is not in an export. It has to be that of where the export was made;"
        f" {settings.key_file} {there}. Without it, enter the secrets again under Sources."
    )
    return 0
