"""Starts services as soon as what they need is ready, keeps them running, and stops them in reverse."""

import asyncio
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from gavel.embedded.errors import StartError
from gavel.supervise.forks import Forks
from gavel.supervise.guard import GuardianLink
from gavel.supervise.journal import Journal
from gavel.supervise.output import ServiceLog, Terminal
from gavel.supervise.runner import Runner, ServiceState
from gavel.supervise.service import Service, in_order

_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_STOP_LIMIT_S = 4.5
_TOLD_AGAIN_S = 60.0


class Supervisor:
    """Runs `services`; `lock` is the descriptor of the held instance lock; logs go below `folder`/logs.

    forks: the line to a service among them that has our modules loaded.
    """

    def __init__(
        self, services: Sequence[Service], folder: Path, lock: int, terminal: Terminal, forks: Forks | None = None
    ) -> None:
        self._terminal = terminal
        self._began = time.monotonic()
        self._folder = folder
        self._guard = GuardianLink(lock)
        self._journal = Journal(folder)
        self._forks = forks or Forks()
        self._disk_told = 0.0
        logs = folder / "logs"
        logs.mkdir(mode=0o700, exist_ok=True)
        self.runners = {
            service.name: Runner(service, self._log_of(service, logs), self._guard, self._forks, self._changed)
            for service in in_order(list(services))
        }
        self._up = {name: asyncio.Event() for name in self.runners}
        self._keepers: list[asyncio.Task[None]] = []
        self._stop = asyncio.Event()

    def _log_of(self, service: Service, logs: Path) -> ServiceLog:
        return ServiceLog(
            service.name,
            logs,
            self._terminal,
            self._disk_is_full,
            service.known_noise,
            shows_output=service.shows_output,
        )

    async def run(self, on_up: Callable[[float], None]) -> None:
        """Run until SIGINT, SIGTERM or SIGHUP. `on_up` gets the seconds the start took. Raises StartError."""
        loop = asyncio.get_running_loop()
        for number in _STOP_SIGNALS:
            loop.add_signal_handler(number, self.stop)
        await self._guard.start()
        try:
            if await self._start_all():
                on_up(time.monotonic() - self._began)
                await self._stop.wait()
        finally:
            await self._stop_all()
            await self._guard.stop()
            self._forks.close()
            self._journal.remove()
            for number in _STOP_SIGNALS:
                loop.remove_signal_handler(number)

    def stop(self) -> None:
        """Begin to stop. A second call ends everything at once."""
        if self._stop.is_set():
            self._terminal.say("Ending everything by force.")
            self._force()
        self._stop.set()

    async def _start_all(self) -> bool:
        """True when all is up; False when stopped before. Raises the first StartError."""
        starting = asyncio.create_task(self._start_each())
        stopped = asyncio.create_task(self._stop_requested())
        await asyncio.wait({starting, stopped}, return_when=asyncio.FIRST_COMPLETED)
        starting.cancel()
        stopped.cancel()
        await asyncio.wait({starting, stopped})
        if not starting.cancelled():
            starting.result()
        return not self._stop.is_set()

    async def _start_each(self) -> None:
        try:
            async with asyncio.TaskGroup() as starts:
                for runner in self.runners.values():
                    starts.create_task(self._start(runner))
        except ExceptionGroup as failures:  # the others were cancelled by the first
            raise failures.exceptions[0] from None

    async def _stop_requested(self) -> None:
        await self._stop.wait()

    async def _start(self, runner: Runner) -> None:
        for needed in runner.service.after:
            await self._up[needed].wait()
        began = time.monotonic()
        await runner.start()
        self._say(f"{runner.service.name:<12} {runner.state:<6} {time.monotonic() - began:5.1f} s")
        self._up[runner.service.name].set()
        if not runner.service.once:
            self._keepers.append(asyncio.create_task(runner.keep()))

    async def _stop_all(self) -> None:
        began = time.monotonic()
        for runner in self.runners.values():
            runner.give_up()
        await _cancel(self._keepers)
        stopped = {name: asyncio.Event() for name in self.runners}
        stops = [asyncio.create_task(self._stop_one(name, stopped)) for name in self.runners]
        _, late = await asyncio.wait(stops, timeout=_STOP_LIMIT_S)
        if late:
            self._force()
        await asyncio.gather(*stops)
        self._terminal.say(f"Stopped after {time.monotonic() - began:.1f} s.")

    async def _stop_one(self, name: str, stopped: dict[str, asyncio.Event]) -> None:
        """Stop a service after all that need it, and those it is to outlive."""
        outlived = self.runners[name].service.outlives
        for other, runner in self.runners.items():
            if name in runner.service.after or other in outlived:
                await stopped[other].wait()
        await self.runners[name].stop()
        stopped[name].set()

    def _force(self) -> None:
        for runner in self.runners.values():
            runner.force()

    def _changed(self, runner: Runner, message: str) -> None:
        if message and runner.state in (ServiceState.RESTARTING, ServiceState.STOPPING):
            self._say(f"{runner.service.name} {message}")
        if runner.state is ServiceState.READY and runner.restarts:
            self._say(f"{runner.service.name} is back (restart {runner.restarts})")
            self._repeat_steps_after(runner.service.name)
        self._journal.write(self.runners.values())

    def _repeat_steps_after(self, name: str) -> None:
        for runner in self.runners.values():
            if runner.service.repeat and name in runner.service.after:
                self._keepers.append(asyncio.create_task(self._repeat(runner)))

    async def _repeat(self, runner: Runner) -> None:
        try:
            await runner.start()
        except StartError as error:
            self._say(str(error))

    def _disk_is_full(self) -> None:
        if time.monotonic() - self._disk_told > _TOLD_AGAIN_S:
            self._disk_told = time.monotonic()
            self._say(f"The disk that holds {self._folder} is full. Free some space; Gavel goes on by itself then.")

    def _say(self, line: str) -> None:
        self._terminal.say(f"{time.monotonic() - self._began:6.1f} s  {line}")


async def _cancel(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
