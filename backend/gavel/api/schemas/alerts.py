"""Alerts: rules, alerts and their history, silences and maintenance windows."""

from datetime import date, time
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from gavel.alerting.use.present import NewestMeasure
from gavel.alerting.use.rules import QuantityUse
from gavel.api.inputs import INT32_MAX, Day, Instant, Lines, Name, Number, Text
from gavel.api.schemas.answer import Answer, AnswerShape
from gavel.api.schemas.common import Out
from gavel.api.schemas.findings import FindingChoice, FindingSeverityName
from gavel.api.schemas.sentences import AlertSentenceOut
from gavel.db.queries.alerts import TransitionRow
from gavel.domain.io_path import DirectionName, LayerName, PartName

SubjectName = Literal["vm", "datastore", "host", "cluster", "volume", "array", "source"]
QuantityName = Literal[
    "latency", "share", "excess", "baseline_ratio", "excess_outstanding", "queue_utilization", "disagreement",
    "sample_age", "clock_skew", "gap", "open_findings",
]  # fmt: skip
UnitName = Literal["µs", "share", "×", "I/Os", "s", "findings"]
QualityName = Literal["A", "B", "C", "D"]
AlertSeverityName = Literal["info", "warning", "critical"]
StateName = Literal["inactive", "pending", "firing", "recovering", "resolved", "no_data"]
Pattern = Annotated[Text, Field(min_length=1, max_length=300)]
LabelName = Annotated[Text, Field(min_length=1, max_length=64)]
# The rule itself checks which counts make sense.
Count = Annotated[int, Field(ge=-INT32_MAX, le=INT32_MAX)]


# --- rules ------------------------------------------------------------------------------------------------------------


class ConditionBody(BaseModel):
    """Holds from `at_least` on, recovers below `recover_below` (null: below `at_least`), in the unit of the quantity.

    part: a layer or a segment; null is the total (of sources: the source). compared: `lower` is the lower bound, `estimate` the estimate.
    finding, finding_severity: of `open_findings` the id of their rule (null: every rule) and the lowest severity that counts (null: any).
    """

    model_config = ConfigDict(extra="forbid", from_attributes=True)

    quantity: QuantityName
    part: PartName | None = None
    direction: DirectionName = "all"
    at_least: Number
    recover_below: Number | None = None
    compared: Literal["lower", "estimate"] = "lower"
    finding: Text | None = Field(default=None, max_length=64)
    finding_severity: FindingSeverityName | None = None


class RuleBody(BaseModel):
    """A rule. Fires when all conditions hold for `for_min` minutes with data; resolves after `keep_firing_min` minutes of recovery.

    where: properties of an object (`name`, `array`, `cluster`, `datastore`, `vm`, `tag.<key>` of its volumes, `attribute.<key>` of a VM)
    and the pattern with * and ? that each has to match. min_ops: I/Os a minute; min_quality: worse minutes count as no data.
    """

    model_config = ConfigDict(extra="forbid", from_attributes=True)

    key: Text = Field(max_length=64)
    name: Text = Field(max_length=200)
    of: SubjectName
    where: dict[Text, Text] = Field(default={}, max_length=20)
    when: list[ConditionBody] = Field(min_length=1, max_length=3)
    for_min: Count = 5
    keep_firing_min: Count = 5
    no_data_after_min: Count = 5
    min_ops: Count = 30
    min_quality: QualityName = "C"
    severity: AlertSeverityName = "warning"
    labels: dict[Text, Text] = Field(default={}, max_length=20)
    runbook_url: Text = Field(default="", max_length=1000)
    enabled: bool = True


class RuleOut(RuleBody):
    """open: number of its open alerts. is_default: a default rule, unchanged.

    error: why it cannot be evaluated, as of error_at; null: it can. Unreadable parts of a rule are left out (`when` empty).
    """

    # What was stored before text was checked is still shown.
    key: str
    name: str
    where: dict[str, str]
    labels: dict[str, str]
    runbook_url: str
    when: list[ConditionBody] = Field(max_length=3)
    id: int
    is_default: bool
    open: int
    created_at: AwareDatetime
    changed_at: AwareDatetime
    error: str | None
    error_at: AwareDatetime | None


class RuleChange(BaseModel):
    """Enables or disables a rule. Disabling it ends its alerts."""

    model_config = ConfigDict(extra="forbid")

    enabled: bool


# What a condition may compare, with the rules of findings to choose from.
QuantityAnswer = Annotated[QuantityUse, AnswerShape(findings=list[FindingChoice])]


class RulesFile(BaseModel):
    """Rules as YAML. replace: rules that are not in the file are removed. dry_run: only report what would change."""

    model_config = ConfigDict(extra="forbid")

    yaml: Lines = Field(max_length=1 << 20)
    replace: bool = False
    dry_run: bool = False


