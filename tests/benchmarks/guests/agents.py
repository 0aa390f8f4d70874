"""Guests that push as Telegraf does, from a process of its own: each from an address of its own, over a new connection, gzipped.

    python -m tests.benchmarks.guests.agents < PLAN (JSON, as `Plan` has it)

What is not taken stays with its guest and goes with its next push. Writes what became of it (`Sent`, JSON) to standard output.
"""

import asyncio
import gzip
import json
import random
import sys
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field

# A connection that Telegraf leaves open is closed by the listener long before the next push.
_ANSWER_S = 5.0
_MOST_KEPT = 30
_GATHERED = 250
_BOOTED_S = 1_790_000_000


@dataclass(frozen=True)
class Plan:
    """guests push every `every_s` for `seconds`, evenly spread, whether those before are answered or not. gathered: before that the
    first reading of each, in few requests, as a proxy sends them."""

    port: int
    tokens: Sequence[str]
    guests: int
    every_s: float
    seconds: float
    gathered: bool = True


@dataclass
class Sent:
    """by_status: requests; 0 without an answer. readings: of disks, answered 204; unanswered: those of requests that were not answered,
    stored or not. waits_ms: of requests that were answered 204. refused_without_time: 429 without Retry-After."""

    requests: int = 0
    readings: int = 0
    unanswered: int = 0
    refused_without_time: int = 0
    late_s: float = 0.0
    seconds: float = 0.0
    by_status: dict[str, int] = field(default_factory=dict)
    waits_ms: dict[str, float] = field(default_factory=dict)


def disk_uuid(guest: int) -> str:
    """Of its only disk, as vCenter has it: 32 hex digits."""
    return f"6000c29{guest:025x}"


class Guest:
    """A Linux guest with one disk, its partition and a logical volume on it, all of which Telegraf reads."""

    def __init__(self, number: int, tokens: Sequence[str]) -> None:
        self.number = number
        self.token = tokens[number % len(tokens)]
        self.address = f"127.{1 + (number >> 16)}.{number >> 8 & 255}.{number & 255}"
        self.kept: deque[bytes] = deque(maxlen=_MOST_KEPT)
        choose = random.Random(number)
        self._per_s = [choose.uniform(1, 400) for _ in range(2)]
        self._ms_an_io = [choose.uniform(0.2, 3) for _ in range(2)]

    def read(self, at_ns: int) -> None:
        """Sums of a steady load, as if the guest had booted long ago; the lines are kept until they are taken."""
        up_s = at_ns / 1e9 - _BOOTED_S
        r, w = (int(per_s * up_s) for per_s in self._per_s)
        rt, wt = (int(each * ios) for each, ios in zip(self._ms_an_io, (r, w), strict=True))
        fields = (
            f"reads={r}i,writes={w}i,read_bytes={r * 8192}i,write_bytes={w * 16384}i,read_time={rt}i,write_time={wt}i,"
            f"io_time={rt // 2}i,weighted_io_time={rt + wt}i,iops_in_progress=1i,merged_reads={r // 50}i,merged_writes={w // 9}i"
        )
        serial = f"serial=3{disk_uuid(self.number)},wwid=naa.{disk_uuid(self.number)}"
        self.kept.append(
            "".join(
                f"diskio,host=vm-{self.number},name={name},{tags} {fields} {at_ns}\n"
                for name, tags in (("sda", serial), ("sda2", serial), ("dm-0", "serial=unknown"))
            ).encode()
        )


class _Exchange(asyncio.Protocol):
    """One request, and the head of its answer; then hung up."""

    def __init__(self, request: bytes) -> None:
        self._request, self._head = request, b""
        self.answered: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        self._head += data
        if b"\r\n\r\n" in self._head and not self.answered.done():
            self.answered.set_result(self._head)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.answered.done():
            self.answered.set_exception(exc or ConnectionResetError("hung up"))


