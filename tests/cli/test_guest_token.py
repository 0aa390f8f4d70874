"""`gavel guest token add --file`: what a start repeats, and what was revoked."""

from pathlib import Path

import pytest

from gavel.cli import main


@pytest.fixture
def file(postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GAVEL_DATABASE_URL", postgres_url)
    monkeypatch.setenv("GAVEL_DATA_DIR", str(tmp_path))
    return tmp_path / "guest-token"


def add(file: Path, *options: str) -> str:
    assert main(["guest", "token", "add", "lab guests", "--file", str(file), *options]) == 0
    return file.read_text()


def test_guest_token_of_a_file_stays_and_is_replaced_where_the_file_is_lost(file: Path) -> None:
    first = add(file, "--unless-revoked")
    assert add(file, "--unless-revoked") == first
    file.unlink()
    assert add(file, "--unless-revoked") != first


def test_guest_token_that_was_revoked_stays_revoked_until_it_is_asked_for_without_that_option(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    revoked = add(file, "--unless-revoked")
    assert main(["guest", "token", "revoke", "lab guests"]) == 0
    assert add(file, "--unless-revoked") == revoked
    assert "was revoked" in capsys.readouterr().out
    assert main(["guest", "token", "list"]) == 0
    assert "lab guests" not in capsys.readouterr().out
    assert add(file) != revoked
    assert main(["guest", "token", "list"]) == 0
    assert "lab guests" in capsys.readouterr().out
