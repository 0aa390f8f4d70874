"""A finding as plain values, for the store and whoever reads it: what has no column of its own."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

from gavel.findings.model import AdviceCommand, EvidenceTable, Finding, ObjectRef


def document_of(finding: Finding) -> dict[str, Any]:
    """cause, evidence, tables, advice, affected, affected_text."""
    return {
        "cause": finding.cause,
        "evidence": [
            asdict(one)
            | {"from_at": _instant(one.from_at), "to_at": _instant(one.to_at), "object": _object(one.object)}
            for one in finding.evidence
        ],
        "tables": [_table(table) for table in finding.tables],
        "advice": [
            asdict(one)
            | {
                "kind": one.kind.value,
                "commands": [_command(command) for command in one.commands],
                "trial": None if one.trial is None else asdict(one.trial),
            }
            for one in finding.advice
        ],
        "affected": [_object(one) for one in finding.affected],
        "affected_text": finding.affected_text,
    }


def object_keys(finding: Finding) -> list[str]:
    """ "kind:id" of its object and of all that it touches, each once."""
    return sorted({object_key(one.kind, one.id) for one in (finding.object, *finding.affected)})


def object_key(kind: str, object_id: int) -> str:
    return f"{kind}:{object_id}"


def _table(table: EvidenceTable) -> dict[str, Any]:
    return {
        "title": table.title,
        "columns": [{"label": label, "unit": unit} for label, unit in table.columns],
        "rows": [{"object": _object(row.object), "cells": list(row.cells), "is_odd": row.is_odd} for row in table.rows],
    }


def _command(command: AdviceCommand) -> dict[str, Any]:
    return asdict(command) | {"on": _object(command.on)}


def _object(ref: ObjectRef | None) -> dict[str, Any] | None:
    return None if ref is None else asdict(ref)


def _instant(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
