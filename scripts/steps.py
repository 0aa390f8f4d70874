"""The steps of a set-up: each runs commands, says how long it took, and ends cleanly with the others. Standard library only."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMAND_DEADLINE_S = 900


class SetupError(Exception):
    """A step cannot be done; the text says what was tried and what to do."""


class Commands:
    """The commands that run, each with all that it starts, so that they can be ended together."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()
        self._over = False

    @contextmanager
    def started(self, words: list[str], cwd: Path) -> Iterator[subprocess.Popen[str]]:
        """A command that has ended when the block has, however the block ends."""
        with self._lock:
            if self._over:
                raise SetupError("not done, since another step failed.")
            process = subprocess.Popen(
                words,
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                process_group=0,
            )
            self._running.add(process)
        try:
            yield process
        finally:
            with self._lock:
                self._running.discard(process)
                _end(process)
            process.communicate()

    def end(self) -> None:
        """End what runs, and start nothing more. What was half done has no stamp: the next set-up does it anew."""
        with self._lock:
            self._over = True
            for process in self._running:
                _end(process)


def _end(process: subprocess.Popen[str]) -> None:
    """End a command that has not ended by itself, with all that it started."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


commands = Commands()
_talking = threading.Lock()


def say(text: str) -> None:
    """One whole line: two sides report their steps."""
    with _talking:
        print(text, file=sys.stderr, flush=True)


def run(*command: str | Path, cwd: Path = ROOT) -> None:
    """Run a command quietly; its output is shown only when it fails."""
    words = [str(part) for part in command]
    said = ""
    try:
        with commands.started(words, cwd) as process:
            said, _ = process.communicate(timeout=COMMAND_DEADLINE_S)
    except subprocess.TimeoutExpired as error:
        before = (error.output or b"").decode(errors="replace")
        raise SetupError(f"`{shlex.join(words)}` did not end within {COMMAND_DEADLINE_S} s.\n{before}") from error
    except OSError as error:
        raise SetupError(f"`{shlex.join(words)}` could not be started: {error}") from error
    if process.returncode:
        raise SetupError(f"`{shlex.join(words)}` in {cwd} ended with {process.returncode}:\n{said}")


def timed(name: str, action: Callable[[], object]) -> None:
    """Do one step and say how long it took; its failure carries its name."""
    started = time.monotonic()
    try:
        action()
    except SetupError as error:
        raise SetupError(f"{name}: {error}") from error
    say(f"  {name:<38}{time.monotonic() - started:6.1f} s")


def side_by_side(*sides: Callable[[], None]) -> None:
    """Do all of them at the same time. Where one fails, or all are interrupted, what the others run ends too."""
    with ThreadPoolExecutor(len(sides)) as pool:
        try:
            for done in as_completed([pool.submit(side) for side in sides]):
                done.result()
        except BaseException:
            commands.end()
            raise
