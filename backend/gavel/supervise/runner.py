"""The life of one service: started, watched, started again when it dies, stopped with everything it started."""

import asyncio
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum

from gavel.embedded.deathsignal import with_parent
from gavel.embedded.errors import StartError
from gavel.supervise.forks import ForkedProcess, ForkError, Forks
from gavel.supervise.guard import GuardianLink
from gavel.supervise.output import ServiceLog
from gavel.supervise.preload import ForkRequest
from gavel.supervise.service import Launch, ModuleLaunch, Service

Process = asyncio.subprocess.Process | ForkedProcess

_FIRST_PAUSE_S = 0.3
_LONGEST_PAUSE_S = 10.0
_STEADY_AFTER_S = 30.0
_PROBE_PAUSE_S = 0.05
_ATTEMPTS_AT_START = 3
_CHUNK = 65536


class ServiceState(StrEnum):
    """Where a service stands."""

    WAITING = "waiting"
    STARTING = "starting"
    READY = "ready"
    DONE = "done"
    RESTARTING = "restarting"
    STOPPING = "stopping"
    STOPPED = "stopped"


class EndedError(Exception):
    """The process ended, or did not become ready in time."""


class Runner:
    """Runs one service. `on_change` is called whenever its state, process or count of restarts changes."""

    def __init__(
        self,
        service: Service,
        log: ServiceLog,
        guard: GuardianLink,
        forks: Forks,
        on_change: Callable[["Runner", str], None],
    ) -> None:
        self.service = service
        self.state = ServiceState.WAITING
        self.restarts = 0
        self.ready_at: float | None = None
        self._log = log
        self._guard = guard
        self._forks = forks
        self._on_change = on_change
        self._process: Process | None = None
        self._reader: asyncio.Task[None] | None = None
        self._line_seen = asyncio.Event()
        self._stopping = False

    @property
    def pid(self) -> int | None:
        """Its process id while it runs."""
        return self._process.pid if self._process else None

    async def start(self) -> None:
        """Bring it up, or run the step to its end. Raises StartError after a few attempts, with its last words."""
        for attempt in range(1, _ATTEMPTS_AT_START + 1):
            try:
                await self._attempt()
            except EndedError as ended:
                if self._stopping or self.service.once or attempt == _ATTEMPTS_AT_START:
                    raise StartError(self._last_words(str(ended), attempt)) from ended
                await asyncio.sleep(_FIRST_PAUSE_S * 2**attempt)
            else:
                return

    async def keep(self) -> None:
        """Start it again, with growing pauses, whenever it ends. Runs until it is cancelled or being stopped."""
        pause_s = _FIRST_PAUSE_S
        while not self._stopping:
            why = _ending(await self._wait())
            if time.monotonic() - (self.ready_at or 0) > _STEADY_AFTER_S:
                pause_s = _FIRST_PAUSE_S
            back = False
            while not back:
                self._change(ServiceState.RESTARTING, f"{why}; starting it again in {pause_s:.1f} s")
                await asyncio.sleep(pause_s)
                pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)
                self.restarts += 1
                try:
                    await self._attempt()
                    back = True
                except (EndedError, StartError) as error:
                    why = str(error)
                except Exception as error:  # noqa: BLE001 (a full disk or a lack of processes must not end this loop)
                    why = f"cannot be started: {str(error) or type(error).__name__}"

    def give_up(self) -> None:
        """From now on an end is final."""
        self._stopping = True

    def force(self) -> None:
        """End it at once."""
        if self._process is not None:
            _send(os.kill, self._process.pid, self.service.force_signal)

    async def stop(self) -> None:
        """Stop it; by force when it takes too long. Nothing of its process group is left."""
        self.give_up()
        process = self._process
        if process is not None:
            self._change(ServiceState.STOPPING, "")
            _send(os.kill, process.pid, self.service.stop_signal)
            try:
                await asyncio.wait_for(process.wait(), self.service.stop_timeout_s)
            except TimeoutError:
                self._change(
                    ServiceState.STOPPING, f"did not stop within {self.service.stop_timeout_s:g} s: ended by force"
                )
                _send(os.kill, process.pid, self.service.force_signal)
            await self._wait()
        self._log.close()
        if self.state is not ServiceState.WAITING:
            self._change(ServiceState.STOPPED, "stopped")

    async def _attempt(self) -> None:
        self._change(ServiceState.STARTING, "")
        process = await self._spawn()
        try:
            async with asyncio.timeout(self.service.start_timeout_s):
                await self._until_up(process)
        except TimeoutError:
            await self._abandon()
            raise EndedError(f"was not ready within {self.service.start_timeout_s:g} s") from None
        self.ready_at = time.monotonic()
        self._change(ServiceState.DONE if self.service.once else ServiceState.READY, "")

    async def _spawn(self) -> Process:
        launch = await asyncio.to_thread(self.service.launch)
        if self._stopping:
            raise EndedError("was stopped before it started")
        # A pipe of our own: asyncio's would count a process as running while a grandchild still holds its output.
        reader, writer = os.pipe()
        self._line_seen.clear()
        try:
            self._process = await self._forked(launch, writer) or await self._executed(launch, writer)
        except OSError as error:
            os.close(reader)
            raise EndedError(f"{launch.argv[0]} cannot be started: {error.strerror}") from error
        finally:
            os.close(writer)
        self._guard.add(self._process.pid, self.service.stop_signal)
        self._reader = asyncio.create_task(self._read(reader))
        return self._process

    async def _forked(self, launch: Launch, output: int) -> ForkedProcess | None:
        """Return None where the launch is not a module of ours, or where no process has our modules loaded."""
        if not isinstance(launch, ModuleLaunch):
            return None
        request = ForkRequest(
            launch.module, launch.arguments, launch.folder, self.service.niceness, self.service.stop_signal, os.getpid()
        )
        with suppress(ForkError):
            return await self._forks.fork(request, output, self.service.waits_for_shared_modules_s)
        return None

    async def _executed(self, launch: Launch, output: int) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *launch.argv,
            stdin=asyncio.subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True, env=launch.env,
            preexec_fn=_in_child(self.service),
            **launch.options,
        )  # fmt: skip

    async def _read(self, descriptor: int) -> None:
        stream = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        with os.fdopen(descriptor, "rb", buffering=0) as pipe:
            transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stream), pipe)
            try:
                while data := await stream.read(_CHUNK):
                    lines = self._log.feed(data)
                    wanted = self.service.ready_line
                    if wanted and any(wanted in line for line in lines):
                        self._line_seen.set()
            finally:
                transport.close()

    async def _until_up(self, process: Process) -> None:
        ended = asyncio.create_task(process.wait())
        ready = asyncio.create_task(self._ready(process))
        try:
            await asyncio.wait({ended, ready}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ready.cancel()
            ended.cancel()
        if process.returncode is not None:
            code = await self._wait()
            if not (self.service.once and code == 0):
                raise EndedError(_ending(code))

    async def _ready(self, process: Process) -> None:
        if self.service.once:
            await process.wait()
        elif self.service.probe:
            while not await asyncio.to_thread(self.service.probe):  # noqa: ASYNC110 (another process, no event of ours)
                await asyncio.sleep(_PROBE_PAUSE_S)
        elif self.service.ready_line:
            await self._line_seen.wait()

    async def _abandon(self) -> None:
        if self._process is not None:
            _send(os.killpg, self._process.pid, self.service.force_signal)
            await self._wait()

    async def _wait(self) -> int:
        """Wait for the process's end, end what it left behind, and take its last output."""
        process = self._process
        if process is None:  # the last attempt did not get as far as a process
            return 0
        code = await process.wait()
        _send(os.killpg, process.pid, signal.SIGKILL)
        self._guard.remove(process.pid)
        if self._reader:
            # A process that left its group on purpose may hold the output open: it gets a second, not for ever.
            await asyncio.wait({self._reader}, timeout=1)
            self._reader.cancel()
            self._reader = None
        self._process = None
        return code

    def _last_words(self, ending: str, attempts: int) -> str:
        often = f" {attempts} times" if attempts > 1 else ""
        words = "".join(f"\n    {line}" for line in self._log.tail)
        return f"{self.service.name} {ending}{often}. Its last lines:{words or ' none'}"

    def _change(self, state: ServiceState, message: str) -> None:
        self.state = state
        self._on_change(self, message)


def _ending(code: int) -> str:
    return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"


def _send(send: Callable[[int, int], None], target: int, number: int) -> None:
    with suppress(ProcessLookupError):
        send(target, number)


def _in_child(service: Service) -> Callable[[], None]:
    """What a child does before its program begins, so that whatever that starts has it too: it ends with us, and stands back."""
    end_with_parent, niceness = with_parent(service.stop_signal), service.niceness

    def prepare() -> None:
        end_with_parent()
        if niceness:
            os.nice(niceness)

    return prepare
