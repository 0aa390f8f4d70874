"""Many labs, attributed and scored: first with nothing known of the counters, then with what their own samples proved."""

import os
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields, replace

import numpy as np
from tests.truth.environments import Drawn, drawn
from tests.truth.layout import parts_of, topology_of
from tests.truth.really import KINDS, deserved, expectations, true_differences, truth
from tests.truth.score import JUDGED, Score, in_guests, score_bounds, score_deltas, score_diagnoses, score_sums
from tests.truth.wire import Wire

from gavel.analysis.diagnosis import case_of, rule
from gavel.analysis.gridded import Stretch
from gavel.analysis.intervals import Rounding
from gavel.analysis.ledger import Differences, differences, rolled_up
from gavel.analysis.minutes import Attribution, Rows, attributed
from gavel.analysis.observed import HostCounter, Latest, Observed, Proofs
from gavel.analysis.proofs import CounterEvidence, proven
from gavel.analysis.topology import NONE, Topology
from gavel.diagnosis.diagnose import covered
from gavel.domain.io_path import Direction
from gavel.domain.ledger import LedgerRows, picked
from gavel.domain.scope import ScopeKind
from gavel_lab.environment import Environment

_MARGIN_S = 120.0


def campaign(seeds: Iterable[int]) -> Score:
    """All labs of the seeds, spread over the processors."""
    total = Score()
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for one in pool.map(scored, seeds):
            total.add(one)
    return total


def scored(seed: int) -> Score:
    """One lab."""
    score, lab = Score(), drawn(seed)
    unknown = nothing_known(len(lab.lab.environment.vcenters))
    seen = seen_of(lab, unknown)
    evidence = [score_stretch(score, lab, one, "unproven").evidence for one in seen]
    known = proven(_added(evidence))
    _score_proofs(score, lab.lab.environment, known)
    for one in seen:
        score_stretch(score, lab, replace(one, observed=replace(one.observed, proofs=known)), "proven")
    return score


@dataclass(frozen=True)
class Seen:
    """One stretch as the wire carried it."""

    stretch: Stretch
    topology: Topology
    observed: Observed


def seen_of(lab: Drawn, proofs: Proofs) -> list[Seen]:
    wire, seen = Wire(lab), []
    for stretch in lab.stretches:
        start_s, end_s = 60.0 * stretch.first, 60.0 * (stretch.first + stretch.minutes)
        parts = parts_of(lab.lab, start_s - _MARGIN_S, end_s + _MARGIN_S)
        topology = topology_of(lab.lab.environment, parts)
        seen.append(Seen(stretch, topology, wire.observed(stretch, parts, proofs)))
    return seen


def nothing_known(sources: int) -> Proofs:
    return Proofs(rounding=np.zeros((sources, len(HostCounter)), np.int64), latest=np.zeros(sources, np.int64))


def _added(evidence: list[CounterEvidence]) -> CounterEvidence:
    return CounterEvidence(
        **{
            field.name: np.sum([getattr(one, field.name) for one in evidence], axis=0)
            for field in fields(CounterEvidence)
        }
    )


def score_stretch(score: Score, drawn_: Drawn, seen: Seen, known: str) -> Attribution:
    """Attribute the stretch and score it. known: of the counters, in words."""
    lab, environment, stretch, topology = drawn_.lab, drawn_.lab.environment, seen.stretch, seen.topology
    found = attributed(topology, seen.observed, stretch)
    for kind in KINDS:
        rows, things = _rows(found, topology, kind)
        if len(things):
            real = truth(lab, kind, things, rows.minute, stretch)
            modes = np.array([f"{_mode(environment, kind, int(thing))} {known}" for thing in things])
            where = f"seed {environment.seed}, counters {known},"
            score_bounds(score, modes, kind, rows, real, where)
            score_sums(score, modes, kind, rows)
            if kind is ScopeKind.DATASTORE:
                told = _differences(found, topology, stretch)
                score_deltas(score, modes, rows, told, true_differences(lab, things, rows.minute, stretch), where)
            if kind in JUDGED:
                expected = expectations(environment, kind, things, real)
                case = case_of(rows.rows, Direction.ALL, expected, rows.notes.reasons)
                score_diagnoses(score, modes, kind, rows, rule(case), deserved(real, expected, in_guests(rows)))
    return found


