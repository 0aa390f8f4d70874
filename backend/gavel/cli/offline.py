"""Offline environments: esxtop captures, also without any vCenter or array, as an environment of their own with the same pages.
`add` makes one from files, `list` shows them, `remove` takes one away with everything in it. Open them below /offline/NAME/."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from gavel import clock
from gavel.cli.esxtop import bias_minutes
from gavel.cli.opened import open_vault, opened
from gavel.cli.running import setup_link
from gavel.config import Settings
from gavel.domain.imports import ImportOptions
from gavel.ingest.reader import extend_deadline, file_head
from gavel.offline.builds import FILL_S, make_apart
from gavel.offline.environments import (
    OfflineEnvironment,
    add_environment,
    find_environment,
    list_environments,
    remove_environment,
)
from gavel.offline.reading import read_arrays, read_captures


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    add = actions.add_parser("add", help="make an environment from esxtop captures: CSV, .csv.gz, or a zip of one")
    add.add_argument("name", metavar="NAME", help="lower-case letters, digits and hyphens; part of its address")
    add.add_argument("file", nargs="+", type=Path, metavar="FILE")
    add.add_argument(
        "--utc-offset", type=bias_minutes, metavar="±HH:MM", help="time zone of stamps, where a file names none"
    )
    add.add_argument(
        "--array",
        action="append",
        default=[],
        type=Path,
        metavar="EXPORT",
        help="an array's export of the same time, made with `gavel export array`; may be given several times",
    )
    actions.add_parser("list", help="environments with window, files, size and address")
    remove = actions.add_parser("remove", help="remove environments with everything in them")
    remove.add_argument("name", nargs="+", metavar="NAME")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """0. Raises GavelError; then nothing was made."""
    match arguments.action:
        case "add":
            _add(arguments, settings)
        case "remove":
            with opened(settings) as engine:
                for name in arguments.name:
                    remove_environment(engine, name)
                    print(f"Removed {name}.")
        case _:
            with opened(settings) as engine:
                found = list_environments(engine)
            print(
                "\n".join(line for each in found for line in _lines(each, settings))
                or "There is no offline environment."
            )
    return 0


def _add(arguments: argparse.Namespace, settings: Settings) -> None:
    with opened(settings) as engine:
        vault = open_vault(engine, settings.key_file)

        def make() -> None:
            engine.dispose(close=False)
            files = read_captures(arguments.file, ImportOptions(arguments.utc_offset))
            arrays = read_arrays(arguments.array)
            extend_deadline(FILL_S)
            add_environment(engine, vault, arguments.name, files, clock.now(), arrays=arrays, say=print)

        make_apart(engine, make, arguments.name, [file_head(path) for path in (*arguments.file, *arguments.array)])
        made = find_environment(engine, arguments.name)
    print("\n".join([*_lines(made, settings), *(f"      {note}" for note in made.contents.notes)]))


def _lines(each: OfflineEnvironment, settings: Settings) -> Sequence[str]:
    contents = each.contents
    size = f", {each.size_bytes / 1e6:.1f} MB" if each.size_bytes else ""
    files = ", ".join(f"{file.file_name} ({file.subject})" for file in contents.files)
    base = setup_link(settings).partition("#")[0].rstrip("/")
    return [
        f"{each.name}  {contents.from_at:%Y-%m-%d %H:%M} – {contents.to_at:%Y-%m-%d %H:%M} UTC{size}",
        f"      from {files}",
        f"      {base}/offline/{each.name}/",
    ]
