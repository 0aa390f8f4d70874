"""Many environments, one after the other on every processor."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor

from tests.truth.per_io.draw import calm, harsh
from tests.truth.per_io.events import program
from tests.truth.per_io.guests import calm_agents, harsh_agents
from tests.truth.per_io.judge import Said, joined, said, said_with_guests

# Minutes one by one, three together, and the whole.
WINDOWS = (1, 3, 0)


def _harsh(seed: int) -> Said:
    return said(harsh(seed), WINDOWS)


def _calm(seed: int) -> Said:
    return said(calm(seed), WINDOWS)


def _hour(seed: int) -> Said:
    return said(harsh(seed, minutes=60), WINDOWS)


def _harsh_guests(seed: int) -> Said:
    environment = harsh(seed)
    return said_with_guests(environment, harsh_agents(environment), WINDOWS)


def _calm_guests(seed: int) -> Said:
    environment = calm(seed)
    return said_with_guests(environment, calm_agents(environment), WINDOWS)


def harsh_campaign(seeds: Iterable[int]) -> Said:
    return _all(_harsh, seeds)


def calm_campaign(seeds: Iterable[int]) -> Said:
    return _all(_calm, seeds)


def hour_campaign(seeds: Iterable[int]) -> Said:
    """An hour each."""
    return _all(_hour, seeds)


def harsh_guest_campaign(seeds: Iterable[int]) -> Said:
    """Some guests push."""
    return _all(_harsh_guests, seeds)


def calm_guest_campaign(seeds: Iterable[int]) -> Said:
    """Some guests push."""
    return _all(_calm_guests, seeds)


def _all(one: Callable[[int], Said], seeds: Iterable[int]) -> Said:
    program()
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        return joined(list(pool.map(one, seeds)))
