"""Exports and imports of the whole database: what is refused, carried over, and left when an import is cut short."""

from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url

from gavel.admin.sources import register
from gavel.cli import dump
from gavel.cli.commands import main
from gavel.db import databases, migrate
from gavel.db.engine import Role, open_engine, reading
from gavel.db.queries.sources import sources
from gavel.embedded import postgres
from gavel.vault import load_vault

HERE = "datname = current_database()"
PORTS = {"stored": 9440, "newer": 9441}
SETTINGS = {"api_token": "0f0e0d0c-aaaa-bbbb-cccc-123456789abc", "fingerprint_sha256": "ab" * 32}


class Cut(BaseException):
    """Stands for the end of the process."""


def connect(url: str, database: str | None = None, name: str = "") -> psycopg.Connection[tuple[object, ...]]:
    target = make_url(url)
    place = target.set(drivername="postgresql", database=database or target.database)
    return psycopg.connect(place.render_as_string(hide_password=False), autocommit=True, application_name=name)


def run(url: str, *statements: str) -> None:
    with connect(url) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def value(url: str, question: str) -> object:
    with connect(url) as connection:
        row = connection.execute(question.encode()).fetchone()
        return row[0] if row else None


def add_source(url: str, key_file: Path, name: str) -> None:
    engine = open_engine(url, Role.API)
    try:
        register(
            engine,
            load_vault(key_file),
            kind="flasharray",
            name=name,
            settings=SETTINGS | {"address": f"127.0.0.1:{PORTS[name]}"},
        )
    finally:
        engine.dispose()


def names(url: str) -> list[str]:
    engine = open_engine(url, Role.API)
    try:
        with reading(engine) as connection:
            return [source.name for source in sources(connection)]
    finally:
        engine.dispose()


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    return tmp_path / "data/secret.key"


