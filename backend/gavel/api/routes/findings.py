"""Findings: the list, one with evidence and advice, and who accepts it."""

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from gavel.api.convert_findings import finding_detail, finding_out, findings_csv, rule_out, totals_out
from gavel.api.deps import AdminOnly, AppDep, NowDep, ReaderOnly
from gavel.api.inputs import INT32_MAX, TEXT_PATTERN, Id, Search
from gavel.api.problems import refuses
from gavel.api.ranges import Limit
from gavel.api.schemas.findings import (
    AcceptIn,
    FindingDetail,
    FindingRuleOut,
    FindingSeverityName,
    FindingsPage,
    FindingStateName,
    FindingSubjectName,
    ObjectFindingsOut,
)
from gavel.correlate.finding_needs import unevaluated_rules
from gavel.db.engine import reading, transaction
from gavel.db.queries import findings as stored
from gavel.db.queries.findings import FindingOrder, FindingQuery
from gavel.db.write import findings as written
from gavel.findings.registry import RULES, rules_titled

router = APIRouter(tags=["findings"], dependencies=[ReaderOnly])

_MOST_LINES = 10_000
RuleId = Annotated[str, Query(max_length=64, pattern=TEXT_PATTERN)]


def finding_query(
    state: Annotated[
        list[FindingStateName] | None, Query(max_length=3, description="default: open and accepted")
    ] = None,
    severity: Annotated[list[FindingSeverityName] | None, Query(max_length=3)] = None,
    rule: Annotated[list[RuleId] | None, Query(max_length=50, description="id of a rule")] = None,
    subject: Annotated[FindingSubjectName | None, Query(description="kind of the object")] = None,
    object_id: Annotated[
        int | None, Query(ge=1, le=INT32_MAX, description="its own findings and those that touch it; needs `subject`")
    ] = None,
    search: Search = "",
    sort: Annotated[
        str, Query(pattern=r"^-?(severity|raised|object|rule)$", description="reversed with a leading -")
    ] = "severity",
) -> FindingQuery:
    return FindingQuery(
        states=state or ("open", "accepted"),
        severities=severity or (),
        rules=rule or (),
        kind=subject,
        object_id=object_id,
        search=search.strip(),
        titled=rules_titled(search.strip()),
        order=FindingOrder(sort.removeprefix("-")),
        reverse=sort.startswith("-"),
    )


FindingQueryDep = Annotated[FindingQuery, Depends(finding_query)]


@router.get("/findings")
def list_findings(
    query: FindingQueryDep,
    app: AppDep,
    limit: Limit = 100,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> FindingsPage:
    """The worst first, then the newest."""
    with reading(app.engine) as connection:
        found = stored.findings(connection, replace(query, limit=limit, offset=offset))
    return FindingsPage(
        items=[finding_out(row) for row in found.items],
        total=found.total,
        limit=limit,
        offset=offset,
        totals=totals_out(found.totals),
        evaluated_at=found.evaluated_at,
    )


@router.get(
    "/findings.csv",
    summary="Findings as CSV",
    response_class=Response,
    responses={200: {"content": {"text/csv": {"schema": {"type": "string"}}}, "description": "One line per finding"}},
)
def export_findings(query: FindingQueryDep, app: AppDep) -> Response:
    """All that match, at most 10,000."""
    with app.rankings.reading(app.engine) as connection:
        found = stored.findings(connection, replace(query, limit=_MOST_LINES))
    headers = {"Content-Disposition": 'attachment; filename="findings.csv"'}
    return Response(findings_csv(found.items), media_type="text/csv", headers=headers)


@router.get("/findings/rules")
def list_finding_rules(app: AppDep, at: NowDep) -> list[FindingRuleOut]:
    """What is looked for, what each rule cannot see, and what it cannot be evaluated on yet."""
    with reading(app.engine) as connection:
        counts = stored.open_by_rule(connection)
        waiting = unevaluated_rules(connection, at)
    return [rule_out(rule, counts.get(rule.id, 0), waiting) for rule in RULES]


@router.get("/findings/counts")
def count_findings(subject: FindingSubjectName, app: AppDep) -> list[ObjectFindingsOut]:
    """Open findings by object of a kind; objects without any are left out."""
    with reading(app.engine) as connection:
        found = stored.findings_by_object(connection, subject)
    return [
        ObjectFindingsOut.model_validate({"id": one.object_id, "open": one.open, "severity": one.severity})
        for one in found
    ]


@router.get("/findings/{finding_id}")
def one_finding(finding_id: Id, app: AppDep) -> FindingDetail:
    return _detail(app, finding_id)


@router.post("/findings/{finding_id}/accept", dependencies=[AdminOnly], responses=refuses(409))
def accept_finding(finding_id: Id, body: AcceptIn, app: AppDep, at: NowDep) -> FindingDetail:
    """Accepts a finding until a time, or until its evidence doubles."""
    with transaction(app.engine) as connection:
        written.accept(connection, finding_id, body.by, body.why, body.until, at)
    return _detail(app, finding_id)


@router.delete("/findings/{finding_id}/accept", dependencies=[AdminOnly])
def withdraw_acceptance(finding_id: Id, app: AppDep, at: NowDep) -> FindingDetail:
    """Opens an accepted finding again."""
    with transaction(app.engine) as connection:
        written.reopen(connection, finding_id, at)
    return _detail(app, finding_id)


def _detail(app: AppDep, finding_id: int) -> FindingDetail:
    with reading(app.engine) as connection:
        return finding_detail(
            stored.one_finding(connection, finding_id), stored.finding_history(connection, finding_id)
        )
