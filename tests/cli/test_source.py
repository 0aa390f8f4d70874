"""`gavel source` against a lab and a real database: add, list, change, test and remove do what the page does."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from gavel.cli.commands import main
from gavel.config import Settings
from gavel.db.engine import Role, open_engine, reading
from gavel.db.queries.sources import SourceRow, source_by_name
from gavel.ingest.connections import full_settings
from gavel.vault import load_vault
from gavel_lab.lab import create_lab
from gavel_lab.sources import serve_lab


@dataclass(frozen=True)
class Address:
    """An array or vCenter of the lab."""

    address: str
    fingerprint: str
    secret: str


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Address]]:
    """By the names of its sources."""
    served = serve_lab(create_lab(), 0, tmp_path_factory.mktemp("lab"))
    found = {}
    for one in served.announcement:
        settings = one["settings"]
        assert isinstance(settings, dict)
        secret = settings.get("api_token") or settings["password"]
        found[str(one["name"])] = Address(str(one["address"]), settings["tls_sha256"], str(secret))
    yield found
    served.stop()


@pytest.fixture
def settings(postgres_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Settings:
    monkeypatch.setenv("GAVEL_DATABASE_URL", postgres_url)
    monkeypatch.setenv("GAVEL_DATA_DIR", str(tmp_path))
    monkeypatch.setattr("gavel.cli.commands.configure", lambda _settings: None)  # the tests keep their own log
    return Settings()


@dataclass(frozen=True)
class Terminal:
    """`gavel source …` with lines on standard input; what it left behind."""

    settings: Settings
    capsys: pytest.CaptureFixture[str]
    monkeypatch: pytest.MonkeyPatch

    def says(self, *arguments: str, typed: str = "", code: int = 0) -> str:
        """Everything it said."""
        self.monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        assert main(["source", *arguments]) == code
        out, err = self.capsys.readouterr()
        return out + err

    def add(self, of: Address, name: str, *options: str, code: int = 0) -> str:
        trust = ("--fingerprint", of.fingerprint)
        return self.says("add", "flasharray", of.address, name, *trust, *options, typed=f"{of.secret}\n", code=code)

    def stored(self, name: str) -> tuple[SourceRow, dict[str, object]]:
        """The row and all settings, secrets included."""
        engine = open_engine(self.settings.database_url, Role.API)
        with reading(engine) as connection:
            row = source_by_name(connection, name)
        engine.dispose()
        return row, full_settings(row, load_vault(self.settings.key_file))


@pytest.fixture
def terminal(settings: Settings, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    return Terminal(settings, capsys, monkeypatch)


def test_a_source_is_tried_added_listed_and_removed(terminal: Terminal, lab: dict[str, Address]) -> None:
    array = lab["flasharray-1"]
    said = terminal.add(array, "array 1")
    assert "ok       Volumes: 13 volumes can be read." in said
    assert "ok       Cost: Every 30 s 1 call for 13 volumes, about " in said
    assert "array 1 added as source " in said
    assert terminal.stored("array 1")[1]["api_token"] == array.secret
    assert terminal.says("list").split() == ["array", "1", "flasharray", array.address, "waiting"]
    assert "FAILED" not in terminal.says("test", "array 1")
    assert "array 1 removed" in terminal.says("remove", "array 1")
    assert terminal.says("list").startswith("No sources yet.")
    assert "no source named 'array 1'" in terminal.says("remove", "array 1", code=1)


def test_what_fails_its_test_is_not_added(terminal: Terminal, lab: dict[str, Address]) -> None:
    wrong = Address(lab["flasharray-1"].address, "ab" * 32, "any-token")
    said = terminal.add(wrong, "array 1", code=1)
    assert "FAILED" in said
    assert "array 1 was not added. Fix the failed checks, or use --untested to have it added anyway." in said
    assert terminal.says("list").startswith("No sources yet.")
    terminal.add(wrong, "array 1", "--untested", "--disable")
    assert terminal.stored("array 1")[0].enabled is False


def test_what_pins_a_certificate_is_told_once_it_is_seen(terminal: Terminal, lab: dict[str, Address]) -> None:
    array = lab["flasharray-1"]
    said = terminal.says("add", "flasharray", array.address, "array 1", typed=f"{array.secret}\n", code=1)
    assert f"→ Once compared, pin it: the same command with --fingerprint {array.fingerprint}\n" in said
    terminal.add(Address(array.address, "ab" * 32, array.secret), "array 1", "--untested")
    said = terminal.says("test", "array 1", code=1)
    assert f"→ Once compared, pin it: gavel source change 'array 1' --fingerprint {array.fingerprint}\n" in said
    pinned = ("change", "array 1", "--fingerprint", array.fingerprint)
    said = terminal.says(*pinned, typed=f"{array.secret}\n")
    assert "array 1 changed." in said
    assert "--fingerprint" not in said


def test_only_what_is_given_changes(terminal: Terminal, lab: dict[str, Address]) -> None:
    terminal.add(lab["flasharray-1"], "array 1", "--set", "pod_round_trip_us=900")
    _, before = terminal.stored("array 1")
    said = terminal.says(
        "change", "array 1", "--name", "fa-one", "--poll-interval", "60", "--set", "pod_round_trip_us="
    )
    assert "ok       Cost: Every 60 s" in said
    row, after = terminal.stored("fa-one")
    assert before.pop("pod_round_trip_us") == 900
    assert after == before | {"poll_interval_s": 60}
    terminal.says("change", "fa-one", "--disable")
    assert terminal.stored("fa-one")[0].enabled is False
    terminal.says("change", "fa-one", "--enable")
    assert (terminal.stored("fa-one")[0].enabled, row.id) == (True, terminal.stored("fa-one")[0].id)


def test_a_secret_is_asked_for_where_it_would_go_elsewhere(terminal: Terminal, lab: dict[str, Address]) -> None:
    first, second = lab["flasharray-1"], lab["flasharray-2"]
    terminal.add(first, "array")
    moved = ("change", "array", "--address", second.address, "--fingerprint", second.fingerprint)
    assert "api token is missing" in terminal.says(*moved, code=1)
    assert terminal.stored("array")[0].address == first.address
    assert "array changed." in terminal.says(*moved, typed=f"{second.secret}\n")
    _, now = terminal.stored("array")
    assert (now["address"], now["api_token"]) == (second.address, second.secret)


def test_a_new_secret_is_tried_before_it_takes_the_place_of_the_old_one(
    terminal: Terminal, lab: dict[str, Address]
) -> None:
    terminal.add(lab["flasharray-1"], "array")
    said = terminal.says("change", "array", "--secrets", typed="surely-not-its-token\n", code=1)
    assert "FAILED   API token" in said
    assert "array was not changed." in said
    assert terminal.stored("array")[1]["api_token"] == lab["flasharray-1"].secret
    terminal.says("change", "array", "--secrets", "--untested", typed="surely-not-its-token\n")
    assert terminal.stored("array")[1]["api_token"] == "surely-not-its-token"


def test_a_dry_run_tries_and_changes_nothing(terminal: Terminal, lab: dict[str, Address]) -> None:
    assert "ok       Clock" in terminal.add(lab["flasharray-1"], "array", "--dry-run")
    assert terminal.says("list").startswith("No sources yet.")
    terminal.add(lab["flasharray-1"], "array")
    assert "Every 60 s" in terminal.says("change", "array", "--poll-interval", "60", "--dry-run")
    assert terminal.stored("array")[1]["poll_interval_s"] == 30


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--set", "api_token=x"], "api_token is asked for, and never given as an argument."),
        (["--set", "colour=red"], "--set colour=red: NAME=VALUE is needed, with a name of address, array_cap_us,"),
        (["--poll-interval", "5"], "poll_interval_s: Input should be greater than or equal to 30"),
        (["--set", "poll_interval_s=often"], "poll_interval_s: Input should be a valid integer"),
        (["--name", "other"], "Another source is already named 'other'"),
        ([], "Nothing to change was given"),
    ],
)
def test_a_change_that_cannot_be_is_refused_with_the_reason(
    terminal: Terminal, lab: dict[str, Address], given: list[str], words: str
) -> None:
    terminal.add(lab["flasharray-1"], "array", "--untested")
    terminal.add(lab["flasharray-2"], "other", "--untested")
    before = terminal.stored("array")
    assert words in terminal.says("change", "array", *given, code=1)
    assert terminal.stored("array") == before


def test_a_vcenter_is_added_and_changed_by_its_own_settings(terminal: Terminal, lab: dict[str, Address]) -> None:
    center = lab["vcenter-1"]
    options = (
        "--fingerprint",
        center.fingerprint,
        "--username",
        "gavel-readonly@vsphere.local",
        "--set",
        "read_esxcli=true",
    )
    terminal.says("add", "vcenter", center.address, "vc", *options, typed=f"{center.secret}\n")
    said = terminal.says("change", "vc", "--set", "read_esxcli=false")
    assert "skipped  Queue settings" in said
    assert terminal.stored("vc")[1]["read_esxcli"] is False
