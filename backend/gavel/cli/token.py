"""List what opens Gavel, renew the admin token, or revoke every token and session. Works whether Gavel runs or not."""

import argparse
from collections.abc import Callable
from datetime import datetime

from gavel import clock
from gavel.admin import access
from gavel.cli.opened import opened
from gavel.config import Settings
from gavel.db.engine import Engine
from gavel.db.queries.tokens import Token, TokenKind

_WORDS = {TokenKind.SETUP: "setup token", TokenKind.ADMIN: "admin token", TokenKind.WALL: "wall token"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser(
        "list", help="tokens and sessions that are good, by when they were made; never the tokens themselves"
    )
    actions.add_parser("renew", help="print a new admin token; the old one and all admin sessions stop working")
    actions.add_parser(
        "revoke-all", help="end every token and session, wall screens included; sign in with a new setup token"
    )


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    action: Callable[[Engine, Settings, datetime], int] = _ACTIONS[arguments.action]
    with opened(settings) as engine:
        return action(engine, settings, clock.now())


def _list(engine: Engine, _: Settings, now: datetime) -> int:
    known = access.all_tokens(engine, now)
    for one in known:
        print(f"{_word(one):<14} made {one.created_at:%Y-%m-%d %H:%M} UTC  {_until(one)}".rstrip())
    if not known:
        print("Nothing opens this Gavel yet. Its first start makes a setup token.")
    return 0


def _renew(engine: Engine, _: Settings, now: datetime) -> int:
    print(access.renew_admin_token(engine, now))
    return 0


def _revoke_all(engine: Engine, settings: Settings, now: datetime) -> int:
    count = access.revoke_all(engine)
    access.ensure_setup_token(engine, settings.setup_token_file, now)
    print(f"Revoked {count} tokens and sessions. Sign in with the setup token from {settings.setup_token_file}.")
    return 0


def _word(token: Token) -> str:
    return "admin session" if token.is_session else _WORDS[token.kind]


def _until(token: Token) -> str:
    if token.expires_at is None:
        return ""
    used = f", last used {token.used_at:%H:%M}" if token.used_at else ""
    return f"until {token.expires_at:%Y-%m-%d %H:%M} UTC{used}"


_ACTIONS: dict[str, Callable[[Engine, Settings, datetime], int]] = {
    "list": _list,
    "renew": _renew,
    "revoke-all": _revoke_all,
}
