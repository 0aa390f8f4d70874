"""Causes of excess latency: the object and the binding limit behind it, and the four layers side by side."""

from typing import Literal

from pydantic import AwareDatetime

from gavel.api.schemas.answer import Answer
from gavel.api.schemas.common import Out
from gavel.diagnosis.cause import CauseChange, CauseEvidence, CauseKind, CauseObject, TwinTest

CauseConfidence = Literal["confirmed", "likely"]


class CauseLimitOut(Out):
    """A limit, and how much of it was used on average over the elevated minutes. `is_derived`: `used` is IOPS × latency, or a normalized
    rate, and no counter. `set_where`: where the setting is."""

    name: str
    value: float
    used: float
    used_share: float
    unit: Literal["IOPS", "I/Os", "bytes/s"]
    is_derived: bool
    set_where: str | None


class CandidateOut(Out):
    """A possible cause. `weight`: share of the layer's I/O-time that it explains; `needs`: what would confirm or exclude it."""

    kind: CauseKind
    object: Answer[CauseObject] | None
    on: Answer[CauseObject] | None
    weight: float
    headline: str
    text: str
    needs: str


class CauseOut(Out):
    """`confidence`: of the cause, not of the layer; null with `no_single_cause`, which has `candidates`. `headline`: for a table cell;
    `text`: clause of the sentence. `object`: who; `on`: where the limit binds. `share`: of `share_of`. `finding`: id of the finding with
    the same threshold. `action`: what to do first ("": nothing is known). `from_at`, `to_at`: the elevated minutes that it was decided
    on."""

    kind: CauseKind
    label: str
    confidence: CauseConfidence | None
    headline: str
    text: str
    object: Answer[CauseObject] | None
    object_count: int
    on: Answer[CauseObject] | None
    share: float | None
    share_of: str | None
    iops: float | None
    limit: CauseLimitOut | None
    twin: Answer[TwinTest] | None
    evidence: list[Answer[CauseEvidence]]
    changed: Answer[CauseChange] | None
    candidates: list[CandidateOut]
    finding: str | None
    action: str
    from_at: AwareDatetime
    to_at: AwareDatetime


class ShortCauseOut(Out):
    """A cause as lists have it. `headline`: for a table cell; `text`: clause of the sentence; the rest as in a diagnosis."""

    kind: CauseKind
    label: str
    confidence: CauseConfidence | None
    headline: str
    text: str
    object: Answer[CauseObject] | None
    on: Answer[CauseObject] | None
    limit: CauseLimitOut | None
