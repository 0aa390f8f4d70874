"""Databases beside Gavel's own, on the same server: make, describe, list, exchange and drop them.

A comment describes each. Everyone who may connect to the server can read it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, make_url, text
from sqlalchemy.exc import DBAPIError

from gavel.db.engine import autocommit, reading, transaction
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


def create(engine: Engine, name: str, *, purpose: str = "", like: str | None = None) -> None:
    """Make an empty database of UTF-8 text, with the locale of the database `like`.

    purpose: what needs it, for the error. Raises StorageError where the account may not create databases.
    """
    with _outside_transactions(engine) as connection:
        locale = connection.scalar(_LOCALE, {"name": like}) if like else None
        try:
            connection.exec_driver_sql(
                f"CREATE DATABASE {_quoted(connection, name)} TEMPLATE template0 ENCODING 'UTF8' {locale or ''}"
            )
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) != _MAY_NOT:
                raise
            raise StorageError(
                f"The database account {engine.url.username!r} may not create databases. {purpose}"
                f" Allow it: ALTER ROLE {_quoted(connection, engine.url.username or '')} CREATEDB."
            ) from error


def publish(engine: Engine, name: str, new_name: str, comment: str) -> None:
    """Describe a database and give it its final name, together: who lists databases sees both or none."""
    with transaction(engine) as connection:
        _describe(connection, name, comment)
        connection.exec_driver_sql(
            f"ALTER DATABASE {_quoted(connection, name)} RENAME TO {_quoted(connection, new_name)}"
        )


def describe(engine: Engine, name: str, comment: str) -> None:
    with transaction(engine) as connection:
        _describe(connection, name, comment)


def exchange(engine: Engine, name: str, fresh: str, *, former: str, comment: str) -> None:
    """Rename `name` to `former` with this comment, and `fresh` to `name`, both or neither.

    engine: connected to a third database. Raises ConflictError where one of them is in use.
    """
    with transaction(engine) as connection:
        quoted_name, quoted_fresh, quoted_former = (_quoted(connection, each) for each in (name, fresh, former))
        connection.execute(text("SET LOCAL statement_timeout = 0"))
        try:
            connection.exec_driver_sql(f"ALTER DATABASE {quoted_name} RENAME TO {quoted_former}")
            connection.exec_driver_sql(f"ALTER DATABASE {quoted_fresh} RENAME TO {quoted_name}")
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) != _IN_USE:
                raise
            raise ConflictError(f"The database {name} is in use. Stop every program that uses it.") from error
        _describe(connection, former, comment)
        connection.exec_driver_sql(f"COMMENT ON DATABASE {quoted_name} IS NULL")


def sessions(engine: Engine, name: str) -> list[str]:
    """Return a description of each other session on a database: its application and address."""
    with reading(engine) as connection:
        return list(connection.scalars(_SESSIONS, {"name": name}))


# Of the grants, settings and limit that were set on one database, the statements for another.
# A list of names (search_path) is set through set_config, which splits it as the server did.
_LOCALE = text("""
    SELECT format('LC_COLLATE %L LC_CTYPE %L', datcollate, datctype) || CASE datlocprovider
        WHEN 'i' THEN format(' LOCALE_PROVIDER icu ICU_LOCALE %L', rules.locale)
        WHEN 'b' THEN format(' LOCALE_PROVIDER builtin BUILTIN_LOCALE %L', rules.locale)
        ELSE ' LOCALE_PROVIDER libc' END
    FROM pg_database d, LATERAL (SELECT coalesce(to_jsonb(d) ->> 'datlocale', to_jsonb(d) ->> 'daticulocale') AS locale) rules
    WHERE datname = :name
""")
_SESSIONS = text("""
    SELECT coalesce(nullif(application_name, ''), 'unnamed program') || coalesce(' from ' || host(client_addr), '')
    FROM pg_stat_activity WHERE datname = :name AND pid <> pg_backend_pid() ORDER BY 1
