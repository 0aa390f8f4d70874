"""`gavel esxtop` reads files of people: text and JSON, several at once, with code 1 and one line for each that cannot be used."""

import gzip
import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.collectors.imports.esxtop.twin import Device, Load, Machine, Twin, incident

from gavel.cli.commands import main

NAA = "naa.624a9370a934ae2e94a9486b00011010"


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("DATABASE_URL", "BROKER_URL", "PORT"):
        monkeypatch.delenv(f"GAVEL_{name}", raising=False)
    monkeypatch.setenv("GAVEL_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr("gavel.cli.commands.configure", lambda _settings: None)


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    path = tmp_path / "capture.csv.gz"
    path.write_bytes(gzip.compress(incident().data(), mtime=0))
    return path


def lines_of(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]


def answer(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    files: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["files"]
    return files


def test_esxtop_report_shows_where_the_time_is(capture: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["esxtop", str(capture)]) == 0
    lines = lines_of(capsys)
    for expected in (
        "Host esx-04.example.com",
        "Time 2026-03-14 09:30:00 – 09:31:00 UTC (stamps: UTC)",
        "Rows 13, every 5.0 s; 12 with rates (the first of a capture has none)",
        "Self-checks consistent: 216 of 216 tests hold",
        "40,000.0 reads/s, 10,000.0 writes/s, 327.68 MB/s read, 81.91 MB/s written",
        "GAVG 0.930 1.050 0.954 1.05 at 09:30:05 device latency, kernel included",
        "kernel queue (QAVG) 0.420 (0.415–0.425) 45% 0.430 (0.425–0.435) 41% 0.422 (0.417–0.427) 44%",
        "queue ACTV 32.0 (max 32), QUED 22.0 (max 22), %USD 100.0 (max 100), LOAD 1.7 (max 1.69), DQLEN 32",
        "I/O by VM vdi-03 98% (49,000.0/s), SQL02 (old) 1% (500.0/s), other worlds 1% (500.0/s); 2 VMs share the device queue",
        "worst minutes 2026-03-14 09:30 UTC: GAVG 0.95, DAVG 0.51, KAVG 0.44, QAVG 0.42 ms, 3,000,000 I/Os, QUED ≤ 22",
        "No reads or writes: mpx.vmhba0:C0:T5:L0",
        "vdi-03 scsi0:0 39,000.0 9,800.0 319.49 80.28 0.930 1.050 0.954 1.05 at 09:30:05",
        "1 virtual disk without I/O",
    ):
        assert expected in lines


def test_esxtop_report_without_a_says_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    twin = incident()
    path = tmp_path / "c.csv"
    path.write_bytes(Twin(devices=twin.devices, machines=twin.machines, with_all=False).data())
    assert main(["esxtop", str(path)]) == 0
    lines = lines_of(capsys)
    assert any("no read/write split of latency" in line and "esxtop -b -a -d 5 -n 61" in line for line in lines)
    assert "GAVG n/a n/a 0.954 0.95 at 09:30:05 device latency, kernel included".replace("0.954", "0.950") in lines


def test_esxtop_json_has_units_in_its_names(capture: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["esxtop", "--json", str(capture)]) == 0
    (found,) = answer(capsys)
    assert (found["first_at"], found["last_at"]) == ("2026-03-14T09:30:00+00:00", "2026-03-14T09:31:00+00:00")
    assert (found["interval_s"], found["latency_half_us"], found["consistent"]) == (5.0, 5.0, True)
    device = found["devices"][0]
    assert device["name"] == NAA
    assert device["read_bytes_per_s"] == pytest.approx(312.5 * 2**20)
    assert device["latency"]["read"]["queue"] == {
        "mean_us": 420.0, "lower_us": 415.0, "upper_us": 425.0, "max_us": 420.0,
        "max_at": "2026-03-14T09:30:05+00:00", "ios": 2_400_000.0,
    }  # fmt: skip
    assert device["worlds"][0]["vm"] == "vdi-03"
    idle = next(each for each in found["devices"] if each["name"].startswith("mpx"))
    assert idle["latency"]["read"]["guest"] is None
    assert [each["disk"] for each in found["virtual_disks"]] == ["scsi0:0", "scsi0:0", "scsi0:1"]
    assert found["adapters"][0]["instants"]["adapter_queue_depth"]["max"] == 4096


def test_esxtop_check_shows_the_header_and_no_summary(capture: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["esxtop", "--check", str(capture)]) == 0
    lines = lines_of(capsys)
    assert "Physical Disk SCSI Device 3 150 78" in lines
    assert "Devices" not in lines


def test_esxtop_device_restricts_the_report(capture: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["esxtop", "--json", "--device", "t10.", str(capture)]) == 0
    (found,) = answer(capsys)
    assert [each["name"] for each in found["devices"]] == ["t10.ATA_____Disk-7____"]
    assert found["virtual_disks"] == []


def test_esxtop_file_that_cannot_be_used_does_not_stop_the_others(
    capture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "notes.txt"
    bad.write_text("not a capture\n")
    assert main(["esxtop", str(bad), str(capture)]) == 1
    shown = capsys.readouterr()
    assert shown.err == (
        f"gavel esxtop: {bad}: no esxtop batch capture: no line starts with (PDH-CSV 4.0). "
        "Capture on the ESXi host: esxtop -b -a -d 5 -n 61 > capture.csv\n"
    )
    assert "vdi-03" in shown.out
    assert main(["esxtop", "--json", str(bad), str(capture)]) == 1
    first, second = answer(capsys)
    assert "no esxtop batch capture" in first["error"]
    assert second["host"] == "esx-04.example.com"


def test_esxtop_file_that_contradicts_itself_is_named_and_code_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "c.csv"
    path.write_text(incident().text().replace('"0.93"', '"1.93"'))
    assert main(["esxtop", str(path)]) == 1
    lines = lines_of(capsys)
    assert any(line.startswith("Self-checks inconsistent") for line in lines)
    assert f"GAVG = DAVG + KAVG, per read: not in 12 of 12 rows of {NAA}" in lines


def test_esxtop_reads_standard_input_and_the_given_offset(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = incident().data().replace(b"(PDH-CSV 4.0) (UTC)(0)", b"(PDH-CSV 4.0) (")
    for offset, first_at in (("+02:00", "2026-03-14T07:30:00+00:00"), ("-0730", "2026-03-14T17:00:00+00:00")):
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(data)))
        assert main(["esxtop", "--json", f"--utc-offset={offset}", "-"]) == 0
        assert answer(capsys)[0]["first_at"] == first_at


@pytest.mark.parametrize("offset", ["2", "+25:00", "+02:75", "UTC"])
def test_esxtop_offset_that_is_none_is_wrong_use(offset: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["esxtop", f"--utc-offset={offset}", "x"])
    assert ended.value.code == 2
    assert "is no offset like +02:00" in capsys.readouterr().err


def test_esxtop_names_do_not_steer_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evil = "vm\x1b]0;owned\x07\u202e"
    load = Load(reads=10, read=(1, 0, 0))
    twin = Twin(
        devices=[Device(f"naa.1{evil}", [load], {7000: 1.0})],
        machines=[Machine(evil, 7000, {"scsi0:0": (1, 1, 1, 1)})],
        host=f"esx{evil}",
        zone=f"Zone{evil}",
        bias=60,
        more={f"New{evil}\\x": ["1"] * 13},
    )
    path = tmp_path / "c\x1b.csv"
    path.write_bytes(twin.data())
    for options in ([], ["--json"], ["--device", "gone"]):
        main(["esxtop", *options, str(path)])
        shown = capsys.readouterr()
        assert (shown.out + shown.err).replace("\n", "").isprintable()
