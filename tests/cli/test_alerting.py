"""Rules, channels and silences from the command line, on a real database."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.alerting.receivers import http_receiver

from gavel import clock
from gavel.admin import channels
from gavel.alerting.use import rules as alert_rules
from gavel.cli.commands import main
from gavel.config import Settings
from gavel.db.engine import Role, open_engine, transaction
from gavel.db.queries.alert_rules import note_fault, rule_rows
from gavel.vault import load_vault

SECRET = "whsec_" + "QUJD" * 8


@pytest.fixture
def installation(postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("GAVEL_DATABASE_URL", postgres_url)
    monkeypatch.setenv("GAVEL_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("GAVEL_ALERT_NETWORKS", "127.0.0.0/8")
    monkeypatch.setenv("GAVEL_ALERT_PLAIN_HTTP", "1")
    return Settings()


def test_rules_go_out_and_come_in_again(
    installation: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = open_engine(installation.database_url, Role.WORKER)
    alert_rules.ensure_default_rules(engine, clock.now())
    engine.dispose()
    assert main(["rule", "list"]) == 0
    assert "kernel_queueing" in capsys.readouterr().out
    file = tmp_path / "rules.yaml"
    assert main(["rule", "export", str(file)]) == 0
    file.write_text(file.read_text().replace("at_least: 0.3 ms", "at_least: 0.4 ms"))
    assert main(["rule", "import", str(file), "--dry-run"]) == 0
    assert "changed  kernel_queueing" in capsys.readouterr().out
    assert main(["rule", "import", str(file)]) == 0
    capsys.readouterr()
    assert main(["rule", "export"]) == 0
    assert capsys.readouterr().out == file.read_text()
    assert main(["rule", "preview", "kernel_queueing"]) == 0
    assert "No object matches the scope" in capsys.readouterr().out
    assert main(["rule", "preview", "no_such"]) == 1
    assert "There is no rule 'no_such'" in capsys.readouterr().err


def test_a_channel_is_listed_and_tested(installation: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    engine = open_engine(installation.database_url, Role.WORKER)
    with http_receiver() as receiver:
        channels.add(
            engine, load_vault(installation.key_file), kind="webhook", name="ours", enabled=True, route={}, second_id=None,
            settings={"url": receiver.url, "secrets": [SECRET]}, now=clock.now(),
        )  # fmt: skip
        engine.dispose()
        assert main(["channel", "list"]) == 0
        assert main(["channel", "test", "ours"]) == 0
        assert len(receiver.received) == 1
    assert main(["channel", "test", "ours"]) == 1
    said = capsys.readouterr().out
    assert "delivered: accepted with 200" in said
    assert "retry: " in said


def test_a_silence_is_made_listed_and_ended(installation: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    given = [
        "silence",
        "add",
        "datastore=prod-*",
        "severity!=critical",
        "--for",
        "30m",
        "--reason",
        "firmware",
        "--by",
        "Ada",
    ]
    assert main(given) == 0
    assert main(["silence", "list"]) == 0
    assert "datastore=prod-* severity!=critical  by Ada: firmware" in capsys.readouterr().out
    assert main(["silence", "end", "1"]) == 0
    assert main(["silence", "list"]) == 0
    assert "Nothing is silenced." in capsys.readouterr().out
    assert main(["silence", "add", "nonsense", "--reason", "x"]) == 1
    assert "LABEL=PATTERN" in capsys.readouterr().err


def test_a_rule_that_cannot_be_judged_is_listed_with_its_reason(
    installation: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = open_engine(installation.database_url, Role.WORKER)
    alert_rules.ensure_default_rules(engine, clock.now())
    with transaction(engine) as connection:
        rules = {row.key: row.id for row in rule_rows(connection)}
        note_fault(
            connection, rules["san_over_usual"], "ValueError: something", datetime(2026, 11, 21, 2, 10, tzinfo=UTC)
        )
        spoilt = "UPDATE alert_rule SET definition = definition - 'of' WHERE key = 'array_twice_usual'"
        connection.execute(text(spoilt))
    engine.dispose()
    assert main(["rule", "list"]) == 0
    said = capsys.readouterr().out
    assert "    not evaluated since 2026-11-21 02:10 UTC: ValueError: something" in said
    assert "    not evaluated: Rule 'array_twice_usual': it cannot be read as it is stored (KeyError: 'of')" in said
    assert "kernel_queueing" in said
    assert main(["rule", "preview", "array_twice_usual"]) == 1
    assert "cannot be read as it is stored" in capsys.readouterr().err
