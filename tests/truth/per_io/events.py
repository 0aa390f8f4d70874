"""Runs the event core, a program in Go that the set-up's Go builds, and reads back when every I/O passed each boundary."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from tests.truth.per_io.environment import Environment

# Columns of `Log.times`, in seconds since minute 0 …
GUEST, VSCSI, DEVICE, ISSUED, AT_ARRAY, LEFT_ARRAY, ACKNOWLEDGED, DEVICE_DONE, DONE = range(9)
# … and how long an I/O spent in each part of the array.
PORT, QOS, QUEUE, SERVICE = range(9, 13)
_COLUMNS = 13
# More than any environment here does: a draw that does more is to be drawn otherwise.
MOST_IOS = 8_000_000
_SOURCE = Path(__file__).resolve().parent / "engine"
_DEADLINE_S = 600


@dataclass(frozen=True)
class Log:
    """Every I/O. times: (COLUMNS, n), NaN where it has not come to; stream, device (−1: of no host), volume: (n,); size in bytes."""

    times: np.ndarray
    stream: np.ndarray
    device: np.ndarray
    volume: np.ndarray
    size: np.ndarray
    is_write: np.ndarray

    def __len__(self) -> int:
        return len(self.stream)


def simulated(environment: Environment) -> Log:
    """All I/Os of an environment. Raises RuntimeError when it does too many."""
    machine = json.dumps(environment.machine(MOST_IOS)).encode()
    done = subprocess.run([program()], input=machine, capture_output=True, timeout=_DEADLINE_S, check=False)
    if done.returncode:
        raise RuntimeError(f"environment {environment.seed}: {done.stderr.decode().strip()}")
    body = done.stdout
    count = int(np.frombuffer(body, np.int64, 1)[0])
    at = 8

    def column(kind: type, rows: int = 1) -> np.ndarray:
        nonlocal at
        numbers: np.ndarray = np.frombuffer(body, kind, rows * count, at)
        at += numbers.nbytes
        return numbers

    times = column(np.float64, _COLUMNS).reshape(_COLUMNS, count)
    thread, device, volume = (column(np.int32) for _ in range(3))
    size, is_write = column(np.float64), column(np.bool_)
    return Log(times, environment.threads()[thread], device, volume, size, is_write)


@cache
def program() -> Path:
    """The event core, built when its source is newer. Raises RuntimeError without Go, which the set-up brings along."""
    place = Path(__file__).resolve().parents[3] / ".tools" / "per_io" / f"engine-{sys.platform}"
    sources = [*_SOURCE.glob("*.go"), _SOURCE / "go.mod"]
    if place.is_file() and place.stat().st_mtime >= max(source.stat().st_mtime for source in sources):
        return place
    place.parent.mkdir(parents=True, exist_ok=True)
    fresh = place.with_name(f"{place.name}.{os.getpid()}")
    command = [os.environ.get("GO", "go"), "build", "-o", str(fresh), "."]
    done = subprocess.run(command, cwd=_SOURCE, capture_output=True, text=True, timeout=_DEADLINE_S, check=False)
    if done.returncode:
        raise RuntimeError(f"the event core could not be built: {done.stderr.strip()}")
    fresh.replace(place)
    return place
