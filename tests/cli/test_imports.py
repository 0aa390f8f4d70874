"""`gavel import fio`: files become test runs of the VM that is named, and a file that cannot be used does not stop the others."""

from pathlib import Path

import pytest
from sqlalchemy import text
from tests.collectors.imports.fio.results import job, result, way, written
from tests.db.environments import SERIALS, naa

from gavel.cli.commands import main
from gavel.db.engine import Role, open_engine, transaction


@pytest.fixture
def environment(environment_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAVEL_DATABASE_URL", environment_url)
    monkeypatch.setenv("GAVEL_DATA_DIR", str(tmp_path / "data"))


@pytest.mark.usefixtures("environment")
def test_import_fio_reports_each_file_lists_runs_and_removes_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = tmp_path / "run.json", tmp_path / "cut.json"
    jobs = [job("a", group=0, read=way(), elapsed=121), job("b", group=1, read=way(), elapsed=121)]
    good.write_text(written(result(*jobs)))
    bad.write_text(good.read_text()[:400])
    assert main(["import", "fio", str(bad), str(good), "--vm", "DB01"]) == 1
    shown = capsys.readouterr()
    assert "cut.json, line" in shown.err
    assert "breaks off" in shown.err
    assert "VM db01, 2 test runs, 2026-03-14 09:29:00 – 09:31:00 UTC" in shown.out
    assert main(["import", "list"]) == 0
    listed = capsys.readouterr().out
    assert "fio  run.json  ready" in listed
    number = listed.split()[0]
    assert main(["import", "remove", number]) == 0
    capsys.readouterr()
    assert main(["import", "list"]) == 0
    assert capsys.readouterr().out == "Nothing is imported.\n"


@pytest.mark.usefixtures("environment")
def test_import_fio_of_a_vm_that_is_not_there_imports_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "run.json"
    file.write_text(written(result(job(read=way()))))
    assert main(["import", "fio", str(file), "--vm", "no such"]) == 1
    assert "No VMs are called 'no such'" in capsys.readouterr().err
    assert main(["import", "list"]) == 0
    assert capsys.readouterr().out == "Nothing is imported.\n"


@pytest.mark.usefixtures("environment")
def test_import_fio_takes_latency_logs_with_their_result_as_one_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, log = tmp_path / "run.json", tmp_path / "oltp_lat.1.log"
    file.write_text(written(result(job(read=way()))))
    log.write_text("1000, 400000, 0, 0, 0\n2000, 410000, 0, 0, 0\n")
    assert main(["import", "fio", str(log), str(file), "--vm", "db01"]) == 0
    shown = capsys.readouterr().out
    assert "fio  run.json + 1 log  ready" in shown
    assert "1 test run," in shown
    assert main(["import", "fio", str(file), str(tmp_path / "gone_lat.1.log"), "--vm", "db01"]) == 1
    assert "gone_lat.1.log: cannot be read" in capsys.readouterr().err


@pytest.mark.usefixtures("environment")
def test_import_fio_is_tied_to_a_virtual_disk_by_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "run.json"
    file.write_text(written(result(job(read=way()))))
    assert main(["import", "fio", str(file), "--vm", "db01", "--disk", "no such"]) == 1
    refused = capsys.readouterr().err
    assert "The VM has no virtual disk 'no such'. Its disks: Hard disk 1" in refused
    assert main(["import", "fio", str(file), "--vm", "db01", "--disk", "hard disk 1"]) == 0
    assert "VM db01, Hard disk 1, 1 test run," in capsys.readouterr().out


@pytest.mark.usefixtures("environment")
@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (["--datastore", "SIMPLE"], "datastore simple, 1 test run,"),
        (["--volume", "V0"], "volume v0, 1 test run,"),
        (["--volume", naa(SERIALS[0])], "volume v0, 1 test run,"),
    ],
)
def test_import_fio_is_tied_to_a_datastore_or_a_volume_by_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], given: list[str], shown: str
) -> None:
    file = tmp_path / "run.json"
    file.write_text(written(result(job(read=way()))))
    assert main(["import", "fio", str(file), *given]) == 0
    assert shown in capsys.readouterr().out


@pytest.mark.usefixtures("environment")
@pytest.mark.parametrize("kind", ["datastore", "volume"])
def test_import_fio_of_a_name_that_is_not_there_or_of_several_says_which(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], environment_url: str, kind: str
) -> None:
    file = tmp_path / "run.json"
    file.write_text(written(result(job(read=way()))))
    assert main(["import", "fio", str(file), f"--{kind}", "no such"]) == 1
    assert f"No {kind} is called 'no such'" in capsys.readouterr().err
    engine = open_engine(environment_url, Role.API)
    with transaction(engine) as connection:
        connection.execute(text(f"UPDATE {kind} SET name = 'same' WHERE present"))
    engine.dispose()
    assert main(["import", "fio", str(file), f"--{kind}", "same"]) == 1
    refused = capsys.readouterr().err
    assert f"{kind}s are called 'same'" in refused
    assert "Import the file on the page of the one that is meant" in refused


@pytest.mark.usefixtures("environment")
def test_import_fio_takes_one_tie_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "run.json"
    file.write_text(written(result(job(read=way()))))
    for given in (["--vm", "db01", "--datastore", "simple"], []):
        with pytest.raises(SystemExit):
            main(["import", "fio", str(file), *given])
    shown = capsys.readouterr().err
    assert "not allowed with argument --vm" in shown
    assert "one of the arguments --vm --datastore --volume is required" in shown
    assert main(["import", "fio", str(file), "--datastore", "simple", "--disk", "Hard disk 1"]) == 1
    assert "--disk names a virtual disk of a VM" in capsys.readouterr().err
