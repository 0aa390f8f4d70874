"""What the ledger of the alert campaign says, minute by minute, and the clock by which everybody there lives."""

import json
import os
import random
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

PLAN = "GAVEL_TEST_PLAN"
# Runs are longer than any pause that the campaign allows: so every state is told before the next one comes.
BREACHES_MIN, CALM_MIN = (6, 10), (8, 40)


@dataclass(frozen=True)
class Plan:
    """first: minute (since 1970) before which nothing is written. stores: ids of datastores."""

    seed: int
    first: int
    stores: tuple[int, ...]

    def is_slow(self, place: int, minute: int) -> bool:
        """Whether the datastore at that place breaches its rule in that minute."""
        choose, at, slow = random.Random(f"{self.seed}/{place}"), self.first, False
        at += choose.randint(1, CALM_MIN[1])
        while at <= minute:
            slow = not slow
            at += choose.randint(*(BREACHES_MIN if slow else CALM_MIN))
        return slow

    def save(self, file: Path) -> None:
        _replace(file, json.dumps(asdict(self)))

    @classmethod
    def read(cls, file: Path) -> "Plan":
        found = json.loads(file.read_text())
        return cls(found["seed"], found["first"], tuple(found["stores"]))


class Clock:
    """A clock that goes as the machine's, and forwards by a minute when it is told to. Every process reads it from one file."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def set(self, at: float) -> None:
        _replace(self._file, json.dumps([at, time.time()]))

    def forward(self, seconds: float) -> None:
        self.set(self.at() + seconds)

    def at(self) -> float:
        told, when = json.loads(self._file.read_text())
        return float(told + max(0.0, time.time() - when))

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.at(), UTC)


def plan_file() -> Path:
    return Path(os.environ[PLAN])


def clock_beside(plan: Path) -> Clock:
    return Clock(plan.with_name("clock.json"))


def _replace(file: Path, text: str) -> None:
    """In one step: others read it at any time."""
    fresh = file.with_name(f"{file.name}.{os.getpid()}")
    fresh.write_text(text)
    fresh.replace(file)
