"""`gavel offline`: files become an environment, which is listed with its address and removed; a file that cannot be used leaves none."""

from pathlib import Path

import pytest
from tests.collectors.imports.esxtop.twin import Device, Load, Machine, Twin

from gavel.cli.commands import main


@pytest.fixture
def file(postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GAVEL_DATABASE_URL", postgres_url)
    monkeypatch.setenv("GAVEL_DATA_DIR", str(tmp_path / "data"))
    (tmp_path / "data").mkdir()
    device = Device("naa.624a9370a934ae2e94a9486b00011010", [Load(reads=1000, read=(0.6, 0.3, 0.2))], {7001: 1.0})
    capture = tmp_path / "esx-04.csv"
    capture.write_bytes(Twin([device], [Machine("db01", 7001, {"scsi0:0": (1000, 0, 0.9, 0)})], rows=25).data())
    return capture


def test_offline_environment_is_made_listed_and_removed(file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["offline", "add", "site-a", str(file)]) == 0
    assert "Analyzed from 2026-03-14 09:30 to 09:32 UTC." in capfd.readouterr().out
    assert main(["offline", "list"]) == 0
    listed = capfd.readouterr().out
    assert "site-a  2026-03-14 09:30 – 2026-03-14 09:32 UTC, " in listed
    assert "from esx-04.csv (esx-04.example.com)" in listed
    assert "/offline/site-a/" in listed
    assert main(["offline", "remove", "site-a"]) == 0
    capfd.readouterr()
    assert main(["offline", "list"]) == 0
    assert capfd.readouterr().out == "There is no offline environment.\n"
    assert main(["offline", "remove", "site-a"]) == 1
    assert "There is no offline environment 'site-a'." in capfd.readouterr().err


@pytest.mark.parametrize("fault", ["cut", "missing", "no capture"])
def test_offline_environment_of_a_file_that_cannot_be_used_is_not_made(
    file: Path, fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = file.with_name("bad.csv")
    if fault != "missing":
        bad.write_bytes(file.read_bytes()[:3000] if fault == "cut" else b"time,value\n1,2\n")
    assert main(["offline", "add", "site-a", str(file), str(bad)]) == 1
    assert "bad.csv" in capsys.readouterr().err
    assert main(["offline", "list"]) == 0
    assert capsys.readouterr().out == "There is no offline environment.\n"
