"""Causes of excess latency: the object and the binding limit behind it, and the four layers side by side."""

from typing import Literal

from pydantic import AwareDatetime

from gavel.api.schemas.common import Out, Ref

CauseKindName = Literal[
    "iops_limit", "virtual_disk_queue_full", "snapshot_chain",
    "task", "device_queue_full", "competing_worlds", "paths_down", "non_optimized_io",
    "slow_path", "one_host", "qos_limit", "array_load", "volume_load", "unmonitored_initiators", "no_single_cause",
]  # fmt: skip
CauseConfidence = Literal["confirmed", "likely"]
ScoreStateName = Literal["cause", "possible", "elevated", "normal", "not_the_cause", "not_measured"]


class CauseObjectOut(Out):
    """Who or what is behind an excess, or where its limit is. `refs`: outermost first, itself last; empty for what has no page."""

    name: str
    refs: list[Ref]


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


class CauseEvidenceOut(Out):
    """A number behind a cause, on average over the elevated minutes, with bounds where it has any."""

    label: str
    value: float
    unit: str
    is_derived: bool
    lower: float | None
    upper: float | None


class TwinTestOut(Out):
    """In how many of the elevated minutes the limit binds, and in how many of the normal minutes before."""

    elevated_minutes: int
    binding_minutes: int
    normal_minutes: int
    normal_binding_minutes: int


class NumberChangeOut(Out):
    label: str
    before: float | None
    after: float | None
    unit: str


class CauseChangeOut(Out):
    """What was new at the onset: the VM with at least half of the added I/O-time, if its own load grew. Normal minutes before, at most
    15, against the first 5 after."""

    object: CauseObjectOut
    at: AwareDatetime
    added_share: float
    changes: list[NumberChangeOut]
    text: str


class CandidateOut(Out):
    """A possible cause. `weight`: share of the layer's I/O-time that it explains; `needs`: what would confirm or exclude it."""

    kind: CauseKindName
    object: CauseObjectOut | None
    on: CauseObjectOut | None
    weight: float
    headline: str
    text: str
    needs: str


class CauseOut(Out):
    """`confidence`: of the cause, not of the layer; null with `no_single_cause`, which has `candidates`. `headline`: for a table cell;
    `text`: clause of the sentence. `object`: who; `on`: where the limit binds. `share`: of `share_of`. `finding`: id of the finding with
    the same threshold. `from_at`, `to_at`: the elevated minutes that it was decided on."""

    kind: CauseKindName
    label: str
    confidence: CauseConfidence | None
    headline: str
    text: str
    object: CauseObjectOut | None
    object_count: int
    on: CauseObjectOut | None
    share: float | None
    share_of: str | None
    iops: float | None
    limit: CauseLimitOut | None
    twin: TwinTestOut | None
    evidence: list[CauseEvidenceOut]
    changed: CauseChangeOut | None
    candidates: list[CandidateOut]
    finding: str | None
    from_at: AwareDatetime
    to_at: AwareDatetime


class ShortCauseOut(Out):
    """A cause as lists have it. `headline`: for a table cell; `text`: clause of the sentence; the rest as in a diagnosis."""

    kind: CauseKindName
    label: str
    confidence: CauseConfidence | None
    headline: str
    text: str
    object: CauseObjectOut | None
    on: CauseObjectOut | None
    limit: CauseLimitOut | None


class LayerScoreOut(Out):
    """A layer: latency against its baseline, with range. `state`: `cause` is named, `possible` one of the two of an inconclusive
    diagnosis, `elevated` above the threshold but not named, `not_the_cause` proven by the upper bound of its excess, `normal` below the
    threshold without that proof. `merged_with`: layers it is not separable from. `is_own`: false where its time is only seen here."""

    layer: Literal["guest", "kernel", "san", "array"]
    label: str
    us: float | None
    lower_us: float | None
    upper_us: float | None
    baseline_us: float | None
    delta_us: float | None
    delta_lower_us: float | None
    delta_upper_us: float | None
    state: ScoreStateName
    merged_with: list[Literal["guest", "kernel", "san", "array"]]
    is_own: bool
