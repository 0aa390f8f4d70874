"""The listener as `gavel up` starts it: forked from a process that has its modules loaded, so that a start takes a tenth of a second."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import BinaryIO, TypeVar

from gavel.embedded.deathsignal import with_parent
from gavel.supervise import preload
from gavel.supervise.forks import ForkedProcess, Forks
from gavel.supervise.preload import ForkRequest

_FORK_S = 30
_MODULES = (
    "gavel.listener.app", "gavel.listener.http_protocol",
    "uvicorn", "uvicorn.lifespan.on", "uvicorn.loops.auto", "uvicorn.protocols.http.h11_impl",
)  # fmt: skip
_T = TypeVar("_T")


class Listener:
    """Started and killed as often as it takes, on one port. log: where it writes what it has to say."""

    def __init__(self, database_url: str, port: int, log: BinaryIO) -> None:
        self._port, self._log = port, log
        self._forks, self._loop = Forks(), asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="forks", daemon=True)
        self._thread.start()
        self._loader = self._load(os.environ | {"GAVEL_DATABASE_URL": database_url})
        self._running: ForkedProcess | None = None

    def _load(self, env: dict[str, str]) -> subprocess.Popen[bytes]:
        far_end = self._forks.renew()
        loader = subprocess.Popen(
            [sys.executable, "-m", preload.__name__, str(far_end), *_MODULES],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._log, pass_fds=(far_end,), env=env,
            preexec_fn=with_parent(signal.SIGKILL),  # noqa: PLW1509 (two system calls)
        )  # fmt: skip
        with loader.stdout as said:  # type: ignore[union-attr]
            assert said.readline().decode().strip() == preload.READY_LINE
        return loader

    def start(self) -> None:
        """It need not answer yet."""
        arguments = (
            "--factory", "gavel.listener.app:create_app", "--host", "127.0.0.1", "--port", str(self._port),
            "--no-access-log", "--http", "gavel.listener.http_protocol:PushProtocol",
        )  # fmt: skip
        request = ForkRequest("uvicorn", arguments, str(Path.cwd()), 0, signal.SIGKILL, os.getpid())
        self._running = self._in_loop(self._forks.fork(request, self._log.fileno()), _FORK_S)

    @property
    def is_alive(self) -> bool:
        return self._running is not None and self._running.returncode is None

    def kill(self) -> None:
        """kill -9, and wait for its end."""
        if self._running is not None and self.is_alive:
            os.kill(self._running.pid, signal.SIGKILL)
            self._in_loop(self._running.wait(), _FORK_S)

    def end(self) -> None:
        """With the process that it is forked from."""
        self.kill()
        self._loader.kill()
        self._loader.wait()
        self._forks.close()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_FORK_S)
        self._loop.close()

    def _in_loop(self, work: Coroutine[None, None, _T], timeout_s: float) -> _T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout_s)
