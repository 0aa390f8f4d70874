"""From stored findings to what crosses the API, as JSON and as CSV."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from gavel.api.schemas.findings import (
    AcceptanceOut,
    FindingChangeOut,
    FindingDetail,
    FindingOut,
    FindingRuleCount,
    FindingRuleOut,
    FindingSeverityCounts,
    FindingStateCounts,
    FindingTotalsOut,
)
from gavel.correlate.finding_needs import UnevaluatedRule
from gavel.db.queries.findings import FindingEventRow, FindingRow, FindingTotals
from gavel.db.queries.refs import EntityRef, RefKind
from gavel.findings.model import FindingRule
from gavel.findings.registry import RULES_BY_ID

_MOST_AFFECTED = 200
_CSV: Final = (
    "id", "rule", "severity", "confidence", "state", "object_kind", "object_id", "object", "title", "advice", "raised_at", "seen_at",
    "cleared_at", "accepted_by", "accepted_why", "accepted_until",
)  # fmt: skip
# The same as in the pages' CSV (`lib/csv.ts`). Spreadsheets run a cell that begins so as a formula: after blanks, and in full width.
_FORMULA: Final = re.compile("[\\s\ufeff]*[=+\\-@\uff1d\uff0b\uff0d\uff20\u2212]|[\t\r\n]")


def finding_out(row: FindingRow) -> FindingOut:
    return FindingOut(**_fields(row))


def finding_detail(row: FindingRow, history: Iterable[FindingEventRow]) -> FindingDetail:
    rule, document = RULES_BY_ID.get(row.rule), row.document
    fields = _fields(row) | {name: document[name] for name in ("cause", "evidence", "tables", "affected_text")}
    return FindingDetail.model_validate(
        fields
        | {
            # What was cleared before advice was predicted has no trial.
            "advice_list": [{"trial": None} | advice for advice in document["advice"]],
            "affected": document["affected"][:_MOST_AFFECTED],
            "blind_spots": list(rule.blind_spots) if rule else [],
            "references": list(rule.references) if rule else [],
            "raised_when": rule.raised_when if rule else "",
            "cleared_when": rule.cleared_when if rule else "",
            "history": [_change(event) for event in history],
        }
    )


def rule_out(rule: FindingRule, open_findings: int, unevaluated: Iterable[UnevaluatedRule]) -> FindingRuleOut:
    return FindingRuleOut.model_validate(
        {name: getattr(rule, name) for name in ("id", "title", "raised_when", "cleared_when", "references")}
        | {"blind_spots": list(rule.blind_spots), "references": list(rule.references), "open": open_findings}
        | {"unevaluated": [{"object": one.object, "reason": one.reason} for one in unevaluated if one.rule is rule]}
    )


def totals_out(totals: FindingTotals) -> FindingTotalsOut:
    rules = sorted(totals.by_rule.items(), key=lambda pair: (-pair[1], pair[0]))
    return FindingTotalsOut(
        state=FindingStateCounts(**totals.by_state),
        severity=FindingSeverityCounts(**totals.by_severity),
        rule=[FindingRuleCount(rule=rule, title=_title(rule), open=count) for rule, count in rules],
    )


def findings_csv(rows: Sequence[FindingRow]) -> str:
    """With a line of column names first."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(_CSV)
    for row in rows:
        writer.writerow([csv_cell(value) for value in _line(row)])
    return text.getvalue()


def _line(row: FindingRow) -> tuple[Any, ...]:
    at = (row.raised_at, row.seen_at, row.cleared_at)
    accepted = (row.accepted_by, row.accepted_why, row.accepted_until and row.accepted_until.isoformat())
    return (
        row.id, row.rule, row.severity, row.confidence, row.state, row.object_kind, row.object_id, row.object_name, row.title,
        _first_advice(row), *(one and one.isoformat() for one in at), *accepted,
    )  # fmt: skip


def csv_cell(value: object) -> str:
    shown = "" if value is None else str(value)
    return f"'{shown}" if _FORMULA.match(shown) else shown


def _fields(row: FindingRow) -> dict[str, Any]:
    same = ("id", "rule", "title", "severity", "confidence", "state", "raised_at", "seen_at", "cleared_at")
    return {name: getattr(row, name) for name in same} | {
        "rule_title": _title(row.rule),
        "object": EntityRef(RefKind(row.object_kind), row.object_id, row.object_name),
        "concerns": row.touched,
        "advice": _first_advice(row),
        "accepted": _acceptance(row),
    }


def _acceptance(row: FindingRow) -> AcceptanceOut | None:
    if row.accepted_at is None:
        return None
    return AcceptanceOut(
        by=row.accepted_by or "", why=row.accepted_why or "", at=row.accepted_at, until=row.accepted_until
    )


def _first_advice(row: FindingRow) -> str:
    return str(row.document["advice"][0]["text"])


def _title(rule: str) -> str:
    """A finding of a rule that is registered no longer keeps its id."""
    known = RULES_BY_ID.get(rule)
    return known.title if known else rule


def _change(event: FindingEventRow) -> FindingChangeOut:
    return FindingChangeOut.model_validate(
        {
            "at": event.happened_at,
            "before": event.before,
            "after": event.after,
            "by": event.made_by or "",
            "note": event.note,
        }
    )
