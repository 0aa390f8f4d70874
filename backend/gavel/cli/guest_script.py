"""`gavel guest script linux|windows`: the script of a guest without an agent, with address and token filled in."""

import argparse
import socket
from urllib.parse import urlsplit

from gavel.admin.guest_scripts import GuestSystem, guest_script
from gavel.cli.running import running_listener
from gavel.config import Settings
from gavel.domain.errors import SettingsError

# Listen everywhere, or for this machine alone: no address that guests reach.
_NO_ADDRESS = ("0.0.0.0", "::", "127.0.0.1", "::1", "localhost")  # noqa: S104  # compared, not bound


def add_script_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("system", choices=list(GuestSystem), help="operating system of the guest")
    parser.add_argument("--token", required=True, help="as `gavel guest token add` printed it")
    parser.add_argument(
        "--address",
        metavar="URL",
        help="of the listener, as guests reach it (default: host of GAVEL_INGEST_HOST, GAVEL_PUBLIC_URL or this machine)",
    )


def run_script(arguments: argparse.Namespace, settings: Settings) -> int:
    try:
        text = guest_script(
            GuestSystem(arguments.system), arguments.address or listener_address(settings), arguments.token
        )
    except ValueError as error:
        raise SettingsError(str(error)) from error
    print(text, end="")
    return 0


def listener_address(settings: Settings) -> str:
    """As guests most likely reach it."""
    host = settings.ingest_host
    if host is None or host in _NO_ADDRESS:
        host = urlsplit(settings.public_url or "").hostname or socket.getfqdn()
    scheme = "http" if settings.ingest_certificate is None else "https"
    running = running_listener(settings)
    port = settings.ingest_port if running is None else urlsplit(running).port
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"
