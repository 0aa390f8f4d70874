"""Add, list, test and remove the arrays and vCenters that Gavel reads. Secrets are asked for, never given as arguments."""

import argparse
import getpass
import shutil
import sys
import textwrap
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gavel.cli.running import database
from gavel.config import Settings
from gavel.db.engine import Engine, Role, open_engine, reading
from gavel.db.queries.sources import source_by_name, source_health
from gavel.domain.errors import SettingsError
from gavel.domain.source import CheckState, Preflight, SourceKind
from gavel.pipeline import sources
from gavel.pipeline.connections import secret_fields
from gavel.pipeline.health import state
from gavel.pipeline.secrets import Vault, load_vault

_WIDEST = 100
_SECRETS = "Token or password are asked for, or read as a line of standard input; never give them as arguments."
_SIGNS = {
    CheckState.OK: "ok     ",
    CheckState.WARNING: "warning",
    CheckState.FAILED: "FAILED ",
    CheckState.SKIPPED: "skipped",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    add = actions.add_parser(
        "add",
        help="try a source and add it",
        description="Tries everything that may be wrong with a source, says what to do about it, and adds it.",
        epilog=_at_hand(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _describe(add)
    add.add_argument("name", help="what Gavel calls it")
    add.add_argument("--untested", action="store_true", help="add it even if the test fails")
    actions.add_parser("list", help="all sources and how they do")
    test = actions.add_parser("test", help="look at everything that may be wrong with a source")
    test.add_argument("name", help="a source's name")
    remove = actions.add_parser("remove", help="remove a source; its stored samples leave with their retention")
    remove.add_argument("name", help="a source's name")


def _at_hand() -> str:
    """What each kind needs, as the page Sources says it, for the width of a terminal."""
    width = min(shutil.get_terminal_size().columns, _WIDEST) - 2
    told = [
        textwrap.fill(f"{kind.kind}: {kind.at_hand}", width, initial_indent="  ", subsequent_indent="    ")
        for kind in sources.kinds()
    ]
    return "\n".join(["have at hand:", *told, "", textwrap.fill(_SECRETS, width)])


def _describe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", choices=[str(kind) for kind in SourceKind])
    parser.add_argument("address", help="host or host:port")
    parser.add_argument("--username", help="vCenter: the account, for example gavel@vsphere.local")
    trust = parser.add_mutually_exclusive_group()
    trust.add_argument(
        "--ca", type=Path, metavar="FILE", help="certificate authority (PEM) that signed its certificate"
    )
    trust.add_argument("--fingerprint", metavar="SHA256", help="accept exactly the certificate with this fingerprint")
    parser.add_argument("--poll-interval", type=int, metavar="SECONDS", help="seconds between two reads")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """0 when it went well (for `test`: when no check failed), else 1."""
    action: Callable[[argparse.Namespace, Engine, Vault], int] = _ACTIONS[arguments.action]
    vault = load_vault(settings.key_file)
    with database(settings) as url:
        engine = open_engine(url, Role.API)
        try:
            return action(arguments, engine, vault)
        finally:
            engine.dispose()


def _add(arguments: argparse.Namespace, engine: Engine, vault: Vault) -> int:
    given = _settings(arguments)
    found = sources.test_settings(engine, arguments.kind, given)
    print("\n".join(_check_lines(found)))
    if not found.passed and not arguments.untested:
        print(f"{arguments.name} was not added. Mend what failed, or add it as it is with --untested.", file=sys.stderr)
        return 1
    source_id = sources.register(engine, vault, kind=arguments.kind, name=arguments.name, settings=given)
    print(f"{arguments.name} added as source {source_id}. Its first numbers come within a minute if Gavel runs.")
    return 0


def _list(_: argparse.Namespace, engine: Engine, __: Vault) -> int:
    with reading(engine) as connection:
        found = source_health(connection, datetime.now(UTC))
    if not found:
        print("No sources yet. Add one: gavel source add flasharray ADDRESS NAME")
    for health in found:
        error = health.newest_run.error_message if health.newest_run and health.newest_run.error_kind else ""
        row = health.source
        print(f"{row.name:<24} {row.kind:<11} {row.address:<28} {state(health):<9} {error or ''}".rstrip())
    return 0


def _test(arguments: argparse.Namespace, engine: Engine, vault: Vault) -> int:
    with reading(engine) as connection:
        row = source_by_name(connection, arguments.name)
    found = sources.test_stored(engine, vault, row.id)
    print("\n".join(_check_lines(found)))
    return 0 if found.passed else 1


def _remove(arguments: argparse.Namespace, engine: Engine, _: Vault) -> int:
    with reading(engine) as connection:
        row = source_by_name(connection, arguments.name)
    sources.remove(engine, row.id)
    print(f"{row.name} removed.")
    return 0


_ACTIONS = {"add": _add, "list": _list, "test": _test, "remove": _remove}


def _settings(arguments: argparse.Namespace) -> dict[str, Any]:
    given = {
        "address": arguments.address,
        "username": arguments.username,
        "ca_pem": _pem(arguments.ca),
        "fingerprint_sha256": arguments.fingerprint,
        "poll_interval_s": arguments.poll_interval,
    }
    secrets = {name: _ask(name) for name in sorted(secret_fields(SourceKind(arguments.kind)))}
    return {name: value for name, value in given.items() if value is not None} | secrets


def _ask(name: str) -> str:
    """From the keyboard without echo, else one line of standard input."""
    if sys.stdin.isatty():
        return getpass.getpass(f"{name.replace('_', ' ')}: ")
    line = sys.stdin.readline().rstrip("\n")
    if not line:
        raise SettingsError(
            f"{name.replace('_', ' ')} is missing: write it as a line to standard input, or use a terminal."
        )
    return line


def _pem(file: Path | None) -> str | None:
    try:
        return file.read_text() if file else None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file}: no certificate can be read from it ({error}).") from error


def _check_lines(found: Preflight) -> list[str]:
    lines = []
    for check in found.checks:
        lines.append(f"{_SIGNS[check.state]}  {check.name}: {check.detail}")
        if check.remedy:
            lines.append(f"         → {check.remedy}")
    return lines
