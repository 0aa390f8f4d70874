"""Read esxtop batch captures (esxtop -b -a -d 5 -n 61 > capture.csv) and show what they hold: where the time of I/Os is, per device
and virtual disk, to 0.01 ms on every vSphere version. Plain, gzip or zip. Nothing is stored, and Gavel need not run.
`gavel esxtop kit` prints a script that records a capture on an ESXi host; `gavel esxtop anonymize FILE…` writes captures, and exports of
arrays beside them, without names.
Code 1: a file cannot be used, or its counters contradict each other."""

import argparse
import gzip
import json
import re
import sys
from importlib import resources
from pathlib import Path
from typing import Any

from gavel.cli.esxtop_report import report_lines
from gavel.collectors.anonymous_names import AnonymousNames
from gavel.collectors.arrays.flasharray.anonymize import ExportAnonymizer
from gavel.collectors.arrays.flasharray.export import looks_like_export
from gavel.collectors.imports.esxtop.anonymize import Anonymizer
from gavel.collectors.imports.esxtop.as_json import capture_json
from gavel.collectors.imports.esxtop.capture import EsxtopCapture
from gavel.collectors.imports.esxtop.checks import is_consistent, self_checks
from gavel.collectors.imports.esxtop.errors import EsxtopFileError
from gavel.collectors.imports.esxtop.parse import read_capture
from gavel.collectors.imports.esxtop.summary import summarize
from gavel.config import Settings
from gavel.domain.errors import GavelError, SettingsError
from gavel.domain.text import escape_controls

_KIT, _KIT_FILE, _ANONYMIZE = "kit", "gavel-esxtop.sh", "anonymize"
_OFFSET = re.compile(r"([+-])(\d{1,2}):?(\d{2})")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        nargs="+",
        help="a capture: CSV, .csv.gz, or a zip of one; - for standard input; or: kit, anonymize FILE…",
    )
    parser.add_argument(
        "--output", type=Path, metavar="FOLDER", help="where `anonymize` writes; default: beside each file"
    )
    parser.add_argument("--json", action="store_true", help="for programs; units are in the names")
    parser.add_argument("--device", metavar="NAME", help="only devices and NFS volumes whose name contains this")
    parser.add_argument("--check", action="store_true", help="only what the file holds, warnings and self-checks")
    parser.add_argument(
        "--utc-offset",
        type=bias_minutes,
        metavar="±HH:MM",
        help="time zone of stamps, as --utc-offset=+02:00, where the file names none (ESXi writes UTC, and says so)",
    )


def run(arguments: argparse.Namespace, settings: Settings) -> int:  # noqa: ARG001 (nothing of it is needed)
    """0 when every file can be used and agrees with itself, else 1."""
    if arguments.file == [_KIT]:
        print(resources.files("gavel.collectors.imports.esxtop").joinpath(_KIT_FILE).read_text("ascii"), end="")
        return 0
    if arguments.file[0] == _ANONYMIZE:
        return _anonymize(arguments.file[1:], arguments.output)
    answers: list[dict[str, Any]] = []
    failed = False
    for file in arguments.file:
        try:
            capture = _read(file, arguments)
        except EsxtopFileError as error:
            failed = True
            answers.append({"file": file, "error": str(error)})
            if not arguments.json:
                sys.stderr.write(f"gavel esxtop: {escape_controls(str(error))}\n")
            continue
        checks = self_checks(capture)
        failed = failed or not is_consistent(checks)
        summaries = [] if arguments.check else summarize(capture)
        if arguments.json:
            answers.append(capture_json(capture, checks, summaries))
        else:
            print("\n".join(report_lines(capture, checks, summaries)))
    if arguments.json:
        print(json.dumps({"files": answers}, indent=2, allow_nan=False))
    return 1 if failed else 0


def _anonymize(files: list[str], folder: Path | None) -> int:
    """All with one set of numbers, so that captures, and exports of arrays, of one site go together."""
    if not files:
        raise SettingsError("Name the captures: gavel esxtop anonymize FILE…")
    names = AnonymousNames()
    for number, file in enumerate(map(Path, files), 1):
        try:
            target = _write_anonymous(file, (folder or file.parent) / f"anonymous-{number}", names)
        except OSError as error:
            raise SettingsError(f"{error.filename or file}: {error.strerror or error}.") from error
        print(f"{file} → {target}")
    return 0


def _write_anonymous(file: Path, stem: Path, names: AnonymousNames) -> Path:
    """Returns what was written. Raises OSError, and GavelError for a file that cannot be used; then nothing is left."""
    is_export = looks_like_export(file)
    target = stem.with_name(f"{stem.name}.{'json' if is_export else 'csv'}.gz")
    with file.open("rb") as stream, target.open("xb") as made:
        try:
            if is_export:
                ExportAnonymizer(names).write(stream, str(file), made)
            else:
                with gzip.GzipFile(fileobj=made, mode="wb", mtime=0) as packed:
                    packed.writelines(line + b"\n" for line in Anonymizer(names).lines(stream, str(file)))
        except GavelError:
            target.unlink()
            raise
    return target


def _read(file: str, arguments: argparse.Namespace) -> EsxtopCapture:
    source = sys.stdin.buffer if file == "-" else Path(file)
    return read_capture(source, device=arguments.device, bias_minutes=arguments.utc_offset)


def bias_minutes(text: str) -> int:
    """UTC minus local time, from an offset as people write it (local minus UTC)."""
    match = _OFFSET.fullmatch(text)
    if match is None or int(match[2]) > 14 or int(match[3]) > 59:
        raise argparse.ArgumentTypeError(f"{text!r} is no offset like +02:00 or -07:00")
    minutes = 60 * int(match[2]) + int(match[3])
    return -minutes if match[1] == "+" else minutes
