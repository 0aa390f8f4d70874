"""The story of the guest's queue and its quiet twin, told by the lines that the lab's own agents push; and that bounds hold with them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
from tests.truth.campaign import Seen, nothing_known, score_stretch
from tests.truth.environments import Drawn, HeldTime
from tests.truth.lab_guests import samples_of_agents
from tests.truth.layout import parts_of, topology_of
from tests.truth.really import expectations, truth
from tests.truth.score import Score
from tests.truth.wire import Wire

from gavel.analysis.diagnosis import Diagnoses, Reason, case_of, rule
from gavel.analysis.gridded import Stretch
from gavel.analysis.ledger import GUEST
from gavel.analysis.minutes import Rows, attributed
from gavel.domain.io_path import SPANS, Confidence, Direction, Layer, Severity
from gavel.domain.ledger import picked
from gavel.domain.scope import ScopeKind
from gavel_lab.guests.agents import agents
from gavel_lab.lab import Lab, create_lab
from gavel_lab.settings import Settings
from gavel_lab.stories import PHASES

_HOUR = 495_000 * 60
_AFTER_MINUTES, _MINUTES = 3, 3
_QUEUED, _TWIN = (phase for phase in PHASES if phase.story == "guest-queue")


@dataclass(frozen=True)
class Found:
    """The rows of one kind, and what is diagnosed of them."""

    rows: Rows
    diagnoses: Diagnoses
    guest_us: np.ndarray  # (minutes, 2) bounds of the guest layer of all I/Os
    true_us: np.ndarray  # (minutes,)

    def has_reason(self, reason: Reason) -> set[bool]:
        return set(((self.diagnoses.reasons & int(reason)) > 0).tolist())


def drawn(seed: int, *minutes: int) -> Drawn:
    time = HeldTime()
    lab = create_lab(seed, lab_time=time)
    names = [one.name for kind in (lab.environment.arrays, lab.environment.hosts) for one in kind]
    stretches = tuple(Stretch(_HOUR + minute, _MINUTES) for minute in minutes)
    return Drawn(lab, time, stretches, dict.fromkeys(names, 0.05), Settings())


def seen(lab: Drawn, stretch: Stretch) -> Seen:
    """What every source and every agent of a guest carried of a stretch."""
    start_s = 60.0 * stretch.first
    parts = parts_of(lab.lab, start_s - 120, start_s + 60 * stretch.minutes + 120)
    observed = Wire(lab, frozenset()).observed(stretch, parts, nothing_known(len(lab.lab.environment.vcenters)))
    observed = replace(observed, guests=samples_of_agents(lab.lab, stretch, parts))
    return Seen(stretch, topology_of(lab.lab.environment, parts), observed)


@cache
def story(
    minute: int, minutes: int = _MINUTES, *, with_agents: bool
) -> tuple[Drawn, Stretch, Mapping[ScopeKind, Rows]]:
    """Return the lab of seed 1 and the rows of the minutes after `minute`. Without agents the same samples lack the guests' own."""
    lab, carried = _with_agents(minute, minutes)
    observed = carried.observed if with_agents else replace(carried.observed, guests=None)
    return lab, carried.stretch, attributed(carried.topology, observed, carried.stretch).rows


@cache
def _with_agents(minute: int, minutes: int) -> tuple[Drawn, Seen]:
    lab = drawn(1, minute)
    return lab, seen(lab, Stretch(lab.stretches[0].first, minutes))


def found(minute: int, kind: ScopeKind, thing: Callable[[Lab], int], *, with_agents: bool = True) -> Found:
    """Of one thing in the minutes after `minute`."""
    lab, stretch, by_kind = story(minute, with_agents=with_agents)
    every = by_kind[kind]
    own = np.flatnonzero(every.thing == thing(lab.lab))
    rows = Rows(
        thing=every.thing[own], minute=every.minute[own], rows=picked(every.rows, own), notes=picked(every.notes, own)
    )
    real = truth(lab.lab, kind, rows.thing, rows.minute, stretch)
    usual = expectations(lab.lab.environment, kind, rows.thing, real)
    ops = rows.rows.ops[:, Direction.ALL]
    bounds = (one[:, Direction.ALL, GUEST] / ops for one in (rows.rows.span_lower, rows.rows.span_upper))
    return Found(
        rows=rows,
        diagnoses=rule(case_of(rows.rows, Direction.ALL, usual, rows.notes.reasons)),
        guest_us=np.stack(list(bounds), axis=1),
        true_us=real.layers[:, Direction.ALL, Layer.GUEST],
    )


