"""What the processes print: all of it into capped files, the trouble on the terminal too, with the name in front."""

import json
import logging
import logging.handlers
import re
import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from gavel.domain.text import escape_controls
from gavel.log import hide_in_text

CAP_BYTES = 5_000_000
_KEPT_LINES = 12
_TROUBLE = re.compile(r"\b(WARNING|ERROR|CRITICAL|FATAL|PANIC)\b|^Traceback ")
_JSON_TROUBLE = frozenset({"warning", "error", "critical"})
_DISK_FULL = "No space left on device"


class Terminal:
    """Lines for the person at the terminal. A terminal that went away does not stop anything, and none is steered by what a source sent."""

    def __init__(self, stream: TextIO | None = None, *, verbose: bool = False) -> None:
        self._stream = stream or sys.stdout
        self.verbose = verbose

    def say(self, line: str = "") -> None:
        with suppress(OSError, ValueError):
            self._stream.write(f"{escape_controls(line)}\n")
            self._stream.flush()


class ServiceLog:
    """Takes the output of one service, line by line."""

    def __init__(
        self,
        name: str,
        folder: Path,
        terminal: Terminal,
        on_disk_full: Callable[[], None],
        known_noise: tuple[str, ...] = (),
        *,
        shows_output: bool = False,
    ) -> None:
        self._name = name
        self._shows_output = shows_output
        self._known_noise = known_noise
        self._terminal = terminal
        self._on_disk_full = on_disk_full
        self._file = _CappedFile(folder / f"{name}.log", on_disk_full)
        self._partial = b""
        self.tail: deque[str] = deque(maxlen=_KEPT_LINES)

    def feed(self, data: bytes) -> list[str]:
        """Take raw output; returns the lines completed by it."""
        *whole, self._partial = (self._partial + data).split(b"\n")
        if len(self._partial) > CAP_BYTES // 10:  # a line without an end
            whole, self._partial = [*whole, self._partial], b""
        lines = [hide_in_text(line.decode(errors="replace").rstrip("\r")) for line in whole]
        for line in lines:
            self._take(line)
        return lines

    def _take(self, line: str) -> None:
        self.tail.append(line)
        self._file.handle(logging.makeLogRecord({"msg": line}))
        # Whatever needs a disk says so, every few seconds each: one sentence of ours tells all of it.
        is_full = _DISK_FULL in line
        if is_full:
            self._on_disk_full()
        shown = _readable(line)
        is_noise = is_full or any(known in line for known in self._known_noise)
        if self._terminal.verbose or ((self._shows_output or shown.is_trouble) and not is_noise):
            # One line of theirs stays one line, so that none looks like another service's.
            text = escape_controls(shown.text).replace("\n", "\\n")
            self._terminal.say(f"{self._name:>12} │ {text}")

    def close(self) -> None:
        if self._partial:
            self.feed(b"\n")
        self._file.close()


class _CappedFile(logging.handlers.RotatingFileHandler):
    """A log file with one predecessor; a failure of the file is reported once and never stops the service."""

    def __init__(self, path: Path, on_trouble: Callable[[], None]) -> None:
        super().__init__(path, maxBytes=CAP_BYTES, backupCount=1, encoding="utf-8", errors="replace", delay=True)
        self._on_trouble = on_trouble

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: ARG002, N802 (logging's own name)
        self._on_trouble()


class _Shown:
    def __init__(self, text: str, *, is_trouble: bool) -> None:
        self.text = text
        self.is_trouble = is_trouble


def _readable(line: str) -> _Shown:
    """A JSON log line as a person reads it; any other line as it is."""
    if line.startswith("{"):
        try:
            fields = json.loads(line)
        except ValueError:
            fields = {}
        if "event" in fields:
            return _from_json(fields)
    return _Shown(line, is_trouble=bool(_TROUBLE.search(line)))


def _from_json(fields: dict[str, object]) -> _Shown:
    level = str(fields.pop("level", "info"))
    event = fields.pop("event")
    logger = fields.pop("logger", "")
    fields.pop("timestamp", None)
    trace = str(fields.pop("exception", "")).strip().splitlines()[-1:]
    rest = [f"{key}={value}" for key, value in fields.items()]
    return _Shown(
        " ".join([level.upper(), str(event), *rest, f"({logger})", *trace]), is_trouble=level in _JSON_TROUBLE
    )
