"""Have services forked by the process with all modules loaded (supervise.preload), as children of this one."""

import asyncio
import ctypes
import os
import socket
import sys
import time
from contextlib import suppress

from gavel.supervise.preload import GREETING, ForkRequest

_PR_SET_CHILD_SUBREAPER = 36
_ANSWER_S = 10.0
_POLL_S = 0.02


class ForkError(Exception):
    """No process has the modules loaded: the service has to load its own."""


class ForkedProcess:
    """A child that was forked elsewhere: its number, and how it ended, as `asyncio.subprocess.Process` says them."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._ended = asyncio.Event()
        self._descriptor = os.pidfd_open(pid)
        asyncio.get_running_loop().add_reader(self._descriptor, self._reap)

    async def wait(self) -> int:
        """Wait for its end; below zero: the signal that ended it."""
        await self._ended.wait()
        return self.returncode or 0

    def _reap(self) -> None:
        asyncio.get_running_loop().remove_reader(self._descriptor)
        os.close(self._descriptor)
        _, status = os.waitpid(self.pid, 0)
        self.returncode = os.waitstatus_to_exitcode(status)
        self._ended.set()


class Forks:
    """The line to the process that forks, which may be started again at any time. For one event loop."""

    def __init__(self) -> None:
        self._near: socket.socket | None = None
        self._far: socket.socket | None = None
        self._is_loaded = False
        self._was_opened = False
        self._one_at_a_time = asyncio.Lock()

    @staticmethod
    def are_possible() -> bool:
        """Whether this system has what they need; elsewhere each process loads its modules itself."""
        return sys.platform.startswith("linux") and hasattr(os, "pidfd_open")

    def renew(self) -> int:
        """Open a new line and return the descriptor of its far end, for the process that forks to inherit."""
        self.close()
        self._is_loaded, self._was_opened = False, True
        self._near, self._far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        return self._far.fileno()

    def close(self) -> None:
        """Let the process that forks go; what it forked stays."""
        for end in (self._near, self._far):
            if end is not None:
                end.close()
        self._near = self._far = None
        self._is_loaded = False

    async def fork(self, request: ForkRequest, output: int, patience_s: float = 0.0) -> ForkedProcess:
        """Start `request` with its output to the descriptor `output`.

        While no process has loaded the modules, wait for one, at most for `patience_s`. Raises ForkError.
        """
        deadline = time.monotonic() + patience_s
        while True:
            with suppress(ForkError):
                async with self._one_at_a_time:
                    if self._has_loaded() and self._near is not None:
                        return await self._forked(self._near, request, output)
            if not self._was_opened or time.monotonic() >= deadline:
                raise ForkError("no process has our modules loaded")
            await asyncio.sleep(_POLL_S)

    async def _forked(self, link: socket.socket, request: ForkRequest, output: int) -> ForkedProcess:
        try:
            return ForkedProcess(await asyncio.to_thread(_asked, link, request, output))
        except ForkError:
            # Whatever it may still fork has no parent then, and ends.
            if self._near is link:
                self.close()
            raise

    def _has_loaded(self) -> bool:
        """Return whether the process at the other end can fork. Its greeting says so."""
        if self._near is None or self._is_loaded:
            return self._is_loaded
        try:
            self._is_loaded = self._near.recv(len(GREETING), socket.MSG_DONTWAIT) == GREETING
        except OSError:
            return False
        if self._is_loaded and self._far is not None:
            # The process that forks has inherited it. With this copy closed, the end of that process is seen.
            self._far.close()
            self._far = None
        return self._is_loaded


def _asked(link: socket.socket, request: ForkRequest, output: int) -> int:
    """The process id that comes back. Only while it is made do we adopt orphans; others are not ours to reap."""
    link.settimeout(_ANSWER_S)
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        socket.send_fds(link, [request.to_bytes()], [output])
        answer = link.recv(64)
    except OSError as error:
        raise ForkError(f"the process that has our modules loaded is gone: {error}") from error
    finally:
        with suppress(OSError):
            prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
    if not answer:
        raise ForkError("the process that has our modules loaded is gone")
    return int(answer)