""")
_ACCESS = text("""
    SELECT format('ALTER DATABASE %I CONNECTION LIMIT %s', CAST(:other AS text), datconnlimit) FROM pg_database
    WHERE datname = :name AND datconnlimit <> -1
    UNION ALL
    SELECT format('REVOKE ALL ON DATABASE %I FROM PUBLIC', CAST(:other AS text)) FROM pg_database
    WHERE datname = :name AND datacl IS NOT NULL
    UNION ALL
    SELECT format('GRANT %s ON DATABASE %I TO %s%s', a.privilege_type, CAST(:other AS text),
        CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END,
        CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
    FROM pg_database d, LATERAL aclexplode(d.datacl) a WHERE d.datname = :name AND a.grantee <> d.datdba
""")
_SETTINGS = text("""
    SELECT split_part(each, '=', 1), substr(each, strpos(each, '=') + 1),
        CASE s.setrole WHEN 0 THEN format('ALTER DATABASE %I', CAST(:other AS text))
        ELSE format('ALTER ROLE %I IN DATABASE %I', pg_get_userbyid(s.setrole), CAST(:other AS text)) END
    FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase, unnest(s.setconfig) each
    WHERE d.datname = :name
""")
_GRANTS = text("""
    WITH own AS (SELECT oid, nspname, nspowner, nspacl FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'),
    granted AS (
        SELECT format('SCHEMA %I', nspname) AS object, nspowner AS owner, '' AS columns, a.* FROM own, LATERAL aclexplode(nspacl) a
        UNION ALL
        SELECT format(CASE c.relkind WHEN 'S' THEN 'SEQUENCE %I.%I' ELSE 'TABLE %I.%I' END, nspname, relname), relowner, '', a.*
        FROM pg_class c JOIN own ON own.oid = c.relnamespace, LATERAL aclexplode(c.relacl) a WHERE NOT c.relispartition
        UNION ALL
        SELECT format('TABLE %I.%I', nspname, relname), relowner, format(' (%I)', attname), a.*
        FROM pg_attribute t JOIN pg_class c ON c.oid = t.attrelid JOIN own ON own.oid = c.relnamespace, LATERAL aclexplode(t.attacl) a
        WHERE NOT c.relispartition
    )
    SELECT format('GRANT %s%s ON %s TO %s%s', privilege_type, columns, object,
        CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END,
        CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
    FROM granted WHERE grantee <> owner
    UNION ALL
    SELECT format('ALTER DEFAULT PRIVILEGES FOR ROLE %I%s GRANT %s ON %s TO %s%s', pg_get_userbyid(defaclrole),
        CASE defaclnamespace WHEN 0 THEN '' ELSE format(' IN SCHEMA %I', nspname) END, a.privilege_type,
        CASE defaclobjtype WHEN 'r' THEN 'TABLES' WHEN 'S' THEN 'SEQUENCES' WHEN 'f' THEN 'FUNCTIONS' WHEN 'T' THEN 'TYPES'
            ELSE 'SCHEMAS' END,
        CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END,
        CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
    FROM pg_default_acl LEFT JOIN own ON own.oid = defaclnamespace, LATERAL aclexplode(defaclacl) a
    WHERE a.grantee <> defaclrole
""")


def copy_settings(engine: Engine, name: str, other: str) -> list[str]:
    """Give another database the connection limit, grants and settings of `name`. Returns the statements that were refused."""
    with reading(engine) as connection:
        access = list(connection.scalars(_ACCESS, {"name": name, "other": other}))
        chosen = connection.execute(_SETTINGS, {"name": name, "other": other}).all()
    refused = _run_each(engine, access)
    for key, value, subject in chosen:
        try:
            with transaction(engine) as connection:
                parameter = ".".join(_quoted(connection, part) for part in key.split("."))
                connection.execute(text("SELECT set_config(:key, :value, true)"), {"key": key, "value": value})
                connection.exec_driver_sql(f"{subject} SET {parameter} FROM CURRENT")
        except DBAPIError:
            refused.append(f"{subject} SET {key} = {value}")
    return refused


def grants(engine: Engine) -> list[str]:
    """Return the statements that repeat all grants on schemas, tables, columns and sequences to others than their owners."""
    with reading(engine) as connection:
        return list(connection.scalars(_GRANTS))


def grant(engine: Engine, statements: Sequence[str]) -> list[str]:
    """Run each by itself. Returns the refused ones."""
    return _run_each(engine, statements)


def _run_each(engine: Engine, statements: Sequence[str]) -> list[str]:
    refused = []
    for statement in statements:
        try:
            with transaction(engine) as connection:
                connection.exec_driver_sql(statement.replace("%", "%%"))
        except DBAPIError:
            refused.append(statement)
    return refused


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
    with autocommit(engine) as connection:
        # Never lent out again, so that no other work runs without a limit.
        connection.detach()
        connection.exec_driver_sql("SET statement_timeout = 0")
        yield connection


def _describe(connection: Connection, name: str, comment: str) -> None:
    described = connection.scalar(
        text("SELECT format('COMMENT ON DATABASE %I IS %L', CAST(:name AS text), CAST(:comment AS text))"),
        {"name": name, "comment": comment},
    )
    # Sent as it is: a percent sign in it would be taken for a parameter.
    connection.connection.cursor().execute(str(described).encode())


def _quoted(connection: Connection, name: str) -> str:
    return connection.dialect.identifier_preparer.quote_identifier(name)
