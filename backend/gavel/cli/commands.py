"""Finds the sub-command, gives it its arguments and the settings, and turns expected failures into one line."""

import argparse
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast

from gavel import __version__
from gavel.cli import data_dir
from gavel.cli.data_dir import DataDirParser
from gavel.cli.terminal import EscapedOutput
from gavel.config import Settings, load_settings
from gavel.domain.errors import GavelError
from gavel.domain.text import escape_controls
from gavel.embedded.errors import StartError
from gavel.log import configure, hide_in_text

OK, FAILED, WRONG_USE = 0, 1, 2
# Ended by Ctrl-C, as shells count it.
INTERRUPTED = 130


class Command(Protocol):
    """What a command's module offers. Its docstring is the help text."""

    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None: ...

    @staticmethod
    def run(arguments: argparse.Namespace, settings: Settings) -> int: ...


@dataclass(frozen=True)
class Entry:
    """Where a command lives. Modules are loaded when called, so that `gavel up` does not carry what `gavel db` needs."""

    module: str
    summary: str
    uses_data_dir: bool = True


COMMANDS = {
    "up": Entry("gavel.cli.up", "start everything on this machine and print the address"),
    "status": Entry("gavel.cli.status", "what runs, where, and how far each source has been read"),
    "source": Entry("gavel.cli.source", "add, list, test and remove sources"),
    "rule": Entry("gavel.cli.rule", "list, import, export and try the rules of alerts"),
    "findings": Entry("gavel.cli.findings", "list and show findings, accept one, and withdraw that"),
    "channel": Entry("gavel.cli.channel", "list the channels of alerts and test one"),
    "silence": Entry("gavel.cli.silence", "list, make and end silences"),
    "whatif": Entry("gavel.cli.whatif", "what queue depths, limits and placement would do to an object's latency"),
    "label": Entry(
        "gavel.cli.label", "list custom attributes and tags, and choose which means an owner or an application"
    ),
    "token": Entry("gavel.cli.token", "list, renew and revoke the tokens and sessions that open Gavel"),
    "esxtop": Entry(
        "gavel.cli.esxtop", "read esxtop batch captures and show where the time of I/Os is", uses_data_dir=False
    ),
    "import": Entry("gavel.cli.imports", "import esxtop captures, list, tie and remove imports"),
    "export": Entry("gavel.cli.export", "write what an array answers into one file"),
    "offline": Entry("gavel.cli.offline", "environments made from files, without vCenter: add, list, remove"),
    "guest": Entry("gavel.cli.guest", "who may push disk counters of guests, what came, and how it is understood"),
    "register": Entry("gavel.cli.register", "register the sources listed in a JSON file"),
    "collect": Entry("gavel.cli.collect", "read every source once, now"),
    "db": Entry("gavel.cli.db", "migrate, check, export and import the database"),
    "lab": Entry("gavel.cli.lab", "run only the simulated arrays and vCenters"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Returns 0, 1 for a failure reported in one line, 2 for wrong usage."""
    given = list(sys.argv[1:] if argv is None else argv)
    top = _top_parser()
    name = top.parse_args(given[:1]).command
    entry = COMMANDS[name]
    command = cast("Command", import_module(entry.module))
    create_parser = DataDirParser if entry.uses_data_dir else argparse.ArgumentParser
    parser = create_parser(prog=f"gavel {name}", description=command.__doc__)
    command.add_arguments(parser)
    parser.set_defaults(data_dir=None)
    arguments = parser.parse_args(given[1:])
    try:
        settings = load_settings(**data_dir.chosen(arguments))
        configure(_for_people(settings))
        with redirect_stdout(EscapedOutput(sys.stdout)):
            return command.run(arguments, settings)
    except (GavelError, StartError) as error:
        sys.stderr.write(f"gavel {name}: {escape_controls(hide_in_text(str(error)))}\n")
        return FAILED
    except BrokenPipeError:  # the reader of our output has seen enough
        return OK
    except KeyboardInterrupt:
        return INTERRUPTED


def _for_people(settings: Settings) -> Settings:
    """A command's own words are its output; the log only adds what went wrong, unless it is asked for more."""
    return settings.model_copy(update={"log_level": "warning"}) if settings.log_level == "info" else settings


def _top_parser() -> argparse.ArgumentParser:
    width = max(map(len, COMMANDS))
    listing = "\n".join(f"  {name:<{width}}  {entry.summary}" for name, entry in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="gavel",
        usage="gavel COMMAND [options]",
        description="Puts storage-array and host latency on one clock and says where each millisecond goes.",
        epilog=f"commands:\n{listing}\n\n`gavel COMMAND --help` says more. Data: --data-dir DIR after the command, else\n"
        "GAVEL_DATA_DIR, else that of the last `gavel up`, else .data. Settings: GAVEL_PORT,\n"
        "GAVEL_DATABASE_URL and others.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"gavel {__version__}")
    parser.add_argument("command", choices=list(COMMANDS), metavar="COMMAND", help=argparse.SUPPRESS)
    return parser
