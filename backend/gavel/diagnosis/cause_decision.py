"""Which of the possible causes is the cause, how sure that is, and what was new at the onset. Pure."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from gavel.db.queries.refs import EntityRef, RefKind
from gavel.diagnosis.cause import Candidate, Cause, CauseChange, CauseKind, CauseObject, NumberChange
from gavel.diagnosis.cause_host import host_candidates
from gavel.diagnosis.cause_inputs import CauseInputs
from gavel.diagnosis.cause_storage import storage_candidates
from gavel.diagnosis.cause_words import count, names
from gavel.diagnosis.sentences import clock
from gavel.domain.io_path import Confidence
from gavel.domain.scope import ScopeKind
from gavel.findings.binding import MAIN_SHARE
from gavel.findings.minutes import PartMinutes

_MOST_CANDIDATES = 3
# So much more of an object's own load, and it is what changed; less is what any load does.
_GROWN = 1.2


def decide(inputs: CauseInputs | None) -> Cause | None:
    """None where nothing is known of single disks, devices and volumes in elevated minutes: then nothing can be said, not even that there
    is no single cause."""
    if inputs is None or not inputs.is_measured:
        return None
    possible = list(_candidates(inputs))
    chosen = next((one for one in possible if one.binds and one.weight >= MAIN_SHARE), None)
    if chosen is None:
        possible.sort(key=lambda item: -item.weight)
        return _no_single_cause(possible[:_MOST_CANDIDATES], inputs)
    return Cause(
        kind=chosen.kind,
        confidence=Confidence.CONFIRMED if chosen.is_counted and chosen.is_new else Confidence.LIKELY,
        headline=chosen.headline,
        text=chosen.text,
        object=chosen.object,
        object_count=chosen.object_count,
        on=chosen.on,
        share=chosen.share,
        share_of=chosen.share_of,
        iops=chosen.iops,
        limit=chosen.limit,
        twin=chosen.twin,
        evidence=chosen.evidence,
        changed=_changed(inputs),
        from_at=inputs.episode.from_at,
        to_at=inputs.episode.to_at,
    )


def _candidates(inputs: CauseInputs) -> Iterable[Candidate]:
    """What is nearer to the VM, and more specific, first."""
    yield from host_candidates(inputs)
    yield from storage_candidates(inputs)


def _no_single_cause(candidates: Iterable[Candidate], inputs: CauseInputs) -> Cause:
    top = tuple(candidates)
    possible = f"; possible: {names([one.headline for one in top])}" if top else ""
    return Cause(
        kind=CauseKind.NO_SINGLE_CAUSE,
        confidence=None,
        headline="No single cause",
        text=f"No single cause{possible}",
        candidates=top,
        changed=_changed(inputs),
        from_at=inputs.episode.from_at,
        to_at=inputs.episode.to_at,
    )


# --- what changed -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Demand:
    """A VM's own load per minute, on average."""

    time: float = 0.0
    ops: float = 0.0
    reads: float = 0.0
    bytes: float = 0.0
    outstanding: float = 0.0

    def __add__(self, other: "_Demand") -> "_Demand":
        return _Demand(
            self.time + other.time,
            self.ops + other.ops,
            self.reads + other.reads,
            self.bytes + other.bytes,
            self.outstanding + other.outstanding,
        )

    @classmethod
    def of(cls, minutes: PartMinutes) -> "_Demand":
        """Zero of a disk without a row: it did no I/O that was measured."""

        def average(numbers: np.ndarray) -> float:
            measured = numbers[~np.isnan(numbers)]
            return float(measured.mean()) if len(measured) else 0.0

        time = sum(average(minutes.total(name)) for name in ("guest_time", "kernel_time", "san_time", "array_time"))
        return cls(
            time,
            average(minutes.total("ops")),
            average(minutes.total("read_ops")),
            average(minutes.total("bytes")),
            average(minutes.outstanding),
        )


def _changed(inputs: CauseInputs) -> CauseChange | None:
    """Of the VM whose added I/O-time is at least half of all that was added, if its own load grew as well."""
    onset = inputs.episode.onset_at
    if onset is None or not inputs.episode.normal or not inputs.disks or inputs.minutes is None:
        return None
    before: dict[EntityRef, _Demand] = defaultdict(_Demand)
    after: dict[EntityRef, _Demand] = defaultdict(_Demand)
    for load in inputs.disks:
        before[load.vm] += _Demand.of(inputs.normal(ScopeKind.VM_DISK, load.disk.id))
        after[load.vm] += _Demand.of(inputs.first(ScopeKind.VM_DISK, load.disk.id))
    added = {vm: after[vm].time - before[vm].time for vm in after}
    whole = sum(time for time in added.values() if time > 0)
    vm = max(added, key=lambda item: (added[item], -item.id))
    is_grown = max(after[vm].ops - _GROWN * before[vm].ops, after[vm].outstanding - _GROWN * before[vm].outstanding) > 0
    if not whole > 0 or added[vm] < MAIN_SHARE * whole or not is_grown:
        return None
    return _change(vm, onset, added[vm] / whole, before[vm], after[vm], inputs.episode.to_at)


def _change(
    vm: EntityRef, onset: datetime, share: float, before: _Demand, after: _Demand, seen_from: datetime
) -> CauseChange:
    def per_op(demand: _Demand, number: float) -> float | None:
        return number / demand.ops if demand.ops > 0 else None

    return CauseChange(
        object=CauseObject(vm.name, (vm,)) if vm.kind is RefKind.VM else CauseObject(vm.name),
        at=onset,
        added_share=min(share, 1.0),
        changes=(
            NumberChange("IOPS", before.ops / 60, after.ops / 60, "IOPS"),
            NumberChange("I/O size", per_op(before, before.bytes), per_op(after, after.bytes), "bytes"),
            NumberChange("Read share", per_op(before, before.reads), per_op(after, after.reads), "share"),
            NumberChange("Outstanding I/O", before.outstanding, after.outstanding, "I/Os"),
        ),
        text=f"{vm.name}: {count(before.ops / 60)} to {count(after.ops / 60)} IOPS at {clock(onset, seen_from)}",
    )
