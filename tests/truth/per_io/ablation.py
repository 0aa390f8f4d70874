"""What each rule buys: harsh environments once as the product judges them, and once more without each of its rules.

    .venv/bin/python -m tests.truth.per_io.ablation [--seeds 40]

A rule is switched off from outside, by other functions in the places of its own: the product has no switches.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy as np
from tests.truth.per_io.draw import HARSH_SEED, harsh
from tests.truth.per_io.events import program, simulated
from tests.truth.per_io.judge import Said, joined, said_of
from tests.truth.per_io.product import told
from tests.truth.per_io.tables import FAR_US, GOALS, bounds, sharpness, wrong
from tests.truth.per_io.wire import read

from gavel.analysis import (
    attribution,
    counted_leaves,
    device_leaves,
    diagnosis,
    edges,
    instants,
    parent_notes,
    unseen,
    weighting,
)
from gavel.analysis.diagnosis import Reason
from gavel.analysis.intervals import Intervals

Rule = tuple[ModuleType, str, Any]
_EVERY = "all rules"


def _whole(_pieces: Any, _told: Any, whole: np.ndarray) -> np.ndarray:
    return whole


def _nothing(_step: np.ndarray, value: np.ndarray, *_: Any) -> np.ndarray:
    return np.zeros_like(value)


def _unchanged(assumed: Intervals, *_: Any) -> Intervals:
    return assumed


def _never(thing: np.ndarray, length_us: np.ndarray, ops: np.ndarray, *_: Any, **__: Any) -> np.ndarray:
    return np.zeros(ops.shape, np.bool_)


def _no_step(lower: np.ndarray, _upper: Any, _thing: Any, cut: np.ndarray) -> np.ndarray:
    return np.zeros_like(lower[cut])


def _only_twin(_reported: np.ndarray, _scatter_us: np.ndarray, twin: Intervals, _samples: Any) -> Intervals:
    return twin


def _no_flags(_both: Any, _every: Any, size: int) -> np.ndarray:
    return np.zeros(size, np.int64)


def _caps_without(*flags: Reason) -> Callable[..., Any]:
    kept = diagnosis._CAPS
    for flag in flags:
        kept &= ~flag
    return lambda: kept


# Name → what takes which place.
RULES: Mapping[str, Sequence[Rule]] = {
    "own I/Os weigh the whole's samples": [(weighting, "by_own_ops", _whole)],
    "the whole's spread widens a part": [
        (device_leaves, "in_times", _nothing),
        (device_leaves, "in_latencies", _nothing),
    ],
    "a port's time by I/O size": [(device_leaves, "sized", _unchanged)],
    "assumption yields to measurement": [(weighting, "yielded", _unchanged)],
    "a missing sample widens": [(weighting, "with_missing", _unchanged)],
    "a missing sample caps": [(diagnosis, "_CAPS", _caps_without(Reason.SAMPLE_MISSING)())],
    "a minor part of a volume caps": [(parent_notes, "minor_of_volume", _no_flags), (diagnosis, "_capped", None)],
    "bursts at a minute's edge": [(edges, "bursts", _never)],
    "a count at the edge scatters": [(edges, "SCATTERS", 0.0)],
    "unlike waits within a sample": [(edges, "step_within", _no_step)],
    "any mix of reads and writes": [(attribution, "_mixes", lambda *_: None)],
    "any counts of a place's leaves": [(counted_leaves, "over_counts", lambda total, *_: total)],
    "I/Os too few to be counted": [(unseen, "over_unseen", lambda found, *_: found)],
    "an instant is a measurement": [(instants, "scattered", _only_twin)],
    "I/Os in flight may be cut off": [(instants, "_WHOLE", 0.5)],
    "any mix of extents": [(weighting, "mixed", lambda mean, *_: mean)],
    "extents cap": [(diagnosis, "_CAPS", _caps_without(Reason.AMONG_EXTENTS)())],
    "twice any other stands alone": [(diagnosis, "PLAIN_FROM", np.inf)],
    "too coarse only when slight": [(diagnosis, "COARSE_AT_MOST", np.inf), (diagnosis, "COARSE_TOGETHER", np.inf)],
}


def _capped_without_volume(case: Any, _low: Any, _named: Any) -> np.ndarray:
    capped: np.ndarray = (case.reasons & int(diagnosis._CAPS)) > 0
    return capped


@contextmanager
def without(name: str) -> Iterator[None]:
    """The product without one rule, wherever its function was imported."""
    put: list[tuple[ModuleType, str, Any]] = []
    for module, attribute, replacement in RULES.get(name, ()):
        new = _capped_without_volume if replacement is None else replacement
        old = getattr(module, attribute)
        places = [one for key, one in sys.modules.items() if key.startswith("gavel.") and one is not None]
        for place in [one for one in places if callable(old) and getattr(one, attribute, None) is old] or [module]:
            put.append((place, attribute, getattr(place, attribute)))
            setattr(place, attribute, new)
    try:
        yield
    finally:
        for place, attribute, old in reversed(put):
            setattr(place, attribute, old)


def of_seed(seed: int) -> dict[str, Said]:
    """One environment, simulated once and judged by every set of rules."""
    environment = harsh(seed)
    log = simulated(environment)
    batches = read(environment, log)
    found = {}
    for name in (_EVERY, *RULES):
        with without(name):
            found[name] = said_of(environment, log, told(environment, batches), (1,))
    return found


def table(parts: Sequence[Mapping[str, Said]]) -> Iterator[str]:
    words = "".join(f"{word:>16}" for word in (*GOALS.wrong, "bounds missed", "by > 10 µs", "named"))
    yield f"{len(parts)} harsh environments; wrong of how many, by what was said{'':<4}{words}"
    for name in (_EVERY, *RULES):
        rows = joined([part[name] for part in parts])
        cells = [f"{one.count}/{one.of}" for one in (wrong(rows, word) for word in GOALS.wrong)]
        cells += [f"{100 * bounds(rows).part:.2f} %", f"{100 * bounds(rows, by_us=FAR_US).part:.2f} %"]
        cells.append(f"{100 * sharpness(rows).part:.1f} %")
        yield f"{name if name == _EVERY else f'without: {name}':<56}" + "".join(f"{cell:>16}" for cell in cells)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="ablation", description=__doc__)
    parser.add_argument("--seeds", type=int, default=40)
    asked = parser.parse_args(arguments)
    program()
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        parts = list(pool.map(of_seed, range(HARSH_SEED, HARSH_SEED + asked.seeds)))
    sys.stdout.write("\n".join([*table(parts), ""]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
