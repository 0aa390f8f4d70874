"""Start the database, the broker, the lab, the workers, the scheduler and the API on this machine.

Ctrl-C stops everything. Data stays in the data directory (GAVEL_DATA_DIR, default: that of
the last start, else .data), and a second start continues. Other commands then find that folder by themselves.
"""

import argparse
import asyncio
import os
import shlex
from typing import Any

from gavel import __version__
from gavel.admin.first_admin import needs_admin
from gavel.cli import data_dir
from gavel.cli.running import published_address, setup_link
from gavel.config import Settings, load_settings
from gavel.domain.errors import SettingsError
from gavel.embedded.account import server_account
from gavel.supervise.checks import ensure_data_dir, ensure_port_free
from gavel.supervise.forks import Forks
from gavel.supervise.listening import with_listener
from gavel.supervise.lock import InstanceLock
from gavel.supervise.output import Terminal
from gavel.supervise.stack import stack
from gavel.supervise.supervisor import Supervisor


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", help="address to listen on (GAVEL_HOST, default 127.0.0.1)")
    parser.add_argument("--port", type=int, help="port of the pages and the API (GAVEL_PORT, default 8321)")
    parser.add_argument("--no-lab", action="store_true", help="without the simulated sources (GAVEL_LAB=0)")
    parser.add_argument("-v", "--verbose", action="store_true", help="show every line the processes print")


def run(arguments: argparse.Namespace, _settings: Settings) -> int:
    terminal = Terminal(verbose=arguments.verbose)
    chosen = load_settings(**data_dir.chosen(arguments), **_options(arguments))
    data_dir.require_remembered(arguments, chosen)
    ensure_data_dir(chosen.data_dir)
    lock = InstanceLock(chosen.data_dir)
    try:
        _ensure_admin_beyond_loopback(chosen)
        ensure_port_free(chosen.host, chosen.port, "GAVEL_PORT", "PORT")
        if chosen.lab:
            ensure_port_free("127.0.0.1", chosen.lab_port, "GAVEL_LAB_PORT", "LAB_PORT")
        chosen = with_listener(chosen)
        _introduce(chosen, terminal)
        forks = Forks() if Forks.are_possible() else None
        supervisor = Supervisor(stack(chosen, forks), chosen.data_dir, lock.fileno(), terminal, forks)
        with published_address(chosen):
            asyncio.run(supervisor.run(lambda seconds: announce(chosen, terminal, seconds)))
    finally:
        lock.release()
    return 0


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the command line says, which goes over the environment."""
    given = {"host": arguments.host, "port": arguments.port}
    return {name: value for name, value in given.items() if value is not None} | (
        {"lab": False} if arguments.no_lab else {}
    )


def _ensure_admin_beyond_loopback(settings: Settings) -> None:
    """Before anything starts, from files alone: the setup token exists until its first use."""
    is_new = settings.embedded_postgres and not settings.postgres_dir.exists()
    if not settings.is_loopback and (is_new or settings.setup_token_file.exists()):
        raise SettingsError(needs_admin(settings.host, settings.setup_token_file))


def _introduce(settings: Settings, terminal: Terminal) -> None:
    terminal.say(f"Gavel {__version__}. Data in {settings.data_dir}, logs in {settings.data_dir / 'logs'}.")
    if os.geteuid() == 0 and settings.embedded_postgres:
        name = server_account(settings.postgres_dir, settings.pg_user).name
        terminal.say(f"Running as root: PostgreSQL runs as {name!r}. A normal user for all of it is better.")


def announce(settings: Settings, terminal: Terminal, seconds: float) -> None:
    """Print the address, and note the data directory for later commands: only a start that came up replaces the note."""
    try:
        data_dir.remember(settings.data_dir)
    except OSError as error:
        folder = shlex.quote(str(settings.data_dir))
        terminal.say(
            f"The data directory cannot be remembered ({error}). Other commands need --data-dir {folder} or GAVEL_DATA_DIR."
        )
    terminal.say(f"\nUp after {seconds:.1f} s. Open\n\n    {setup_link(settings)}\n\nCtrl-C stops everything.\n")
