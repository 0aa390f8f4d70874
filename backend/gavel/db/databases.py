"""Databases beside Gavel's own, on the same server: made, described by a comment that everyone may read, listed and dropped."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, make_url, text
from sqlalchemy.exc import DBAPIError

from gavel.db.engine import reading
from gavel.db.errors import ConflictError, StorageError

# What PostgreSQL keeps of a name.
LONGEST_NAME = 63
_MAY_NOT = "42501"
_IN_USE = "55006"


@dataclass(frozen=True, slots=True)
class OtherDatabase:
    """comment: None where nothing was noted. number: changes when a database is made anew under the same name."""

    name: str
    number: int
    size_bytes: int
    comment: str | None


_LISTED = text("""
    SELECT datname, oid::bigint, CASE WHEN :sizes THEN pg_database_size(oid) ELSE 0 END, shobj_description(oid, 'pg_database')
    FROM pg_database WHERE starts_with(datname, :prefix) AND datallowconn ORDER BY datname
""")


def own_name(engine: Engine) -> str:
    return engine.url.database or ""


def beside(engine: Engine, prefix: str, *, with_sizes: bool = True) -> list[OtherDatabase]:
    """Databases whose names begin so, in order of their names. Sizes take a look at every file of a database; without, they are 0."""
    with reading(engine) as connection:
        rows = connection.execute(_LISTED, {"prefix": prefix, "sizes": with_sizes}).all()
    return [OtherDatabase(*row) for row in rows]


def url_of(engine: Engine, name: str) -> str:
    """The address of another database of the same server."""
    return make_url(engine.url).set(database=name).render_as_string(hide_password=False)


def create(engine: Engine, name: str) -> None:
    """An empty one, of UTF-8 text. Raises StorageError where the account may not."""
    with _outside_transactions(engine) as connection:
        try:
            connection.exec_driver_sql(
                f"CREATE DATABASE {_quoted(connection, name)} TEMPLATE template0 ENCODING 'UTF8'"
            )
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) != _MAY_NOT:
                raise
            raise StorageError(
                f"The database account {engine.url.username!r} may not create databases, and each offline environment is one of its own."
                f" Allow it: ALTER ROLE {_quoted(connection, engine.url.username or '')} CREATEDB."
            ) from error


def publish(engine: Engine, name: str, new_name: str, comment: str) -> None:
    """Describe a database and give it its final name, together: who lists databases sees both or none."""
    with engine.connect() as connection, connection.begin():
        described = connection.scalar(
            text("SELECT format('COMMENT ON DATABASE %I IS %L', CAST(:name AS text), CAST(:comment AS text))"),
            {"name": name, "comment": comment},
        )
        # Sent as it is: a percent sign in it is no parameter.
        connection.connection.cursor().execute(str(described).encode())
        connection.exec_driver_sql(
            f"ALTER DATABASE {_quoted(connection, name)} RENAME TO {_quoted(connection, new_name)}"
        )


def drop(engine: Engine, name: str, *, in_use: bool) -> None:
    """With everything in it; nothing where it is gone already. in_use: also while somebody is connected, else a ConflictError."""
    with _outside_transactions(engine) as connection:
        force = " WITH (FORCE)" if in_use else ""
        try:
            connection.exec_driver_sql(f"DROP DATABASE IF EXISTS {_quoted(connection, name)}{force}")
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) != _IN_USE:
                raise
            raise ConflictError(f"The database {name} is in use.") from error


@contextmanager
def _outside_transactions(engine: Engine) -> Iterator[Connection]:
    """Databases are made and dropped in no transaction, and may take longer than a statement of a role may."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("SET statement_timeout = 0")
        try:
            yield connection
        finally:
            connection.exec_driver_sql("RESET statement_timeout")


def _quoted(connection: Connection, name: str) -> str:
    return connection.dialect.identifier_preparer.quote_identifier(name)
