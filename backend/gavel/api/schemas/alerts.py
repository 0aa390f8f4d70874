"""Alerts: the rules, what they found, and what keeps messages back."""

from datetime import date, time
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from gavel.api.schemas.common import Out

SubjectName = Literal["vm", "datastore", "host", "cluster", "volume", "array", "source"]
QuantityName = Literal[
    "time", "share", "excess", "times_usual", "impact", "outstanding_at_depth", "disagreement",
    "source_silent", "clock_offset", "gap",
]  # fmt: skip
PartName = Literal[
    "guest", "kernel", "san", "array",
    "guest_queue", "hypervisor", "kernel_queue", "kernel_service", "fabric", "array_port", "array_qos", "array_queue",
    "array_service",
]  # fmt: skip
UnitName = Literal["µs", "share", "×", "I/Os", "s"]
DirectionName = Literal["read", "write", "all"]
GradeName = Literal["A", "B", "C", "D"]
SeverityName = Literal["info", "warning", "critical"]
StateName = Literal["inactive", "pending", "firing", "recovering", "resolved", "no_data"]
Pattern = Annotated[str, Field(min_length=1, max_length=300)]
LabelName = Annotated[str, Field(min_length=1, max_length=64)]
Person = Annotated[str, Field(min_length=1, max_length=200)]


# --- rules ------------------------------------------------------------------------------------------------------------


class ConditionBody(BaseModel):
    """Holds from `at_least` on, and has recovered below `recover_below` (null: below `at_least`), in the unit of the quantity.

    part: a layer or a segment; null is the whole I/O (of sources: the source). compared: `lower` is surely that much, `estimate` probably.
    """

    model_config = ConfigDict(extra="forbid", from_attributes=True)

    quantity: QuantityName
    part: PartName | None = None
    direction: DirectionName = "all"
    at_least: float
    recover_below: float | None = None
    compared: Literal["lower", "estimate"] = "lower"


class RuleBody(BaseModel):
    """A rule. All conditions have to hold for `for_min` minutes with data; it is over after `keep_firing_min` minutes of recovery.

    where: what of an object (`name`, `array`, `cluster`, `datastore`, `vm`, `tag.<key>` of its volumes, `attribute.<key>` of a VM) has to
    match which pattern with * and ?. min_ops: I/Os a minute; min_grade: worse minutes count as no data.
    """

    model_config = ConfigDict(extra="forbid", from_attributes=True)

    key: str = Field(max_length=64)
    name: str = Field(max_length=200)
    of: SubjectName
    where: dict[str, str] = Field(default={}, max_length=20)
    when: list[ConditionBody] = Field(min_length=1, max_length=3)
    for_min: int = 5
    keep_firing_min: int = 5
    no_data_after_min: int = 5
    min_ops: int = 30
    min_grade: GradeName = "C"
    severity: SeverityName = "warning"
    labels: dict[str, str] = Field(default={}, max_length=20)
    runbook_url: str = Field(default="", max_length=1000)
    enabled: bool = True


class RuleOut(RuleBody):
    """open: its alerts that are open now. is_default: one that ships with Gavel, unchanged.

    error: why it cannot be judged, as of error_at; null: it can. What cannot even be read of a rule (`when` empty) is left out.
    """

    when: list[ConditionBody] = Field(max_length=3)
    id: int
    is_default: bool
    open: int
    created_at: AwareDatetime
    changed_at: AwareDatetime
    error: str | None
    error_at: AwareDatetime | None


class RuleChange(BaseModel):
    """Switches a rule on or off. What it had found ends when it is switched off."""

    model_config = ConfigDict(extra="forbid")

    enabled: bool


class QuantityOut(Out):
    """What a condition may compare. parts: null among them is the whole; empty: it has no parts."""

    quantity: QuantityName
    unit: UnitName
    subjects: list[SubjectName]
    parts: list[PartName | None]
    has_direction: bool


class RulesFile(BaseModel):
    """Rules as YAML. replace: rules that are not in the file are removed. dry_run: only say what would change."""

    model_config = ConfigDict(extra="forbid")

    yaml: str = Field(max_length=1 << 20)
    replace: bool = False
    dry_run: bool = False


class RulesImported(Out):
    """Keys of rules."""

    added: list[str]
    changed: list[str]
    unchanged: list[str]
    removed: list[str]


class PreviewIn(BaseModel):
    model_config = ConfigDict(extra="forbid")

    rule: RuleBody
    days: int = Field(default=7, ge=1, le=7)


class PreviewFiring(Out):
    """ended_at null: it would still be open."""

    object_id: int
    object_name: str
    fired_at: AwareDatetime
    ended_at: AwareDatetime | None
    peak: float | None


class PreviewSpan(Out):
    """Which rows a part of the preview is from. With rows of five minutes a rule counts each as five minutes."""

    from_at: AwareDatetime
    to_at: AwareDatetime
    resolution: Literal["1m", "5m"]


class PreviewOut(Out):
    """When the rule would have fired, newest first, at most 500; `total` counts all. objects: how many its scope covers."""

    from_at: AwareDatetime
    to_at: AwareDatetime
    spans: list[PreviewSpan]
    objects: int
    total: int
    firings: list[PreviewFiring]
    note: str | None


# --- alerts -----------------------------------------------------------------------------------------------------------


class MeasureOut(Out):
    quantity: QuantityName
    part: PartName | None
    direction: DirectionName
    unit: UnitName


