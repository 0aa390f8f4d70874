"""List, import, export and try the rules of alerts. Files are YAML; `-` is standard input or output."""

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from gavel import clock
from gavel.alerting.rules.model import RuleError
from gavel.alerting.use import rules
from gavel.alerting.use.preview import Preview, preview
from gavel.cli.opened import opened
from gavel.config import Settings
from gavel.db.engine import Engine, reading
from gavel.db.queries.alert_rules import RuleRow, open_counts, rule_rows
from gavel.domain.errors import SettingsError

_DAYS = 7


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("list", help="all rules and how many alerts of each are open")
    take = actions.add_parser("import", help="bring the rules to what a file says, by their keys, all or none")
    take.add_argument("file", help="YAML, - for standard input")
    take.add_argument("--replace", action="store_true", help="remove the rules that are not in the file")
    take.add_argument("--dry-run", action="store_true", help="only say what would change")
    export = actions.add_parser("export", help="all rules as YAML")
    export.add_argument("file", nargs="?", default="-", help="where to; - for standard output")
    tried = actions.add_parser("preview", help="when a rule would have fired over the last days")
    tried.add_argument("key", help="a rule's key")
    tried.add_argument("--days", type=int, default=_DAYS, choices=range(1, _DAYS + 1), metavar="DAYS")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    action: Callable[[argparse.Namespace, Engine], int] = _ACTIONS[arguments.action]
    with opened(settings) as engine:
        return action(arguments, engine)


def _list(_: argparse.Namespace, engine: Engine) -> int:
    with reading(engine) as connection:
        rows, counts = rule_rows(connection), open_counts(connection)
    if not rows:
        print("No rules yet. Default rules are added when Gavel first runs; or: gavel rule import FILE")
    for row in rows:
        print("\n".join(_listed(row, counts.get(row.id, 0))))
    return 0


def _listed(row: RuleRow, open_count: int) -> Iterator[str]:
    """Its line, and one more for its error."""
    problem = row.error
    try:
        rule = rules.rule_in(row)
        severity, subject, name = rule.severity.value, rule.scope.subject.value, rule.name
    except RuleError as error:
        severity, subject, name = "?", "?", "(cannot be read)"
        problem = problem or str(error)
    state = "on" if row.enabled else "off"
    open_ones = f"{open_count} open" if open_count else ""
    yield f"{row.key:<28} {state:<4} {severity:<9} {subject:<10} {open_ones:<8} {name}"
    if problem:
        since = f" since {row.error_at:%Y-%m-%d %H:%M} UTC" if row.error_at else ""
        yield f"    not evaluated{since}: {problem}"


def _import(arguments: argparse.Namespace, engine: Engine) -> int:
    found = rules.take_file(
        engine, _read(arguments.file), clock.now(), replace=arguments.replace, dry_run=arguments.dry_run
    )
    for words, keys in (("added", found.added), ("changed", found.changed), ("removed", found.removed)):
        for key in keys:
            print(f"{words:<8} {key}")
    would = "would be " if arguments.dry_run else ""
    moved = len(found.added) + len(found.changed) + len(found.removed)
    print(f"{moved} {would}changed, {len(found.unchanged)} as they were.")
    return 0


def _export(arguments: argparse.Namespace, engine: Engine) -> int:
    with reading(engine) as connection:
        text = rules.export(rule_rows(connection))
    if arguments.file == "-":
        sys.stdout.write(text)
        return 0
    try:
        Path(arguments.file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise SettingsError(f"{arguments.file}: the rules cannot be written there ({error.strerror}).") from error
    return 0


def _preview(arguments: argparse.Namespace, engine: Engine) -> int:
    with reading(engine) as connection:
        row = next((one for one in rule_rows(connection) if one.key == arguments.key), None)
        if row is None:
            raise SettingsError(f"There is no rule {arguments.key!r}. `gavel rule list` names them.")
        found = preview(connection, row.definition, arguments.days, clock.now())
    print("\n".join(_lines(found)))
    return 0


def _lines(preview: Preview) -> list[str]:
    lines = [
        f"{one.fired_at:%Y-%m-%d %H:%M} – {one.ended_at:%H:%M} UTC  {one.object_name}"
        if one.ended_at
        else f"{one.fired_at:%Y-%m-%d %H:%M} – open       {one.object_name}"
        for one in preview.firings
    ]
    rows = ", ".join(f"{one.resolution} rows from {one.from_at:%Y-%m-%d %H:%M}" for one in preview.spans)
    lines.append(f"It would have fired {preview.total} times over {preview.objects} objects ({rows or 'no rows'}).")
    return [*lines, preview.note] if preview.note else lines


def _read(file: str) -> str:
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file}: no rules can be read from it ({error}).") from error


_ACTIONS: dict[str, Callable[[argparse.Namespace, Engine], int]] = {
    "list": _list,
    "import": _import,
    "export": _export,
    "preview": _preview,
}
