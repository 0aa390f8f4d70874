"""Asks the process that has our modules loaded (supervise.preload) to fork services, and makes them children of ours."""

import asyncio
import ctypes
import os
import socket
import sys
from contextlib import suppress

from gavel.supervise.preload import ForkRequest

_PR_SET_CHILD_SUBREAPER = 36
_ANSWER_S = 10.0


class ForkError(Exception):
    """Nobody there that has the modules loaded: the process has to be started by itself."""


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
        self._one_at_a_time = asyncio.Lock()

    @staticmethod
    def are_possible() -> bool:
        """Whether this system has what they need; elsewhere each process loads its modules itself."""
        return sys.platform.startswith("linux") and hasattr(os, "pidfd_open")

    def renew(self) -> int:
        """A new line; the descriptor of its far end is for the process that forks to inherit."""
        self.close()
        self._near, self._far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        return self._far.fileno()

    def close(self) -> None:
        """Let the process that forks go; what it forked stays."""
        for end in (self._near, self._far):
            if end is not None:
                end.close()
        self._near = self._far = None

    async def fork(self, request: ForkRequest, output: int) -> ForkedProcess:
        """Start `request`, whose output goes to `output`. Raises ForkError."""
        async with self._one_at_a_time:
            if self._near is None:
                raise ForkError("no process has our modules loaded")
            if self._far is not None:  # inherited by now: with ours closed, the death of the other side is seen
                self._far.close()
                self._far = None
            try:
                return ForkedProcess(await asyncio.to_thread(_asked, self._near, request, output))
            except ForkError:
                # Whatever it may still fork has no parent then, and ends.
                self.close()
                raise


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
