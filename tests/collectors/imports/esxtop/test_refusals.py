"""Files that are no capture are refused with what they are instead, and what to do; warnings name what limits the rest."""

import gzip
import re

import pytest
from tests.collectors.imports.esxtop.reading import NAA, codes, read
from tests.collectors.imports.esxtop.twin import Device, Load, Machine, Twin, incident

from gavel.collectors.imports.esxtop.errors import EsxtopFileError

BUSY = Load(reads=100, writes=50, read=(0.36, 0.01, 0.0), write=(0.25, 0.02, 0.01), active=3, queued=1)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is empty"),
        (b"Date,Value\n1,2\n", "no line starts with (PDH-CSV 4.0). Capture on the ESXi host: esxtop -b -a"),
        (b'"Timestamp","SampleNumber","RawData"\n"2026-03-14 09:30:00","1","==COUNTER"\n', "Azure VMware Solution"),
        (b"\x1b[2J\x1b[H 9:30am up 3 days\n", "copy of esxtop's screen"),
        (b"top - 09:30:00 up 3 days\n", "of top of Linux"),
        (b'"\\\\h\\Physical Disk SCSI Device(naa.1)\\Reads/sec"\n', "part of a header"),
        (b"a,\\\\h\\Group Cpu(1:x)\\% Ready\n", "part of a header"),
        (gzip.compress(b"", mtime=0), "is empty"),
    ],
)
def test_what_is_no_capture_is_refused_with_what_it_is(data: bytes, reason: str) -> None:
    with pytest.raises(EsxtopFileError) as refused:
        read(data)
    assert str(refused.value).startswith("capture.csv: ")
    assert reason in str(refused.value)


def test_megabytes_of_other_text_are_not_read_to_the_end() -> None:
    with pytest.raises(EsxtopFileError, match="no esxtop batch capture"):
        read(b"line of a log\n" * 100_000)


def test_capture_without_disk_fields_is_refused_with_what_it_has() -> None:
    text = "\n".join(
        [
            '"(PDH-CSV 4.0) (UTC)(0)","\\\\h\\Memory\\Free MBytes"',
            '"03/14/2026 09:30:00","1"',
            '"03/14/2026 09:30:05","1"',
            "",
        ]
    )
    with pytest.raises(EsxtopFileError, match=r"line 1: captured without disk fields \(it has Memory\)"):
        read(text)


@pytest.mark.parametrize("rows", [1, 2])
def test_capture_of_fewer_than_two_rows_with_rates_is_refused(rows: int) -> None:
    with pytest.raises(EsxtopFileError, match=f"{rows - 1} usable rows; at least 2 are needed"):
        read(Twin(devices=[Device(NAA, [BUSY])], rows=rows))


def test_capture_saved_by_a_spreadsheet_is_refused_with_the_reason() -> None:
    text = Twin(devices=[Device(NAA, [BUSY])]).text()
    text = re.sub(r'"03/14/2026 09:(\d\d):\d\d"', r'"3/14/2026 9:\1"', text)
    with pytest.raises(EsxtopFileError, match="no row can be used") as refused:
        read(text)
    assert "without seconds, as spreadsheets save it" in str(refused.value)


def test_decimals_after_a_comma_are_refused_with_the_reason() -> None:
    text = Twin(devices=[Device(NAA, [BUSY])]).text()
    with pytest.raises(EsxtopFileError, match="decimals after a comma"):
        read(text.replace('.00"', ',00"'))


def test_headers_of_two_hosts_in_one_file_are_refused_with_the_line() -> None:
    one, other = Twin(devices=[Device(NAA, [BUSY])]), Twin(devices=[Device(NAA, [BUSY])], host="esx-05")
    with pytest.raises(EsxtopFileError, match=r"line 15: a header of host 'esx-05' after one of 'esx-04"):
        read(one.text() + other.text())


def test_chosen_device_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(EsxtopFileError, match=f"no device contains 'naa.nothing'.*{NAA}"):
        read(incident(), device="naa.nothing")


def test_messages_quote_a_file_without_its_controls() -> None:
    text = Twin(devices=[Device(NAA, [BUSY])], rows=2).text().replace("03/14/2026", "\x1b]0;owned\x07")
    with pytest.raises(EsxtopFileError) as refused:
        read(text)
    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    ("twin", "code"),
    [
        (Twin(devices=[Device(NAA, [BUSY])], with_all=False), "no_read_write_split"),
        (Twin(devices=[Device(NAA, [BUSY])]), "only_physical_disks"),
        (Twin(machines=[Machine("vm", 7000, {"scsi0:0": (1, 1, 1, 1)})]), "only_virtual_disks"),
        (Twin(devices=[Device(NAA, [BUSY])], zone="India Standard Time", bias=-330), "local_time"),
        (
            Twin(devices=[Device(NAA, [BUSY])], more={f"New Object({n})\\Value": ["1"] * 13 for n in range(9)}),
            "unknown_columns",
        ),
    ],
)
def test_what_limits_the_use_of_a_capture_is_a_warning(twin: Twin, code: str) -> None:
    assert code in codes(read(twin))


def test_capture_with_nothing_to_remark_has_no_warning() -> None:
    capture = read(incident())
    assert capture.warnings == ()
    assert capture.refused_rows == 0


def test_missing_rows_are_a_warning_with_their_line() -> None:
    lines = incident().text().splitlines()
    del lines[6:9]
    capture = read("\n".join([*lines, ""]))
    warning = next(each for each in capture.warnings if each.code == "uneven_step")
    assert warning.line == 7
    assert "5 to 20 s apart" in warning.text


def test_time_that_does_not_advance_is_a_warning_with_its_line() -> None:
    lines = incident().text().splitlines()
    lines[5], lines[6] = lines[6], lines[5]
    capture = read("\n".join([*lines, ""]))
    assert [each.line for each in capture.warnings if each.code == "time_not_rising"] == [7]
