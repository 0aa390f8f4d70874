"""Settings: where they come from, what they default to, how wrong ones are told."""

from datetime import timedelta
from pathlib import Path

import pytest

from gavel.config import load_settings
from gavel.domain.errors import SettingsError
from gavel.domain.retention import Grain, format_length, parse_length


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("KEEP_SAMPLES", "KEEP_MINUTES", "KEEP_5_MINUTES", "KEEP_HOURS"):
        monkeypatch.delenv(f"GAVEL_{name}", raising=False)
    for name in ("DATA_DIR", "DATABASE_URL", "BROKER_URL", "PORT", "HOST", "KEY_FILE", "LAB", "PUBLIC_URL"):
        monkeypatch.delenv(f"GAVEL_{name}", raising=False)
    monkeypatch.chdir(tmp_path)


def test_without_any_setting_everything_lies_in_one_folder_and_listens_on_loopback(tmp_path: Path) -> None:
    settings = load_settings()
    assert settings.data_dir == tmp_path / ".data"
    assert settings.key_file == tmp_path / ".data/secret.key"
    assert settings.database_url == f"postgresql+psycopg://gavel@/gavel?host={settings.postgres_dir}"
    assert settings.broker_url == f"redis+socket://{settings.valkey_dir}/valkey.sock?virtual_host=0"
    assert settings.embedded_postgres
    assert settings.embedded_valkey
    assert (settings.host, settings.port) == ("127.0.0.1", 8321)


def test_servers_given_by_url_are_not_embedded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAVEL_DATABASE_URL", "postgresql://gavel:secret@db.example/gavel")
    monkeypatch.setenv("GAVEL_BROKER_URL", "redis://mq.example/0")
    settings = load_settings()
    assert not settings.embedded_postgres
    assert not settings.embedded_valkey


def test_an_empty_variable_is_an_unset_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PORT", "PUBLIC_URL", "LAB", "DATA_DIR"):
        monkeypatch.setenv(f"GAVEL_{name}", "")
    settings = load_settings()
    assert (settings.port, settings.public_url, settings.lab) == (8321, None, True)


def test_the_command_line_goes_over_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GAVEL_DATA_DIR", str(tmp_path / "one"))
    settings = load_settings(data_dir=tmp_path / "two")
    assert settings.postgres_dir == tmp_path / "two/postgres"
    assert str(tmp_path / "two") in settings.database_url


def test_a_setting_that_does_not_fit_is_named_and_its_value_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAVEL_PORT", "eighty")
    monkeypatch.setenv("GAVEL_LOG_LEVEL", "loud")
    with pytest.raises(SettingsError, match=r"GAVEL_PORT: .*GAVEL_LOG_LEVEL: ") as told:
        load_settings()
    assert "eighty" not in str(told.value)


def test_retention_is_given_in_hours_days_or_weeks(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_settings().keep == {}
    for name, value in (("SAMPLES", "72h"), ("MINUTES", ""), ("5_MINUTES", "6w"), ("HOURS", " 200 D ")):
        monkeypatch.setenv(f"GAVEL_KEEP_{name}", value)
    assert load_settings().keep == {
        Grain.SAMPLES: timedelta(hours=72),
        Grain.FIVE_MINUTES: timedelta(weeks=6),
        Grain.HOURS: timedelta(days=200),
    }


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("SAMPLES", "14", "use hours, days or weeks, as 48h, 14d or 2w"),
        ("SAMPLES", "P14D", "use hours, days or weeks, as 48h, 14d or 2w"),
        ("MINUTES", "-3d", "use hours, days or weeks, as 48h, 14d or 2w"),
        ("SAMPLES", "24h", "24h is outside the limits, 2d to 31d"),
        ("MINUTES", "0d", "0h is outside the limits, 2d to 31d"),
        ("5_MINUTES", "1w", "7d is outside the limits, 8d to 90d"),
        ("HOURS", "999999w", "is outside the limits, 30d to 400d"),
    ],
)
def test_retention_that_no_store_keeps_is_refused_with_the_limits(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    monkeypatch.setenv(f"GAVEL_KEEP_{name}", value)
    with pytest.raises(SettingsError, match=f"GAVEL_KEEP_{name}: .*{said}"):
        load_settings()


def test_retention_is_read_as_it_is_written() -> None:
    for text in ("48h", "3d", "47h", "400d"):
        assert parse_length(format_length(parse_length(text))) == parse_length(text)
