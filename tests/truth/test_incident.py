"""The ESXi-queuing article's incident, as vCenters of both versions and every kind of counter would have told it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pytest
from tests.truth.campaign import nothing_known
from tests.truth.environments import Drawn, HeldTime
from tests.truth.layout import parts_of, topology_of
from tests.truth.really import expectations, truth
from tests.truth.wire import Wire

from gavel.analysis.diagnosis import Diagnoses, Reason, case_of, rule
from gavel.analysis.gridded import Stretch
from gavel.analysis.ledger import occupancy
from gavel.analysis.minutes import Rows, attributed
from gavel.domain.io_path import SPANS, Confidence, Direction, Layer, Severity
from gavel.domain.ledger import picked
from gavel.domain.scope import ScopeKind
from gavel_lab.environment import LatestMeans, Rounding
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
    diagnoses: Diagnoses

    @property
    def confidences(self) -> set[str]:
        return set(self.diagnoses.confidence.tolist())

    @property
    def kernel_ios(self) -> np.ndarray:
        return occupancy(self.rows.rows.span_time, 60)[:, Direction.ALL, _KERNEL]

    @property
    def ios(self) -> np.ndarray:
        """(minutes, 4) I/Os in each layer."""
        times = self.rows.rows.span_time[:, Direction.ALL][:, [SPANS.index((layer, layer)) for layer in Layer]]
        return occupancy(times, 60)

    @property
    def is_kernel_named(self) -> bool:
        """In every minute, alone or as one of two."""
        return all(
            any(SPANS[one][0] <= Layer.KERNEL <= SPANS[one][1] for one in pair if one >= 0)
            for pair in zip(self.diagnoses.named.tolist(), self.diagnoses.other.tolist(), strict=True)
        )

    @property
    def is_queue_full(self) -> set[bool]:
        return set(((self.diagnoses.reasons & int(Reason.VIRTUAL_DISK_QUEUE_FULL)) > 0).tolist())


def incident(version: str, rounding: Rounding, latest: LatestMeans) -> Drawn:
    """The default lab, whose incident is seen by a vCenter of this version."""
    time = HeldTime()
    settings = Settings(old_ms_rounding=rounding, old_latest_means=latest)
    lab = create_lab(1, settings=settings, lab_time=time)
    own, *others = lab.environment.vcenters
    own = replace(own, version=version, has_microsecond_family=version.startswith("9"))
    lab = replace(lab, environment=replace(lab.environment, vcenters=(own, *others)))
    names = [one.name for kind in (lab.environment.arrays, lab.environment.hosts) for one in kind]
    states = [phase for phase in PHASES if phase.story == "esxi-queuing"]
    stretches = tuple(Stretch(_HOUR + phase.start_minute + _AFTER_MINUTES, _MINUTES) for phase in states)
    return Drawn(lab, time, stretches, dict.fromkeys(names, 0.05), settings)


def told(drawn: Drawn, pushing: frozenset[int] = frozenset()) -> Iterator[Told]:
    """State by state. pushing: VMs whose guests push."""
    environment, wire = drawn.lab.environment, Wire(drawn, pushing)
    place = next(datastore.index for datastore in environment.datastores if datastore.name == "sql-01")
    for stretch in drawn.stretches:
        start_s = 60.0 * stretch.first
        parts = parts_of(drawn.lab, start_s - 120, start_s + 60 * stretch.minutes + 120)
        seen = wire.observed(stretch, parts, nothing_known(len(environment.vcenters)))
        found = attributed(topology_of(environment, parts), seen, stretch).rows[ScopeKind.DATASTORE]
        own = np.flatnonzero(found.thing == place)
        mine = Rows(
            thing=found.thing[own],
            minute=found.minute[own],
            rows=picked(found.rows, own),
            notes=picked(found.notes, own),
        )
        real = truth(drawn.lab, ScopeKind.DATASTORE, mine.thing, mine.minute, stretch)
        usual = expectations(environment, ScopeKind.DATASTORE, mine.thing, real)
        yield Told(mine, rule(case_of(mine.rows, Direction.ALL, usual, mine.notes.reasons)))


# Counters in microseconds are neither rounded nor meant otherwise: of version 9 two of the four.
@pytest.mark.parametrize(
    ("version", "rounding", "latest"),
    [
        *(("8.0.3", rounding, latest) for rounding in ("round", "truncate") for latest in ("mean", "last_second")),
        ("9.0.1", "round", "mean"),
        ("9.0.1", "truncate", "last_second"),
    ],
)
def test_the_incident_is_the_kernels_twice_and_then_nobodys(
    version: str, rounding: Rounding, latest: LatestMeans
) -> None:
    guest_and_kernel, kernel, nobody = told(incident(version, rounding, latest))
    for state in (guest_and_kernel, kernel):
        assert len(state.diagnoses.confidence) == _MINUTES
        assert state.is_kernel_named
        # Microseconds confirm it; whole milliseconds do so by Little's bound, or name the two it may be.
        sure = {Confidence.CONFIRMED.value}
        assert state.confidences <= (sure if version == "9.0.1" else sure | {Confidence.INCONCLUSIVE.value})
    # 64 is what a PVSCSI queue takes unless the guest was set otherwise; with 91 outstanding it was.
    assert [state.is_queue_full for state in (guest_and_kernel, kernel, nobody)] == [{True}, {False}, {False}]
    assert ((guest_and_kernel.kernel_ios >= 28) & (guest_and_kernel.kernel_ios <= 33)).all()
    # Of 96 threads 5 think at any moment: 91 I/Os are outstanding, and 32 of them at the device.
    assert kernel.kernel_ios == pytest.approx(59, abs=2)
    assert set(nobody.diagnoses.severity.tolist()) == {Severity.NORMAL.value}
    assert nobody.confidences == {""}
    assert not (nobody.diagnoses.named >= 0).any()


# Between two I/Os a thread of the incident thinks so long.
_THINK_US = 75.0


def test_the_incident_with_its_guest_has_all_96_threads_in_its_layers() -> None:
    """Those that think left out. A queue of 64 lets 27 wait in the guest, the device's of 32 as many again in the kernel."""
    drawn = incident("9.0.1", "round", "mean")
    environment = drawn.lab.environment
    place = next(store for store in environment.datastores if store.name == "sql-01")
    vms = frozenset(disk.vm for disk in environment.disks if disk.datastore == place.index)
    as_found, more_slots, deeper = told(drawn, vms)
    for state in (as_found, more_slots, deeper):
        thinking = state.rows.rows.ops[:, Direction.ALL] / 60e6 * _THINK_US
        assert state.ios.sum(axis=1) + thinking == pytest.approx(96, abs=1)
        assert not (state.diagnoses.reasons & int(Reason.GUEST_NOT_MEASURED)).any()
    guest, kernel = as_found.ios[:, Layer.GUEST], as_found.ios[:, Layer.KERNEL]
    assert guest == pytest.approx(91 - 64, abs=1)
    assert kernel == pytest.approx(64 - 32, abs=1)
    assert more_slots.ios[:, Layer.GUEST] == pytest.approx(0, abs=0.5)
    assert more_slots.ios[:, Layer.KERNEL] == pytest.approx(91 - 32, abs=1)
    assert deeper.ios[:, [Layer.GUEST, Layer.KERNEL]].max() < 2
    assert [state.confidences for state in (as_found, more_slots, deeper)] == [{"confirmed"}, {"confirmed"}, {""}]
