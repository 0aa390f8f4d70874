"""A small file that says what runs now, for `gavel status`; written by the supervisor at every change."""

import json
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from gavel import clock
from gavel.supervise.lock import write_private
from gavel.supervise.runner import Runner

JOURNAL_FILE = "processes.json"


class Journal:
    """Writes the journal of a data directory. Trouble with the file is no reason to stop anything."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / JOURNAL_FILE

    def write(self, runners: Iterable[Runner]) -> None:
        fresh = self._file.with_suffix(".new")
        entries = [_entry(runner) for runner in runners]
        try:
            write_private(fresh, json.dumps(entries, indent=1))
            fresh.rename(self._file)
        except OSError:  # a full disk is reported elsewhere
            with suppress(OSError):
                fresh.unlink(missing_ok=True)

    def remove(self) -> None:
        with suppress(OSError):
            self._file.unlink(missing_ok=True)


def _entry(runner: Runner) -> dict[str, Any]:
    since = clock.time_s() - (time.monotonic() - runner.ready_at) if runner.ready_at is not None else None
    return {
        "name": runner.service.name,
        "pid": runner.pid,
        "state": runner.state,
        "restarts": runner.restarts,
        "ready_since": since,
    }


def read_journal(folder: Path) -> list[dict[str, Any]]:
    """What the supervisor of this data directory wrote last; empty when there is nothing."""
    try:
        entries: list[dict[str, Any]] = json.loads((folder / JOURNAL_FILE).read_text())
    except (FileNotFoundError, ValueError):
        return []
    return entries
