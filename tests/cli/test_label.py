"""`gavel label`: which label means an owner or an application can be chosen without a page."""

from pathlib import Path

import pytest

from gavel.cli import main


@pytest.fixture(autouse=True)
def settings(postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAVEL_DATABASE_URL", postgres_url)
    monkeypatch.setenv("GAVEL_DATA_DIR", str(tmp_path))


def test_label_set_changes_what_means_an_owner(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["label", "list"]) == 0
    assert "owner: owner" in capsys.readouterr().out
    assert main(["label", "set", "owner", "Responsible team"]) == 0
    assert main(["label", "list"]) == 0
    assert "owner: Responsible team" in capsys.readouterr().out


@pytest.mark.parametrize("name", [" ", "x" * 257])
def test_label_set_refuses_a_name_that_no_label_has(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["label", "set", "owner", name]) == 1
    assert "1 to 256 characters" in capsys.readouterr().err
