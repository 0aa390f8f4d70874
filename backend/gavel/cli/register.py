"""Register the sources listed in a JSON file: [{"kind", "name", "address", "settings": {...}}, …].

This is how the lab's sources get in. A source that was registered from the file before gets the settings of the file,
also when it was renamed since. With --away, the sources from the file are disabled until the file is registered again.
"""

import argparse
import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from gavel.admin import sources
from gavel.admin.announced import Announced, Registered, free_name, match_announced
from gavel.admin.sources import SourceUpdate
from gavel.cli.opened import open_vault, opened
from gavel.config import Settings
from gavel.db.engine import Engine, reading
from gavel.db.queries.sources import SourceRow
from gavel.db.queries.sources import sources as all_sources
from gavel.domain.errors import SettingsError
from gavel.vault import Vault


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path)
    parser.add_argument("--away", action="store_true", help="disable what was registered from the file, for a while")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    with opened(settings) as engine:
        vault = open_vault(engine, settings.key_file)
        (_send_away if arguments.away else _register)(engine, vault, arguments.file)
    return 0


def _register(engine: Engine, vault: Vault, file: Path) -> None:
    listed = _read(file)
    remembered = _remembered(file)
    were_away = {each.id for each in remembered if each.away}
    announced = [Announced(entry["kind"], entry["name"], entry["address"]) for entry in listed]
    matched = match_announced(announced, _rows(engine), remembered)
    ids = [_bring_in(engine, vault, entry, known) for entry, known in zip(listed, matched, strict=True)]
    for source_id in were_away & set(ids):
        sources.change(engine, vault, source_id, SourceUpdate(enabled=True))
    _remember(
        file,
        [
            Registered(source_id, each.address, away=False, name=each.name)
            for source_id, each in zip(ids, announced, strict=True)
        ],
    )
    print(f"{len(ids)} sources registered.")


def _bring_in(engine: Engine, vault: Vault, entry: dict[str, Any], source_id: int | None) -> int:
    settings = _settings(entry)
    if source_id is None:
        name = free_name(entry["name"], _rows(engine))
        return sources.register(engine, vault, kind=entry["kind"], name=name, settings=settings, announced=True)
    sources.bring_up_to_date(engine, vault, source_id, settings)
    return source_id


def _send_away(engine: Engine, vault: Vault, file: Path) -> None:
    known = {each.id: each for each in _remembered(file)}
    rows = [row for row in _rows(engine) if row.id in known and row.address == known[row.id].address]
    away = [row for row in rows if row.enabled or known[row.id].away]
    # First the memory: a source that is found enabled later is simply disabled then.
    _remember(file, [replace(known[row.id], away=row in away) for row in rows])
    for row in away:
        if row.enabled:
            sources.change(engine, vault, row.id, SourceUpdate(enabled=False))
    if away:
        names = ", ".join(row.name for row in away)
        print(f"Disabled until they are served again: {names}. What was read from them stays.")


def _memory(file: Path) -> Path:
    return file.with_suffix(".registered")


def _rows(engine: Engine) -> tuple[SourceRow, ...]:
    with reading(engine) as connection:
        return all_sources(connection)


def _remembered(file: Path) -> list[Registered]:
    try:
        return [Registered(**each) for each in json.loads(_memory(file).read_text())]
    except FileNotFoundError:
        return []


def _remember(file: Path, registered: list[Registered]) -> None:
    fresh = file.with_suffix(".new")
    fresh.write_text(json.dumps([asdict(each) for each in registered]))
    fresh.replace(_memory(file))


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
