"""The held hour in codes: what is equal on every machine. One line is one group, so that a difference says what it is about.

Numbers are left out: NumPy differs in the last bit from one processor to another, by which a stored number may be one step away.
"""

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

import psycopg
from psycopg import sql
from tests.frozen.instant import AT

from gavel.domain.scope import ScopeKind

Ask = Callable[[str, Mapping[str, str]], Mapping[str, Any]]
"""A path of the API and its parameters → the answer."""

_SPAN = timedelta(minutes=10)
_SPANS = 5
_ALL = {"limit": "500"}
_TABLES = """
    SELECT relname FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname
"""
_LEDGER = """
    SELECT entity_id >> 27, reasons, quality_reasons, count(*) FROM {}
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""
_REASONS = "SELECT stream, reason, state, count(*) FROM gap GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
_ALERTS = """
    SELECT rule_key, subject, object_name, severity, string_agg(t.after, ', ' ORDER BY t.sequence)
    FROM alert a JOIN alert_transition t ON t.alert_id = a.id GROUP BY a.id ORDER BY 1, 2, 3, a.id
"""
_LATE = "SELECT r.key, count(*) FROM alert_late l JOIN alert_rule r ON r.id = l.rule_id GROUP BY 1 ORDER BY 1"


def codes(url: str, ask: Ask) -> str:
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        lines = [*_stored(connection), *_diagnosed(ask), *_found(ask)]
    return "".join(f"{line}\n" for line in lines)


def _stored(connection: psycopg.Connection[tuple[Any, ...]]) -> Iterator[str]:
    for (name,) in connection.execute(_TABLES).fetchall():
        rows = connection.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(name))).fetchall()[0][0]
        if rows:
            yield f"rows of {name}: {rows}"
    for table in ("ledger_1m", "ledger_leaf_1m"):
        found = connection.execute(sql.SQL(_LEDGER).format(sql.Identifier(table))).fetchall()
        for kind, reasons, quality, rows in found:
            name = ScopeKind(kind).name.lower()
            yield f"minutes of {name} with reasons {reasons:#x} and quality reasons {quality:#x}: {rows}"
    for stream, reason, state, rows in connection.execute(_REASONS).fetchall():
        yield f"gaps of {stream}, {state}, {reason}: {rows}"
    for rule, subject, name, severity, states in connection.execute(_ALERTS).fetchall():
        yield f"alert {rule} of {subject} {name}: {severity}, {states}"
    for rule, rows in connection.execute(_LATE).fetchall():
        yield f"late breaches of {rule}: {rows}"


def _diagnosed(ask: Ask) -> Iterator[str]:
    """Each datastore over each ten minutes of the hour, and each object now."""
    last = AT.replace(minute=AT.minute // 10 * 10, second=0)
    for back in range(_SPANS, 0, -1):
        begin = last - back * _SPAN
        window = {"from": begin.isoformat(), "to": (begin + _SPAN).isoformat()}
        yield from _ranked(ask, "datastore", f"{begin:%H:%M}", window)
    for kind in ("datastore", "volume", "vm", "host", "array"):
        yield from _ranked(ask, kind, "now", {})


def _ranked(ask: Ask, kind: str, when: str, window: Mapping[str, str]) -> Iterator[str]:
    found = ask("/overview", {**_ALL, "kind": f"{kind}s", **window})
    if kind == "datastore":
        yield f"diagnosis of the environment, {when}: {_words(found['environment'])}"
    for row in sorted(found["items"], key=lambda row: str(row["subject"]["name"])):
        subject = row["subject"]
        yield f"diagnosis of {kind} {subject['name']}, {when}: {_words(row)}"
        if kind == "datastore" and row["confidence"]:
            yield from _explained(ask(f"/datastores/{subject['id']}/diagnosis", window), f"{subject['name']}, {when}")


def _explained(diagnosis: Mapping[str, Any], where: str) -> Iterator[str]:
    """Its cause, and the codes of what it is based on."""
    if cause := diagnosis["cause"]:
        yield f"cause of {where}: {cause['kind']}, {cause['confidence']}, {cause['object'] and cause['object']['name']}"
    for name in ("reasons", "caveats"):
        if codes_ := [one["code"] for one in diagnosis["sentence"][name]]:
            yield f"{name} of {where}: {', '.join(codes_)}"


def _words(row: Mapping[str, Any]) -> str:
    return ", ".join(row[name] for name in ("state", "severity", "confidence", "layer", "other") if row.get(name))


def _found(ask: Ask) -> Iterator[str]:
    for row in sorted(ask("/findings", _ALL)["items"], key=lambda row: (row["rule"], row["id"])):
        about = f"{row['object']['kind']} {row['object']['name']}"
        yield f"finding {row['rule']} on {about}: {row['severity']}, {row['confidence']}, {row['state']}"


def differences(expected: Sequence[str], found: Sequence[str]) -> list[str]:
    """Lines that are gone with a -, lines that are new with a +, each group beside its former self."""
    return [
        line
        for line in difflib.unified_diff(expected, found, n=0, lineterm="")
        if line[:1] in "+-" and not line.startswith(("+++", "---"))
    ]
