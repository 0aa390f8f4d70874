"""What the product says of environments in which every single I/O was timed: over many random ones, harsh and calm."""

import sys
from collections.abc import Sequence

from tests.truth.per_io.campaign import (
    calm_campaign,
    calm_guest_campaign,
    harsh_campaign,
    harsh_guest_campaign,
    hour_campaign,
)
from tests.truth.per_io.draw import CALM_SEED, HARSH_SEED, HOUR_SEED
from tests.truth.per_io.judge import Said
from tests.truth.per_io.tables import GOALS, REACHED, REACHED_WITH_GUESTS, bounds, calm_short_of, short_of, table
from tests.truth.per_io.truth import GUEST

# So many environments say whether a goal of one in a hundred is met; fewer say whether something broke.
_ENOUGH = 100
_LEAST_BOUNDS = 0.94
# With guests, where only a part of everything is run.
_FEW = 2


def _printed(rows: Said, name: str, missed: Sequence[str] = ()) -> None:
    """missed: goals."""
    sys.stdout.write("\n".join(["", *table(rows, name), *(f"  MISSED {line}" for line in missed), ""]))


def test_what_is_said_of_harsh_environments_is_right(seeds: range) -> None:
    first = HARSH_SEED - 1 + seeds.start
    rows = harsh_campaign(range(first, first + len(seeds)))
    is_enough = len(seeds) >= _ENOUGH
    _printed(rows, "harsh environments, every I/O timed", short_of(GOALS, rows, by_mode=True) if is_enough else ())
    assert bounds(rows).part <= 1 - _LEAST_BOUNDS
    assert not is_enough or short_of(REACHED, rows) == []


def test_what_is_said_of_calm_environments_is_right(seeds: range) -> None:
    first = CALM_SEED - 1 + seeds.start
    rows = calm_campaign(range(first, first + max(1, len(seeds) * 3 // 5)))
    is_enough = len(seeds) >= _ENOUGH
    _printed(rows, "calm environments, every I/O timed", calm_short_of(GOALS, rows) if is_enough else ())
    assert bounds(rows).part <= 1 - _LEAST_BOUNDS
    assert not is_enough or calm_short_of(REACHED, rows) == []


def test_what_is_said_of_whole_hours_is_right(seeds: range) -> None:
    first = HOUR_SEED - 1 + seeds.start
    rows = hour_campaign(range(first, first + len(seeds) // 50)) if len(seeds) >= _ENOUGH else None
    if rows is not None:
        _printed(rows, "harsh environments of an hour")
        assert bounds(rows).part <= 1 - _LEAST_BOUNDS


def test_what_is_said_of_harsh_environments_with_guests_is_right(seeds: range) -> None:
    is_enough = len(seeds) >= _ENOUGH
    first = HARSH_SEED - 1 + seeds.start
    rows = harsh_guest_campaign(range(first, first + (len(seeds) // 2 if is_enough else _FEW)))
    missed = short_of(GOALS, rows, by_mode=True) if is_enough else ()
    _printed(rows, "harsh environments, some guests push", missed)
    assert bounds(rows).part <= 1 - _LEAST_BOUNDS
    assert bounds(rows, (GUEST,)).of > 0
    assert not is_enough or short_of(REACHED_WITH_GUESTS, rows) == []


def test_what_is_said_of_calm_environments_with_guests_is_right(seeds: range) -> None:
    is_enough = len(seeds) >= _ENOUGH
    first = CALM_SEED - 1 + seeds.start
    rows = calm_guest_campaign(range(first, first + (len(seeds) * 3 // 10 if is_enough else 1)))
    _printed(rows, "calm environments, some guests push", calm_short_of(GOALS, rows) if is_enough else ())
    assert bounds(rows).part <= 1 - _LEAST_BOUNDS
    assert bounds(rows, (GUEST,)).of > 0
    assert not is_enough or calm_short_of(REACHED_WITH_GUESTS, rows) == []
