"""`gavel guest token …`, `list`, `tie`, `untie`: who may push, and what came."""

import argparse
import os
from pathlib import Path

from gavel import clock
from gavel.admin.guests import guest_token, is_revoked, make_guest_token, revoke
from gavel.cli.opened import opened
from gavel.config import Settings
from gavel.db.engine import Engine, reading, transaction
from gavel.db.errors import NameTakenError
from gavel.db.queries.guest_tokens import TokenUse, token_uses
from gavel.db.queries.guests import PushedDisk, guest_disks, virtual_disk_id
from gavel.db.write.guest_matches import tie_disk
from gavel.ingest.guest_matching import match_now


def add_token_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="verb", required=True, metavar="ACTION")
    add = actions.add_parser("add", help="print a new token, once")
    add.add_argument("name", help="what it is called in lists")
    add.add_argument(
        "--vm", action="append", default=[], metavar="HOST", help="the only host names it may write for; repeatable"
    )
    add.add_argument(
        "--file", type=Path, help="write it there, readable for its owner only; what is there stays while it is valid"
    )
    add.add_argument(
        "--unless-revoked", action="store_true", help="make none where the newest token of this name was revoked"
    )
    actions.add_parser("list", help="tokens with their last use, and lines that were not used, by reason")
    gone = actions.add_parser("revoke", help="take nothing any more that comes with this token")
    gone.add_argument("name")


def run_token(arguments: argparse.Namespace, settings: Settings) -> int:
    with opened(settings) as engine:
        if arguments.verb == "add" and arguments.unless_revoked and is_revoked(engine, arguments.name):
            print(f"{arguments.name} was revoked; `gavel guest token add` without --unless-revoked makes a new token.")
        elif arguments.verb == "add" and arguments.file:
            _add_to_file(engine, arguments)
        elif arguments.verb == "add":
            print(make_guest_token(engine, arguments.name, arguments.vm, clock.now()).text)
        elif arguments.verb == "revoke":
            revoke(engine, arguments.name, clock.now())
            print(f"Revoked {arguments.name}. What came with it stays.")
        else:
            print("\n".join(_tokens(engine)) or "No guest may push yet: `gavel guest token add NAME` makes a token.")
    return 0


def run_list(settings: Settings) -> int:
    with opened(settings) as engine, reading(engine) as connection:
        disks = guest_disks(connection, clock.now()).items
    print("\n".join(_disk_line(disk) for disk in disks) or "No guest has pushed anything yet.")
    return 0


def run_tie(settings: Settings, disk_id: int, vm: str, instance: str) -> int:
    with opened(settings) as engine, transaction(engine) as connection:
        tie_disk(connection, disk_id, virtual_disk_id(connection, vm, instance))
        match_now(connection, clock.now())
    print(f"Tied to {vm} {instance}.")
    return 0


def run_untie(settings: Settings, disk_id: int) -> int:
    with opened(settings) as engine, transaction(engine) as connection:
        tie_disk(connection, disk_id, None)
        match_now(connection, clock.now())
    print("Untied.")
    return 0


def _add_to_file(engine: Engine, arguments: argparse.Namespace) -> None:
    """A token of that name whose file is lost is of no use to anybody: it is replaced."""
    file: Path = arguments.file
    if file.exists() and guest_token(engine, file.read_text().strip()) is not None:
        print(f"{file} holds a valid token already.")
        return
    now = clock.now()
    try:
        made = make_guest_token(engine, arguments.name, arguments.vm, now)
    except NameTakenError:
        revoke(engine, arguments.name, now)
        made = make_guest_token(engine, arguments.name, arguments.vm, now)
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    fresh.touch(mode=0o600)
    fresh.write_text(made.text + "\n")
    fresh.replace(file)
    print(f"{file} holds a new token.")


def _tokens(engine: Engine) -> list[str]:
    with reading(engine) as connection:
        return [line for use in token_uses(connection) for line in _token_lines(use)]


def _token_lines(use: TokenUse) -> list[str]:
    token = use.token
    used = f"last used {token.used_at:%Y-%m-%d %H:%M:%S} UTC" if token.used_at else "not used yet"
    limit = "" if token.vm_names is None else f"  only {', '.join(token.vm_names)}"
    first = f"{token.name:<20} {used}  guests {use.guests}, disks {use.disks}{limit}"
    return [first, *(f"  not used: {one.lines} × {one.reason.replace('_', ' ')}; {one.detail}" for one in use.refused)]


def _disk_line(disk: PushedDisk) -> str:
    return (
        f"{disk.id:>6} {disk.host_name:<24} {disk.disk:<16} {disk.agent:<13} last {disk.lag_s:.0f} s ago"
        f"  intervals {disk.intervals}  {disk.match}"
    )
