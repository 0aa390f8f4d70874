"""The ESXi-queuing article's incident, as vCenters of both versions and every kind of counter would have told it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pytest
from tests.truth.campaign import nothing_known
from tests.truth.estates import Drawn, HeldTime
from tests.truth.layout import parts_of, topology_of
from tests.truth.really import expectations, truth
from tests.truth.wire import Wire

from gavel.analysis.columns import picked
from gavel.analysis.gridded import Stretch
from gavel.analysis.ledger import occupancy
from gavel.analysis.minutes import Rows, attributed
from gavel.analysis.segments import SPANS
from gavel.analysis.verdict import Reason, Verdicts, case_of, rule
from gavel.domain.io_path import Certainty, Direction, Layer
from gavel.domain.scope import ScopeKind
from gavel_lab.estate import LatestMeans, Rounding
from gavel_lab.lab import create_lab
from gavel_lab.settings import Settings
from gavel_lab.stories import PHASES

_HOUR = 495_000 * 60
_KERNEL = SPANS.index((Layer.KERNEL, Layer.KERNEL))
# In the middle of each state.
_AFTER_MINUTES, _MINUTES = 3, 3


@dataclass(frozen=True)
class Told:
    """The incident's datastore in the minutes of one state."""

    rows: Rows
    verdicts: Verdicts

    @property
    def certainties(self) -> set[str]:
        return set(self.verdicts.certainty.tolist())

    @property
    def kernel_ios(self) -> np.ndarray:
        return occupancy(self.rows.rows.span_time, 60)[:, Direction.ALL, _KERNEL]

    @property
    def is_kernel_named(self) -> bool:
        """In every minute, alone or as one of two."""
        return all(
            any(SPANS[one][0] <= Layer.KERNEL <= SPANS[one][1] for one in pair if one >= 0)
            for pair in zip(self.verdicts.named.tolist(), self.verdicts.other.tolist(), strict=True)
        )

    @property
    def is_queue_full(self) -> bool:
        return bool((self.rows.notes.reasons & int(Reason.VIRTUAL_DISK_QUEUE_FULL)).all())


def incident(version: str, rounding: Rounding, latest: LatestMeans) -> Drawn:
    """The default lab, whose incident is seen by a vCenter of this version."""
    time = HeldTime()
    settings = Settings(old_ms_rounding=rounding, old_latest_means=latest)
    lab = create_lab(1, settings=settings, lab_time=time)
    own, *others = lab.estate.vcenters
    own = replace(own, version=version, has_microsecond_family=version.startswith("9"))
    lab = replace(lab, estate=replace(lab.estate, vcenters=(own, *others)))
    names = [one.name for kind in (lab.estate.arrays, lab.estate.hosts) for one in kind]
    states = [phase for phase in PHASES if phase.story == "esxi-queuing"]
    stretches = tuple(Stretch(_HOUR + phase.start_minute + _AFTER_MINUTES, _MINUTES) for phase in states)
    return Drawn(lab, time, stretches, dict.fromkeys(names, 0.05), settings)


def told(drawn: Drawn) -> Iterator[Told]:
    """State by state."""
    estate, wire = drawn.lab.estate, Wire(drawn)
    place = next(datastore.index for datastore in estate.datastores if datastore.name == "sql-01")
    for stretch in drawn.stretches:
        start_s = 60.0 * stretch.first
        parts = parts_of(drawn.lab, start_s - 120, start_s + 60 * stretch.minutes + 120)
        seen = wire.observed(stretch, parts, nothing_known(len(estate.vcenters)))
        found = attributed(topology_of(estate, parts), seen, stretch).rows[ScopeKind.DATASTORE]
        own = np.flatnonzero(found.thing == place)
        mine = Rows(found.thing[own], found.minute[own], picked(found.rows, own), picked(found.notes, own))
        real = truth(drawn.lab, ScopeKind.DATASTORE, mine.thing, mine.minute, stretch)
        usual = expectations(estate, ScopeKind.DATASTORE, mine.thing, real)
        yield Told(mine, rule(case_of(mine.rows, Direction.ALL, usual, mine.notes.reasons)))


@pytest.mark.parametrize("latest", ["mean", "last_second"])
@pytest.mark.parametrize("rounding", ["round", "truncate"])
@pytest.mark.parametrize("version", ["8.0.3", "9.0.1"])
def test_the_incident_is_the_kernels_twice_and_then_nobodys(
    version: str, rounding: Rounding, latest: LatestMeans
) -> None:
    guest_and_kernel, kernel, nobody = told(incident(version, rounding, latest))
    for state in (guest_and_kernel, kernel):
        assert len(state.verdicts.certainty) == _MINUTES
        assert state.is_kernel_named
        assert state.is_queue_full
        # Microseconds say it for certain; whole milliseconds do so by Little's bound, or name the two it may be.
        sure = {Certainty.CERTAIN.value}
        assert state.certainties <= (sure if version == "9.0.1" else sure | {Certainty.UNDETERMINED.value})
    assert ((guest_and_kernel.kernel_ios >= 28) & (guest_and_kernel.kernel_ios <= 33)).all()
    # Of 96 threads 5 think at any moment: 91 I/Os are outstanding, and 32 of them at the device.
    assert kernel.kernel_ios == pytest.approx(59, abs=2)
    assert nobody.certainties == {Certainty.HEALTHY.value}
    assert not (nobody.verdicts.named >= 0).any()
