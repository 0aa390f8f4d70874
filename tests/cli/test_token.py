"""`gavel token`: what opens Gavel can be listed, renewed and revoked without a page."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gavel.admin import access
from gavel.admin.access import TokenRefusedError
from gavel.cli import main
from gavel.config import Settings
from gavel.db.engine import Engine, Role, open_engine


@pytest.fixture
def settings(postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("GAVEL_DATABASE_URL", postgres_url)
    monkeypatch.setenv("GAVEL_DATA_DIR", str(tmp_path))
    return Settings()


@pytest.fixture
def engine(settings: Settings) -> Iterator[Engine]:
    made = open_engine(settings.database_url, Role.API)
    yield made
    made.dispose()


def sign_in(engine: Engine, token: str, settings: Settings) -> access.NewSession:
    return access.sign_in(engine, token, settings.setup_token_file, datetime.now(UTC))


@pytest.fixture
def first(engine: Engine, settings: Settings) -> access.NewSession:
    """The admin of the first start."""
    token = access.ensure_setup_token(engine, settings.setup_token_file, datetime.now(UTC))
    assert token is not None
    return sign_in(engine, token, settings)


def test_token_renew_replaces_the_admin_token_and_ends_sessions(
    engine: Engine, settings: Settings, first: access.NewSession, capsys: pytest.CaptureFixture[str]
) -> None:
    wall = access.new_wall_token(engine, datetime.now(UTC))
    assert main(["token", "renew"]) == 0
    made = capsys.readouterr().out.strip()
    assert first.admin_token is not None
    now = datetime.now(UTC)
    assert [access.role_of(engine, token, now) for token in (first.admin_token, first.session)] == [None, None]
    assert access.role_of(engine, wall, now) == "wall"
    assert access.role_of(engine, sign_in(engine, made, settings).session, now) == "admin"


def test_token_revoke_all_leaves_only_a_new_setup_token(
    engine: Engine, settings: Settings, first: access.NewSession, capsys: pytest.CaptureFixture[str]
) -> None:
    wall = access.new_wall_token(engine, datetime.now(UTC))
    assert main(["token", "revoke-all"]) == 0
    assert str(settings.setup_token_file) in capsys.readouterr().out
    assert first.admin_token is not None
    now = datetime.now(UTC)
    assert {access.role_of(engine, token, now) for token in (first.admin_token, first.session, wall)} == {None}
    again = sign_in(engine, settings.setup_token_file.read_text().strip(), settings)
    assert access.role_of(engine, again.session, now) == "admin"
    with pytest.raises(TokenRefusedError):
        sign_in(engine, first.admin_token, settings)


def test_token_list_names_kinds_and_never_the_tokens(
    engine: Engine, first: access.NewSession, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["token", "list"]) == 0
    told = capsys.readouterr().out
    assert [line.split("made")[0].strip() for line in told.splitlines()] == ["admin token", "admin session"]
    assert "gvl_" not in told
