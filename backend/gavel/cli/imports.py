"""Import files into Gavel. `esxtop` reads captures (esxtop -b -a); where host and clock fit, the bounds of the minutes that they cover
become narrower. `fio`, `vdbench`, `diskspd`, `iometer`, `sqlio` and `hcibench` read results of these load tools as test runs of a VM, a
datastore or a volume, shown beside its layers. `list` shows imports, `tie` gives host or offset by hand, `remove` takes imports away with
all that they changed."""

import argparse
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from gavel import clock
from gavel.cli.bundle import bundle_name, bundled, is_log
from gavel.cli.esxtop import bias_minutes
from gavel.cli.opened import opened
from gavel.config import Settings
from gavel.correlate.captures import forget_import, proposed_hosts, tie_import
from gavel.db.engine import Connection, Engine, reading
from gavel.db.queries.imports import FileImport, host_id_by_name, list_imports, load_import, load_left_out
from gavel.db.queries.refs import WORDS, EntityRef
from gavel.db.queries.run_ties import datastore_id_by_name, disk_id_by_name, vm_id_by_name, volume_id_by_name
from gavel.domain.errors import GavelError, SettingsError
from gavel.domain.imports import ImportOptions, ImportState, OffsetOrigin
from gavel.domain.text import escape_controls
from gavel.ingest.imports import import_file

