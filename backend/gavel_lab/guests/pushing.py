"""All agents of a lab at work, in one thread and with one request at a time. It ends at once, whatever the receiver does."""

import asyncio
import heapq
import logging
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

from gavel_lab.guests.agents import Agent, agents
from gavel_lab.guests.diskio import GuestCounters
from gavel_lab.guests.outbox import Outbox, Pause
from gavel_lab.guests.request import Receiver, write
from gavel_lab.lab import Lab

# A guest that slept longer has booted; what it would have counted meanwhile is not worked out.
_LONGEST_SLEEP_S = 300.0
_TOKEN_POLL_S = 0.5
_REFUSED_TOKEN = (401, 403)

log = logging.getLogger(__name__)


class _Step(IntEnum):
    READ = 0
    FLUSH = 1


@dataclass
class _Running:
    agent: Agent
    counters: GuestCounters | None = None
    outbox: Outbox = field(default_factory=Outbox)


class Pushing:
    """`start` begins once the token file is there, which is read again when the receiver refuses what stood in it."""

    def __init__(self, lab: Lab, receiver: Receiver, token_file: Path) -> None:
        self._lab, self._receiver, self._token_file = lab, receiver, token_file
        self._token, self._pause = "", Pause()
        self._guests = [_Running(agent) for agent in agents(lab.environment)]
        self._running: tuple[asyncio.AbstractEventLoop, asyncio.Task[None], threading.Thread] | None = None

    def start(self) -> None:
        """Begin to push. A lab whose time is held has no guests that do so."""
        if self._lab.clocks.lab_time.is_held:
            return
        loop = asyncio.new_event_loop()
        task = loop.create_task(self._push_for_ever())
        thread = threading.Thread(target=_run, args=(loop, task), name="guests", daemon=True)
        self._running = loop, task, thread
        thread.start()

    def stop(self) -> None:
        """End in the midst of whatever it does."""
        if self._running is not None:
            loop, task, thread = self._running
            # Closed where it broke before.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(task.cancel)
            thread.join()

    async def _push_for_ever(self) -> None:
        while not self._read_token():  # noqa: ASYNC110 (a file tells nobody that it is there)
            await asyncio.sleep(_TOKEN_POLL_S)
        due = [(_next_reading(each.agent, self._now()), _Step.READ, n) for n, each in enumerate(self._guests)]
        heapq.heapify(due)
        while due:
            at_s, step, n = heapq.heappop(due)
            await asyncio.sleep(max(0.0, at_s - self._now()) / self._lab.clocks.lab_time.speed)
            guest = self._guests[n]
            if step is _Step.READ:
                self._read(guest, at_s)
                heapq.heappush(due, (at_s + guest.agent.flush_after_s, _Step.FLUSH, n))
            else:
                await self._flush(guest.outbox)
                # A reading that is late is still of its own instant, as if every guest had a processor of its own.
                since_s = max(at_s - guest.agent.flush_after_s + 1e-3, self._now() - _LONGEST_SLEEP_S)
                heapq.heappush(due, (_next_reading(guest.agent, since_s), _Step.READ, n))

    def _read(self, guest: _Running, at_s: float) -> None:
        vm = guest.agent.vm
        if not self._lab.placement.is_on(vm.index, at_s):
            guest.counters = None
            return
        if guest.counters is None or at_s - guest.counters.until_s > _LONGEST_SLEEP_S:
            guest.counters = GuestCounters(self._lab.environment, self._lab.model, guest.agent, at_s)
        else:
            guest.counters.advance(at_s)
        guest.outbox.lines.extend(guest.counters.lines())

    async def _flush(self, outbox: Outbox) -> None:
        while outbox.lines and time.monotonic() >= self._pause.until_s and (self._token or self._read_token()):
            lines = outbox.next()
            answer = await write(self._receiver, self._token, lines)
            if answer.status in _REFUSED_TOKEN:
                self._token = ""
            if outbox.settle(len(lines), answer.status):
                self._pause.over()
            else:
                self._pause.failed(time.monotonic(), answer.retry_after_s)

    def _read_token(self) -> bool:
        """Whether there is one."""
        try:
            self._token = self._token_file.read_text().strip()
        except FileNotFoundError:
            return False
        return bool(self._token)

    def _now(self) -> float:
        return self._lab.clocks.lab_time.now()


def _run(loop: asyncio.AbstractEventLoop, task: asyncio.Task[None]) -> None:
    try:
        loop.run_until_complete(task)
    except asyncio.CancelledError:
        log.debug("guests stopped")
    except Exception:
        log.exception("guests no longer push")
    finally:
        loop.close()


def _next_reading(agent: Agent, after_s: float) -> float:
    """The lab instant of the next multiple of its interval on the guest's clock."""
    ticks = (after_s + agent.ahead_s) // agent.interval_s + 1
    return float(ticks * agent.interval_s - agent.ahead_s)
