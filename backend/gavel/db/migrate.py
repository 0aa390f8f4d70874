"""Bring the schema up to date, and say whether it is."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

import gavel
from gavel import clock
from gavel.db.engine import Role, open_engine, transaction
from gavel.db.errors import SchemaError, StorageError
from gavel.db.series import maintenance, modes, retention
from gavel.db.series.catalog import Mode
from gavel.db.series.retention import RetentionChange
from gavel.domain.retention import Grain

# The first revision that this build holds, and the last build that brings older stores and exports to it.
BASELINE = "0057"
LAST_BUILD_BEFORE = "f9783051"
# Any fixed number, so that two processes that migrate the same database meet on it.
_LOCK = 0x6761_7665_6C
_TOO_OLD = 160000
_SCHEMA = "The schema is at"
_PASS_THROUGH = (
    f"Check out {LAST_BUILD_BEFORE}, start it once with the same settings, stop it, then start this build again."
)


@dataclass(frozen=True, slots=True)
class SchemaReport:
    """What `check` found: the revision there and the one this program needs, and the storage mode.

    problems: why Gavel cannot run on this database. warnings: what needs attention while it runs.
    """

    current: str | None
    wanted: str
    mode: Mode | None
    problems: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.problems


def migrate(url: str, *, server_side_prepare: bool = True) -> list[str]:
    """Apply every missing migration, oldest first, all or none; returns the revisions applied ([] when up to date).

    Safe when several processes call it at once: the later ones wait and find nothing to do. On plain PostgreSQL the partitions of the
    coming hours are made too, so that the store can be written to at once.
    """
    with _engine(url, server_side_prepare=server_side_prepare) as engine:
        try:
            applied = _upgrade(engine)
        except DBAPIError as error:
            raise SchemaError(f"Migration failed and was undone: {str(error.orig).strip()}") from error
        maintenance.ensure_partitions(engine, clock.now())
        return applied


def set_retention(
    url: str, chosen: Mapping[Grain, timedelta], *, server_side_prepare: bool = True
) -> list[RetentionChange]:
    """Keep rows as long as the operator wants from now on; [] when they are kept so already. Raises SettingsError for what cannot be.

    For a schema that is current; safe when several processes call it at once.
    """
    with _engine(url, server_side_prepare=server_side_prepare) as engine, transaction(engine) as connection:
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        return retention.change(connection, chosen)


def check(url: str, *, server_side_prepare: bool = True) -> SchemaReport:
    """Is the schema current, is the storage mode still the one it was made for, are partitions for the coming hours there?"""
    wanted = scripts().get_current_head() or ""
    with _engine(url, server_side_prepare=server_side_prepare) as engine, transaction(engine) as connection:
        current = _current(connection)
        if current != wanted:
            return SchemaReport(current, wanted, None, (_not_current(current, wanted),))
        problem, warning = modes.mismatch(connection), _partitions(connection)
        problems, warnings = ((said,) if said else () for said in (problem, warning))
        return SchemaReport(current, wanted, modes.stored(connection), problems, warnings)


def require(url: str, *, server_side_prepare: bool = True) -> Mode:
    """The storage mode, when the schema fits; else SchemaError with what to do. For programs that start."""
    report = check(url, server_side_prepare=server_side_prepare)
    if not report.ok or report.mode is None:
        raise SchemaError(" ".join(report.problems))
    return report.mode


@contextmanager
def _engine(url: str, *, server_side_prepare: bool) -> Iterator[Engine]:
    engine = open_engine(url, Role.MIGRATIONS, server_side_prepare=server_side_prepare)
    try:
        yield engine
    finally:
        engine.dispose()


def scripts() -> ScriptDirectory:
    return ScriptDirectory.from_config(_config())


def refuse_unknown(revision: str, subject: str, remedy: str) -> None:
    """Raise SchemaError for a revision that this build cannot bring up to date. `remedy`: how to pass through the last build before."""
    if revision not in _revisions():
        raise SchemaError(_unknown(revision, subject, remedy))


def _revisions() -> list[str]:
    """Newest first."""
    return [script.revision for script in scripts().walk_revisions()]


def _upgrade(engine: Engine) -> list[str]:
    with transaction(engine) as connection:
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        _require_server(connection)
        before = _current(connection)
        if before is not None:
            refuse_unknown(before, _SCHEMA, _PASS_THROUGH)
        command.upgrade(configuration(connection), "head")
        return _between(before)


def _between(before: str | None) -> list[str]:
    newest_first = _revisions()
    done = newest_first.index(before) if before in newest_first else len(newest_first)
    return newest_first[:done][::-1]


def configuration(connection: Connection) -> Config:
    """For Alembic's own commands, on a connection whose transaction the caller ends."""
    config = _config()
    config.attributes["connection"] = connection
    config.attributes["now"] = clock.now()
    return config


def _config() -> Config:
    config = Config()
    # Alembic reads `%` as the start of a reference to another option.
    config.set_main_option("script_location", str(_folder()).replace("%", "%%"))
    return config


def _folder() -> Path:
    """In an installed package the migrations lie beside the code, in a working tree beside `backend`."""
    package = Path(gavel.__file__).parent
    candidates: Sequence[Path] = (package / "migrations", package.parent.parent / "migrations")
    for folder in candidates:
        if (folder / "env.py").is_file():
            return folder
    raise SchemaError(
        f"The migrations are missing: neither {candidates[0]} nor {candidates[1]} holds env.py. Install Gavel again."
    )


def _current(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def require_server(engine: Engine) -> None:
    """Raise StorageError where Gavel cannot run on this server or in this database: too old, or not UTF-8."""
    with transaction(engine) as connection:
        _require_server(connection)


def _require_server(connection: Connection) -> None:
    version = connection.scalar(text("SELECT current_setting('server_version_num')::int"))
    if version is None or version < _TOO_OLD:
        raise StorageError(
            f"PostgreSQL {version} is too old: Gavel needs 16 or newer (server_version_num ≥ {_TOO_OLD})."
        )
    encoding = connection.scalar(text("SELECT current_setting('server_encoding')"))
    if encoding != "UTF8":
        raise StorageError(
            f"The database has the encoding {encoding}, and Gavel needs UTF8. Create another one:"
            " CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8'."
        )


def _not_current(current: str | None, wanted: str) -> str:
    if current is None:
        return "The database is empty. Run `gavel db migrate`."
    if current in _revisions():
        return f"The schema is at revision {current}, this Gavel needs {wanted}. Run `gavel db migrate`."
    return _unknown(current, _SCHEMA, _PASS_THROUGH)


def _unknown(revision: str, subject: str, remedy: str) -> str:
    if revision < BASELINE:
        return (
            f"{subject} revision {revision}; this build starts from revision {BASELINE}. Commit {LAST_BUILD_BEFORE} is the last"
            f" build that upgrades older ones. {remedy}"
        )
    return f"{subject} revision {revision} of a newer release of Gavel. Upgrade Gavel, or restore a backup."


def _partitions(connection: Connection) -> str | None:
    missing = maintenance.missing_partitions(connection, clock.now())
    if not missing:
        return None
    which = f"{missing[0].name} and {len(missing) - 1} more"
    return f"Partitions of the coming hours are missing ({which}): the maintenance job is not running."