# What each of them is imported from.
_LOAD_TOOLS: Final = {
    "fio": "fio: --output-format=json or json+, with its latency logs (NAME_lat.1.log) as one run",
    "vdbench": "vdbench: flatfile.html, or totals.html",
    "diskspd": "diskspd: -L -Rxml, or its text",
    "iometer": "Iometer: results.csv",
    "sqlio": "sqlio: its text",
    "hcibench": "HCIBench: the folder of a test as zip or tar (a run per VM), or its summary (-res.txt)",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    esxtop = actions.add_parser("esxtop", help="import esxtop captures: CSV, .csv.gz, or a zip of one")
    esxtop.add_argument("file", nargs="+", type=Path)
    esxtop.add_argument(
        "--utc-offset", type=bias_minutes, metavar="±HH:MM", help="time zone of stamps, where the file names none"
    )
    _add_choice(esxtop)
    for tool, results in _LOAD_TOOLS.items():
        _add_tool(actions.add_parser(tool, help=f"import results of {results}, plain or gzip"))
    actions.add_parser("list", help="imports with host, offset and whether they narrow bounds")
    tie = actions.add_parser("tie", help="give the host, or the offset, of a capture")
    tie.add_argument("id", type=int, help="its number in `gavel import list`")
    _add_choice(tie)
    hosts = actions.add_parser("hosts", help="hosts that a capture may be of, the one that fits best first")
    hosts.add_argument("id", type=int)
    remove = actions.add_parser("remove", help="remove imports; minutes that they narrowed are written again")
    remove.add_argument("id", type=int, nargs="+")


def _add_tool(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="+", type=Path)
    tie = parser.add_mutually_exclusive_group(required=True)
    tie.add_argument("--vm", metavar="NAME", help="the VM that the tool ran in, as vCenter calls it")
    tie.add_argument("--datastore", metavar="NAME", help="the datastore that it ran on, from several VMs")
    tie.add_argument(
        "--volume",
        metavar="NAME",
        help="the array volume that it ran on, from outside of all VMs: as its array calls it, or its device (naa.…)",
    )
    parser.add_argument(
        "--disk",
        metavar="NAME",
        help="the virtual disk of the VM that it ran on ('Hard disk 2'): layers are then its own",
    )
    parser.add_argument(
        "--utc-offset", type=bias_minutes, metavar="±HH:MM", help="time zone of the VM, where the file has local times"
    )
    parser.add_argument(
        "--started-at",
        type=_instant,
        metavar="TIME",
        help="when the tool was started, where the file has no date (ISO 8601)",
    )
    parser.add_argument(
        "--offset", type=float, metavar="SECONDS", help="how far the clock of the VM is ahead of that of its host"
    )


def _instant(text: str) -> datetime:
    """UTC where it has no zone. Raises argparse.ArgumentTypeError."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no time such as 2026-03-14T09:30:00+01:00") from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _add_choice(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--host", metavar="NAME", help="the ESXi host, as vCenter calls it, where the file's name differs"
    )
    parser.add_argument(
        "--offset", type=float, metavar="SECONDS", help="how far the capture's clock is ahead; default: from its I/Os"
    )


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """0, or 1 when a file cannot be used."""
    with opened(settings) as engine:
        match arguments.action:
            case "esxtop":
                return _import_captures(engine, arguments)
            case tool if tool in _LOAD_TOOLS:
                return _import_runs(engine, arguments)
            case "tie":
                _tie(engine, arguments.id, arguments)
            case "hosts":
                _print_hosts(engine, arguments.id)
            case "remove":
                for import_id in arguments.id:
                    forget_import(engine, import_id, clock.now())
                    print(f"Removed import {import_id}.")
            case _:
                _print_list(engine)
    return 0


def _import_captures(engine: Engine, arguments: argparse.Namespace) -> int:
    def import_one(path: Path) -> None:
        import_id = _import_one(engine, "esxtop", path, ImportOptions(arguments.utc_offset))
        _tie(engine, import_id, arguments)

    return _each(arguments.file, import_one)


def _import_runs(engine: Engine, arguments: argparse.Namespace) -> int:
    with reading(engine) as connection:
        options = _run_options(connection, arguments)

    def show(import_id: int) -> None:
        with reading(engine) as connection:
            print("\n".join(_lines(load_import(connection, import_id))))
            for each in load_left_out(connection, import_id):
                print(f"      left out: {each.file}: {each.reason}")

    def import_together(_first: Path) -> None:
        paths = arguments.file
        with bundled(paths) as stream:
            show(import_file(engine, arguments.action, stream, bundle_name(paths), options, clock.now()))

    if arguments.action == "fio" and any(is_log(path) for path in arguments.file):
        return _each(arguments.file[:1], import_together)
    return _each(arguments.file, lambda path: show(_import_one(engine, arguments.action, path, options)))


def _run_options(connection: Connection, arguments: argparse.Namespace) -> ImportOptions:
    """Raises NotFoundError, and SettingsError for a disk without its VM."""
    vm_id = datastore_id = volume_id = disk_id = None
    if arguments.vm is not None:
        vm_id = vm_id_by_name(connection, arguments.vm)
    if arguments.datastore is not None:
        datastore_id = datastore_id_by_name(connection, arguments.datastore)
    if arguments.volume is not None:
        volume_id = volume_id_by_name(connection, arguments.volume)
    if arguments.disk is not None:
        if vm_id is None:
            raise SettingsError("--disk names a virtual disk of a VM: give --vm, too.")
        disk_id = disk_id_by_name(connection, vm_id, arguments.disk)
    return ImportOptions(
        utc_bias_minutes=arguments.utc_offset,
        vm_id=vm_id,
        started_at=arguments.started_at,
        offset_s=arguments.offset,
        disk_id=disk_id,
        datastore_id=datastore_id,
        volume_id=volume_id,
    )


def _each(paths: Sequence[Path], import_one: Callable[[Path], None]) -> int:
    """A file that cannot be used does not stop the others."""
    failed = False
    for path in paths:
        try:
            import_one(path)
        except GavelError as error:
            failed = True
            sys.stderr.write(f"gavel import: {escape_controls(str(error))}\n")
    return 1 if failed else 0


def _import_one(engine: Engine, kind: str, path: Path, options: ImportOptions) -> int:
    try:
        stream = path.open("rb")
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read ({error.strerror or error}).") from error
    with stream:
        return import_file(engine, kind, stream, path.name, options, clock.now())


def _tie(engine: Engine, import_id: int, arguments: argparse.Namespace) -> None:
    host_id = None
    if arguments.host is not None:
        with reading(engine) as connection:
            host_id = host_id_by_name(connection, arguments.host)
    tie_import(engine, import_id, clock.now(), host_id=host_id, offset_s=arguments.offset)
    with reading(engine) as connection:
        print("\n".join(_lines(load_import(connection, import_id))))


def _print_list(engine: Engine) -> None:
    with reading(engine) as connection:
        listed: Sequence[FileImport] = list_imports(connection)
    print("\n".join(line for imported in listed for line in _lines(imported)) or "Nothing is imported.")


def _print_hosts(engine: Engine, import_id: int) -> None:
    with reading(engine) as connection:
        found = proposed_hosts(connection, import_id)
    for each in found:
        fit = "clocks cannot be compared"
        if each.offset is not None:
            fit = (
                f"correlation {each.offset.correlation:.2f} at {each.offset.offset_s:+.0f} s (± {each.offset.error_s:.0f} s), "
                f"{each.offset.samples} samples"
            )
        print(f"{each.host.name:<32} {fit}")
    if not found:
        print("No host has a device of this capture.")


def _lines(imported: FileImport) -> list[str]:
    first = f"{imported.id:>4}  {imported.format}  {imported.file_name}  {imported.state}"
    if imported.state is ImportState.READY and imported.subject is not None:
        return [first, *_run_lines(imported, imported.subject)]
    if imported.state is not ImportState.READY or imported.starts_at is None or imported.ends_at is None:
        return [first, *([f"      {imported.error}"] if imported.error else [])]
    span = f"      {imported.host_name} {imported.starts_at:%Y-%m-%d %H:%M:%S} – {imported.ends_at:%H:%M:%S} UTC"
    tied = f"      host {imported.host or 'not tied'}, {imported.matched_devices} of {imported.devices} devices are its own"
    if imported.offset_s is not None:
        how = "given" if imported.offset_by is OffsetOrigin.GIVEN else "from its I/Os"
        fit = f", correlation {imported.correlation:.2f}" if imported.correlation is not None else ""
        tied += f"; clock {imported.offset_s:+.0f} s ± {imported.offset_error_s or 0:.0f} s ({how}{fit})"
    effect = "      narrows the bounds of its minutes" if imported.narrows else "      no say in the bounds of minutes"
    return [first, span, tied, f"{effect}{f': {imported.note}' if imported.note else ''}"]


def _run_lines(imported: FileImport, subject: EntityRef) -> list[str]:
    when = "time not in the file"
    if imported.starts_at is not None and imported.ends_at is not None:
        when = f"{imported.starts_at:%Y-%m-%d %H:%M:%S} – {imported.ends_at:%H:%M:%S} UTC"
    clock = "" if imported.offset_s is None else f"; clock {imported.offset_s:+.2f} s (given)"
    disk = "" if imported.disk is None else f", {imported.disk}"
    left_out = f", {imported.left_out} left out" if imported.left_out else ""
    runs = f"{imported.runs} test {'run' if imported.runs == 1 else 'runs'}"
    return [f"      {WORDS.get(subject.kind, subject.kind)} {subject.name}{disk}, {runs}{left_out}, {when}{clock}"]
