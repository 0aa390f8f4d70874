"""The schema: from nothing to now and back, alike in both modes, and safe under two callers."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError
from tests.db.conftest import Store

from gavel.db.engine import Role, open_engine, transaction
from gavel.db.errors import SchemaError
from gavel.db.migrate import check, configuration, migrate, require, scripts
from gavel.db.series import sql
from gavel.db.series.catalog import RAWS, ROLLS, Mode

VERSIONS = Path(scripts().dir) / "versions"
TABLES = (
    "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_name <> 'alembic_version'"
)


@pytest.fixture
def empty(empty_postgres_url: str) -> Iterator[Engine]:
    engine = open_engine(empty_postgres_url, Role.MIGRATIONS)
    yield engine
    engine.dispose()


def alembic(engine: Engine, name: str, revision: str) -> None:
    with transaction(engine) as connection:
        getattr(command, name)(configuration(connection), revision)


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


def test_every_migration_can_be_undone_and_done_again(empty: Engine) -> None:
    for script in reversed(list(scripts().walk_revisions())):
        for name, revision in (("upgrade", script.revision), ("downgrade", "-1"), ("upgrade", script.revision)):
            alembic(empty, name, revision)
    alembic(empty, "downgrade", "base")
    with transaction(empty) as connection:
        assert connection.scalars(text(TABLES)).all() == []


def test_the_tables_are_what_the_models_say(store: Store) -> None:
    """Raises when a model was changed without a migration."""
    with transaction(store.engine) as connection:
        command.check(configuration(connection))


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


DIRECTORIES = ("array_directory_sample", "array_directory_5m", "array_directory_1h")
LEDGER = ("ledger_leaf_1m", "ledger_1m", "ledger_5m", "ledger_1h")
MEASURED, ABORTS = ([f"{name}_{end}" for end in ("5m", "1h")] for name in ("ledger_measured", "vm_disk_aborts"))
GUESTS = ("guest_disk_sample",)
WIDE, CPU = ([f"{name}_{end}" for end in ("sample", "5m", "1h")] for name in ("array_wide", "host_cpu"))
LATER = (*DIRECTORIES, *LEDGER, *MEASURED, *ABORTS, *GUESTS, *WIDE, "array_port_sample", *CPU)
SCRIPTS = {
    "0004_series": [name for name in (*RAWS, *ROLLS) if name not in LATER],
    "0005_directories": DIRECTORIES,
    "0006_ledger": LEDGER,
    "0014_measured_minutes": MEASURED,
    "0025_aborts_of_virtual_disks": ABORTS,
    "0032_guests": GUESTS,
    "0040_array_wide": WIDE,
    "0043_array_ports": ("array_port_sample",),
    "0048_host_cpu": CPU,
}


# What a later migration calls otherwise.
RENAMED = {"quality_reasons": "grade_reasons"}
# What a later migration adds.
ADDED = (("vm_disk_sample", "aborts integer"),)


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("script", SCRIPTS)
def test_the_reviewed_sql_is_what_the_list_makes(mode: Mode, script: str) -> None:
    """When it is not, write a new migration with `python -m gavel.db.series.sql`, and add its names here."""
    reviewed = (VERSIONS / f"{script}.{mode}.sql").read_text()
    made = sql.as_script(sql.create(mode, SCRIPTS[script]))
    for new, old in RENAMED.items():
        made = made.replace(new, old)
    made = " ".join(made.split())
    for table, column in ADDED:
        made = made.replace(f", {column}, CONSTRAINT pk_{table} ", f", CONSTRAINT pk_{table} ")
    assert reviewed.split() == made.split()


def test_every_series_is_made_by_one_migration() -> None:
    assert sorted(name for names in SCRIPTS.values() for name in names) == sorted([*RAWS, *ROLLS])


def test_the_mode_is_that_of_the_server(store: Store) -> None:
    assert store.value("SELECT mode FROM storage_mode") == ("timescale" if store.timescale else "plain")
    if store.timescale:
        assert store.value(
            "SELECT count(*) FROM timescaledb_information.hypertables WHERE hypertable_schema = 'public'"
        ) == len(RAWS)
        assert store.value(
            "SELECT count(*) FROM timescaledb_information.continuous_aggregates WHERE materialized_only"
        ) == len(ROLLS)


def test_an_empty_database_and_a_missing_step_say_what_to_do(empty: Engine, empty_postgres_url: str) -> None:
    assert check(empty_postgres_url).problems == ("The database is empty. Run `gavel db migrate`.",)
    alembic(empty, "upgrade", "0002")
    newest = scripts().get_current_head()
    with pytest.raises(SchemaError, match=rf"at revision 0002, this Gavel needs {newest}. Run `gavel db migrate`"):
        require(empty_postgres_url)


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


def test_every_migration_can_be_undone_and_done_again_on_timescaledb(empty_timescale_url: str) -> None:
    engine = open_engine(empty_timescale_url, Role.MIGRATIONS, server_side_prepare=False)
    try:
        alembic(engine, "upgrade", "head")
        alembic(engine, "downgrade", "base")
        with transaction(engine) as connection:
            assert connection.scalars(text(TABLES)).all() == []
        alembic(engine, "upgrade", "head")
    finally:
        engine.dispose()


@pytest.mark.parametrize(
    ("former", "revision", "shipped", "own", "renamed"),
    [
        (
            "0011",
            "0012",
            {"san_over_usual": "SAN slower than usual"},
            {"array_twice_usual": "Arrays, mine", "other": "SAN slower than usual"},
            {"san_over_usual": "SAN slower than expected"},
        ),
        (
            "0012",
            "0013",
            {"kernel_queueing": "Kernel queueing"},
            {"other": "Kernel queueing"},
            {"kernel_queueing": "Time in the kernel"},
        ),
        ("0012", "0013", {}, {"kernel_queueing": "Kernel, mine"}, {}),
    ],
)
def test_rules_that_ship_get_their_new_names_and_names_that_somebody_gave_stay(
    empty: Engine,
    former: str,
    revision: str,
    shipped: dict[str, str],
    own: dict[str, str],
    renamed: dict[str, str],
) -> None:
    alembic(empty, "upgrade", former)
    insert = """
        INSERT INTO alert_rule (key, definition, enabled, created_at, changed_at)
        VALUES (:key, jsonb_build_object('name', CAST(:name AS text), 'for_min', 5), true, now(), now())
    """
    with transaction(empty) as connection:
        connection.execute(text(insert), [{"key": key, "name": name} for key, name in (shipped | own).items()])
    alembic(empty, "upgrade", revision)
    with transaction(empty) as connection:
        found = connection.execute(
            text("SELECT key, definition ->> 'name', definition ->> 'for_min' FROM alert_rule")
        ).all()
    assert {key: name for key, name, _ in found} == own | renamed
    assert {minutes for _, _, minutes in found} == {"5"}


def test_stored_rules_alerts_messages_and_settings_take_the_terms_of_the_glossary_and_back(empty: Engine) -> None:
    alembic(empty, "upgrade", "0021")
    condition = {"quantity": "impact", "part": None, "direction": "all", "at_least": 5, "recover_below": None}
    other = {**condition, "quantity": "excess", "part": "san"}
    rule = {"name": "Time in the kernel", "min_grade": "B", "when": [condition, other]}
    of_rule = """
        INSERT INTO alert_rule (key, definition, enabled, created_at, changed_at)
        VALUES ('kernel_queueing', :value, true, now(), now())
    """
    of_source = """
        INSERT INTO source (kind, name, address, settings, enabled, created_at)
        VALUES ('flasharray', 'array', 'a', :value, true, now())
    """
    of_message = """
        WITH c AS (INSERT INTO channel (kind, name, enabled, created_at) VALUES ('webhook', 'hook', true, now()) RETURNING id)
        INSERT INTO notification (event_id, channel_id, group_key, sequence, status, message, created_at, next_at)
        SELECT 'e', id, 'g', 1, 'firing', :value, now(), now() FROM c
    """
    message = {"sentence": "Kernel", "grade": "B"}
    statements = ((of_rule, rule), (of_source, {"expected_san_us": 90}), (of_message, message))
    with transaction(empty) as connection:
        for statement, value in statements:
            connection.execute(text(statement), {"value": json.dumps(value)})
    queries = ("SELECT definition FROM alert_rule", "SELECT settings FROM source", "SELECT message FROM notification")

    def stored() -> list[object]:
        with transaction(empty) as connection:
            return [connection.scalar(text(query)) for query in queries]

    before = stored()
    alembic(empty, "upgrade", "0022")
    assert stored() == [
        {
            "name": "Kernel latency",
            "min_quality": "B",
            "when": [{**condition, "quantity": "excess_outstanding"}, other],
        },
        {"baseline_san_us": 90},
        {"sentence": "Kernel", "quality": "B"},
    ]
    alembic(empty, "downgrade", "0021")
    assert stored() == before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("time", "latency"),
        ("times_usual", "baseline_ratio"),
        ("outstanding_at_depth", "queue_utilization"),
        ("source_silent", "sample_age"),
        ("clock_offset", "clock_skew"),
    ],
)
def test_quantities_of_stored_rules_and_alerts_take_the_terms_of_the_glossary_and_back(
    empty: Engine, old: str, new: str
) -> None:
    alembic(empty, "upgrade", "0022")
    renamed = {"quantity": old, "part": None, "direction": "all", "at_least": 5, "recover_below": None}
    other = {**renamed, "quantity": "share", "part": "kernel"}
    of_rule = """
        INSERT INTO alert_rule (key, definition, enabled, created_at, changed_at)
        VALUES ('source_silent', CAST(:rule AS jsonb), true, now(), now())
    """
    of_alert = """
        INSERT INTO alert (id, rule_key, rule_name, severity, subject, object_key, object_id, object_name, measure, runbook_url,
            state, sequence, since_at, started_at)
        VALUES (1, 'source_silent', 'Source stale', 'critical', 'source', 1, 1, 'array', CAST(:measure AS jsonb), '',
            'firing', 1, now(), now())
    """
    measure = {"quantity": old, "part": None, "direction": "all", "unit": "s"}
    rule = {"name": "time", "when": [other, renamed], "labels": {"quantity": old}}
    with transaction(empty) as connection:
        connection.execute(text(of_rule), {"rule": json.dumps(rule)})
        connection.execute(text(of_alert), {"measure": json.dumps(measure)})

    def stored() -> list[object]:
        with transaction(empty) as connection:
            return [
                connection.scalar(text(query))
                for query in ("SELECT definition FROM alert_rule", "SELECT measure FROM alert")
            ]

    before = stored()
    alembic(empty, "upgrade", "0024")
    assert stored() == [{**rule, "when": [other, {**renamed, "quantity": new}]}, {**measure, "quantity": new}]
    alembic(empty, "downgrade", "0022")
    assert stored() == before == [rule, measure]


def test_samples_of_virtual_disks_stay_when_aborted_commands_come_to_them_and_when_these_go(empty: Engine) -> None:
    alembic(empty, "upgrade", "0024")
    with transaction(empty) as connection:
        connection.execute(text("CREATE TABLE vm_disk_sample_all PARTITION OF vm_disk_sample DEFAULT"))
        connection.execute(
            text("INSERT INTO vm_disk_sample (ts, entity_id, interval_s, read_ops) VALUES (now(), 7, 20, 5)")
        )

    def stored(column: str) -> list[object]:
        with transaction(empty) as connection:
            return list(connection.execute(text(f"SELECT read_ops, {column} FROM vm_disk_sample")).one())

    alembic(empty, "upgrade", "0025")
    assert stored("aborts") == [5, None]
    alembic(empty, "downgrade", "0024")
    assert stored("write_ops") == [5, None]
    with pytest.raises(DBAPIError, match="aborts"):
        stored("aborts")


def test_an_array_keeps_its_versions_as_facts_and_a_hosts_port_health_comes_apart(empty: Engine) -> None:
    alembic(empty, "upgrade", "0025")
    of_source = """
        INSERT INTO source (id, kind, name, address, created_at) OVERRIDING SYSTEM VALUE
        VALUES (1, 'flasharray', 'array', '127.0.0.1', now())
    """
    of_array = """
        INSERT INTO storage_array (source_id, key, name, purity_version, rest_version, usec_includes_queue, file_addresses,
            first_seen_at, last_seen_at, present)
        VALUES (1, 'a', 'array', '6.6.10', '2.36', true, '{}', now(), now(), true)
    """
    of_host = """
        INSERT INTO array_host (source_id, key, name, is_local, wwns, iqns, nqns, preferred_arrays, port_health,
            first_seen_at, last_seen_at, present)
        VALUES (1, :name, :name, :local, '{}', '{}', '{}', '{}', :health, now(), now(), true)
    """
    hosts = [
        ("esx-1", True, "critical: No ports: 0 of 2"),
        ("array-b:esx-2", False, "unknown: Unknown."),
        ("esx-3", True, None),
    ]
    with transaction(empty) as connection:
        connection.execute(text(of_source))
        connection.execute(text(of_array))
        for name, local, health in hosts:
            connection.execute(text(of_host), {"name": name, "local": local, "health": health})
    alembic(empty, "upgrade", "0028")
    with transaction(empty) as connection:
        version, facts = connection.execute(text("SELECT version, facts FROM storage_array")).one()
        found = connection.execute(
            text("SELECT name, port_health, port_health_detail, managed_by FROM array_host ORDER BY id")
        ).all()
    assert (version, [(fact["label"], fact["value"]) for fact in facts]) == (
        "6.6.10",
        [("Purity", "6.6.10"), ("REST API", "2.36"), ("Reported latency", "includes queue time")],
    )
    assert [tuple(row) for row in found] == [
        ("esx-1", "critical", "No ports: 0 of 2", None),
        ("array-b:esx-2", "unknown", None, "array-b"),
        ("esx-3", None, None, None),
    ]
    alembic(empty, "downgrade", "0025")
    with transaction(empty) as connection:
        columns = "purity_version, rest_version, usec_includes_queue"
        back = connection.execute(text(f"SELECT {columns} FROM storage_array")).one()
        restored = connection.scalars(text("SELECT port_health FROM array_host ORDER BY id")).all()
    assert tuple(back) == ("6.6.10", "2.36", True)
    assert restored == ["critical: No ports: 0 of 2", "unknown", None]
