"""List findings, show one with its numbers and what to do first, accept one, and withdraw that. Nothing of what they advise is executed."""

import argparse
import getpass
import json
import textwrap
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import get_args

from gavel import clock
from gavel.api.convert_findings import finding_detail, finding_out
from gavel.api.schemas.findings import FindingDetail, FindingSeverityName, FindingStateName
from gavel.cli.opened import opened
from gavel.config import Settings
from gavel.correlate.finding_needs import unevaluated_rules
from gavel.db.engine import Engine, reading, transaction
from gavel.db.queries import findings as stored
from gavel.db.queries.findings import FindingQuery, FindingRow
from gavel.db.write import findings as written
from gavel.domain.errors import SettingsError
from gavel.findings.model import Advice
from gavel.findings.registry import RULES_BY_ID, rules_titled

_MOST = 1000
_WIDTH = 110


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listed = actions.add_parser("list", help="open and accepted findings, the worst first")
    listed.add_argument(
        "--state", action="append", choices=get_args(FindingStateName), help="default: open and accepted"
    )
    listed.add_argument("--severity", action="append", choices=get_args(FindingSeverityName))
    listed.add_argument("--rule", action="append", metavar="ID", help="such as paths-down")
    listed.add_argument("--search", default="", metavar="TEXT", help="a part of the title, the object or the rule")
    listed.add_argument(
        "--limit", type=int, default=100, metavar="N", help=f"at most so many, up to {_MOST} (default 100)"
    )
    shown = actions.add_parser("show", help="one finding: cause, numbers, what to do in order, history")
    accepted = actions.add_parser("accept", help="leave a finding as it is; it comes back when its evidence doubles")
    withdrawn = actions.add_parser("withdraw", help="open an accepted finding again")
    for parser_of_one in (shown, accepted, withdrawn):
        parser_of_one.add_argument("id", type=int, help="as `list` shows it")
    accepted.add_argument("--why", required=True, metavar="TEXT", help="reason, shown with the finding")
    accepted.add_argument(
        "--until", metavar="TIME", help="such as 2027-01-31 or 2027-01-31T08:00; UTC (default: no end)"
    )
    accepted.add_argument("--by", metavar="NAME", help="who; the name of the account if left out")
    for parser_of_data in (listed, shown):
        parser_of_data.add_argument("--json", action="store_true", help="for programs, as the API answers")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    action: Callable[[argparse.Namespace, Engine, datetime], int] = _ACTIONS[arguments.action]
    with opened(settings) as engine:
        return action(arguments, engine, clock.now())


def _list(arguments: argparse.Namespace, engine: Engine, now: datetime) -> int:
    unknown = sorted({*(arguments.rule or ())} - RULES_BY_ID.keys())
    if unknown:
        raise SettingsError(f"{', '.join(unknown)}: no such rule; there are {', '.join(RULES_BY_ID)}.")
    if not 1 <= arguments.limit <= _MOST:
        raise SettingsError(f"--limit: give 1 to {_MOST}.")
    wanted = FindingQuery(
        states=arguments.state or ("open", "accepted"),
        severities=arguments.severity or (),
        rules=arguments.rule or (),
        search=arguments.search.strip(),
        titled=rules_titled(arguments.search.strip()),
        limit=arguments.limit,
    )
    with reading(engine) as connection:
        found = stored.findings(connection, wanted)
        waiting = [] if arguments.json else unevaluated_rules(connection, now)
    if arguments.json:
        items = [finding_out(row).model_dump(mode="json") for row in found.items]
        at = None if found.evaluated_at is None else found.evaluated_at.isoformat()
        print(json.dumps({"items": items, "total": found.total, "evaluated_at": at}, indent=2, allow_nan=False))
        return 0
    print("\n".join(_table(found.items)) if found.items else _nothing(found.evaluated_at))
    if found.total > len(found.items):
        print(f"{found.total - len(found.items):,} more; narrow the list, or give --limit.")
    for one in (one for one in waiting if not wanted.rules or one.rule.id in wanted.rules):
        print(f"Not evaluated: {one.rule.title}{'' if one.object is None else f', {one.object.name}'}: {one.reason}.")
    return 0


