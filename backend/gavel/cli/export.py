"""Write what an array answers into one file, to be looked at elsewhere: `gavel offline add NAME CAPTURE… --array FILE`.
Read-only; no token is in the file. Names of volumes, hosts and pods are, unless with --anonymize."""

import argparse
import re
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import IO

from gavel.cli.opened import open_vault, opened
from gavel.cli.source import ask_secret, read_pem
from gavel.collectors.anonymous_names import AnonymousNames
from gavel.collectors.arrays.flasharray.anonymize import ExportAnonymizer
from gavel.collectors.arrays.flasharray.export import export_array
from gavel.collectors.arrays.flasharray.settings import FlashArraySettings
from gavel.config import Settings
from gavel.db.engine import reading
from gavel.db.queries.sources import source_by_name
from gavel.domain.errors import SettingsError
from gavel.domain.source import SourceKind
from gavel.ingest.connections import full_settings, validate_settings

_LENGTH = re.compile(r"([0-9]{1,4})([mh])")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    array = actions.add_parser("array", help="inventory and samples of a FlashArray until now, gzipped JSON")
    array.add_argument("array", metavar="ARRAY", help="name of a source; with --address, host or host:port")
    array.add_argument("file", type=Path, metavar="FILE", help="is written, and must not be there yet")
    array.add_argument(
        "--for", dest="length", type=_length, default=timedelta(hours=2), metavar="2h", help="how far back (2h)"
    )
    array.add_argument(
        "--anonymize",
        action="store_true",
        help="with numbers instead of names, addresses and serials; with captures, use `gavel esxtop anonymize` for all files together",
    )
    array.add_argument(
        "--address",
        action="store_true",
        help="ARRAY is an address; its API token is asked for, and no Gavel need be set up",
    )
    trust = array.add_mutually_exclusive_group()
    trust.add_argument(
        "--ca", type=Path, metavar="FILE", help="certificate authority (PEM) that signed its certificate"
    )
    trust.add_argument("--fingerprint", metavar="SHA256", help="accept exactly the certificate with this fingerprint")


def _length(text: str) -> timedelta:
    match = _LENGTH.fullmatch(text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no length like 90m or 2h")
    return timedelta(minutes=int(match[1]) * (60 if match[2] == "h" else 1))


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """0. Raises GavelError; then no file is left."""
    array = _given(arguments) if arguments.address else _stored(arguments, settings)
    try:
        with arguments.file.open("xb") as file:
            if arguments.anonymize:
                _export_anonymous(array, arguments.length, file, str(arguments.file))
            else:
                export_array(array, arguments.length, file, print)
    except FileExistsError as error:
        raise SettingsError(f"{arguments.file} is there already.") from error
    except OSError as error:
        arguments.file.unlink(missing_ok=True)
        raise SettingsError(f"{arguments.file}: cannot be written ({error.strerror or error}).") from error
    except BaseException:
        arguments.file.unlink(missing_ok=True)
        raise
    print(f"Exported to {arguments.file} ({arguments.file.stat().st_size / 1e6:.1f} MB).")
    return 0


def _export_anonymous(array: FlashArraySettings, length: timedelta, file: IO[bytes], name: str) -> None:
    """What has names is in no folder, and gone with the process."""
    with tempfile.TemporaryFile() as named:
        export_array(array, length, named, print)
        named.seek(0)
        ExportAnonymizer(AnonymousNames()).write(named, name, file)


def _given(arguments: argparse.Namespace) -> FlashArraySettings:
    given = {
        "address": arguments.array,
        "api_token": ask_secret("api_token"),
        "ca_pem": read_pem(arguments.ca),
        "fingerprint_sha256": arguments.fingerprint,
    }
    return _valid({name: value for name, value in given.items() if value is not None})


def _stored(arguments: argparse.Namespace, settings: Settings) -> FlashArraySettings:
    if arguments.ca or arguments.fingerprint:
        raise SettingsError("--ca and --fingerprint go with --address; a source has its own.")
    with opened(settings) as engine, reading(engine) as connection:
        vault = open_vault(engine, settings.key_file)
        row = source_by_name(connection, arguments.array)
        if row.kind is not SourceKind.FLASHARRAY:
            raise SettingsError(f"{row.name} is a {row.kind}; only arrays can be exported.")
        return _valid(full_settings(row, vault))


def _valid(given: dict[str, object]) -> FlashArraySettings:
    return FlashArraySettings.model_validate(validate_settings(SourceKind.FLASHARRAY, dict(given)).model_dump())
