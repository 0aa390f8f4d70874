"""What an esxtop capture adds on vSphere 8, whose counters are whole milliseconds: fewer minutes are inconclusive, and bounds stay true."""

import sys
from collections.abc import Iterator

import numpy as np
from tests.truth.captures import WITH, WITHOUT, Captures, capture_campaign
from tests.truth.score import JUDGED, STRICT

from gavel.domain.io_path import Confidence

# A twentieth of the labs of the long run; of few labs one, and of that a part: what it takes to see that something broke.
_PART_OF_LABS, _ENOUGH = 20, 100
_FEW_STRETCHES = 1


def test_captures_of_vsphere_8_leave_fewer_minutes_inconclusive_and_bounds_true(seeds: range) -> None:
    is_enough = len(seeds) >= _ENOUGH
    few = seeds[: max(1, len(seeds) // _PART_OF_LABS)] if is_enough else seeds[:1]
    found = capture_campaign(few, None if is_enough else _FEW_STRETCHES)
    sys.stdout.write("\n".join(["", f"esxtop captures, {len(few)} labs from seed {few.start}", *_lines(found), ""]))
    assert found.files > 0
    assert (found.narrowing, found.warnings, found.unequal) == (found.files, 0, 0)
    assert np.mean(found.kernel_us[WITH]) < np.mean(found.kernel_us[WITHOUT]) / 2
    assert _missed(found, WITH) <= _missed(found, WITHOUT)
    before, after = found.inconclusive(WITHOUT), found.inconclusive(WITH)
    assert after.of == before.of > 0
    assert after.count < before.count if is_enough else after.count <= before.count


def _missed(found: Captures, name: str) -> int:
    """Bounds of devices and datastores that do not hold the truth."""
    return sum(count for (_, kind, _, holds), count in found.score[name].bounds.items() if kind in STRICT and not holds)


def _lines(found: Captures) -> Iterator[str]:
    yield f"  {found.files} captures, {found.narrowing} of them of the load that is stored; vSphere 8, counters unproven"
    for name in (WITHOUT, WITH):
        ranges = found.kernel_us[name]
        of = sum(count for (_, kind, _, _), count in found.score[name].bounds.items() if kind in STRICT)
        yield f"  {name}: kernel of a device within {np.mean(ranges):.0f} µs (median {np.median(ranges):.0f})"
        yield f"    bounds of devices and datastores: {of - _missed(found, name)} of {of} hold"
        yield f"    inconclusive, of all minutes: {found.inconclusive(name)}"
        for kind in JUDGED:
            yield f"      {kind.name.lower():<12} {found.inconclusive(name, (kind,))}"
        for confidence in Confidence:
            yield f"    minutes that deserve a diagnosis, {confidence.value:<13} {found.layer(name, confidence.value)}"
