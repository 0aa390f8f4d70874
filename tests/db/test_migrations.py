"""The schema: from nothing to now, alike in both modes, and safe under two callers."""

import importlib
import pkgutil
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError
from tests.db.conftest import Store

from gavel.db import migrate as migrations
from gavel.db import schema
from gavel.db.engine import Role, open_engine, transaction
from gavel.db.errors import SchemaError
from gavel.db.migrate import check, configuration, migrate, require, scripts
from gavel.db.series import codes, packed, sql
from gavel.db.series.catalog import RAWS, ROLLS, Mode

VERSIONS = Path(scripts().dir) / "versions"
TABLES = (
    "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_name <> 'alembic_version'"
)
OF_MODELS = """
    SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition AND c.relname <> 'alembic_version'
        AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
"""


@pytest.fixture
def empty(empty_postgres_url: str) -> Iterator[Engine]:
    engine = open_engine(empty_postgres_url, Role.MIGRATIONS)
    yield engine
    engine.dispose()


def test_there_is_one_line_of_migrations() -> None:
    assert len(scripts().get_heads()) == 1


def test_migrating_twice_does_nothing_the_second_time(empty_postgres_url: str) -> None:
    assert migrate(empty_postgres_url) == sorted(script.revision for script in scripts().walk_revisions())
    assert migrate(empty_postgres_url) == []
    assert check(empty_postgres_url).ok
    assert require(empty_postgres_url) is Mode.PLAIN


def test_two_callers_at_once_migrate_once(empty_postgres_url: str) -> None:
    with ThreadPoolExecutor(2) as pool:
        applied = list(pool.map(migrate, [empty_postgres_url] * 2))
    assert sorted(map(len, applied)) == [0, len(list(scripts().walk_revisions()))]
    assert check(empty_postgres_url).ok


def test_the_tables_are_what_the_models_say(store: Store) -> None:
    """Raises when a model was changed without a migration."""
    for module in pkgutil.iter_modules(schema.__path__, f"{schema.__name__}."):
        importlib.import_module(module.name)
    with transaction(store.engine) as connection:
        command.check(configuration(connection))
        there = {str(name) for name in connection.scalars(text(OF_MODELS))}
    series = {*RAWS, *ROLLS, *map(packed.parent, packed.PACKED.values())}
    assert there - series == set(schema.metadata.tables)


@pytest.mark.parametrize("name", [*RAWS, *ROLLS])
def test_series_are_what_the_list_says(store: Store, name: str) -> None:
    """The same names, columns and types in both modes: so the same queries."""
    if name in RAWS:
        wanted = {column: sql_type.removesuffix(" NOT NULL") for column, sql_type in RAWS[name].columns.items()}
    else:
        wanted = {"entity_id": "integer", "bucket": "timestamptz"} | {p.name: p.sql_type for p in ROLLS[name].partials}
    query = "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = :name"
    found = {
        str(column): str(kind).replace("timestamp with time zone", "timestamptz")
        for column, kind in store.rows(query, name=name)
    }
    assert found == wanted


def statements(mode: Mode) -> set[str]:
    """What all SQL of migrations for this mode says, with white space alike."""
    scripts_of_mode = VERSIONS.glob(f"*.{mode}.sql")
    return {_plainly(part) for path in scripts_of_mode for part in path.read_text().split(";\n")}


def _plainly(statement: str) -> str:
    return " ".join(line.strip() for line in statement.splitlines() if line.strip() and not line.startswith("--"))


@pytest.mark.parametrize("mode", Mode)
def test_reviewed_sql_of_series_is_what_the_list_makes(mode: Mode) -> None:
    """When it is not, write a new migration with `python -m gavel.db.series.sql`, and name here what became of the former statement."""
    every = [*RAWS, *ROLLS]
    made = [*sql.create(mode, every), codes.create(), *sql.create_packed(every), *sql.stay_with_row(every)]
    if mode is Mode.TIMESCALE:
        made += sql.lay_out(every)
    reviewed = statements(mode)
    assert [statement for statement in made if _plainly(statement) not in reviewed] == []


def test_the_mode_is_that_of_the_server(store: Store) -> None:
    assert store.value("SELECT mode FROM storage_mode") == ("timescale" if store.timescale else "plain")
    if store.timescale:
        assert store.value(
            "SELECT count(*) FROM timescaledb_information.hypertables WHERE hypertable_schema = 'public'"
        ) == len(RAWS)
        assert store.value(
            "SELECT count(*) FROM timescaledb_information.continuous_aggregates WHERE materialized_only"
        ) == len(ROLLS)


