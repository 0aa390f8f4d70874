"""`gavel db` and `gavel register` on the embedded database of an installation that is not running."""

import json
import re
from pathlib import Path

import pytest
from sqlalchemy import text

from gavel.cli.commands import main
from gavel.db.engine import Role, open_engine, reading, transaction
from gavel.db.queries.sources import change_source, source_by_name, sources
from gavel.embedded import postgres
from gavel.ingest.connections import stored_secrets
from gavel.supervise.lock import InstanceLock
from gavel.vault import load_vault

ARRAY: dict[str, object] = {
    "kind": "flasharray",
    "name": "array-1",
    "address": "127.0.0.1:9440",
    "settings": {"api_token": "0f0e0d0c-aaaa-bbbb-cccc-123456789abc", "tls_sha256": "ab" * 32},
}


@pytest.fixture
def gavel(postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The environment of an installation on a database of its own; that database's URL."""
    monkeypatch.setenv("GAVEL_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("GAVEL_DATABASE_URL", postgres_url)
    monkeypatch.setattr("gavel.cli.commands.configure", lambda _settings: None)  # the tests keep their own log
    (tmp_path / "data").mkdir()
    return postgres_url


def listed(url: str) -> list[tuple[str, str]]:
    engine = open_engine(url, Role.API)
    try:
        with reading(engine) as connection:
            return [(source.name, source.address) for source in sources(connection)]
    finally:
        engine.dispose()


def write_sources(tmp_path: Path, *entries: dict[str, object]) -> str:
    file = tmp_path / "sources.json"
    file.write_text(json.dumps(entries))
    return str(file)


def test_registered_sources_are_there_once_and_follow_the_file(gavel: str, tmp_path: Path) -> None:
    assert main(["register", write_sources(tmp_path, ARRAY)]) == 0
    moved = ARRAY | {"address": "127.0.0.1:9555"}
    assert main(["register", write_sources(tmp_path, moved)]) == 0
    assert listed(gavel) == [("array-1", "127.0.0.1:9555")]


def test_what_is_away_is_disabled_with_a_word_and_enabled_again_when_it_is_back(
    gavel: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = ARRAY | {"name": "array-2", "address": "127.0.0.1:9441"}
    unwanted = ARRAY | {"name": "array-3", "address": "127.0.0.1:9442"}
    file = write_sources(tmp_path, ARRAY, other, unwanted)
    assert main(["register", file]) == 0
    switch(gavel, "array-3", enabled=False)
    own = write_sources(tmp_path / "data", ARRAY | {"name": "my array", "address": "192.0.2.7"})
    assert main(["register", own]) == 0
    capsys.readouterr()
    for _ in range(2):  # and again at the next start without them
        assert main(["register", file, "--away"]) == 0
        assert "array-1, array-2." in capsys.readouterr().out
        assert enabled(gavel) == {"my array"}
    assert main(["register", file]) == 0
    assert enabled(gavel) == {"array-1", "array-2", "my array"}


def test_a_source_that_was_taken_over_for_something_else_does_not_go_away(gavel: str, tmp_path: Path) -> None:
    file = write_sources(tmp_path, ARRAY)
    assert main(["register", file]) == 0
    switch(gavel, "array-1", address="192.0.2.8")
    assert main(["register", file, "--away"]) == 0
    assert enabled(gavel) == {"array-1"}


def test_a_registered_source_that_was_renamed_stays_the_same_source(gavel: str, tmp_path: Path) -> None:
    other = ARRAY | {"name": "array-2", "address": "127.0.0.1:9441"}
    file = write_sources(tmp_path, ARRAY, other)
    assert main(["register", file]) == 0
    switch(gavel, "array-1", name="gold")
    switch(gavel, "array-2", name="array-1")
    for first, second in ((9440, 9441), (9441, 9442)):  # the second time, each on the port of the next
        moved = [each | {"address": f"127.0.0.1:{port}"} for each, port in ((ARRAY, first), (other, second))]
        assert main(["register", write_sources(tmp_path, *moved)]) == 0
        assert listed(gavel) == [("array-1", f"127.0.0.1:{second}"), ("gold", f"127.0.0.1:{first}")]
    assert main(["register", file, "--away"]) == 0
    assert enabled(gavel) == set()
    assert main(["register", file]) == 0
    assert enabled(gavel) == {"array-1", "gold"}


def test_a_source_that_was_renamed_is_known_without_the_memory_of_names(gavel: str, tmp_path: Path) -> None:
    """An earlier build stored none, and a lab whose folder was removed has no memory at all."""
    file = write_sources(tmp_path, ARRAY)
    memory = tmp_path / "sources.registered"
    assert main(["register", file]) == 0
    switch(gavel, "array-1", name="gold")
    [known] = json.loads(memory.read_text())
    memory.write_text(json.dumps([{name: known[name] for name in ("id", "address", "away")}]))
    assert main(["register", file]) == 0
    memory.unlink()
    assert main(["register", file]) == 0
    assert listed(gavel) == [("gold", "127.0.0.1:9440")]


def test_registering_takes_no_source_of_somebody_elses_for_its_name(gavel: str, tmp_path: Path) -> None:
    own = write_sources(tmp_path / "data", ARRAY | {"address": "192.0.2.7"})
    assert main(["register", own]) == 0
    for _ in range(2):
        assert main(["register", write_sources(tmp_path, ARRAY)]) == 0
        assert listed(gavel) == [("array-1", "192.0.2.7"), ("array-1 (2)", "127.0.0.1:9440")]


def test_a_source_that_was_led_through_a_tunnel_of_this_machine_is_left_alone(gavel: str, tmp_path: Path) -> None:
    file = write_sources(tmp_path, ARRAY)
    assert main(["register", file]) == 0
    switch(gavel, "array-1", address="127.0.0.1:18443")
    for _ in range(2):
        assert main(["register", file]) == 0
        assert listed(gavel) == [("array-1", "127.0.0.1:18443"), ("array-1 (2)", "127.0.0.1:9440")]


def switch(url: str, name: str, /, **changes: object) -> None:
    engine = open_engine(url, Role.API)
    try:
        with transaction(engine) as connection:
            change_source(connection, source_by_name(connection, name).id, **changes)
    finally:
        engine.dispose()


def enabled(url: str) -> set[str]:
    engine = open_engine(url, Role.API)
    try:
        with reading(engine) as connection:
            return {source.name for source in sources(connection, enabled_only=True)}
    finally:
        engine.dispose()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("{", "no list of sources"),
        ("{}", "a list is needed"),
        ('[{"kind": "flasharray"}]', "lacks address, name, settings"),
    ],
)
def test_a_file_that_is_no_list_of_sources_is_told(
    gavel: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, told: str
) -> None:
    (tmp_path / "broken.json").write_text(content)
    assert main(["register", str(tmp_path / "broken.json")]) == 1
    assert told in capsys.readouterr().err
    assert listed(gavel) == []


def test_an_export_is_imported_into_an_empty_database_whole(
    gavel: str, postgres_server: postgres.DataDirectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["register", write_sources(tmp_path, ARRAY)]) == 0
    assert main(["db", "export", str(tmp_path / "all.dump")]) == 0
    assert (tmp_path / "all.dump").stat().st_mode & 0o077 == 0
    other = postgres_server.create_database("imported")
    try:
        monkeypatch.setenv("GAVEL_DATABASE_URL", other)
        assert main(["db", "import", str(tmp_path / "all.dump")]) == 0
        assert listed(other) == [("array-1", "127.0.0.1:9440")]
        assert main(["db", "check"]) == 0
        assert main(["db", "migrate"]) == 0
    finally:
        postgres_server.drop_database("imported")


def test_an_import_over_data_is_refused_unless_it_is_to_be_replaced(
    gavel: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["db", "export", str(tmp_path / "empty.dump")]) == 0
    assert main(["register", write_sources(tmp_path, ARRAY)]) == 0
    assert main(["db", "import", str(tmp_path / "empty.dump")]) == 1
    assert "not empty" in capsys.readouterr().err
    assert listed(gavel) == [("array-1", "127.0.0.1:9440")]
    assert main(["db", "import", "--replace", str(tmp_path / "empty.dump")]) == 0
    assert listed(gavel) == []


def test_a_file_that_is_no_export_changes_nothing(
    gavel: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["register", write_sources(tmp_path, ARRAY)]) == 0
    (tmp_path / "holiday.jpg").write_bytes(b"\xff\xd8\xff")
    assert main(["db", "import", "--replace", str(tmp_path / "holiday.jpg")]) == 1
    assert "pg_restore failed and nothing was changed" in capsys.readouterr().err
    assert listed(gavel) == [("array-1", "127.0.0.1:9440")]


def test_an_import_of_a_newer_release_s_export_is_refused_and_what_is_there_stays(
    gavel: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    newer = tmp_path / "newer.dump"
    assert main(["db", "migrate"]) == 0
    current = _revision(gavel, "9999")
    assert main(["db", "export", str(newer)]) == 0
    _revision(gavel, current)
    assert main(["register", write_sources(tmp_path, ARRAY)]) == 0
    assert main(["db", "import", "--replace", str(newer)]) == 1
    assert "revision 9999 of a newer release of Gavel" in capsys.readouterr().err
    assert listed(gavel) == [("array-1", "127.0.0.1:9440")]


def test_import_of_an_export_from_before_the_baseline_names_the_build_to_pass_through_and_restores_nothing(
    gavel: str,
    empty_postgres_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    older, reason = tmp_path / "older.dump", "The export holds revision 0042; this build starts from revision 0057."
    remedy = "Import it with f9783051 into a new data directory, export it again there, and import that file here."
    current = _revision(gavel, "0042")
    assert main(["db", "export", str(older)]) == 0
    _revision(gavel, current)
    assert main(["register", write_sources(tmp_path, ARRAY)]) == 0
    capsys.readouterr()
    assert main(["db", "import", "--replace", str(older)]) == 1
    error = capsys.readouterr().err
    assert reason in error
    assert remedy in error
    assert listed(gavel) == [("array-1", "127.0.0.1:9440")]
    monkeypatch.setenv("GAVEL_DATABASE_URL", empty_postgres_url)
    assert main(["db", "import", str(older)]) == 1
    assert reason in capsys.readouterr().err
    assert main(["db", "check"]) == 1
    assert "The database is empty." in capsys.readouterr().out


def test_commands_on_a_database_from_before_the_baseline_name_the_build_to_pass_through(
    gavel: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _revision(gavel, "0056")
    for command in ("check", "migrate"):
        assert main(["db", command]) == 1
        shown = capsys.readouterr()
        assert "Check out f9783051, start it once with the same settings" in shown.out + shown.err


def _revision(url: str, revision: str) -> str:
    """Note another revision of the schema; returns the one before."""
    engine = open_engine(url, Role.MIGRATIONS)
    with transaction(engine) as connection:
        before = str(connection.scalar(text("SELECT version_num FROM alembic_version")))
        connection.execute(text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision})
    engine.dispose()
    return before


def test_an_export_to_a_folder_that_is_not_there_leaves_nothing(
    gavel: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["db", "export", str(tmp_path / "missing/all.dump")]) == 1
    assert "cannot be written: No such file or directory" in capsys.readouterr().err


def test_an_import_under_a_running_gavel_is_refused(
    gavel: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = InstanceLock(tmp_path / "data")
    try:
        assert main(["db", "import", str(tmp_path / "any.dump")]) == 1
    finally:
        lock.release()
    assert "Gavel is running on" in capsys.readouterr().err


def test_export_and_import_say_that_the_key_file_is_not_inside_and_where_it_is(
    gavel: str,
    postgres_server: postgres.DataDirectory,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    key_file = tmp_path / "keys" / "secret.key"
    monkeypatch.setenv("GAVEL_KEY_FILE", str(key_file))
    assert main(["db", "export", str(tmp_path / "all.dump")]) == 0
    told = capsys.readouterr().out
    assert f"The key file that opens them is not: it is {key_file}." in told
    other = postgres_server.create_database("imported_without_key")
    try:
        monkeypatch.setenv("GAVEL_DATABASE_URL", other)
        assert main(["db", "import", str(tmp_path / "all.dump")]) == 0
        assert f"{key_file} is NOT there" in capsys.readouterr().out
    finally:
        postgres_server.drop_database("imported_without_key")


def test_a_lost_key_is_said_and_never_replaced_silently(
    gavel: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What would otherwise start as if nothing were wrong, and fail source by source."""
    file, key_file = tmp_path / "sources.json", tmp_path / "data" / "secret.key"
    file.write_text(json.dumps([ARRAY]))
    assert main(["db", "migrate"]) == 0
    assert main(["register", str(file)]) == 0
    key_file.unlink()
    assert main(["db", "migrate"]) == 1
    assert re.search(r"secret\.key is missing.*1 sources and channels.*Put it back.*--new-key", capsys.readouterr().err)
    assert not key_file.exists()
    assert main(["db", "migrate", "--new-key"]) == 0
    assert key_file.exists()
    assert listed(gavel) == [("array-1", "127.0.0.1:9440")]


def test_what_a_machine_announces_is_entered_anew_where_its_key_is_lost(gavel: str, tmp_path: Path) -> None:
    """The lab knows its own secrets: it must not keep Gavel from starting."""
    file, key_file = tmp_path / "sources.json", tmp_path / "data" / "secret.key"
    file.write_text(json.dumps([ARRAY]))
    assert main(["register", str(file)]) == 0
    key_file.unlink()
    assert main(["db", "migrate", "--new-key"]) == 0
    assert main(["register", str(file)]) == 0
    engine = open_engine(gavel, Role.API)
    with reading(engine) as connection:
        [row] = sources(connection)
    engine.dispose()
    assert stored_secrets(row, load_vault(key_file)) == {"api_token": ARRAY["settings"]["api_token"]}  # type: ignore[index]


def test_retention_that_changes_is_said_with_what_becomes_of_older_rows(
    gavel: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def migrated() -> list[str]:
        assert main(["db", "migrate"]) == 0
        return capsys.readouterr().out.splitlines()

    monkeypatch.setenv("GAVEL_KEEP_SAMPLES", "10d")
    monkeypatch.setenv("GAVEL_KEEP_MINUTES", "72h")
    assert migrated() == [
        "The schema is up to date.",
        (
            "Samples and minutes of disks and devices are kept 10d now, 2d before (GAVEL_KEEP_SAMPLES)."
            " What is older than 2d is gone already."
        ),
        "Minutes of other objects are kept 3d now, 8d before (GAVEL_KEEP_MINUTES). Older ones are deleted within minutes.",
    ]
    assert migrated() == ["The schema is up to date."]
    monkeypatch.delenv("GAVEL_KEEP_SAMPLES")
    assert migrated()[1:] == [
        (
            "Samples and minutes of disks and devices are kept 2d now, 10d before (GAVEL_KEEP_SAMPLES, the default)."
            " Older ones are deleted within minutes."
        )
    ]


def test_retention_that_the_store_cannot_have_is_refused(
    gavel: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GAVEL_KEEP_HOURS", "30d")
    monkeypatch.setenv("GAVEL_KEEP_5_MINUTES", "31d")
    assert main(["db", "migrate"]) != 0
    assert "GAVEL_KEEP_HOURS: 30d is shorter than GAVEL_KEEP_5_MINUTES, 31d." in capsys.readouterr().err
