"""Guests that push while things are killed. Each batch is noted before it is sent and once it is answered 204."""

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psycopg

AGENTS, DISKS = 6, 25
# Readings closer than half a second make no interval.
_PAUSE_S = 0.6
_RETRY_S, _END_S = 0.1, 60
_STORED = """
    SELECT g.host_name, d.disk, (extract(epoch FROM s.ts) * 1000000)::bigint, s.read_ops FROM guest_disk_sample s
    JOIN guest_disk d ON d.id = s.entity_id JOIN guest g ON g.id = d.guest_id WHERE g.host_name LIKE 'guest-%'
"""
_REFUSED = "SELECT reason, sum(lines)::bigint FROM guest_refusal GROUP BY reason"
_SENT, _ANSWERED = "sent", "answered"
Interval = tuple[str, str, int, int]  # host name, disk, end in µs since 1970, reads


@dataclass(frozen=True)
class Account:
    """lines: answered 204; intervals: that these make. lost, doubled, foreign: intervals that are not there, are there twice, or that no
    line made that was sent. refused: lines counted out, by reason."""

    lines: int
    intervals: int
    lost: int
    doubled: int
    foreign: int
    refused: dict[str, int]

    @property
    def is_clean(self) -> bool:
        """A line that was committed before its answer was lost comes again, and is counted as repeated."""
        return not (self.lost or self.doubled or self.foreign) and self.refused.keys() <= {"repeated"}

    def __str__(self) -> str:
        return (
            f"{self.lines} lines answered 204 make {self.intervals} intervals: {self.lost} lost, {self.doubled} doubled,"
            f" {self.foreign} made by none; not used: {self.refused}"
        )


class Pushes:
    """Agents on one address, and what they noted in `notes`, a file that may be of earlier starts, too. `address`: of the listener."""

    def __init__(self, notes: Path, address: str, token: str) -> None:
        self.address, self.token = address, token
        self.is_over, self.is_sending = threading.Event(), threading.Event()
        self._notes, self._writing = notes, threading.Lock()
        self._agents: list[Agent] = []

    def start(self, start: int, seed: int) -> None:
        """`start`: how often the campaign was started, as guests of another start have other names."""
        self._agents = [Agent(self, f"guest-{start}-{n}", f"{seed} {n}") for n in range(AGENTS)]
        for agent in self._agents:
            agent.start()

    def wait_until_sending(self) -> None:
        """Something is on its way into the store: before its commit, after it, or on its way to the answer."""
        self.is_sending.clear()
        self.is_sending.wait(_END_S)

    def end(self) -> None:
        """What is on its way is answered first."""
        self.is_over.set()
        for agent in self._agents:
            agent.join(_END_S)
            assert not agent.is_alive(), f"{agent.name} was not answered within {_END_S} s"

    def note_sent(self, host: str, stamp_us: int, reads: list[int]) -> None:
        self._note(_SENT, host, stamp_us, reads)

    def note_answered(self, host: str, stamp_us: int, reads: list[int]) -> None:
        self._note(_ANSWERED, host, stamp_us, reads)

    def _note(self, what: str, host: str, stamp_us: int, reads: list[int]) -> None:
        with self._writing, self._notes.open("a") as file:
            file.write(json.dumps([what, host, stamp_us, reads]) + "\n")

    def account(self, connect: Callable[[], AbstractContextManager[psycopg.Connection[tuple[Any, ...]]]]) -> Account:
        wanted, lines = self._intervals_of(_ANSWERED)
        # What was under way when a start of the campaign was ended may be there or not.
        known, _ = self._intervals_of(_SENT)
        with connect() as connection:
            stored: Counter[Interval] = Counter((h, d, at, n) for h, d, at, n in connection.execute(_STORED).fetchall())
            refused: dict[str, int] = dict(connection.execute(_REFUSED).fetchall())
        return Account(
            lines=lines,
            intervals=len(wanted),
            lost=len(wanted - stored.keys()),
            doubled=sum(count - 1 for count in stored.values()),
            foreign=len(stored.keys() - known),
            refused=refused,
        )

    def _intervals_of(self, what: str) -> tuple[set[Interval], int]:
        """Of each disk one interval for every line but the first; and how many lines were sent or answered."""
        last: dict[str, list[int]] = {}
        wanted: set[Interval] = set()
        lines = 0
        for noted, host, stamp_us, reads in map(json.loads, self._notes.read_text().splitlines()):
            if noted != what:
                continue
            lines += len(reads)
            for disk, (before, now) in enumerate(zip(last.get(host, ()), reads, strict=False)):
                wanted.add((host, f"sd{chr(97 + disk)}", stamp_us, now - before))
            last[host] = reads
        return wanted, lines


class Agent(threading.Thread):
    """One guest with its disks. A batch is sent again until it is answered 204, as Telegraf does; only then it is noted."""

    def __init__(self, pushes: Pushes, name: str, seed: str) -> None:
        super().__init__(name=name, daemon=True)
        self._pushes, self._choose = pushes, random.Random(seed)
        self._reads = [0] * DISKS

    def run(self) -> None:
        with httpx.Client(timeout=10, trust_env=False) as client:
            while not self._pushes.is_over.is_set():
                stamp_us = time.time_ns() // 1000
                self._reads = [reads + self._choose.randrange(1, 1000) for reads in self._reads]
                body = "\n".join(self._line(disk, stamp_us) for disk in range(DISKS))
                self._pushes.note_sent(self.name, stamp_us, self._reads)
                while not self._is_taken(client, body):
                    time.sleep(_RETRY_S)
                self._pushes.note_answered(self.name, stamp_us, self._reads)
                time.sleep(_PAUSE_S)

    def _line(self, disk: int, stamp_us: int) -> str:
        reads = self._reads[disk]
        return (
            f"diskio,host={self.name},name=sd{chr(97 + disk)} reads={reads}i,writes=0i,read_bytes={reads * 4096}i,write_bytes=0i,"
            f"read_time={reads // 2}i,write_time=0i,weighted_io_time={reads // 2}i {stamp_us}"
        )

    def _is_taken(self, client: httpx.Client, body: str) -> bool:
        """Refused, cut off or not answered: again."""
        self._pushes.is_sending.set()
        try:
            answer = client.post(
                f"{self._pushes.address}/api/v2/write?precision=us",
                content=body,
                headers={"Authorization": f"Token {self._pushes.token}"},
            )
        except httpx.HTTPError:
            return False
        assert answer.status_code in (204, 429, 503), answer.text
        return answer.status_code == 204
