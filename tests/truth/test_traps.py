"""Fixed environments around one misleading mechanism each: what must not be said of them, and what must be."""

import sys
from functools import cache

import numpy as np
import pytest
from tests.truth.per_io.judge import NO_LAYER, Said, said
from tests.truth.per_io.tables import FAR_US, bounds
from tests.truth.per_io.traps import TRAPS
from tests.truth.per_io.truth import KERNEL, SAN

from gavel.domain.io_path import SPANS, Layer
from gavel.domain.scope import ScopeKind

_SPAN_OF = {KERNEL: Layer.KERNEL, SAN: Layer.SAN}


@cache
def _rows(name: str) -> Said:
    """Minutes, and the whole."""
    rows = said(TRAPS[name].environment(), (1, 0))
    counts = {str(one): int((rows.confidence == one).sum()) for one in np.unique(rows.confidence)}
    sys.stdout.write(f"\n{name}: {counts}, wrong {int(rows.wrong.sum())}, bounds missed {bounds(rows)}")
    return rows


def _of(rows: Said, kind: ScopeKind, thing: int, minute: int | None = None) -> Said:
    kept = (rows.kind == int(kind)) & (rows.thing == thing)
    return rows.chosen(np.flatnonzero(kept if minute is None else kept & (rows.minute == minute)))


def _named(rows: Said, layer: int) -> np.ndarray:
    """(n,) whether the layer is one of those that are named."""
    span = SPANS.index((_SPAN_OF[layer], _SPAN_OF[layer]))
    named: np.ndarray = (rows.named == span) | (rows.other == span)
    return named


@pytest.mark.parametrize("name", sorted(TRAPS))
def test_what_is_confirmed_is_right(name: str) -> None:
    rows = _rows(name)
    assert not (rows.wrong & (rows.confidence == "confirmed")).any()


@pytest.mark.parametrize("version", [8, 9])
def test_kernel_time_of_vms_that_fare_unlike_is_counted_once(version: int) -> None:
    rows = _rows(f"unlike-parts-v{version}")
    places = rows.chosen(np.flatnonzero(np.isin(rows.kind, (int(ScopeKind.DATASTORE), int(ScopeKind.HOST)))))
    assert bounds(places, (KERNEL,), by_us=FAR_US).count == 0


@pytest.mark.parametrize("version", [8, 9])
def test_a_steady_vm_in_a_throttled_stretch_is_not_told_of_the_san(version: int) -> None:
    rows = _of(_rows(f"throttled-part-v{version}"), ScopeKind.VM, 1, 3)
    assert len(rows) == 1
    assert not (_named(rows, SAN) & (rows.confidence == "confirmed")).any()


@pytest.mark.parametrize("version", [8, 9])
def test_a_lost_sample_of_a_slow_array_is_no_confirmed_san(version: int) -> None:
    rows = _rows(f"lost-array-sample-v{version}")
    ill = rows.chosen(np.flatnonzero(rows.sick))
    assert len(ill)
    assert not (ill.confidence == "confirmed").any()


def test_large_ios_take_their_time_on_the_wire_and_nothing_is_wrong() -> None:
    assert (_rows("large-io-v9").confidence == NO_LAYER).all()


def test_of_large_ios_whole_milliseconds_name_no_layer_alone() -> None:
    rows = _rows("large-io-v8")
    assert np.isin(rows.confidence, (NO_LAYER, "inconclusive")).all()


@pytest.mark.parametrize("version", [8, 9])
def test_a_vms_own_counter_stands_against_an_average_that_a_stranger_makes(version: int) -> None:
    rows = _of(_rows(f"unseen-steady-v{version}"), ScopeKind.VM, 0)
    assert len(rows)
    assert (rows.confidence == NO_LAYER).all()


@pytest.mark.parametrize("version", [8, 9])
def test_a_burst_before_the_minute_is_no_confirmed_excess_of_the_minute(version: int) -> None:
    rows = _rows(f"burst-at-edge-v{version}")
    after = rows.chosen(np.flatnonzero(rows.minute == 3))
    assert len(after)
    assert not (after.confidence == "confirmed").any()


@pytest.mark.parametrize("version", [8, 9])
def test_the_time_of_one_extent_is_no_confirmed_kernel_of_the_other(version: int) -> None:
    rows = _rows(f"two-extents-v{version}")
    assert not ((rows.confidence == "confirmed") & _named(rows, KERNEL)).any()


def test_latest_as_a_proven_instant_makes_nobody_ill() -> None:
    rows = _rows("instants-v9")
    assert (rows.confidence == NO_LAYER).all()


@pytest.mark.parametrize("version", [8, 9])
def test_waiting_for_few_slots_is_the_kernels(version: int) -> None:
    rows = _rows(f"dsnro-v{version}")
    ill = rows.chosen(np.flatnonzero(rows.sick))
    assert len(ill)
    assert _named(ill, KERNEL).all()


@pytest.mark.parametrize("version", [8, 9])
def test_a_limit_of_ios_on_a_disk_is_the_kernels(version: int) -> None:
    rows = _rows(f"io-limit-v{version}")
    ill = rows.chosen(np.flatnonzero(rows.sick))
    assert len(ill)
    assert _named(ill, KERNEL).all()


@pytest.mark.parametrize("version", [8, 9])
def test_few_slow_ios_are_the_arrays(version: int) -> None:
    rows = _rows(f"sparse-v{version}")
    assert len(rows)
    assert rows.sick.all()
    # Named by itself, or with the SAN where whole I/Os per second show one side only.
    assert not rows.wrong.any()
