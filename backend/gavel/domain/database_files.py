"""Which disk of a guest holds a file of a database, as far as the letter of its drive says. Pure."""

import re
from collections.abc import Iterable

from gavel.domain.guests import GuestDiskKind

_LETTER = re.compile(r"([A-Za-z]):[\\/]")


def drive_of(path: str | None) -> str | None:
    """`D:` of `D:\\data\\orders.mdf`; None where the path begins with no letter. A volume may be mounted below it: nothing says so."""
    found = _LETTER.match(path or "")
    return None if found is None else f"{found[1].upper()}:"


def disk_of_drive(drive: str | None, disks: Iterable[tuple[int, GuestDiskKind, str, str | None]]) -> int | None:
    """The id of the whole disk that has the drive, else that of the drive itself; None where none or several say so.

    disks: id, kind, name and letters of each disk of the same VM.
    """
    if drive is None:
        return None
    every = list(disks)
    whole = {
        number for number, kind, _, drives in every if kind is GuestDiskKind.DISK and drive in (drives or "").split()
    }
    alone = {number for number, kind, name, _ in every if kind is GuestDiskKind.LOGICAL and name == drive}
    found = whole or alone
    return found.pop() if len(found) == 1 else None
