"""`gavel export array`: from an address with a token that is asked for, or from a source; what fails leaves no file."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gavel.cli.commands import main
from gavel.collectors.arrays.flasharray.export import read_export
from gavel.domain.inventory import ArrayInventory
from gavel_lab.lab import create_lab
from gavel_lab.sources import serve_lab


@pytest.fixture(scope="module")
def array(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """As a lab announces it."""
    served = serve_lab(create_lab(), 0, tmp_path_factory.mktemp("lab"))
    yield next(each for each in served.announcement if each["kind"] == "flasharray")
    served.stop()


def export(array: Any, file: Path, monkeypatch: pytest.MonkeyPatch, *more: str, token: str | None = None) -> int:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{token or array['settings']['api_token']}\n"))
    trust = ["--fingerprint", array["settings"]["tls_sha256"]]
    return main(["export", "array", array["address"], str(file), "--address", *trust, "--for", "6m", *more])


def test_export_of_an_address_needs_no_installation(
    array: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GAVEL_DATA_DIR", str(tmp_path / "none"))
    file = tmp_path / "array.json.gz"
    assert export(array, file, monkeypatch) == 0
    shown = capsys.readouterr().out
    assert "Inventory read." in shown
    assert f"Exported to {file}" in shown
    assert read_export(file).address == array["address"]
    assert not (tmp_path / "none").exists()


def test_export_without_names_has_none(array: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named, nameless = tmp_path / "named.json.gz", tmp_path / "nameless.json.gz"
    assert export(array, named, monkeypatch) == 0
    assert export(array, nameless, monkeypatch, "--anonymize") == 0
    before, after = (read_export(file).collector.inventory() for file in (named, nameless))
    assert isinstance(before, ArrayInventory)
    assert isinstance(after, ArrayInventory)
    assert len(before.volumes) == len(after.volumes)
    assert {each.name for each in before.volumes} & {each.name for each in after.volumes} == set()
    assert read_export(nameless).address != array["address"]


def test_export_never_writes_over_a_file(
    array: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "array.json.gz"
    file.write_text("mine")
    assert export(array, file, monkeypatch) == 1
    assert "is there already" in capsys.readouterr().err
    assert file.read_text() == "mine"


def test_export_that_fails_leaves_no_file_and_says_why(
    array: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "array.json.gz"
    assert export(array, file, monkeypatch, token="12345678-wrong") == 1
    assert "the API token was refused" in capsys.readouterr().err
    assert not file.exists()


def test_export_of_a_source_that_is_not_there_says_so(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GAVEL_DATABASE_URL", postgres_url)
    monkeypatch.setenv("GAVEL_DATA_DIR", str(tmp_path / "data"))
    file = tmp_path / "array.json.gz"
    assert main(["export", "array", "no such", str(file)]) == 1
    assert "no such" in capsys.readouterr().err
    assert not file.exists()
    assert main(["export", "array", "no such", str(file), "--fingerprint", "ab"]) == 1
    assert "go with --address" in capsys.readouterr().err
