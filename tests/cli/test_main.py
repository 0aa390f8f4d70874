"""The command as people meet it: help, wrong use, and failures in one line."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from gavel.cli.commands import COMMANDS, main
from gavel.collectors.registry import COLLECTORS


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("DATABASE_URL", "BROKER_URL", "PORT"):
        monkeypatch.delenv(f"GAVEL_{name}", raising=False)
    monkeypatch.setenv("GAVEL_DATA_DIR", str(tmp_path))
    monkeypatch.setattr("gavel.cli.commands.configure", lambda _settings: None)  # the tests keep their own log


def test_help_lists_every_command() -> None:
    said = subprocess.run([sys.executable, "-m", "gavel.cli", "--help"], capture_output=True, text=True, check=True)
    for name, entry in COMMANDS.items():
        assert f"  {name}" in said.stdout
        assert entry.summary in said.stdout


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_explains_itself(name: str) -> None:
    module = import_module(COMMANDS[name].module)
    assert module.__doc__
    assert callable(module.add_arguments)
    assert callable(module.run)


@pytest.mark.parametrize("arguments", [[], ["launch"], ["db"], ["db", "export"], ["up", "--port", "many"]])
def test_wrong_use_is_told_with_the_usage_and_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage: gavel" in capsys.readouterr().err


def test_an_unusable_setting_is_one_line_and_code_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GAVEL_PORT", "0")
    assert main(["status"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("gavel status: Unusable settings. GAVEL_PORT: ")
    assert said.count("\n") == 1


def test_a_database_that_is_not_there_is_one_line_without_its_password(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GAVEL_DATABASE_URL", "postgresql://gavel:hunter2@127.0.0.1:1/gavel")
    assert main(["db", "check"]) == 1
    said = capsys.readouterr()
    assert said.err.startswith("gavel db: 127.0.0.1/gavel: no connection to the database")
    assert "hunter2" not in said.out + said.err


def test_status_of_an_installation_that_is_not_running_says_how_to_start_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status"]) == 1
    said = capsys.readouterr().out
    assert "Gavel is not running here" in said
    assert "Start it with: gavel up" in said


def test_the_lab_is_started_as_a_program_of_its_own() -> None:
    command = [sys.executable, "-m", "gavel.cli", "lab", "--", "--help"]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "python -m gavel_lab" in said.stdout


def test_adding_a_source_explains_what_to_have_at_hand(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["source", "add", "--help"])
    assert ended.value.code == 0
    said = " ".join(capsys.readouterr().out.split())
    for kind in COLLECTORS.values():
        assert f"{kind.kind}: {kind.at_hand}" in said
