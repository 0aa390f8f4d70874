"""Add, list, test, change and remove the arrays and vCenters that Gavel reads. Secrets are asked for, never given as arguments."""

import argparse
import getpass
import json
import shlex
import shutil
import sys
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from gavel import clock
from gavel.admin import sources
from gavel.admin.health import state, warnings
from gavel.admin.sources import SourceUpdate
from gavel.cli.opened import open_vault, opened
from gavel.config import Settings
from gavel.db.engine import Engine, reading
from gavel.db.queries.sources import source_by_name, source_health
from gavel.domain.errors import SettingsError
from gavel.domain.source import CheckState, Preflight, SourceKind

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
        epilog=_epilog(_at_hand()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add.add_argument("kind", choices=[str(kind) for kind in SourceKind])
    add.add_argument("address", help="host or host:port")
    add.add_argument("name", help="what Gavel calls it")
    _describe(add)
    add.add_argument("--disable", action="store_true", help="add it switched off")
    actions.add_parser("list", help="all sources, how they do, and what limits the trust in their numbers")
    test = actions.add_parser("test", help="look at everything that may be wrong with a source")
    test.add_argument("name", help="a source's name")
    _add_change(actions.add_parser(
        "change",
        help="try a source with other settings and change it",
        description="Tries the source as it would be, says what to do about what is wrong, and changes it. What is not given stays.",
        epilog=_epilog(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    ))  # fmt: skip
    remove = actions.add_parser("remove", help="remove a source and all that its pages show, for good")
    remove.add_argument("name", help="a source's name")


def _add_change(change: argparse.ArgumentParser) -> None:
    change.add_argument("name", help="a source's name")
    change.add_argument("--name", dest="new_name", metavar="NAME", help="what Gavel calls it from now on")
    change.add_argument("--address", help="host or host:port")
    _describe(change)
    change.add_argument("--secrets", action="store_true", help="ask for a new token or password")
    polled = change.add_mutually_exclusive_group()
    polled.add_argument("--enable", dest="enabled", action="store_true", default=None, help="poll it again")
    polled.add_argument(
        "--disable", dest="enabled", action="store_false", help="stop polling it; all that was read stays"
    )


def _epilog(*before: str) -> str:
    """What can be set by --set, for the width of a terminal."""
    told = [
        textwrap.fill(f"{kind.kind}: {', '.join(_settable(kind.kind))}", _width(), initial_indent="  ", subsequent_indent="    ")
        for kind in sources.kinds()
    ]  # fmt: skip
    return "\n".join([*before, "settings of --set:", *told, "", textwrap.fill(_SECRETS, _width())])


def _settable(kind: SourceKind) -> list[str]:
    return sorted(_fields(kind).keys() - sources.secret_names(kind))


def _fields(kind: SourceKind) -> dict[str, Any]:
    """The settings of a kind by name, each as in its JSON Schema."""
    schema: dict[str, Any] = next(one for one in sources.kinds() if one.kind is kind).settings.model_json_schema()
    fields: dict[str, Any] = schema["properties"]
    return fields


def _at_hand() -> str:
    """What each kind needs, as the page Sources says it."""
    told = [
        textwrap.fill(f"{kind.kind}: {kind.at_hand}", _width(), initial_indent="  ", subsequent_indent="    ")
        for kind in sources.kinds()
    ]
    return "\n".join(["prerequisites:", *told, ""])


def _width() -> int:
    return min(shutil.get_terminal_size().columns, _WIDEST) - 2


def _describe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--username", help="vCenter: the account, for example gavel@vsphere.local")
    trust = parser.add_mutually_exclusive_group()
    trust.add_argument(
        "--ca", type=Path, metavar="FILE", help="certificate authority (PEM) that signed its certificate"
    )
    trust.add_argument("--fingerprint", metavar="SHA256", help="accept exactly the certificate with this fingerprint")
    parser.add_argument("--poll-interval", type=int, metavar="SECONDS", help="seconds between two reads")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="any other setting, see below; empty: as shipped",
    )
    kept = parser.add_mutually_exclusive_group()
    kept.add_argument("--untested", action="store_true", help="save it without a test, or although the test fails")
    kept.add_argument("--dry-run", action="store_true", help="only test it")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """0 when it went well (for `test`: when no check failed), else 1."""
    action: Callable[[argparse.Namespace, Engine, Path], int] = _ACTIONS[arguments.action]
    with opened(settings) as engine:
        return action(arguments, engine, settings.key_file)


def _add(arguments: argparse.Namespace, engine: Engine, key_file: Path) -> int:
    vault = open_vault(engine, key_file)
    kind = SourceKind(arguments.kind)
    given = _without_none(_changes(arguments, kind)) | _asked(kind)
    if not _goes_on(arguments, lambda: sources.test_settings(engine, kind, given), "added"):
        return 1
    if not arguments.dry_run:
        enabled = not arguments.disable
        source_id = sources.register(engine, vault, kind=kind, name=arguments.name, settings=given, enabled=enabled)
        follows = "Its first numbers come within a minute if Gavel runs." if enabled else "It is switched off."
        print(f"{arguments.name} added as source {source_id}. {follows}")
    return 0


def _change(arguments: argparse.Namespace, engine: Engine, key_file: Path) -> int:
    """As the page does it: a secret stays, unless the place it was entered for changes."""
    vault = open_vault(engine, key_file)
    with reading(engine) as connection:
        row = source_by_name(connection, arguments.name)
    changes = _changes(arguments, row.kind)
    if not (changes or arguments.secrets or arguments.dry_run or arguments.new_name) and arguments.enabled is None:
        raise SettingsError("Nothing to change was given: see gavel source change --help.")
    is_tried = bool(changes) or arguments.secrets or arguments.dry_run
    settings = _without_none({**row.settings, **changes}) if is_tried else None
    if settings is not None:
        if arguments.secrets or sources.goes_elsewhere(row, settings, vault):
            settings |= _asked(row.kind)
        if not _goes_on(arguments, lambda: sources.test_changed(engine, vault, row.id, settings), "changed"):
            return 1
    if not arguments.dry_run:
        wanted = SourceUpdate(name=arguments.new_name, settings=settings, enabled=arguments.enabled)
        sources.change(engine, vault, row.id, wanted)
        print(f"{arguments.new_name or row.name} changed.")
    return 0


def _goes_on(arguments: argparse.Namespace, test: Callable[[], Preflight], done: str) -> bool:
    """Whether it passed its test, whose result is printed, or needs none."""
    if arguments.untested:
        return True
    found = test()
    print("\n".join(_check_lines(found, "the same command with")))
    if not found.passed:
        print(
            f"{arguments.name} was not {done}. Fix the failed checks, or use --untested to have it {done} anyway.",
            file=sys.stderr,
        )
    return found.passed


def _list(_: argparse.Namespace, engine: Engine, __: Path) -> int:
    with reading(engine) as connection:
        found = source_health(connection, clock.now())
    if not found:
        print("No sources yet. Add one: gavel source add flasharray ADDRESS NAME")
    for health in found:
        error = health.newest_run.error_message if health.newest_run and health.newest_run.error_kind else ""
        row = health.source
        print(f"{row.name:<24} {row.kind:<11} {row.address:<28} {state(health):<9} {error or ''}".rstrip())
        for warning in warnings(health):
            print(f"    {warning}")
    return 0


def _test(arguments: argparse.Namespace, engine: Engine, key_file: Path) -> int:
    vault = open_vault(engine, key_file)
    with reading(engine) as connection:
        row = source_by_name(connection, arguments.name)
    found = sources.test_stored(engine, vault, row.id)
    print("\n".join(_check_lines(found, f"gavel source change {shlex.quote(row.name)}")))
    return 0 if found.passed else 1


def _remove(arguments: argparse.Namespace, engine: Engine, _: Path) -> int:
    with reading(engine) as connection:
        row = source_by_name(connection, arguments.name)
    sources.remove(engine, row.id)
    print(f"{row.name} removed, with all that its pages showed.")
    return 0


_ACTIONS = {"add": _add, "list": _list, "test": _test, "change": _change, "remove": _remove}


def _changes(arguments: argparse.Namespace, kind: SourceKind) -> dict[str, Any]:
    """The settings that were given, without secrets; None: as shipped. One kind of trust takes the place of the other."""
    given = {
        "address": arguments.address,
        "username": arguments.username,
        "ca_pem": read_pem(arguments.ca),
        "fingerprint_sha256": arguments.fingerprint,
        "poll_interval_s": arguments.poll_interval,
    }
    changes: dict[str, Any] = _without_none(given)
    if "ca_pem" in changes:
        changes["fingerprint_sha256"] = None
    elif "fingerprint_sha256" in changes:
        changes["ca_pem"] = None
    return changes | dict(_assigned(text, kind) for text in arguments.set)


def _assigned(text: str, kind: SourceKind) -> tuple[str, Any]:
    """NAME=VALUE, the value as its setting's schema has it."""
    name, equals, value = text.partition("=")
    if name in sources.secret_names(kind):
        raise SettingsError(f"{name} is asked for, and never given as an argument.")
    if not equals or name not in _settable(kind):
        raise SettingsError(f"--set {text}: NAME=VALUE is needed, with a name of {', '.join(_settable(kind))}.")
    if value == "":
        return name, None
    field = _fields(kind)[name]
    types = {one.get("type") for one in (field, *field.get("anyOf", ()))}
    if "string" in types:
        return name, value
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value  # which the settings themselves refuse with a reason


def _without_none(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if value is not None}


def _asked(kind: SourceKind) -> dict[str, str]:
    return {name: ask_secret(name) for name in sorted(sources.secret_names(kind))}


def ask_secret(name: str) -> str:
    """From the keyboard without echo, else one line of standard input."""
    if sys.stdin.isatty():
        return getpass.getpass(f"{name.replace('_', ' ')}: ")
    line = sys.stdin.readline().rstrip("\n")
    if not line:
        raise SettingsError(
            f"{name.replace('_', ' ')} is missing: write it as a line to standard input, or use a terminal."
        )
    return line


def read_pem(file: Path | None) -> str | None:
    try:
        return file.read_text() if file else None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file}: no certificate can be read from it ({error}).") from error


def _check_lines(preflight: Preflight, pinning: str) -> list[str]:
    """pinning: the command that takes the fingerprint of a certificate that is not trusted yet."""
    lines = []
    for check in preflight.checks:
        lines.append(f"{_SIGNS[check.state]}  {check.name}: {check.detail}")
        if check.remedy:
            lines.append(f"         → {check.remedy}")
        if check.presented_sha256:
            lines.append(f"         → Once compared, pin it: {pinning} --fingerprint {check.presented_sha256}")
    return lines