class Agents:
    """All guests of a plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.sent = plan, Sent()
        self._statuses: Counter[int] = Counter()
        self._waits_s: list[float] = []
        self._guests = [Guest(number, plan.tokens) for number in range(plan.guests)]

    async def run(self) -> Sent:
        if self.plan.gathered:
            await self._gather()
        began = time.monotonic()
        async with asyncio.TaskGroup() as group:
            for guest, due_s in self._turns():
                late_s = time.monotonic() - began - due_s
                if late_s < 0:
                    await asyncio.sleep(-late_s)
                self.sent.late_s = max(self.sent.late_s, late_s)
                group.create_task(self._push(guest))
        self.sent.seconds = time.monotonic() - began
        self.sent.by_status = {str(status): count for status, count in sorted(self._statuses.items())}
        waits = sorted(self._waits_s)
        if waits:
            self.sent.waits_ms = {f"p{p}": round(waits[len(waits) * p // 100] * 1000, 1) for p in (50, 99)}
        return self.sent

    def _turns(self) -> Iterator[tuple[Guest, float]]:
        """Who pushes when, in seconds; a random order that stays."""
        order = random.Random(1).sample(self._guests, len(self._guests))
        step_s = self.plan.every_s / len(order)
        for number in range(round(self.plan.seconds / step_s)):
            yield order[number % len(order)], number * step_s

    async def _gather(self) -> None:
        """The first reading of each, a minute ago."""
        tokens = len(self.plan.tokens)
        of_token = [self._guests[first::tokens] for first in range(tokens)]
        for some in (mine[at : at + _GATHERED] for mine in of_token for at in range(0, len(mine), _GATHERED)):
            # Well within what a clock may be off: later ones would be placed by arrival.
            at_ns = time.time_ns() - round(min(self.plan.every_s, 50) * 1e9)
            for guest in some:
                guest.read(at_ns)
            body = b"".join(lines for guest in some for lines in guest.kept)
            if (status := await self._answer(some[0], body)) != 204:
                raise RuntimeError(f"the first readings of {len(some)} guests were answered {status}")
            for guest in some:
                guest.kept.clear()

    async def _push(self, guest: Guest) -> None:
        guest.read(time.time_ns())
        mine = list(guest.kept)
        guest.kept.clear()
        began = time.monotonic()
        status = await self._answer(guest, b"".join(mine))
        self._statuses[status] += 1
        self.sent.requests += 1
        if status == 204:
            self.sent.readings += len(mine)
            self._waits_s.append(time.monotonic() - began)
        else:
            self.sent.unanswered += len(mine) if status == 0 else 0
            guest.kept = deque([*mine, *guest.kept], maxlen=_MOST_KEPT)

    async def _answer(self, guest: Guest, lines: bytes) -> int:
        """Its status; 0 where none came in time."""
        exchange = _Exchange(self._request(guest, lines))
        loop = asyncio.get_running_loop()
        transport: asyncio.BaseTransport | None = None
        try:
            async with asyncio.timeout(_ANSWER_S):
                transport, _ = await loop.create_connection(
                    lambda: exchange, "127.0.0.1", self.plan.port, local_addr=(guest.address, 0)
                )
                head = (await exchange.answered).lower()
        except (OSError, TimeoutError):
            return 0
        finally:
            if isinstance(transport, asyncio.Transport):
                transport.abort()
        status = int(head.split(b" ", 2)[1])
        self.sent.refused_without_time += status == 429 and b"\r\nretry-after:" not in head
        return status

    def _request(self, guest: Guest, lines: bytes) -> bytes:
        body = gzip.compress(lines, compresslevel=1)
        return (
            "POST /api/v2/write?bucket=guests&org=gavel HTTP/1.1\r\n"
            f"Host: 127.0.0.1:{self.plan.port}\r\n"
            "User-Agent: Telegraf/1.36.0 Go/1.25.0\r\n"
            f"Authorization: Token {guest.token}\r\n"
            "Content-Type: text/plain; charset=utf-8\r\n"
            "Content-Encoding: gzip\r\n"
            f"Content-Length: {len(body)}\r\n"
            "Accept-Encoding: gzip\r\n\r\n"
        ).encode() + body


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asdict(asyncio.run(Agents(Plan(**json.load(sys.stdin))).run()))))
