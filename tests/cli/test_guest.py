"""`gavel guest check`: a file of lines becomes intervals per disk, and what is not used is counted by reason."""

from pathlib import Path

import pytest

from gavel.cli import main

LINE = (
    "diskio,host=db01,name=sda,serial=6000c294e9da41377ffbeda45b97abeb reads={reads}i,writes=0i,read_bytes=0i,"
    "write_bytes=0i,read_time={ms}i,write_time=0i,weighted_io_time={ms}i {at}000000000"
)


def check(tmp_path: Path, *lines: str) -> int:
    file = tmp_path / "lines"
    file.write_text("\n".join(lines))
    return main(["guest", "check", str(file)])


def test_guest_check_shows_rate_and_latency_of_a_disk_weighted_by_its_ios(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [(0, 0, 0), (1000, 500, 10), (1010, 600, 20)]
    assert check(tmp_path, *(LINE.format(reads=r, ms=ms, at=1732400000 + s) for r, ms, s in rows), "cpu f=1") == 0
    shown = capsys.readouterr().out
    assert "2 intervals, 20 s  read 50.5/s 0.594 ms  write 0.0/s latency not measured" in shown
    assert "not used: 1 × unknown measurement; line 4: cpu" in shown
    assert "3 readings, disks: 1, lines refused: 1." in shown


def test_guest_check_counts_out_repeated_readings_and_resets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [(100, 50, 0), (100, 50, 0), (5, 2, 10)]
    assert check(tmp_path, *(LINE.format(reads=r, ms=ms, at=1732400000 + s) for r, ms, s in rows)) == 0
    shown = capsys.readouterr().out
    assert "1 × repeated" in shown
    assert "1 × counter reset" in shown
    assert "no interval yet" in shown


def test_guest_check_ends_with_1_where_nothing_is_used_or_no_file_is_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(tmp_path, "cpu f=1") == 1
    assert main(["guest", "check", str(tmp_path / "absent")]) == 1
    assert "no lines can be read" in capsys.readouterr().err


def test_guest_script_is_printed_with_address_and_token(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GAVEL_INGEST_HOST", "::")
    monkeypatch.setenv("GAVEL_PUBLIC_URL", "https://gavel.example.com/gavel")
    assert main(["guest", "script", "linux", "--token", "gvg_x"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("#!/bin/sh\n")
    assert "url='http://gavel.example.com:8322'\ntoken='gvg_x'\n" in shown
    assert main(["guest", "script", "windows", "--token", "gvg_x", "--address", "https://192.0.2.7:8322"]) == 0
    assert "$Url = 'https://192.0.2.7:8322'" in capsys.readouterr().out
    assert main(["guest", "script", "linux", "--token", "it's"]) == 1
    assert "no token of guests" in capsys.readouterr().err
