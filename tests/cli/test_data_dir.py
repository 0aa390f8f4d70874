"""Data directory of a command: how it is chosen, which commands create a database in it, and exports without a schema."""

import os
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import make_url
from tests.conftest import libpq

from gavel import clock
from gavel.cli import data_dir, up
from gavel.cli.commands import COMMANDS, main
from gavel.cli.data_dir import remember, remembered
from gavel.config import Settings
from gavel.db.engine import Role, open_engine, transaction
from gavel.db.queries.sources import add_source, store_secrets
from gavel.domain.errors import SettingsError
from gavel.domain.source import SourceKind
from gavel.embedded import postgres
from gavel.supervise.output import Terminal
from gavel.vault import load_vault

# One per command and branch that opens the embedded database without creating it.
READERS = (
    "status", "source list", "source add flasharray 192.0.2.1 x", "source test x", "source change x --disable", "source remove x",
    "rule list", "rule import -", "rule export", "rule preview x", "findings list", "findings show 1",
    "findings accept 1 --why x", "findings withdraw 1", "channel list", "channel test x",
    "silence list", "silence add vm=x --reason x", "silence end 1", "whatif vm x", "label list", "label set owner x",
    "token list", "token renew", "token revoke-all", "import list", "import esxtop x.csv", "import fio x.json --vm x",
    "import tie 1 --host x", "import hosts 1", "import remove 1", "export array x x.gz", "offline list", "offline remove x",
    "guest list", "guest token add x", "guest token list", "guest token revoke x", "guest tie 1 x scsi0:0", "guest untie 1",
    "register x.json", "collect --once", "db check", "db export x.dump",
)  # fmt: skip


