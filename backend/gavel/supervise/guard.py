"""The supervisor's line to its guardian, which is itself restarted when it is killed."""

import asyncio
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

from gavel.supervise import guardian

# How long what a killed supervisor leaves behind has to stop by itself.
GRACE_S = 4.0
_PAUSE_S = 0.2


class GuardianLink:
    """Tells a guardian process what is running. `lock` is a descriptor it keeps open until all of it is gone."""

    def __init__(self, lock: int) -> None:
        self._lock = lock
        self._groups: dict[int, int] = {}
        self._pipe = -1
        self._keeper: asyncio.Task[None] | None = None
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start the guardian, and keep one running."""
        self._process = await self._spawn()
        self._keeper = asyncio.create_task(self._keep())

    async def stop(self) -> None:
        """Let the guardian go; what is still listed is ended by it."""
        if self._keeper:
            self._keeper.cancel()
        self._close_pipe()
        if self._process:
            await self._process.wait()

    @property
    def pid(self) -> int | None:
        """The guardian's process id."""
        return self._process.pid if self._process else None

    def add(self, leader: int, stop_signal: signal.Signals) -> None:
        """A child started: `leader` is its process id and process group."""
        self._groups[leader] = int(stop_signal)
        self._send_line(f"+{leader} {int(stop_signal)}")

    def remove(self, leader: int) -> None:
        """A child is gone, with its whole group."""
        self._groups.pop(leader, None)
        self._send_line(f"-{leader}")

    async def _keep(self) -> None:
        while self._process:
            await self._process.wait()
            await asyncio.sleep(_PAUSE_S)
            self._process = await self._respawn()

    async def _respawn(self) -> asyncio.subprocess.Process:
        """Try until it starts: the system may be out of processes or descriptors for a while."""
        while True:
            self._close_pipe()
            with suppress(OSError):
                return await self._spawn()
            await asyncio.sleep(_PAUSE_S)

    async def _spawn(self) -> asyncio.subprocess.Process:
        # A pipe of our own, that no child inherits: its end is the news of our death.
        reader, self._pipe = os.pipe()
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-I", "-S", str(Path(guardian.__file__)), str(GRACE_S),
                stdin=reader, stdout=asyncio.subprocess.DEVNULL, stderr=None,
                start_new_session=True, pass_fds=(self._lock,), cwd="/",
            )  # fmt: skip
        finally:
            os.close(reader)
        for leader, stop_signal in self._groups.items():
            self._send_line(f"+{leader} {stop_signal}")
        return process

    def _send_line(self, line: str) -> None:
        if self._pipe < 0:
            return
        with suppress(BrokenPipeError):  # killed: its successor is told everything
            os.write(self._pipe, f"{line}\n".encode())

    def _close_pipe(self) -> None:
        if self._pipe >= 0:
            os.close(self._pipe)
            self._pipe = -1