class PreviewIn(BaseModel):
    model_config = ConfigDict(extra="forbid")

    rule: RuleBody
    days: int = Field(default=7, ge=1, le=7)


# --- alerts -----------------------------------------------------------------------------------------------------------


class MeasureOut(Out):
    quantity: QuantityName
    part: PartName | None
    direction: DirectionName
    unit: UnitName
    finding: str | None
    finding_severity: FindingSeverityName | None


class AlertSubject(Out):
    """The object of an alert; kinds other than `source` have a page with that id."""

    kind: SubjectName
    id: int
    name: str


class AlertOut(Out):
    """One alert of one rule and object, from the first minute that met the conditions. Times are those of the data.

    value, lower: of the rule's first measure at the newest transition, in its unit; peak, peak_lower: in the highest of the minutes
    that met the conditions, which began at peak_at. fired_at null: it is pending, or never fired. recovered_at: start of the recovery
    that led to ended_at, or continues.
    array_ids: the arrays that the object is on now; none for a host or cluster, which reach all of them.
    quiet: why its notifications are held back now (silence, maintenance, array down); null: they are not.
    sentence: the diagnosis when it fired.
    """

    id: int
    rule_id: int | None
    rule_key: str
    rule_name: str
    severity: AlertSeverityName
    subject: AlertSubject
    layer: LayerName | None
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
    excess_outstanding: float | None
    peak: float | None
    peak_lower: float | None
    peak_at: AwareDatetime | None
    recovered_at: AwareDatetime | None
    sentence: AlertSentenceOut | None
    runbook_url: str
    quiet: str | None
    acknowledged_at: AwareDatetime | None
    acknowledged_by: str | None
    acknowledged_note: str | None


class AlertsNow(Out):
    """Open alerts: fired and not resolved, worst first. pending: conditions hold, but not for long enough yet."""

    alerts: list[AlertOut]
    pending: list[AlertOut]
    analyzed_until_at: AwareDatetime | None


class AlertMessageOut(Out):
    """A notification of this alert, and its delivery."""

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
    """Late detection: minutes [from_at, to_at) that met a rule's conditions and arrived too late to notify."""

    rule_id: int
    rule_key: str
    rule_name: str
    severity: AlertSeverityName
    subject: AlertSubject
    from_at: AwareDatetime
    to_at: AwareDatetime
    minutes: int
    peak: float | None
    unit: UnitName


class AlertDetail(AlertOut):
    """newest: null once it has ended, and for a source that is gone; its numbers are null where that minute has none."""

    newest: Answer[NewestMeasure] | None
    transitions: list[Answer[TransitionRow]]
    messages: list[AlertMessageOut]


class AcknowledgeIn(BaseModel):
    """by: a typed name, as long as there are no accounts."""

    model_config = ConfigDict(extra="forbid")

    by: Name
    note: Lines = Field(default="", max_length=1000)


# --- what keeps messages back -----------------------------------------------------------------------------------------


class MatcherBody(BaseModel):
    """A label and a pattern with * and ?. Labels: rule, severity, layer, kind, object, array, datastore, host, and a rule's own."""

    model_config = ConfigDict(extra="forbid", from_attributes=True)

    label: LabelName
    pattern: Pattern
    negated: bool = False


class MatcherOut(Out):
    label: str
    pattern: str
    negated: bool = False


class SilenceIn(BaseModel):
    """Quiet for what every matcher holds for. from_at left out: from now on."""

    model_config = ConfigDict(extra="forbid")

    matchers: list[MatcherBody] = Field(min_length=1, max_length=20)
    from_at: Instant | None = None
    until_at: Instant
    reason: Lines = Field(min_length=1, max_length=1000)
    by: Name


class SilenceChange(BaseModel):
    """A new end; one that has passed ends it now."""

    model_config = ConfigDict(extra="forbid")

    until_at: Instant


class SilenceOut(Out):
    """matching: open alerts that its matchers hold for now."""

    id: int
    matchers: list[MatcherOut]
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

    name: Name
    first_day: Day
    starts: time
    lasts_min: int = Field(ge=1, le=7 * 24 * 60)
    zone: Text = Field(max_length=100)
    repeat: Literal["once", "daily", "weekly"] = "once"
    weekdays: list[Annotated[int, Field(ge=0, le=6)]] = Field(default=[], max_length=7)
    last_day: Day | None = None
    matchers: list[MatcherBody] = Field(default=[], max_length=20)


class MaintenanceOut(Out):
    name: str
    first_day: date
    starts: time
    lasts_min: int
    zone: str
    repeat: Literal["once", "daily", "weekly"]
    weekdays: list[int]
    last_day: date | None
    matchers: list[MatcherOut]
    id: int
    created_at: AwareDatetime
    is_on: bool
