"""Which operating-system account a server runs under: PostgreSQL refuses to run as root."""

import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gavel.embedded.errors import StartError

DEFAULT_USER = "nobody"


@dataclass(frozen=True)
class ProcessAccount:
    """The account of a child process. `switch` is False when it is simply ours."""

    name: str
    uid: int
    gid: int
    switch: bool

    def popen_options(self) -> dict[str, Any]:
        """Arguments for subprocess.Popen that run the child under this account."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []} if self.switch else {}

    def can_reach(self, path: Path) -> bool:
        """Whether this account may pass every folder above `path`, going by owner and mode."""
        return not self.switch or all(_may(parent, self, stat.S_IXOTH) for parent in path.resolve().parents)

    def can_read(self, path: Path) -> bool:
        """Whether this account may read the file itself."""
        return not self.switch or _may(path, self, stat.S_IROTH)


def _may(path: Path, account: ProcessAccount, other_bit: int) -> bool:
    status = path.stat()
    if status.st_uid == account.uid:
        return bool(status.st_mode & (other_bit << 6))
    if status.st_gid == account.gid:
        return bool(status.st_mode & (other_bit << 3))
    return bool(status.st_mode & other_bit)


def server_account(existing: Path, wanted: str | None = None) -> ProcessAccount:
    """Return the account for a server whose data is (or will be) in `existing`.

    Normal users run it themselves. Root hands it to the data's present owner, else to `wanted` (GAVEL_PG_USER), else to
    ``nobody``; accounts are never created.
    """
    if os.geteuid() != 0:
        return _ourselves()
    if existing.exists() and existing.stat().st_uid != 0:
        return _by_uid(existing)
    return _by_name(wanted or DEFAULT_USER)


def _ourselves() -> ProcessAccount:
    uid = os.geteuid()
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:
        raise StartError(
            f"The current user id {uid} has no entry in the account database, and PostgreSQL insists on one. "
            "Run Gavel as a named user, or set GAVEL_DATABASE_URL to a PostgreSQL of your own."
        ) from None
    return ProcessAccount(name, uid, os.getegid(), switch=False)


def _by_uid(path: Path) -> ProcessAccount:
    uid = path.stat().st_uid
    try:
        entry = pwd.getpwuid(uid)
    except KeyError:
        raise StartError(
            f"{path} belongs to user id {uid}, which has no entry in the account database. "
            f"Give it to a named user: chown -R {DEFAULT_USER} {path}"
        ) from None
    return ProcessAccount(entry.pw_name, entry.pw_uid, entry.pw_gid, switch=True)


def _by_name(name: str) -> ProcessAccount:
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        raise StartError(
            f"PostgreSQL cannot run as root, and the user {name!r} to run it instead does not exist. "
            "Run Gavel as a normal user, or name an existing one in GAVEL_PG_USER."
        ) from None
    if entry.pw_uid == 0:
        raise StartError(
            f"GAVEL_PG_USER={name} is root itself, and PostgreSQL refuses to run as root. Name another user."
        )
    return ProcessAccount(entry.pw_name, entry.pw_uid, entry.pw_gid, switch=True)


def owner_name(path: Path) -> str:
    """Name (or number) of the owner of `path`, for messages."""
    uid = path.stat().st_uid
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
