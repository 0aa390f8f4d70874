"""List the channels that alerts go to, and send one a test message. They are added on the pages, since each kind has a form of its own."""

import argparse
from collections.abc import Callable

from gavel import clock
from gavel.admin import channels
from gavel.cli.opened import open_vault, opened
from gavel.config import Settings
from gavel.db.engine import Engine, reading
from gavel.db.queries.channels import ChannelBacklog, channel_by_name, channel_rows, loads
from gavel.egress.policy import outside


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("list", help="all channels and how they do")
    test = actions.add_parser("test", help="send a test message")
    test.add_argument("name", help="a channel's name")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """0 when it went well (for `test`: when the receiver took the message), else 1."""
    action: Callable[[argparse.Namespace, Engine, Settings], int] = _ACTIONS[arguments.action]
    with opened(settings) as engine:
        return action(arguments, engine, settings)


def _list(_: argparse.Namespace, engine: Engine, __: Settings) -> int:
    with reading(engine) as connection:
        rows, known = channel_rows(connection), loads(connection)
    if not rows:
        print("No channels yet. Add one on the pages, under Channels.")
    for row in rows:
        load = known.get(row.id, ChannelBacklog())
        state = ("failing" if row.failures else "ok") if row.enabled else "off"
        waiting = f"{load.pending} waiting, {load.dead} dead" if load.pending or load.dead else ""
        print(f"{row.name:<24} {row.kind:<14} {state:<8} {waiting:<22} {row.off_reason or ''}".rstrip())
    return 0


def _test(arguments: argparse.Namespace, engine: Engine, settings: Settings) -> int:
    with reading(engine) as connection:
        row = channel_by_name(connection, arguments.name)
    reach = outside(settings.public_url, settings.alert_networks, plain_http=settings.alert_plain_http)
    tried = channels.try_stored(engine, open_vault(engine, settings.key_file), row.id, reach, clock.now())
    print(f"{tried.result}: {tried.detail}")
    return 0 if tried.result == "delivered" else 1


_ACTIONS: dict[str, Callable[[argparse.Namespace, Engine, Settings], int]] = {"list": _list, "test": _test}