def _nothing(evaluated_at: datetime | None) -> str:
    return "No findings." if evaluated_at else "No findings: rules have not been evaluated yet."


def _table(rows: Sequence[FindingRow]) -> Iterator[str]:
    yield f"{'ID':>6}  {'SEVERITY':<9} {'STATE':<9} {'SINCE (UTC)':<16}  FINDING"
    for row in rows:
        yield f"{row.id:>6}  {row.severity:<9} {row.state:<9} {_time(row.raised_at)}  {row.title}"


def _show(arguments: argparse.Namespace, engine: Engine, _: datetime) -> int:
    with reading(engine) as connection:
        row, history = stored.one_finding(connection, arguments.id), stored.finding_history(connection, arguments.id)
    detail = finding_detail(row, history)
    if arguments.json:
        print(json.dumps(detail.model_dump(mode="json"), indent=2, allow_nan=False))
    else:
        print("\n".join(_lines(detail)))
    return 0


def _lines(detail: FindingDetail) -> Iterator[str]:
    yield detail.title
    yield f"{detail.rule_title} · {detail.severity} · {detail.confidence} · {detail.state} · since {_time(detail.raised_at)} UTC"
    if detail.accepted is not None:
        until = "without end" if detail.accepted.until is None else f"until {_time(detail.accepted.until)} UTC"
        yield f"Accepted {until} by {detail.accepted.by}: {detail.accepted.why}"
    yield from ("", *_wrapped(detail.cause))
    if detail.affected_text:
        yield from _wrapped(detail.affected_text)
    yield from ("", "What to do")
    for number, advice in enumerate(detail.advice_list, 1):
        yield from _advice(number, advice)
    yield from ("", "Evidence")
    for one in detail.evidence:
        value = (
            "not measured" if one.value is None else f"{one.value:,.4g}" if isinstance(one.value, float) else one.value
        )
        yield f"  {'≈ ' if one.is_derived and one.value is not None else ''}{one.label}: {value} {one.unit}".rstrip()
    yield from ("", "History")
    for change in detail.history:
        by = f" by {change.by}" if change.by else ""
        note = f": {change.note}" if change.note else ""
        yield f"  {_time(change.at)} UTC  {change.after}{by}{note}"


def _advice(number: int, advice: Advice) -> Iterator[str]:
    yield from _wrapped(f"{number}. {advice.text}", indent="     ")
    if advice.why:
        yield from _wrapped(f"     {advice.why}", indent="     ")
    for command in advice.commands:
        on = "" if command.on is None else f" on {command.on.name}"
        yield f"     {command.where}{on}:"
        yield f"       {command.change}"
        if command.undo:
            yield f"       undo: {command.undo}"


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _accept(arguments: argparse.Namespace, engine: Engine, now: datetime) -> int:
    why, by = arguments.why.strip(), (arguments.by or getpass.getuser()).strip()
    if not why or not by:
        raise SettingsError("--why, --by: give a reason and a name.")
    until = None if arguments.until is None else _instant(arguments.until)
    with transaction(engine) as connection:
        written.accept(connection, arguments.id, by, why, until, now)
    print(f"Finding {arguments.id} accepted {'without end' if until is None else f'until {_time(until)} UTC'}.")
    return 0


def _withdraw(arguments: argparse.Namespace, engine: Engine, now: datetime) -> int:
    with transaction(engine) as connection:
        was_accepted = stored.one_finding(connection, arguments.id).state == "accepted"
        written.reopen(connection, arguments.id, now)
    print(f"Finding {arguments.id} is open again." if was_accepted else f"Finding {arguments.id} was not accepted.")
    return 0


_ACTIONS: dict[str, Callable[[argparse.Namespace, Engine, datetime], int]] = {
    "list": _list,
    "show": _show,
    "accept": _accept,
    "withdraw": _withdraw,
}


def _instant(written_at: str) -> datetime:
    try:
        at = datetime.fromisoformat(written_at)
    except ValueError:
        raise SettingsError(f"{written_at!r} is no time; write 2027-01-31 or 2027-01-31T08:00.") from None
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def _time(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M}"
