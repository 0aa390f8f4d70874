"""A minute is the same whatever stretch it is attributed in: alone, among others, reaching to a move of a VM or not."""

from dataclasses import fields, replace

import numpy as np
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.analysis.small_environment import (
    FIRST,
    NAN,
    STREAMS,
    TOPOLOGY,
    Minute,
    attribution,
    index,
    minutes_after,
    picked,
)

from gavel.analysis.gridded import Stretch
from gavel.analysis.minutes import Attribution, Rows, attributed
from gavel.analysis.observed import Observed
from gavel.analysis.topology import NONE, Pairs, Topology
from gavel.domain.ledger import LedgerRows, Notes
from gavel.domain.ledger import picked as taken
from gavel.domain.scope import ScopeKind

MINUTES = 40


def with_other_hosts(topology: Topology) -> Topology:
    """Disks 0 and 2 are elsewhere at other times: disk 0 on another host, disk 2 on two devices that have nothing in common."""
    parts = topology.parts
    first, second = len(parts), len(parts) + 1
    return replace(
        topology,
        parts=replace(
            parts,
            disk=np.append(parts.disk, index(0, 2)),
            vm=np.append(parts.vm, index(0, 0)),
            host=np.append(parts.host, index(1, 0)),
            datastore=np.append(parts.datastore, index(0, 1)),
            unit=np.append(parts.unit, index(NONE, NONE)),
            is_whole=np.append(parts.is_whole, [False, False]),
            queue_limit=np.append(parts.queue_limit, [NAN, NAN]),
            devices=Pairs(
                left=np.append(parts.devices.left, index(first, second, second)),
                right=np.append(parts.devices.right, index(1, 0, 4)),
            ),
        ),
    )


def thinned(observed: Observed, rng: np.random.Generator) -> Observed:
    """Without a twentieth of the samples."""
    parts = {}
    for name in STREAMS:
        samples = getattr(observed, name)
        parts[name] = picked(samples, np.flatnonzero(rng.random(len(samples.ops)) > 0.05))
    return replace(observed, **parts)


def with_clocks(observed: Observed, rng: np.random.Generator) -> Observed:
    """Each side by a clock of its own, so that samples lie across the ends of minutes."""
    parts = {}
    for name in STREAMS:
        samples = getattr(observed, name)
        ahead = np.full(len(samples.ops), rng.integers(-9_000_000, 9_000_000))
        parts[name] = replace(samples, times=replace(samples.times, offset_us=ahead))
    return replace(observed, **parts)


def within(found: Attribution, minute: int) -> Attribution:
    """The rows of one minute."""

    def only(rows: Rows) -> Rows:
        index = np.flatnonzero(rows.minute == minute)
        return Rows(
            thing=rows.thing[index],
            minute=rows.minute[index],
            rows=taken(rows.rows, index),
            notes=taken(rows.notes, index),
        )

    return replace(found, rows={kind: only(rows) for kind, rows in found.rows.items()})


def assert_same(one: Attribution, two: Attribution, *, up_to: float = 0.0) -> None:
    """up_to: the part by which the order of additions may change a number."""
    for kind in ScopeKind:
        left, right = one.rows[kind], two.rows[kind]
        np.testing.assert_array_equal(left.thing, right.thing)
        np.testing.assert_array_equal(left.minute, right.minute)
        for part, names in (("rows", fields(LedgerRows)), ("notes", fields(Notes))):
            for name in names:
                np.testing.assert_allclose(
                    getattr(getattr(left, part), name.name),
                    getattr(getattr(right, part), name.name),
                    rtol=up_to,
                    atol=up_to,
                    err_msg=f"{kind.name} {name.name}",
                )


@settings(max_examples=3, deadline=None, phases=[Phase.explicit, Phase.generate])  # a seed has nothing to shrink to
@given(st.integers(0, 2**32 - 1))
def test_where_a_disk_is_at_another_time_changes_no_number_of_a_minute(seed: int) -> None:
    """A stretch of minutes knows every host that a VM was on within it. Cut otherwise, it knows fewer."""
    rng = np.random.default_rng(seed)
    seen = thinned(minutes_after(Minute().observed(), MINUTES, rng), rng)
    assert_same(attribution(seen, minutes=MINUTES), attribution(seen, with_other_hosts(TOPOLOGY), minutes=MINUTES))


@settings(max_examples=3, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(st.integers(0, 2**32 - 1))
def test_minute_alone_has_the_numbers_that_it_has_among_others(seed: int) -> None:
    """Samples beside a minute have a say in it. What is known of the arrays in that time must not depend on whether the minutes next to it
    are asked for as well: reads of a stretched volume may have moved to its other array there."""
    rng = np.random.default_rng(seed)
    seen = with_clocks(thinned(minutes_after(Minute().observed(), MINUTES, rng), rng), rng)
    among = attribution(seen, minutes=MINUTES)
    for minute in rng.choice(np.arange(FIRST + 1, FIRST + MINUTES - 1), 6, replace=False).tolist():
        alone = attributed(TOPOLOGY, seen, Stretch(minute, 1))
        assert_same(within(alone, minute), within(among, minute), up_to=1e-6)
