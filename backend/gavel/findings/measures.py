"""Evidence and severities that rules of the newest minutes share."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Protocol

from gavel.analysis.severity import ELEVATED_US, HIGH_US
from gavel.domain.io_path import Severity
from gavel.findings.binding import BINDING_SHARE
from gavel.findings.model import FindingEvidence, ObjectRef

LASTING = f"in {BINDING_SHARE:.0%} of the last 10 minutes".replace("%", " %")


class Timed(Protocol):
    """Evidence of the minutes [from_at, to_at)."""

    @property
    def from_at(self) -> datetime: ...

    @property
    def to_at(self) -> datetime: ...


def severity_of_wait(us: float) -> Severity:
    """As of an excess without a baseline: what is waited for a limit is none of the normal latency."""
    if us < ELEVATED_US:
        return Severity.NORMAL
    return Severity.ELEVATED if us < HIGH_US else Severity.HIGH


def mean_over(
    times: Timed,
    label: str,
    value: float | None,
    unit: str,
    counter: str,
    *,
    is_derived: bool = False,
    of: ObjectRef | None = None,
) -> FindingEvidence:
    """A mean over the evidence's minutes."""
    return FindingEvidence(
        label=label,
        value=value,
        unit=unit,
        counter=counter,
        from_at=times.from_at,
        to_at=times.to_at,
        is_derived=is_derived,
        object=of,
    )


def setting(times: Timed, label: str, value: str | float | None, unit: str, counter: str) -> FindingEvidence:
    """As it was read last."""
    return FindingEvidence(label=label, value=value, unit=unit, counter=counter, to_at=times.to_at)


def depth_together(times: Timed, label: str, depths: Iterable[int | None], counter: str) -> Iterator[FindingEvidence]:
    """Queue depths added up, as far as they were read: so many I/Os can come in at once. Nothing where none was."""
    known = [depth for depth in depths if depth is not None]
    if known:
        yield FindingEvidence(
            label=label, value=float(sum(known)), unit="I/Os", counter=counter, to_at=times.to_at, is_derived=True
        )