@pytest.fixture(autouse=True)
def cron(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Run as cron does: in a folder without data, without a setting. Returns that folder."""
    for name in ("DATA_DIR", "DATABASE_URL", "BROKER_URL", "KEY_FILE"):
        monkeypatch.delenv(f"GAVEL_{name}", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr("gavel.cli.commands.configure", lambda _settings: None)  # the tests keep their own log
    folder = tmp_path / "cron"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("command", READERS)
def test_command_without_a_database_says_where_it_looked_and_creates_nothing(
    command: str, cron: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command.split()) == 1
    shown = capsys.readouterr()
    text = shown.out + shown.err
    assert f"No database in {cron / '.data'}." in text
    assert "--data-dir" in text
    assert "GAVEL_DATA_DIR" in text
    assert list(cron.iterdir()) == []


@pytest.mark.parametrize("command", ["db export x.dump", "source list"])
def test_existing_folder_without_a_database_stays_as_it_is(
    command: str, cron: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (cron / "home").mkdir()
    assert main([*command.split(), "--data-dir", "home"]) == 1
    assert f"No database in {cron / 'home'}." in capsys.readouterr().err
    assert list((cron / "home").iterdir()) == []


def test_import_of_a_file_that_is_not_there_creates_no_database(cron: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["db", "import", "missing.dump"]) == 1
    assert "missing.dump: no such file." in capsys.readouterr().err
    assert list(cron.iterdir()) == []


def test_data_dir_option_wins_over_the_environment_and_the_environment_over_the_last_start(
    cron: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def looked_in(*more: str) -> str:
        assert main(["db", *more, "check"]) == 1
        return capsys.readouterr().err

    assert f"No database in {cron / '.data'}." in looked_in()
    (cron / "last" / "logs").mkdir(parents=True)
    remember(cron / "last")
    assert f"No database in {cron / 'last'}, the folder of the last `gavel up`." in looked_in()
    monkeypatch.setenv("GAVEL_DATA_DIR", "")
    assert f"No database in {cron / 'last'}, " in looked_in()
    monkeypatch.setenv("GAVEL_DATA_DIR", "environment")
    assert f"No database in {cron / 'environment'}." in looked_in()
    assert f"No database in {cron / 'option'}." in looked_in("--data-dir", "option")


@pytest.mark.parametrize("arguments", [["--data-dir", "x", "db", "check"], ["db", "check", "--data-dir", ""]])
def test_data_dir_before_the_command_or_empty_is_wrong_use(
    arguments: list[str], cron: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An empty one would be the current folder: `--data-dir "$UNSET"`."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage: gavel" in capsys.readouterr().err
    assert list(cron.iterdir()) == []


@pytest.mark.parametrize("command", [*(name for name in COMMANDS if name != "esxtop"), "db export", "guest token add"])
def test_help_of_every_command_that_uses_the_data_directory_has_the_option(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([*command.split(), "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "--data-dir DIR" in shown
    assert "GAVEL_DATA_DIR" in shown


@pytest.mark.parametrize("command", ["up", "db migrate", "db import x.dump", "lab"])
@pytest.mark.parametrize("state", ["missing", "empty"])
def test_folder_of_the_last_start_that_is_gone_is_never_created_anew(
    command: str, state: str, cron: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A disk that is not mounted would otherwise become an empty Gavel."""
    monkeypatch.setattr("os.execv", lambda *_: pytest.fail("The lab was started."))
    monkeypatch.setattr(up, "stack", lambda *_: pytest.fail("Gavel was started."))
    monkeypatch.setattr(postgres, "prepare", lambda *_: pytest.fail("A database was created."))
    unmounted = cron.parent / "unmounted"
    if state == "empty":
        unmounted.mkdir()
    remember(unmounted)
    assert main(command.split()) == 1
    text = capsys.readouterr().err
    assert f"{unmounted}, the folder of the last `gavel up`, is {state}." in text
    assert "--data-dir" in text
    assert list(cron.iterdir()) == []
    assert list(cron.parent.rglob("unmounted*/*")) == []


def test_removed_default_folder_of_the_last_start_may_be_created_anew(cron: Path) -> None:
    remember(cron / ".data")
    data_dir.require_remembered(SimpleNamespace(data_dir=None), Settings(data_dir=cron / ".data"))  # type: ignore[arg-type]


def test_folder_of_the_last_start_without_its_database_takes_an_import(cron: Path) -> None:
    """Upgrades of PostgreSQL move the folder `postgres` away and import into what stays."""
    (cron / "kept").mkdir()
    (cron / "kept" / "secret.key").write_bytes(b"x" * 32)
    remember(cron / "kept")
    data_dir.require_remembered(SimpleNamespace(data_dir=None), Settings(data_dir=cron / "kept"))  # type: ignore[arg-type]


def test_command_on_a_folder_of_the_last_start_that_is_gone_names_it(
    cron: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    remember(cron / "unmounted")
    for command in ("status", "db export x.dump"):
        assert main(command.split()) == 1
        shown = capsys.readouterr()
        assert f"{cron / 'unmounted'}, the folder of the last `gavel up`, is missing." in shown.out + shown.err


def test_folder_given_explicitly_may_be_created_although_the_last_start_used_it(cron: Path) -> None:
    remember(cron / "fresh")
    given, bare = (SimpleNamespace(data_dir=each) for each in (cron / "fresh", None))
    settings = Settings(data_dir=cron / "fresh")
    data_dir.require_remembered(given, settings)  # type: ignore[arg-type]
    with pytest.raises(SettingsError):
        data_dir.require_remembered(bare, settings)  # type: ignore[arg-type]


def test_last_start_is_remembered_by_installation_with_any_name(cron: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert remembered() is None
    odd = cron / os.fsdecode(b"of\xff\nlines ")
    remember(odd)
    assert remembered() == odd
    monkeypatch.setattr("sys.prefix", "/another/checkout/.venv")
    assert remembered() is None


def test_start_that_came_up_is_remembered_and_a_state_folder_that_cannot_be_written_is_said(
    cron: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = Settings(data_dir=cron / "kept")
    settings.data_dir.mkdir()
    up.announce(settings, Terminal(), 1.0)
    assert remembered() == cron / "kept"
    assert "remember" not in capsys.readouterr().out
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    up.announce(settings, Terminal(), 1.0)
    assert f"Other commands need --data-dir {cron / 'kept'}" in capsys.readouterr().out


def test_export_of_a_database_without_a_schema_is_refused(
    cron: Path, empty_postgres_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GAVEL_DATABASE_URL", empty_postgres_url)
    assert main(["db", "export", "all.dump"]) == 1
    assert "holds no schema of Gavel. Nothing was exported." in capsys.readouterr().err
    assert list(cron.iterdir()) == []


def test_earlier_export_is_kept_where_the_database_has_no_schema(
    cron: Path, empty_postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GAVEL_DATABASE_URL", empty_postgres_url)
    (cron / "all.dump").write_text("good")
    assert main(["db", "export", "all.dump"]) == 1
    assert (cron / "all.dump").read_text() == "good"


def test_replacement_without_a_schema_is_refused_and_what_is_there_stays(
    cron: Path,
    postgres_url: str,
    empty_postgres_url: str,
    postgres_server: postgres.DataDirectory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    source, dump = libpq(make_url(empty_postgres_url)), cron / "empty.dump"
    program = str(postgres_server.programs / "pg_dump")
    subprocess.run([program, "--format=custom", f"--file={dump}", f"--dbname={source}"], check=True)
    monkeypatch.setenv("GAVEL_DATABASE_URL", postgres_url)
    assert main(["db", "import", "--replace", str(dump)]) == 1
    assert "is not an export of Gavel" in capsys.readouterr().err
    assert main(["db", "check"]) == 0


@pytest.mark.parametrize(
    "command",
    [
        "source test array-1",
        "source change array-1 --enable --untested",
        "register x.json",
        "collect --once",
        "export array array-1 x.gz",
    ],
)
def test_command_in_a_wrong_folder_makes_no_second_key_beside_an_external_database(
    command: str, cron: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Secrets that are sealed with a second key open nowhere else."""
    monkeypatch.setenv("GAVEL_DATABASE_URL", postgres_url)
    vault = load_vault(cron.parent / "right" / "secret.key")
    engine = open_engine(postgres_url, Role.WORKER)
    with transaction(engine) as connection:
        source_id = add_source(
            connection, kind=SourceKind.FLASHARRAY, name="array-1", address="192.0.2.1", settings={}, enabled=False, now=clock.now()
        )  # fmt: skip
        sealed = vault.seal({"api_token": "x" * 36}, owner=f"source/{source_id}")
        store_secrets(connection, source_id, sealed.envelope, sealed.key_id)
    engine.dispose()
    assert main(command.split()) == 1
    assert f"The key file {cron / '.data/secret.key'} is missing" in capsys.readouterr().err
    assert list(cron.iterdir()) == []
    assert main(["source", "list"]) == 0
    assert list(cron.iterdir()) == []