@pytest.fixture
def gavel(
    postgres_server: postgres.DataDirectory,
    postgres_url: str,
    tmp_path: Path,
    key_file: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[str]:
    """An installation whose export holds the source `stored`. Its database was given the source `newer` since."""
    (tmp_path / "data").mkdir()
    monkeypatch.setenv("GAVEL_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("GAVEL_KEY_FILE", str(key_file))
    monkeypatch.setenv("GAVEL_DATABASE_URL", postgres_url)
    monkeypatch.setattr("gavel.cli.commands.configure", lambda _settings: None)
    add_source(postgres_url, key_file, "stored")
    assert main(["db", "export", str(tmp_path / "all.dump")]) == 0
    add_source(postgres_url, key_file, "newer")
    yield postgres_url
    for ending in ("_import", "_former"):
        postgres_server.drop_database(f"{make_url(postgres_url).database}{ending}")


@pytest.fixture
def replace(tmp_path: Path) -> Callable[[], int]:
    return lambda: main(["db", "import", "--replace", str(tmp_path / "all.dump")])


STEPS = [
    (databases, "create"),
    (databases, "describe"),
    (databases, "copy_settings"),
    (dump, "_restore"),
    (migrate, "migrate"),
    (databases, "grant"),
    (databases, "exchange"),
    (databases, "drop"),
]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(("module", "step"), STEPS, ids=[step for _, step in STEPS])
def test_replacement_that_is_cut_short_at_any_step_leaves_one_database_that_opens_and_can_be_repeated(
    gavel: str, replace: Callable[[], int], monkeypatch: pytest.MonkeyPatch, module: object, step: str, when: str
) -> None:
    real, is_dead = getattr(module, step), list[str]()

    def cut(*arguments: object, **options: object) -> object:
        result = real(*arguments, **options) if when == "after" and not is_dead else None
        is_dead.append(step)
        raise Cut(step, result)

    def dead(*_: object, **__: object) -> None:
        """A killed process cleans nothing up."""
        if is_dead:
            raise Cut
        real_drop(*_, **__)  # type: ignore[arg-type]

    real_drop = databases.drop
    with monkeypatch.context() as patched:
        if step != "drop":
            patched.setattr(databases, "drop", dead)
        patched.setattr(module, step, cut)
        with pytest.raises(Cut):
            replace()
    is_new = (step, when) in {("exchange", "after"), ("drop", "before"), ("drop", "after")}
    assert names(gavel) == (["stored"] if is_new else ["newer", "stored"])
    assert replace() == 0
    assert names(gavel) == ["stored"]
    engine = open_engine(gavel, Role.API)
    assert databases.beside(engine, f"{make_url(gavel).database}_") == []
    engine.dispose()


def test_check_names_what_an_import_that_was_killed_left(
    gavel: str, replace: Callable[[], int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def cut(*_: object, **__: object) -> None:
        raise Cut

    with monkeypatch.context() as patched:
        patched.setattr(dump, "_restore", cut)
        patched.setattr(databases, "drop", cut)
        with pytest.raises(Cut):
            replace()
    capsys.readouterr()
    assert main(["db", "check"]) == 0
    assert f"The database {make_url(gavel).database}_import was left by an import" in capsys.readouterr().out


@pytest.mark.parametrize("ending", ["_import", "_former"])
def test_database_that_no_import_made_is_never_dropped(
    gavel: str, replace: Callable[[], int], capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    """An earlier build could leave the only copy under the second name."""
    other = f"{make_url(gavel).database}{ending}"
    run(gavel, f'CREATE DATABASE "{other}"')
    run(make_url(gavel).set(database=other).render_as_string(hide_password=False), "CREATE TABLE only_copy (id int)")
    assert replace() == 1
    assert f"A database {other} exists" in capsys.readouterr().err
    assert value(gavel, f"SELECT 1 FROM pg_database WHERE datname = '{other}'") == 1
    assert names(gavel) == ["newer", "stored"]


def test_replacement_keeps_the_grants_settings_and_limits_of_the_database(
    gavel: str, replace: Callable[[], int]
) -> None:
    name = make_url(gavel).database
    run(
        gavel,
        f'CREATE ROLE "report {name}" LOGIN',
        f'GRANT CONNECT ON DATABASE "{name}" TO "report {name}"',
        f'REVOKE TEMPORARY ON DATABASE "{name}" FROM PUBLIC',
        f'GRANT SELECT ON vm, ledger_1m TO "report {name}"',
        f'GRANT SELECT (name) ON esxi_host TO "report {name}" WITH GRANT OPTION',
        f'ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO "report {name}"',
        f"ALTER DATABASE \"{name}\" SET search_path = 'public', 'a, b'",
        f'ALTER ROLE "report {name}" IN DATABASE "{name}" SET work_mem = \'7MB\'',
        f'ALTER DATABASE "{name}" CONNECTION LIMIT 90',
    )
    questions = (
        f"SELECT has_table_privilege('report {name}', 'vm', 'SELECT')",
        f"SELECT has_table_privilege('report {name}', 'ledger_1m', 'SELECT')",
        f"SELECT has_column_privilege('report {name}', 'esxi_host', 'name', 'SELECT WITH GRANT OPTION')",
        "SELECT has_database_privilege('public', current_database(), 'TEMPORARY')",
        f"SELECT array_agg(acl::text) FROM pg_default_acl, unnest(defaclacl) acl WHERE acl::text LIKE '%report {name}%'",
        f"SELECT array_agg(setconfig ORDER BY setrole) FROM pg_db_role_setting, pg_database d WHERE d.oid = setdatabase AND {HERE}",
        f"SELECT datconnlimit FROM pg_database WHERE {HERE}",
        f"SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE {HERE}",
    )
    before = [value(gavel, question) for question in questions]
    assert before[:3] == [True, True, True]
    try:
        assert replace() == 0
        assert names(gavel) == ["stored"]
        assert [value(gavel, question) for question in questions] == before
    finally:
        run(gavel, f'DROP OWNED BY "report {name}"', f'DROP ROLE "report {name}"')


def test_replacement_of_a_database_in_use_names_its_user_and_changes_nothing(
    gavel: str, replace: Callable[[], int], capsys: pytest.CaptureFixture[str]
) -> None:
    with connect(gavel, name="a report") as other:
        other.execute("SELECT 1")
        assert replace() == 1
    assert "is in use by a report" in capsys.readouterr().err
    assert names(gavel) == ["newer", "stored"]


def test_replacement_of_a_database_with_other_schemas_is_refused(
    gavel: str, replace: Callable[[], int], capsys: pytest.CaptureFixture[str]
) -> None:
    run(gavel, "CREATE SCHEMA reports", "CREATE TABLE reports.monthly (id int)")
    assert replace() == 1
    assert "holds other schemas too (reports)" in capsys.readouterr().err
    assert value(gavel, "SELECT count(*) FROM reports.monthly") == 0


def test_export_of_another_schema_is_imported_only_where_the_account_works_in_it(
    gavel: str,
    empty_postgres_url: str,
    key_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    own, target = (make_url(url).database for url in (gavel, empty_postgres_url))
    run(gavel, "ALTER SCHEMA public RENAME TO mine", f'ALTER DATABASE "{own}" SET search_path = mine')
    assert main(["db", "export", str(tmp_path / "mine.dump")]) == 0
    monkeypatch.setenv("GAVEL_DATABASE_URL", empty_postgres_url)
    capsys.readouterr()
    assert main(["db", "import", str(tmp_path / "mine.dump")]) == 1
    assert "The export holds the schema 'mine'" in capsys.readouterr().err
    assert value(empty_postgres_url, "SELECT to_regnamespace('mine') IS NULL")
    run(empty_postgres_url, f'ALTER DATABASE "{target}" SET search_path = mine')
    assert main(["db", "import", str(tmp_path / "mine.dump")]) == 0
    assert "Then applied" not in capsys.readouterr().out
    assert names(empty_postgres_url) == ["newer", "stored"]
    assert main(["db", "import", "--replace", str(tmp_path / "mine.dump")]) == 0
    assert names(empty_postgres_url) == ["newer", "stored"]
    assert main(["db", "import", "--replace", str(tmp_path / "all.dump")]) == 1
    assert names(empty_postgres_url) == ["newer", "stored"]


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_database_of_another_encoding_is_refused_before_anything_is_stored(
    gavel: str,
    postgres_server: postgres.DataDirectory,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    encoding: str,
) -> None:
    name = f"other_{encoding.lower()}"
    run(gavel, f"CREATE DATABASE {name} TEMPLATE template0 ENCODING '{encoding}' LOCALE_PROVIDER libc LOCALE 'C'")
    try:
        other = make_url(gavel).set(database=name).render_as_string(hide_password=False)
        monkeypatch.setenv("GAVEL_DATABASE_URL", other)
        for command in (["migrate"], ["import", str(tmp_path / "all.dump")], ["check"]):
            capsys.readouterr()
            assert main(["db", *command]) == 1
            assert f"has the encoding {encoding}, and Gavel needs UTF8" in capsys.readouterr().err
        assert value(other, "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace") == 0
    finally:
        postgres_server.drop_database(name)


def test_check_opens_every_secret_with_the_key(
    gavel: str, key_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["db", "check"]) == 0
    away = key_file.rename(tmp_path / "away.key")
    assert main(["db", "check"]) == 1
    assert f"The key file {key_file} is missing" in capsys.readouterr().out
    key_file.write_bytes(bytes(32))
    assert main(["db", "check"]) == 1
    assert "stored: The secrets of source/1 were encrypted with key" in capsys.readouterr().out
    key_file.unlink()
    away.rename(key_file)
    run(gavel, "UPDATE source SET secrets_encrypted = secrets_encrypted || '\\x00' WHERE name = 'newer'")
    assert main(["db", "check"]) == 1
    told = capsys.readouterr().out
    assert "newer: The secrets of source/2 cannot be decrypted" in told
    assert "stored:" not in told


def test_check_of_a_read_only_database_fails(gavel: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(gavel, f'ALTER DATABASE "{make_url(gavel).database}" SET default_transaction_read_only = on')
    assert main(["db", "check"]) == 1
    assert "The database is read-only" in capsys.readouterr().out


def test_export_that_cannot_be_written_is_one_line(
    gavel: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    for file in (Path("/proc/all.dump"), tmp_path / "all.dump/inside"):
        assert main(["db", "export", str(file)]) == 1
        (line,) = capsys.readouterr().err.splitlines()
        assert f"{file} cannot be written" in line


def test_password_in_a_query_of_the_address_is_in_no_argument(gavel: str) -> None:
    target = make_url("postgresql+psycopg://gavel@db.example/gavel?password=geheim&sslmode=require&sslpassword=auch")
    place, secret = dump._target_argument(target)
    assert place == "--dbname=postgresql://gavel@db.example/gavel?sslmode=require"
    assert secret == {"PGPASSWORD": "geheim", "PGSSLPASSWORD": "auch"}


@pytest.fixture
def older_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the way of PostgreSQL 16, which does not know a parameter that pg_restore sets."""
    monkeypatch.setattr(dump, "_KNOWS_TRANSACTION_TIMEOUT", 1_000_000)


@pytest.mark.usefixtures("older_server")
@pytest.mark.parametrize("left_out", [True, False])
def test_import_into_an_older_server_leaves_out_the_parameter_it_does_not_know(
    gavel: str, replace: Callable[[], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left_out: bool
) -> None:
    """The server of the tests knows the parameter, and refuses this value of it."""
    find, program = dump._find, tmp_path / "pg_restore"
    program.write_text(
        f"#!/bin/sh\n'{find('pg_restore')}' \"$@\" | sed 's/^SET transaction_timeout = 0;/SET transaction_timeout = no;/'\n"
    )
    program.chmod(0o755)
    monkeypatch.setattr(dump, "_find", lambda name: str(program) if name == "pg_restore" else find(name))
    if left_out:
        monkeypatch.setattr(dump, "_TRANSACTION_TIMEOUT", b"SET transaction_timeout = no;\n")
    assert replace() == (0 if left_out else 1)
    assert names(gavel) == (["stored"] if left_out else ["newer", "stored"])


@pytest.mark.usefixtures("older_server")
def test_export_that_ends_in_the_middle_stores_nothing_in_an_older_server(
    gavel: str,
    empty_postgres_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Half of the statements reach psql, and its input then ends."""
    program = tmp_path / "pg_restore"
    whole = dump._output("pg_restore", "--no-owner", "--no-privileges", "--file=-", str(tmp_path / "all.dump"))
    (tmp_path / "half.sql").write_text(whole[: len(whole) * 2 // 3])
    program.write_text(f"#!/bin/sh\ncat {tmp_path}/half.sql\necho 'pg_restore: error: could not read' >&2\nexit 1\n")
    program.chmod(0o755)
    find = dump._find
    monkeypatch.setattr(dump, "_find", lambda name: str(program) if name == "pg_restore" else find(name))
    monkeypatch.setattr(dump, "require_export", lambda _file: dump.ExportedSchema("0057", "public"))
    monkeypatch.setenv("GAVEL_DATABASE_URL", empty_postgres_url)
    capsys.readouterr()
    assert main(["db", "import", str(tmp_path / "all.dump")]) == 1
    assert "pg_restore failed and nothing was changed: pg_restore: error: could not read" in capsys.readouterr().err
    assert value(empty_postgres_url, "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace") == 0
