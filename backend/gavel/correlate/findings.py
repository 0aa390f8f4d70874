"""Evaluation of findings: every few minutes all rules over the newest evidence, what they report into the store."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from gavel.correlate.finding_evidence import LOADERS, Basis
from gavel.correlate.finding_loads import EvidenceWindow
from gavel.correlate.worker import Worker
from gavel.db.engine import Connection, reading, transaction
from gavel.db.locks import only_one
from gavel.db.queries.finding_sources import sources_with_clocks
from gavel.db.queries.findings import evaluated_at, ledger_evaluated_until, readable_sources
from gavel.db.queries.scopes import ledger_until
from gavel.db.write.findings import Evaluation, EvaluationCounts, store_evaluation
from gavel.findings.model import Finding, FindingRule
from gavel.findings.registry import RULES, RULES_BY_ID

log = structlog.get_logger(__name__)

EVERY = timedelta(minutes=5)
# Evidence has to last this long.
WINDOW = timedelta(minutes=10)
# A tick that comes a little early still counts.
_EARLY = timedelta(seconds=20)
# Older inventories say nothing about now. Watermarks are by the sources' own clocks, which differ.
_LISTED, _CLOCKS = timedelta(hours=2), timedelta(minutes=3)


@dataclass(frozen=True, slots=True)
class _Outcome:
    findings: Sequence[tuple[str, Finding]]
    evaluated: Sequence[FindingRule]


def evaluate_findings(worker: Worker) -> EvaluationCounts | None:
    """All rules once, when the newest evaluation is older than `EVERY`; None when it is not, or while another process does it."""
    with only_one(worker.engine, "findings") as held:
        if not held:
            return None
        now = worker.now()
        with reading(worker.engine) as connection:
            before = evaluated_at(connection)
            if before is not None and before > now - EVERY + _EARLY:
                return None
            window = _window(connection, now)
            found = _evaluate(connection, window)
            settled = _settled(connection, found.evaluated, window)
        done = Evaluation(found.findings, list(RULES_BY_ID), settled, now, window.to_at)
        with transaction(worker.engine) as connection:
            counts = store_evaluation(connection, done)
    log.info("findings evaluated", open=len(found.findings), raised=counts.raised, cleared=counts.cleared)
    return counts


def _window(connection: Connection, now: datetime) -> EvidenceWindow:
    """The newest minutes of the ledger; before the first one, none at all."""
    until = ledger_until(connection) or now
    return EvidenceWindow(until - WINDOW, until, now)


def _evaluate(connection: Connection, window: EvidenceWindow) -> _Outcome:
    """Rules on the ledger wait until it has moved on."""
    is_new = ledger_evaluated_until(connection) != window.to_at
    by_evidence: Mapping[type, list[FindingRule]] = defaultdict(list)
    for rule in RULES:
        if is_new or LOADERS[rule.evidence].basis is not Basis.LEDGER:
            by_evidence[rule.evidence].append(rule)
    findings = []
    for kind, rules in by_evidence.items():
        for one in LOADERS[kind].load(connection, window):
            findings += [(rule.id, found) for rule in rules if (found := rule.evaluate(one)) is not None]
    return _Outcome(findings, [rule for rules in by_evidence.values() for rule in rules])


def _settled(connection: Connection, evaluated: Sequence[FindingRule], window: EvidenceWindow) -> list[tuple[str, int]]:
    """Rules and sources of which nothing was missing."""
    readable = readable_sources(connection, inventory_since=window.now - _LISTED, samples_until=window.to_at - _CLOCKS)
    sources = {
        Basis.INVENTORY: readable.with_inventory,
        Basis.LEDGER: readable.with_samples,
        Basis.CLOCKS: sources_with_clocks(connection, window.now),
    }
    return [(rule.id, source) for rule in evaluated for source in sources[LOADERS[rule.evidence].basis]]
