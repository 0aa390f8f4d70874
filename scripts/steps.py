"""The steps of a set-up: each runs commands, says how long it took, and ends cleanly with the others. Standard library only."""

from __future__ import annotations

import os
import re
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
# A step that takes longer is named before it is over.
ANNOUNCE_AFTER_S = 2.0
# What pip, uv and npm say when no registry answers.
_NO_NETWORK = re.compile(
    r"Retry\(total=|NewConnectionError|NameResolutionError|Request failed after \d+ retries|error sending request"
    r"|dns error|tcp connect error|EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH"
)
_REACH_IT = (
    "a package registry cannot be reached. Check the network, or name your proxy (HTTPS_PROXY) or your mirrors "
    "(PIP_INDEX_URL, UV_DEFAULT_INDEX, npm_config_registry), and start again."
)


class SetupError(Exception):
    """A step cannot be done; the text says what was tried and what to do."""


class Commands:
    """The commands that run, each with all that it starts, so that they can be ended together."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()
        self._over = False
        self._refusal: str | None = None

    def refuse(self, why: str) -> None:
        """Start nothing: whatever needs a command fails with `why`."""
        self._refusal = why

    @contextmanager
    def started(self, words: list[str], cwd: Path) -> Iterator[subprocess.Popen[str]]:
        """A command that has ended when the block has, however the block ends."""
        with self._lock:
            if self._over:
                raise SetupError("not done, since another step failed.")
            if self._refusal:
                raise SetupError(self._refusal)
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
    if process.returncode and _NO_NETWORK.search(said):
        raise SetupError(f"{_REACH_IT}\n`{shlex.join(words)}` ended with:\n{last_lines(said)}")
    if process.returncode:
        raise SetupError(f"`{shlex.join(words)}` in {cwd} ended with {process.returncode}:\n{said}")


def last_lines(text: str, count: int = 3) -> str:
    return "\n".join(text.strip().splitlines()[-count:])


def timed(name: str, action: Callable[[], object]) -> None:
    """Do one step and say how long it took; its failure carries its name."""
    started = time.monotonic()
    announcing = threading.Timer(ANNOUNCE_AFTER_S, say, [f"  {name} …"])
    announcing.daemon = True
    announcing.start()
    try:
        action()
    except SetupError as error:
        raise SetupError(f"{name}: {error}") from error
    finally:
        announcing.cancel()
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
