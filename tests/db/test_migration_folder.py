"""Where the migrations lie: in a checkout or an installation, whose folder can have any name."""

from pathlib import Path

import pytest

from gavel.db import migrate

ROOT = Path(__file__).resolve().parents[2]


def test_migrations_are_read_from_a_folder_of_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "my gävel, 100% %(here)s/src"
    folder.mkdir(parents=True)
    (folder / "migrations").symlink_to(ROOT / "migrations")
    head = migrate.scripts().get_current_head()
    monkeypatch.setattr(migrate, "_folder", lambda: folder / "migrations")
    assert migrate.scripts().get_current_head() == head