class AlertSubject(Out):
    """What an alert is about; kinds other than `source` are pages of that id."""

    kind: SubjectName
    id: int
    name: str


class AlertOut(Out):
    """One incident of one rule and object, from its first breach on. Times are those of the minutes that are judged.

    value, lower: of the rule's first measure at the newest transition, in its unit; peak, peak_lower: in the worst of its breaching
    minutes, which began at peak_at. fired_at null: it is pending, or never fired. breach_ended_at: begin of the recovery that led to
    ended_at, or goes on.
    array_ids: the arrays that it lies on now, by whatever name; none of a host or cluster, which reach them all.
    quiet: why nothing is said about it now (silence, maintenance, array down); null: it is said. sentence: the verdict when it fired.
    """

    id: int
    rule_id: int | None
    rule_key: str
    rule_name: str
    severity: SeverityName
    subject: AlertSubject
    layer: Literal["guest", "kernel", "san", "array"] | None
    array_ids: list[int]
    path: list[str]
    labels: dict[str, str]
    measure: MeasureOut
    state: StateName
    since_at: AwareDatetime
    started_at: AwareDatetime
    fired_at: AwareDatetime | None
    ended_at: AwareDatetime | None
    value: float | None
    lower: float | None
    impact: float | None
    peak: float | None
    peak_lower: float | None
    peak_at: AwareDatetime | None
    breach_ended_at: AwareDatetime | None
    sentence: str | None
    runbook_url: str
    quiet: str | None
    acknowledged_at: AwareDatetime | None
    acknowledged_by: str | None
    acknowledged_note: str | None


class AlertsNow(Out):
    """What is open: fired and not resolved, worst first. pending: breached, but not for long enough yet."""

    alerts: list[AlertOut]
    pending: list[AlertOut]
    judged_until_at: AwareDatetime | None


class TransitionOut(Out):
    """minute_at: of the minute that moved it. found_at: when Gavel found that."""

    sequence: int
    before: StateName
    after: StateName
    minute_at: AwareDatetime
    value: float | None
    lower: float | None
    found_at: AwareDatetime


class AlertMessageOut(Out):
    """A message that told of this alert, and how its delivery went."""

    id: int
    channel_id: int
    channel_name: str
    status: Literal["firing", "resolved", "no_data"]
    state: Literal["pending", "delivered", "superseded", "dead"]
    created_at: AwareDatetime
    finished_at: AwareDatetime | None
    attempts: int
    detail: str | None


class LateOut(Out):
    """Minutes [from_at, to_at) that breached a rule and became known too late to page anybody."""

    rule_id: int
    rule_key: str
    rule_name: str
    severity: SeverityName
    subject: AlertSubject
    from_at: AwareDatetime
    to_at: AwareDatetime
    minutes: int
    peak: float | None
    unit: UnitName


class NewestMeasure(Out):
    """An alert's measure in the newest minute that was judged, which began at `at`; of a source as it stands now."""

    at: AwareDatetime
    value: float | None
    lower: float | None


class AlertDetail(AlertOut):
    """newest: null once it is over, and of a source that is gone; its numbers are null where that minute has none."""

    newest: NewestMeasure | None
    transitions: list[TransitionOut]
    messages: list[AlertMessageOut]


class AcknowledgeIn(BaseModel):
    """by: a typed name, as long as there are no accounts."""

    model_config = ConfigDict(extra="forbid")

    by: Person
    note: str = Field(default="", max_length=1000)


# --- what keeps messages back -----------------------------------------------------------------------------------------


class MatcherBody(BaseModel):
    """A label and a pattern with * and ?. Labels: rule, severity, layer, kind, object, array, datastore, host, and a rule's own."""

    model_config = ConfigDict(extra="forbid", from_attributes=True)

    label: LabelName
    pattern: Pattern
    negated: bool = False


class SilenceIn(BaseModel):
    """Quiet for what every matcher holds for. from_at left out: from now on."""

    model_config = ConfigDict(extra="forbid")

    matchers: list[MatcherBody] = Field(min_length=1, max_length=20)
    from_at: AwareDatetime | None = None
    until_at: AwareDatetime
    reason: str = Field(min_length=1, max_length=1000)
    by: Person


class SilenceChange(BaseModel):
    """A new end; one that has passed ends it now."""

    model_config = ConfigDict(extra="forbid")

    until_at: AwareDatetime


class SilenceOut(Out):
    """matching: open alerts that its matchers hold for now."""

    id: int
    matchers: list[MatcherBody]
    from_at: AwareDatetime
    until_at: AwareDatetime
    reason: str
    by: str
    created_at: AwareDatetime
    state: Literal["coming", "active", "over"]
    matching: int


class MaintenanceBody(BaseModel):
    """A window by the clock on the wall of `zone`, on `first_day` and as it repeats, until `last_day` (null: for good).

    weekdays: 0 is Monday; for weekly ones. Without matchers it is for everything.
    """

    model_config = ConfigDict(extra="forbid", from_attributes=True)

    name: str = Field(min_length=1, max_length=200)
    first_day: date
    starts: time
    lasts_min: int = Field(ge=1, le=7 * 24 * 60)
    zone: str = Field(max_length=100)
    repeat: Literal["once", "daily", "weekly"] = "once"
    weekdays: list[Annotated[int, Field(ge=0, le=6)]] = []
    last_day: date | None = None
    matchers: list[MatcherBody] = Field(default=[], max_length=20)


class MaintenanceOut(MaintenanceBody):
    id: int
    created_at: AwareDatetime
    is_on: bool
