"""List, make and end silences: times in which nothing is said of some alerts."""

import argparse
import getpass
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from gavel import clock
from gavel.alerting.use import mute
from gavel.cli.opened import opened
from gavel.config import Settings
from gavel.db.engine import Engine, reading, transaction
from gavel.db.queries import quiet
from gavel.domain.errors import SettingsError

_SPAN = re.compile(r"(\d{1,4})([mhd])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("list", help="active and upcoming silences")
    add = actions.add_parser("add", help="send no notifications of alerts whose labels match, for a while")
    add.add_argument(
        "matcher",
        nargs="+",
        help="LABEL=PATTERN or LABEL!=PATTERN with * and ?, such as datastore=prod-*; all have to hold",
    )
    add.add_argument("--for", dest="span", default="2h", help="how long: 30m, 2h, 1d (default 2h)")
    add.add_argument("--reason", required=True, help="reason, shown with the silence")
    add.add_argument("--by", default=None, help="who; the name of the account if left out")
    end = actions.add_parser("end", help="end a silence now")
    end.add_argument("id", type=int, help="as `list` shows it")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    action: Callable[[argparse.Namespace, Engine, datetime], int] = _ACTIONS[arguments.action]
    with opened(settings) as engine:
        return action(arguments, engine, clock.now())


def _list(_: argparse.Namespace, engine: Engine, now: datetime) -> int:
    with reading(engine) as connection:
        rows = quiet.silences(connection, ending_after=now)
    if not rows:
        print("Nothing is silenced.")
    for row in rows:
        matchers = " ".join(_written(one) for one in row.matchers)
        print(f"{row.id:>4}  until {row.until_at:%Y-%m-%d %H:%M} UTC  {matchers}  by {row.made_by}: {row.reason}")
    return 0


def _add(arguments: argparse.Namespace, engine: Engine, now: datetime) -> int:
    matchers = [_matcher(text) for text in arguments.matcher]
    until = now + _span(arguments.span)
    by = arguments.by or getpass.getuser()
    silence_id = mute.add_silence(engine, matchers, now, until, arguments.reason, by, now)
    print(f"Silence {silence_id} until {until:%Y-%m-%d %H:%M} UTC.")
    return 0


def _end(arguments: argparse.Namespace, engine: Engine, now: datetime) -> int:
    with transaction(engine) as connection:
        quiet.end_silence(connection, arguments.id, now)
    print(f"Silence {arguments.id} ended.")
    return 0


_ACTIONS: dict[str, Callable[[argparse.Namespace, Engine, datetime], int]] = {"list": _list, "add": _add, "end": _end}


def _matcher(text: str) -> dict[str, Any]:
    label, sign, pattern = text.partition("=")
    if not sign or not label.rstrip("!") or not pattern:
        raise SettingsError(f"{text!r} is no matcher; write LABEL=PATTERN, such as datastore=prod-*.")
    return {"label": label.removesuffix("!"), "pattern": pattern, "negated": label.endswith("!")}


def _written(matcher: Any) -> str:
    return f"{matcher['label']}{'!' if matcher['negated'] else ''}={matcher['pattern']}"


def _span(text: str) -> timedelta:
    found = _SPAN.fullmatch(text)
    if found is None:
        raise SettingsError(f"{text!r} is no length of time; write 30m, 2h or 1d.")
    return timedelta(**{_UNITS[found[2]]: int(found[1])})