def vm(lab: Lab) -> int:
    return next(one.index for one in lab.environment.vms if one.name == "batch-02")


def store(lab: Lab) -> int:
    return next(one.index for one in lab.environment.datastores if one.story == "guest-queue")


PLACES = pytest.mark.parametrize(("kind", "thing"), [(ScopeKind.VM, vm), (ScopeKind.DATASTORE, store)])


@PLACES
def test_a_queue_in_the_guest_is_the_guests_and_confirmed(kind: ScopeKind, thing: Callable[[Lab], int]) -> None:
    story = found(_QUEUED.start_minute + _AFTER_MINUTES, kind, thing)
    assert len(story.true_us) == _MINUTES
    assert story.diagnoses.confidence.tolist() == [Confidence.CONFIRMED.value] * _MINUTES
    assert {SPANS[one] for one in story.diagnoses.named.tolist()} == {(Layer.GUEST, Layer.GUEST)}
    assert story.true_us == pytest.approx(355, rel=0.02)
    assert (story.guest_us[:, 0] > 200).all()
    assert (story.guest_us[:, 0] <= story.true_us).all()
    assert (story.true_us <= story.guest_us[:, 1]).all()


@PLACES
def test_as_many_threads_as_the_queue_holds_are_no_wait_in_the_guest(
    kind: ScopeKind, thing: Callable[[Lab], int]
) -> None:
    twin = found(_TWIN.start_minute + _AFTER_MINUTES, kind, thing)
    assert twin.diagnoses.severity.tolist() == [Severity.NORMAL.value] * _MINUTES
    assert not (twin.diagnoses.named >= 0).any()
    assert twin.true_us == pytest.approx(0, abs=0.01)
    assert (twin.guest_us[:, 0] == 0).all()
    assert (twin.guest_us[:, 1] < 100).all()
    assert twin.has_reason(Reason.GUEST_NOT_MEASURED) == {False}


@pytest.mark.parametrize("phase", [_QUEUED, _TWIN])
def test_without_an_agent_both_look_the_same_and_the_guest_is_not_measured(phase: object) -> None:
    same = found(phase.start_minute + _AFTER_MINUTES, ScopeKind.VM, vm, with_agents=False)  # type: ignore[attr-defined]
    assert np.isnan(same.guest_us).all() or (same.rows.rows.span_ops[:, Direction.ALL, GUEST] == 0).all()
    assert same.has_reason(Reason.GUEST_NOT_MEASURED) == {True}
    assert same.has_reason(Reason.VIRTUAL_DISK_QUEUE_FULL) == {True}
    assert not (same.diagnoses.named >= 0).any()


def test_vms_without_an_agent_have_no_guest_layer_and_those_with_one_do() -> None:
    lab, _, by_kind = story(50, with_agents=True)
    rows = by_kind[ScopeKind.VM]
    measured = set(rows.thing[rows.rows.span_ops[:, Direction.ALL, GUEST] > 0].tolist())
    pushing = {agent.vm.index for agent in agents(lab.lab.environment)}
    busy = set(rows.thing[rows.rows.ops[:, Direction.ALL] > 0].tolist())
    assert measured == pushing & busy
    assert len(busy - measured) > len(measured) > 8


def test_bounds_hold_the_truth_wherever_a_guest_is_measured_by_its_agent(seeds: range) -> None:
    """At edges of stories, where guests and their hosts do not move, and where they do."""
    # Two labs where more than one is drawn.
    for seed in (1, 2)[: len(seeds)]:
        _bounds_hold(drawn(seed, 1, 4, 16, 35, 46))


def _bounds_hold(lab: Drawn) -> None:
    score = Score()
    for stretch in lab.stretches:
        score_stretch(score, lab, seen(lab, stretch), "unproven")
    guests = {key: count for key, count in score.bounds.items() if "guest" in key[2]}
    assert sum(guests.values()) > 500
    assert [one for one in score.worst if "guest" in one] == []
    assert {holds for *_, holds in guests} == {True}
