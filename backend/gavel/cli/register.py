"""Register the sources listed in a JSON file: [{"kind", "name", "address", "settings": {...}}, …].

A source whose name is known already is brought to the settings of the file. This is how the lab's sources get in.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from gavel.cli.running import database
from gavel.config import Settings
from gavel.db.engine import Role, open_engine
from gavel.domain.errors import SettingsError
from gavel.pipeline import sources
from gavel.pipeline.secrets import load_vault


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path)


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    listed = _read(arguments.file)
    vault = load_vault(settings.key_file)
    with database(settings) as url:
        engine = open_engine(url, Role.API)
        try:
            for entry in listed:
                sources.ensure(engine, vault, kind=entry["kind"], name=entry["name"], settings=_settings(entry))
        finally:
            engine.dispose()
    print(f"{len(listed)} sources registered.")
    return 0


def _settings(entry: dict[str, Any]) -> dict[str, Any]:
    """A source's settings under the names that Gavel knows; the file may call the certificate's pin `tls_sha256`."""
    renamed = {"tls_sha256": "fingerprint_sha256"}
    return {"address": entry["address"]} | {renamed.get(name, name): value for name, value in entry["settings"].items()}


def _read(file: Path) -> list[dict[str, Any]]:
    try:
        listed = json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise SettingsError(f"{file}: no list of sources can be read from it ({error}).") from error
    if not isinstance(listed, list):
        raise SettingsError(f"{file}: a list is needed, not {type(listed).__name__}.")
    for entry in listed:
        missing = {"kind", "name", "address", "settings"} - set(entry if isinstance(entry, dict) else ())
        if missing:
            raise SettingsError(f"{file}: an entry lacks {', '.join(sorted(missing))}.")
    return listed