@pytest.fixture
def next_migration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Adds a migration that executes a statement behind the newest one; returns its revision."""
    folder, before = tmp_path / "migrations", scripts().get_current_head()
    shutil.copytree(scripts().dir, folder, ignore=shutil.ignore_patterns("__pycache__"))
    after = f"{int(before or 0) + 1:04}"

    def add(statement: str) -> str:
        lines = (
            "from alembic import op",
            f"revision, down_revision = {after!r}, {before!r}",
            f"def upgrade(): op.execute({statement!r})",
        )
        (folder / "versions" / f"{after}_next.py").write_text("\n".join(lines))
        monkeypatch.setattr(migrations, "_folder", lambda: folder)
        return after

    return add


def test_empty_database_and_missing_migration_are_refused_with_the_command(
    empty_postgres_url: str, next_migration: Callable[[str], str]
) -> None:
    assert check(empty_postgres_url).problems == ("The database is empty. Run `gavel db migrate`.",)
    current = migrate(empty_postgres_url)[-1]
    newest = next_migration("ALTER TABLE volume ADD COLUMN owner text")
    with pytest.raises(SchemaError, match=rf"at revision {current}, this Gavel needs {newest}. Run `gavel db migrate`"):
        require(empty_postgres_url)


def test_next_migration_is_applied_alone_and_keeps_rows(
    plain: Store, postgres_url: str, next_migration: Callable[[str], str]
) -> None:
    source_id = plain.source(name="kept")
    newest = next_migration("ALTER TABLE source ADD COLUMN owner text")
    assert migrate(postgres_url) == [newest]
    assert plain.rows("SELECT id, name, owner FROM source") == [(source_id, "kept", None)]
    assert migrate(postgres_url) == []


def test_next_migration_that_fails_leaves_the_schema_as_it_was(
    plain: Store, postgres_url: str, next_migration: Callable[[str], str]
) -> None:
    before = plain.value("SELECT version_num FROM alembic_version")
    next_migration("ALTER TABLE nowhere ADD COLUMN owner text")
    with pytest.raises(SchemaError, match=r"Migration failed and was undone: .*nowhere"):
        migrate(postgres_url)
    assert plain.value("SELECT version_num FROM alembic_version") == before


@pytest.mark.parametrize("revision", ["0001", "0022", "0056"])
def test_schema_from_before_the_baseline_is_left_alone_and_names_the_build_to_pass_through(
    plain: Store, postgres_url: str, revision: str
) -> None:
    plain.run("UPDATE alembic_version SET version_num = :revision", revision=revision)
    told = (
        f"The schema is at revision {revision}; this build starts from revision 0057. Commit f9783051 is the last build that"
        " upgrades older ones. Check out f9783051, start it once with the same settings, stop it, then start this build again."
    )
    with pytest.raises(SchemaError) as refused:
        migrate(postgres_url)
    assert str(refused.value) == told
    assert check(postgres_url).problems == (told,)
    assert plain.value("SELECT version_num FROM alembic_version") == revision


def test_a_schema_of_a_newer_gavel_is_left_alone(plain: Store, postgres_url: str) -> None:
    plain.run("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(SchemaError, match="newer release of Gavel"):
        migrate(postgres_url)
    assert not check(postgres_url).ok


def test_a_schema_made_for_timescaledb_is_refused_on_a_server_without(plain: Store, postgres_url: str) -> None:
    plain.run("UPDATE storage_mode SET mode = 'timescale'")
    with pytest.raises(SchemaError, match="made for TimescaleDB, but this server does not offer it"):
        require(postgres_url)


def test_missing_partitions_are_a_warning_and_migrating_makes_them(plain: Store, postgres_url: str) -> None:
    for (partition,) in plain.rows(
        "SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = inhrelid WHERE relkind = 'r'"
    ):
        plain.run(f"DROP TABLE {partition}")
    report = check(postgres_url)
    assert report.ok
    assert "the maintenance job is not running" in report.warnings[0]
    migrate(postgres_url)
    assert check(postgres_url).warnings == ()


def test_a_failed_migration_leaves_nothing_behind(empty: Engine, empty_postgres_url: str) -> None:
    with transaction(empty) as connection:
        connection.execute(text("CREATE TABLE vm_disk_sample (in_the_way int)"))
    with pytest.raises(SchemaError, match=r"Migration failed and was undone: .*vm_disk_sample"):
        migrate(empty_postgres_url)
    with transaction(empty) as connection:
        assert connection.scalars(text(TABLES)).all() == ["vm_disk_sample"]


def test_one_row_says_the_mode(plain: Store) -> None:
    with pytest.raises(DBAPIError, match="storage_mode"):
        plain.run("INSERT INTO storage_mode (mode, decided_at) VALUES ('plain', now())")
