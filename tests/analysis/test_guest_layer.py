"""The guest layer: where guests push, where they do not, and what places have of it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.analysis.guests import with_guests
from tests.analysis.small_environment import Minute, attribution, picked, row
from tests.analysis.test_sums_of_leaves import KINDS, SHARED, proven, ruling, total_us, us

from gavel.analysis.attribution import QualityReason, qualities
from gavel.analysis.diagnosis import Reason
from gavel.analysis.minutes import Attribution
from gavel.analysis.observed import GuestSamples
from gavel.domain.io_path import SPANS, Direction, Layer, Segment
from gavel.domain.ledger import LedgerRows
from gavel.domain.ledger import picked as picked_rows
from gavel.domain.scope import ScopeKind

ALL = Direction.ALL
GUEST, KERNEL = (SPANS.index((layer, layer)) for layer in (Layer.GUEST, Layer.KERNEL))
# Disk 0 of the small environment: 300 reads and 100 writes a second at 950 µs.
OWN = (300.0, 100.0)


def of(found: Attribution, kind: ScopeKind, thing: int) -> tuple[LedgerRows, int]:
    return found.rows[kind].rows, row(found, kind, thing)


def measured_ops(found: Attribution, kind: ScopeKind, thing: int) -> float:
    rows, at = of(found, kind, thing)
    return float(rows.span_ops[at, ALL, GUEST])


def guest_us(found: Attribution, kind: ScopeKind, thing: int) -> tuple[float, float, float]:
    """Lower bound, estimate, upper bound per I/O that was measured in a guest."""
    rows, at = of(found, kind, thing)
    ops = rows.span_ops[at, ALL, GUEST]
    return tuple(float(one[at, ALL, GUEST] / ops) for one in (rows.span_lower, rows.span_time, rows.span_upper))  # type: ignore[return-value]


def reasons(found: Attribution, kind: ScopeKind, thing: int) -> Reason:
    return Reason(int(found.rows[kind].notes.reasons[row(found, kind, thing)]))


def quality(found: Attribution, kind: ScopeKind, thing: int) -> tuple[str, QualityReason]:
    flags = found.rows[kind].notes.quality_reasons[row(found, kind, thing)]
    return str(qualities(np.array([flags]))[0]), QualityReason(int(flags))


def test_guest_layer_is_what_the_guest_saw_above_its_virtual_disk() -> None:
    found = attribution(with_guests(proven(Minute().observed()), {0: (*OWN, 1450)}))
    for kind in (ScopeKind.VM_DISK, ScopeKind.DATASTORE):
        low, value, high = guest_us(found, kind, 0)
        assert low - 1e-6 <= 500 <= high + 1e-6
        assert value == pytest.approx(500, abs=2)
        assert high - low < 10
        rows, at = of(found, kind, 0)
        assert rows.segment_time[at, ALL, Segment.GUEST_QUEUE] == pytest.approx(rows.span_time[at, ALL, GUEST])


def test_guest_layer_of_a_vm_covers_the_disks_that_push_and_no_other() -> None:
    """VM 0 has disks 0 and 2; only 0 pushes."""
    plain = attribution(proven(Minute().observed()))
    found = attribution(with_guests(proven(Minute().observed()), {0: (*OWN, 1450)}))
    assert measured_ops(found, ScopeKind.VM, 0) == pytest.approx(60 * 400)
    rows, at = of(found, ScopeKind.VM, 0)
    assert rows.ops[at, ALL] == pytest.approx(60 * 440)
    assert rows.span_time[at, ALL, GUEST] == pytest.approx(60 * 400 * 500, rel=0.01)
    assert measured_ops(found, ScopeKind.VM_DISK, 2) == measured_ops(found, ScopeKind.VM, 1) == 0
    for kind, thing in ((ScopeKind.VM_DISK, 2), (ScopeKind.VM, 1)):
        for name in ("span_time", "span_lower", "span_upper"):
            mine, then = (getattr(rows_, name)[at_] for rows_, at_ in (of(found, kind, thing), of(plain, kind, thing)))
            np.testing.assert_allclose(mine, then)


@pytest.mark.parametrize("kind", KINDS)
def test_guest_layer_of_places_is_that_of_their_pushing_disks_and_moves_nothing_else(kind: ScopeKind) -> None:
    pushed = {0: (*OWN, 1450.0), 3: (80.0, 20.0, 800.0), 4: (70.0, 30.0, 1700.0)}
    plain, found = (
        attribution(one) for one in (proven(Minute().observed()), with_guests(proven(Minute().observed()), pushed))
    )
    disks = found.rows[ScopeKind.VM_DISK].rows
    total = found.rows[kind].rows.span_time[:, ALL, GUEST].sum()
    if kind is ScopeKind.VOLUME:
        # Disk 4 is on NFS: in a directory of its array, and on no volume.
        disks = picked_rows(disks, np.flatnonzero(found.rows[ScopeKind.VM_DISK].thing != 4))
    assert total == pytest.approx(disks.span_time[:, ALL, GUEST].sum(), rel=1e-9)
    assert (found.rows[kind].rows.span_ops[:, ALL, GUEST] <= found.rows[kind].rows.ops[:, ALL] + 1e-6).all()
    below = [span for span in range(len(SPANS)) if span != GUEST]
    for name in ("span_time", "span_ops"):
        np.testing.assert_allclose(
            getattr(found.rows[kind].rows, name)[..., below], getattr(plain.rows[kind].rows, name)[..., below], rtol=1e-6, atol=1e-3
        )  # fmt: skip
    np.testing.assert_allclose(found.rows[kind].rows.ops, plain.rows[kind].rows.ops)


def test_guest_layer_is_not_measured_where_the_guest_counts_other_ios() -> None:
    """Half of its I/Os, as when what it writes at once is split below it: their means are of different things."""
    found = attribution(with_guests(proven(Minute().observed()), {0: (150, 50, 1450)}))
    assert measured_ops(found, ScopeKind.VM_DISK, 0) == 0
    merged = attribution(with_guests(proven(Minute().observed()), {0: (270, 90, 1450)}))
    low, value, high = guest_us(merged, ScopeKind.VM_DISK, 0)
    assert low < 500 - 100 < 500 + 100 < high
    assert value == pytest.approx(500, abs=2)


def test_guest_layer_is_not_measured_in_a_minute_that_its_samples_do_not_cover() -> None:
    observed = with_guests(proven(Minute().observed()), {0: (*OWN, 1450)})
    assert observed.guests is not None
    cut: GuestSamples = picked(observed.guests, np.arange(1, 6))  # type: ignore[type-var]
    found = attribution(replace(observed, guests=cut))
    assert measured_ops(found, ScopeKind.VM_DISK, 0) == 0
    assert quality(found, ScopeKind.VM_DISK, 0) == quality(
        attribution(proven(Minute().observed())), ScopeKind.VM_DISK, 0
    )


def test_guest_that_saw_less_than_its_virtual_disk_contradicts_it() -> None:
    found = attribution(with_guests(proven(Minute().observed()), {0: (*OWN, 700)}))
    assert quality(found, ScopeKind.VM_DISK, 0)[0] == "C"
    assert QualityReason.DISAGREEMENT in quality(found, ScopeKind.VM_DISK, 0)[1]
    assert guest_us(found, ScopeKind.VM_DISK, 0)[1] >= 0


def test_guest_placed_by_arrival_is_quality_c_and_confirms_nothing() -> None:
    pushed = {0: (*OWN, 5_950.0)}
    sure = attribution(with_guests(proven(Minute().observed()), pushed))
    found = attribution(with_guests(proven(Minute().observed()), pushed, by_arrival=True))
    for kind in (ScopeKind.VM_DISK, ScopeKind.DATASTORE):
        assert ruling(sure, kind, 0)[:2] == ("confirmed", GUEST)
        assert ruling(found, kind, 0)[:2] == ("likely", GUEST)
        assert Reason.GUEST_BY_ARRIVAL in reasons(found, kind, 0)
        assert Reason.GUEST_BY_ARRIVAL not in reasons(sure, kind, 0)
    assert quality(found, ScopeKind.VM_DISK, 0)[0] == "C"


def test_guest_that_times_in_ticks_is_no_quality_a() -> None:
    fine, coarse = (
        attribution(with_guests(proven(Minute().observed()), {0: (*OWN, 1450)}, is_coarse=ticks, half_width_us=wide))
        for ticks, wide in ((False, 1.0), (True, 10_000.0))
    )
    assert QualityReason.MILLISECONDS not in quality(fine, ScopeKind.VM_DISK, 0)[1]
    assert QualityReason.MILLISECONDS in quality(coarse, ScopeKind.VM_DISK, 0)[1]
    assert guest_us(coarse, ScopeKind.VM_DISK, 0)[0] == 0


@st.composite
def pushes(draw: st.DrawFn) -> dict[int, tuple[float, float, float]]:
    parts = draw(st.sets(st.sampled_from([0, 1, 2, 3, 4, 6]), min_size=1))
    return {part: (*Minute().parts[part][:2], Minute().parts[part][2] + draw(st.floats(0, 5_000))) for part in parts}


@settings(max_examples=12, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(pushes())
def test_guest_and_all_layers_below_it_add_up_to_the_outermost_boundary(
    pushed: dict[int, tuple[float, float, float]],
) -> None:
    """Of every disk and place: what was measured in guests comes on top of what was there without."""
    plain = attribution(proven(Minute().observed()), SHARED)
    found = attribution(with_guests(proven(Minute().observed()), pushed), SHARED)
    for part, (*_, at_guest) in pushed.items():
        disk = int(SHARED.parts.disk[part])
        assert total_us(found, ScopeKind.VM_DISK, disk) == pytest.approx(at_guest, abs=3)
        above = at_guest - Minute().parts[part][2]
        low, _, high = guest_us(found, ScopeKind.VM_DISK, disk)
        assert low - 1e-6 <= above <= high + 1e-6
    for kind in (*KINDS, ScopeKind.VM):
        rows = found.rows[kind].rows
        times = rows.span_time.sum(axis=2), plain.rows[kind].rows.span_time.sum(axis=2) + rows.span_time[..., GUEST]
        np.testing.assert_allclose(*times, rtol=1e-6, atol=3.0 * rows.ops.max())
        assert (rows.span_lower <= rows.span_time * (1 + 1e-9) + 1e-6).all()
        assert (rows.span_time <= rows.span_upper * (1 + 1e-9) + 1e-6).all()
        assert (rows.outermost_lower <= rows.span_time.sum(axis=2) * (1 + 1e-9) + 1e-3).all()
        assert (us(found, kind, int(found.rows[kind].thing[0]), GUEST)) >= 0