def _differences(found: Attribution, topology: Topology, stretch: Stretch) -> Differences:
    """Of each datastore and minute, from its own row and the sums of its disks and devices."""
    place = found.rows[ScopeKind.DATASTORE]
    disk_store = np.full(topology.disks, NONE)
    disk_store[topology.parts.disk] = topology.parts.datastore
    leaves = ((ScopeKind.VM_DISK, disk_store), (ScopeKind.HOST_DEVICE, topology.devices.datastore))
    disks, devices = (_leaf_sums(found.rows[kind], store, place, stretch) for kind, store in leaves)
    return differences(place.rows, disks, devices, covered(place.notes, place.rows))


def _leaf_sums(leaves: Rows, store: np.ndarray, place: Rows, stretch: Stretch) -> LedgerRows:
    """Sums of the leaves of each row of `place`."""
    row_of = np.full((max(int(store.max(initial=0)), int(place.thing.max(initial=0))) + 1) * stretch.minutes, NONE)
    row_of[place.thing * stretch.minutes + place.minute - stretch.first] = np.arange(len(place.thing))
    of_leaf = store[leaves.thing]
    row = np.where(of_leaf == NONE, NONE, row_of[of_leaf * stretch.minutes + leaves.minute - stretch.first])
    kept = np.flatnonzero(row != NONE)
    return rolled_up(picked(leaves.rows, kept), row[kept], len(place.thing))


def _rows(found: Attribution, topology: Topology, kind: ScopeKind) -> tuple[Rows, np.ndarray]:
    """Rows with their places in the environment; a stretched volume, the same on both arrays, is one volume of the lab."""
    rows = found.rows[kind]
    return rows, topology.volumes.unit[rows.thing] if kind is ScopeKind.VOLUME else rows.thing


def _mode(environment: Environment, kind: ScopeKind, thing: int) -> str:
    """Which vCenter measured it, and how its counters behave."""
    vcenters = {
        ScopeKind.HOST_DEVICE: lambda: environment.hosts[environment.devices[thing].host].vcenter,
        ScopeKind.DATASTORE: lambda: environment.datastores[thing].vcenter,
        ScopeKind.HOST: lambda: environment.hosts[thing].vcenter,
        ScopeKind.VM: lambda: environment.vms[thing].vcenter,
        ScopeKind.VM_DISK: lambda: environment.vms[environment.disks[thing].vm].vcenter,
    }
    if kind not in vcenters:
        return "every vCenter"
    vcenter = environment.vcenters[vcenters[kind]()]
    return f"{vcenter.version} ms {vcenter.ms_rounding}, latest {vcenter.latest_means},"


def _score_proofs(score: Score, environment: Environment, known: Proofs) -> None:
    """What was proven against what the lab's counters do."""
    for vcenter in environment.vcenters:
        does = Rounding.ROUNDS if vcenter.ms_rounding == "round" else Rounding.TRUNCATES
        for counter in HostCounter:
            found = Rounding(int(known.rounding[vcenter.index, counter]))
            if found is not Rounding.UNPROVEN:
                score.proofs[f"{vcenter.version} {counter.name} {found.name.lower()}", found is does] += 1
        latest = Latest(int(known.latest[vcenter.index]))
        if latest is not Latest.UNPROVEN:
            shows = Latest.MEAN if vcenter.latest_means == "mean" else Latest.INSTANT
            score.proofs[f"{vcenter.version} latest is {latest.name.lower()}", latest is shows] += 1
