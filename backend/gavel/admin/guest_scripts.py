"""The two scripts as files that Gavel hands out: for guests without an agent, with the listener's address and a token filled in."""

import re
from enum import StrEnum
from importlib import resources

# What stands in the files in their places, between single quotes.
ADDRESS_MARK = "@ADDRESS@"
TOKEN_MARK = "@TOKEN@"  # noqa: S105  # a place, no secret
_ADDRESS = re.compile(r"https?://(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?(?:/[A-Za-z0-9._/-]*)?")
_TOKEN = re.compile(r"[A-Za-z0-9_-]{1,200}")


class GuestSystem(StrEnum):
    """Operating system of a guest."""

    LINUX = "linux"
    WINDOWS = "windows"


FILE_NAMES = {GuestSystem.LINUX: "gavel-guest.sh", GuestSystem.WINDOWS: "gavel-guest.ps1"}


def script_template(system: GuestSystem) -> str:
    """With marks where address and token belong."""
    return resources.files("gavel.collectors.guests.script").joinpath(FILE_NAMES[system]).read_text("ascii")


def guest_script(system: GuestSystem, address: str, token: str) -> str:
    """Ready to run. address: of the listener, as https://gavel.example.com:8322. Raises ValueError for what is no address or token: both
    become text of a program."""
    if _ADDRESS.fullmatch(address) is None:
        raise ValueError(f"{address!r} is no address of a listener, as https://gavel.example.com:8322")
    if _TOKEN.fullmatch(token) is None:
        raise ValueError("This is no token of guests.")
    return script_template(system).replace(ADDRESS_MARK, address.rstrip("/")).replace(TOKEN_MARK, token)
