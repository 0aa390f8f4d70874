"""`gavel findings`: list, show, accept and withdraw, on a real database."""

import json
from pathlib import Path

import pytest
from tests.correlate import conftest
from tests.correlate.correlated import Environment
from tests.correlate.test_findings import evaluated, with_paths

from gavel.cli.commands import main

# The fixture, under a name that says what it is here.
correlated = conftest.environment


@pytest.fixture(autouse=True)
def installation(correlated: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one finding: paths of "simple" down on esx-1."""
    url = correlated.engine.url.render_as_string(hide_password=False)
    monkeypatch.setenv("GAVEL_DATABASE_URL", url)
    monkeypatch.setenv("GAVEL_DATA_DIR", str(tmp_path))
    evaluated(correlated, with_paths(8, dead={"esx-1": 2}), 1)


def test_findings_command_lists_shows_accepts_and_withdraws(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["findings", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "Not evaluated: Array saturation: no minute was analyzed yet." in lines
    line = lines[1]
    assert line.split()[1:3] == ["elevated", "open"]
    assert line.endswith("2 of 8 paths down on esx-1")
    number = line.split()[0]
    assert main(["findings", "show", number]) == 0
    shown = capsys.readouterr().out
    for part in ("What to do", "1. Repair", "esxcli storage core adapter rescan", "Paths down: 2 paths", "History"):
        assert part in shown
    assert main(["findings", "accept", number, "--why", "cable ordered", "--until", "2099-01-31", "--by", "ada"]) == 0
    assert "accepted until 2099-01-31 00:00 UTC" in capsys.readouterr().out
    assert main(["findings", "show", number, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["accepted"]["by"] == "ada"
    assert [change["after"] for change in told["history"]] == ["accepted", "open"]
    assert main(["findings", "withdraw", number]) == 0
    assert main(["findings", "withdraw", number]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"Finding {number} is open again.",
        f"Finding {number} was not accepted.",
    ]


def test_findings_command_filters_and_gives_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["findings", "list", "--rule", "snapshot-chain"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "No findings.",
        "Not evaluated: Snapshot chain: no minute was analyzed yet.",
    ]
    assert main(["findings", "list", "--search", "SIMPLE", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["total"] == 1
    assert told["items"][0]["rule"] == "paths-down"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["list", "--rule", "no-such"], "no-such: no such rule"),
        (["list", "--limit", "0"], "--limit: give 1 to 1000"),
        (["show", "99"], "There is no finding 99"),
        (["accept", "1", "--why", " "], "give a reason"),
        (["accept", "1", "--why", "x", "--until", "soon"], "'soon' is no time"),
        (["accept", "1", "--why", "x", "--until", "2001-01-01"], "has passed"),
    ],
)
def test_findings_command_refuses_in_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(["findings", *arguments]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
