"""Findings: what rules report about objects, with evidence and advice."""

from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from gavel.api.inputs import Instant, Lines, Name
from gavel.api.schemas.answer import Answer, Page
from gavel.api.schemas.common import Out
from gavel.db.queries.refs import EntityRef
from gavel.findings.model import Advice, EvidenceRow, FindingEvidence, FindingReference

FindingSeverityName = Literal["normal", "elevated", "high"]
FindingConfidenceName = Literal["confirmed", "likely", "inconclusive"]
FindingStateName = Literal["open", "accepted", "cleared"]
FindingSubjectName = Literal["source", "array", "volume", "cluster", "host", "datastore", "vm", "vm_disk", "device"]
TeamName = Literal["storage", "virtualization"]
FindingCell = str | float | None


class AcceptanceOut(Out):
    """until: null is without end."""

    by: str
    why: str
    at: AwareDatetime
    until: AwareDatetime | None


class FindingOut(Out):
    """A finding in a list. concerns: number of further objects that it touches; advice: what to do first, one sentence.

    raised_at: newest time that it was raised; seen_at: newest evaluation that had it.
    """

    id: int
    rule: str
    rule_title: str
    title: str
    object: Answer[EntityRef]
    concerns: int
    severity: FindingSeverityName
    confidence: FindingConfidenceName
    state: FindingStateName
    advice: str
    raised_at: AwareDatetime
    seen_at: AwareDatetime
    cleared_at: AwareDatetime | None
    accepted: AcceptanceOut | None


class FindingStateCounts(Out):
    open: int
    accepted: int
    cleared: int


class FindingSeverityCounts(Out):
    normal: int
    elevated: int
    high: int


class FindingRuleCount(Out):
    rule: str
    title: str
    open: int


class FindingTotalsOut(Out):
    """Whatever states, severities and rules were chosen. severity and rule: of open findings."""

    state: FindingStateCounts
    severity: FindingSeverityCounts
    rule: list[FindingRuleCount]


class FindingsPage(Page[FindingOut]):
    """evaluated_at: newest evaluation; null before the first."""

    totals: FindingTotalsOut
    evaluated_at: AwareDatetime | None


class FindingColumn(Out):
    label: str
    unit: str


class FindingTable(Out):
    """Several objects side by side."""

    title: str
    columns: list[FindingColumn]
    rows: list[Answer[EvidenceRow]]


class FindingChangeOut(Out):
    """A change of state. before: null when it was first raised. by: empty, where it happened by itself."""

    at: AwareDatetime
    before: FindingStateName | None
    after: FindingStateName
    by: str
    note: str


class FindingDetail(FindingOut):
    """affected: further objects, at most 200 of `concerns`; affected_text: the same in numbers."""

    cause: str
    evidence: list[Answer[FindingEvidence]]
    tables: list[FindingTable]
    advice_list: list[Answer[Advice]]
    affected: list[Answer[EntityRef]]
    affected_text: str
    blind_spots: list[str]
    references: list[Answer[FindingReference]]
    raised_when: str
    cleared_when: str
    history: list[FindingChangeOut]


class UnevaluatedOut(Out):
    """object: about which a rule says nothing yet; null: about none. reason: what is missing."""

    object: Answer[EntityRef] | None
    reason: str


class FindingRuleOut(Out):
    """open: number of its open findings. unevaluated: objects that it cannot say anything about, for what it needs is not measured."""

    id: str
    title: str
    raised_when: str
    cleared_when: str
    blind_spots: list[str]
    references: list[Answer[FindingReference]]
    open: int
    unevaluated: list[UnevaluatedOut]


class FindingChoice(Out):
    """A rule of findings by id and title."""

    id: str
    title: str


class ObjectFindingsOut(Out):
    """Open findings of an object, its own and those that touch it. severity: of the worst."""

    id: int
    open: int
    severity: FindingSeverityName


class AcceptIn(BaseModel):
    """Accepts a finding: it stays listed, and comes back once `until` has passed or its evidence has doubled."""

    model_config = ConfigDict(extra="forbid")

    by: Name
    why: Lines = Field(min_length=1, max_length=2000)
    until: Instant | None = None
