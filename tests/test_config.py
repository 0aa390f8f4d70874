"""Settings: where they come from, what they default to, how wrong ones are told."""

from pathlib import Path

import pytest

from gavel.config import load_settings
from gavel.domain.errors import SettingsError


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
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
