"""VMs that move: a minute is the same whether the stretch that it is attributed in reaches to a move or not."""

from dataclasses import fields, replace

import numpy as np
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.analysis.small_environment import (
    NAN,
    STREAMS,
    TOPOLOGY,
    Minute,
    attribution,
    index,
    minutes_after,
    picked,
)

from gavel.analysis.minutes import Attribution
from gavel.analysis.observed import Observed
from gavel.analysis.topology import NONE, Pairs, Topology
from gavel.domain.ledger import LedgerRows, Notes
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


def assert_same(one: Attribution, two: Attribution) -> None:
    for kind in ScopeKind:
        left, right = one.rows[kind], two.rows[kind]
        np.testing.assert_array_equal(left.thing, right.thing)
        np.testing.assert_array_equal(left.minute, right.minute)
        for part, names in (("rows", fields(LedgerRows)), ("notes", fields(Notes))):
            for name in names:
                np.testing.assert_array_equal(
                    getattr(getattr(left, part), name.name),
                    getattr(getattr(right, part), name.name),
                    err_msg=f"{kind.name} {name.name}",
                )


@settings(max_examples=3, deadline=None, phases=[Phase.explicit, Phase.generate])  # a seed has nothing to shrink to
@given(st.integers(0, 2**32 - 1))
def test_where_a_disk_is_at_another_time_changes_no_number_of_a_minute(seed: int) -> None:
    """A stretch of minutes knows every host that a VM was on within it. Cut otherwise, it knows fewer."""
    rng = np.random.default_rng(seed)
    seen = thinned(minutes_after(Minute().observed(), MINUTES, rng), rng)
    assert_same(attribution(seen, minutes=MINUTES), attribution(seen, with_other_hosts(TOPOLOGY), minutes=MINUTES))
