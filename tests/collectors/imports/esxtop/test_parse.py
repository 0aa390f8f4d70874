"""What a capture says is what stood in the file: units, rows left out, segments, duplicates, and nothing from a row that is cut off."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.collectors.imports.esxtop.reading import NAA, codes, column, read, same_rows, series
from tests.collectors.imports.esxtop.twin import START, Device, Load, Machine, Twin, incident

from gavel.collectors.imports.esxtop.columns import ObjectKind
from gavel.collectors.imports.esxtop.errors import EsxtopFileError

BUSY = Load(reads=100, writes=50, read=(0.36, 0.01, 0.0), write=(0.25, 0.02, 0.01), active=3, queued=1)
EPOCH_S = 1773480600.0  # 2026-03-14 09:30 UTC


def small(**options: object) -> Twin:
    base = Twin(
        devices=[Device(NAA, [BUSY], {480214: 1.0})], machines=[Machine("vm", 480214, {"scsi0:0": (5, 0, 1.5, 0)})]
    )
    return replace(base, **options)  # type: ignore[arg-type]


def test_units_are_those_of_the_names() -> None:
    capture = read(small(rows=3))
    assert column(capture, "read_driver_us")[1:] == [360.0, 360.0]
    assert column(capture, "read_guest_us")[1] == 370.0
    assert column(capture, "read_bytes_per_s")[1] == pytest.approx(0.78 * 2**20)
    assert column(capture, "active") == [3, 3, 3]
    assert column(capture, "used_percent")[1:] == [9.38, 9.38]
    assert column(capture, "read_us", "vm:scsi0:0", ObjectKind.VIRTUAL_DISK)[1:] == [1500.0, 1500.0]
    assert capture.latency_half_us == 5.0
    assert capture.ended_at_s.tolist() == [EPOCH_S, EPOCH_S + 5, EPOCH_S + 10]


def test_first_row_has_instants_and_no_rates() -> None:
    capture = read(small(rows=4))
    assert capture.has_rates.tolist() == [False, True, True, True]
    for name in ("reads_per_s", "read_guest_us", "read_bytes_per_s", "aborts_per_s", "used_percent"):
        assert [math.isnan(value) for value in column(capture, name)] == [True, False, False, False]
    assert column(capture, "device_queue_depth") == [32] * 4


def test_latency_of_a_direction_without_io_is_none_and_not_zero() -> None:
    only_reads = Device(NAA, [Load(reads=10, read=(0.3, 0.0, 0.0))])
    capture = read(Twin(devices=[only_reads], rows=3))
    assert column(capture, "read_kernel_us")[1:] == [0.0, 0.0]
    assert all(math.isnan(value) for value in column(capture, "write_kernel_us"))


def test_latency_per_command_without_reads_and_writes_is_none() -> None:
    capture = read(Twin(devices=[Device("mpx.vmhba0:C0:T5:L0", [Load(others=0.38)])], rows=3))
    assert all(math.isnan(value) for value in column(capture, "command_guest_us", "mpx.vmhba0:C0:T5:L0"))


def test_capture_without_a_has_no_split_and_says_how_to_get_it() -> None:
    capture = read(small(with_all=False, broken_pcpus=0, trailing_comma=True))
    assert series(capture, NAA).column("read_guest_us") is None
    assert column(capture, "command_driver_us")[1] == 320.0
    warning = next(each for each in capture.warnings if each.code == "no_read_write_split")
    assert "esxtop -b -a -d 5 -n 61" in warning.text
    assert warning.line == 1


@pytest.mark.parametrize(("broken", "comma"), [(0, False), (0, True), (2, False), (24, False)])
def test_broken_cells_and_a_trailing_comma_shift_nothing(broken: int, comma: bool) -> None:
    plain = read(small(broken_pcpus=0))
    assert same_rows(read(small(broken_pcpus=broken, trailing_comma=comma)), plain, 13)


def test_header_in_the_midst_starts_a_segment_whose_first_row_has_no_rates() -> None:
    later = small(start=START.replace(hour=10))
    capture = read(small().text() + later.text())
    assert [(each.header_line, each.first_row, each.rows) for each in capture.segments] == [(1, 0, 13), (15, 13, 13)]
    assert np.flatnonzero(~capture.has_rates).tolist() == [0, 13]
    assert math.isnan(column(capture, "reads_per_s")[13])
    assert capture.step_s.tolist() == [5.0] * 26
    assert capture.warnings == ()


def test_appended_captures_may_each_begin_with_a_mark() -> None:
    later = small(start=START.replace(hour=10))
    assert [each.rows for each in read("\ufeff" + small().text() + "\ufeff" + later.text()).segments] == [13, 13]


def test_segments_with_other_columns_are_joined_by_name() -> None:
    other = replace(small(start=START.replace(hour=10)), devices=[Device("eui.0042", [BUSY]), *small().devices])
    capture = read(small().text() + other.text())
    assert column(capture, "reads_per_s")[1:13] == column(capture, "reads_per_s")[14:26]
    assert all(math.isnan(value) for value in column(capture, "active", "eui.0042")[:13])
    assert column(capture, "active", "eui.0042")[13:] == [3] * 13


def test_lines_before_the_header_are_skipped() -> None:
    banner = "Warning: the ESXi shell is enabled\n\x1b[0m\nType help\n"
    capture = read(banner + small().text())
    assert same_rows(capture, read(small()), 13)
    assert capture.segments[0].header_line == 4


@pytest.mark.parametrize("bias", [420, -420])
def test_stamps_of_a_local_zone_become_utc_and_are_named(bias: int) -> None:
    capture = read(small(zone="Some Standard Time", bias=bias))
    assert capture.ended_at_s[0] == EPOCH_S + 60 * bias
    assert "local_time" in codes(capture)


def test_clock_change_of_a_local_zone_is_corrected_and_named_with_its_line() -> None:
    twin = small(zone="Pacific Daylight Time", bias=420)
    lines = twin.text().splitlines()
    moved = [line.replace(" 09:3", " 08:3") for line in lines[8:]]
    capture = read("\n".join([*lines[:8], *moved, ""]))
    assert np.diff(capture.ended_at_s).tolist() == [5.0] * 12
    assert [each.line for each in capture.warnings if each.code == "clock_change"] == [9]


def test_day_before_month_is_read_where_it_cannot_be_the_month() -> None:
    text = small().text().replace('"03/14/2026', '"14/03/2026')
    capture = read(text)
    assert capture.ended_at_s[0] == EPOCH_S
    assert "day_first" in codes(capture)


def test_cut_header_needs_the_zone_and_takes_the_given_one() -> None:
    text = small().text().replace("(PDH-CSV 4.0) (UTC)(0)", "(PDH-CSV 4.0) (")
    with pytest.raises(EsxtopFileError, match=r"names no time zone\. Give it: --utc-offset"):
        read(text)
    assert read(text, bias_minutes=60).ended_at_s[0] == EPOCH_S + 3600


def test_cells_separated_by_tabs_are_read() -> None:
    text = small(broken_pcpus=0).text().replace('","', '"\t"').replace("PDH-CSV", "PDH-TSV")
    assert same_rows(read(text), read(small()), 13)


def test_cells_without_quotation_marks_are_read() -> None:
    assert same_rows(read(small(broken_pcpus=0).text().replace('"', "")), read(small()), 13)


@pytest.mark.parametrize(
    "twin",
    [
        small(filler=0, rows=4),
        small(filler=0, rows=4, broken_pcpus=0, trailing_comma=True),
        small(filler=0, rows=4, broken_pcpus=0),
    ],
    ids=["-a", "comma", "plain"],
)
def test_file_cut_at_any_byte_loses_the_last_row_or_nothing(twin: Twin) -> None:
    data = twin.data()
    whole = read(data)
    assert len(twin.lines()[-1]) > 200
    kept = set()
    for cut in range(1, 201):
        capture = read(data[:-cut])
        assert capture.rows in (3, 4)
        assert same_rows(capture, whole, capture.rows)
        if capture.rows == 4:
            kept.add(cut)
        else:
            assert codes(capture) == {"last_row_truncated"}
            assert capture.refused_rows == 0
    # Only the line end, or it and the comma before it, may be missing.
    assert kept <= {1, 2}


def test_header_cut_off_at_the_end_adds_nothing() -> None:
    capture = read(small().text() + small().header()[:300])
    assert same_rows(capture, read(small()), 13)


def test_rows_that_cannot_be_used_are_named_with_line_column_and_reason() -> None:
    lines = small().text().splitlines()
    lines[3] = lines[3].replace('"100.00"', '"1OO.00"', 1)
    lines[5] = lines[5].rsplit('"0.00"', 1)[0] + "    73.1"
    lines[7] = "esxtop: sched tick missed"
    capture = read("\n".join([*lines, ""]))
    assert capture.rows == 10
    assert [(row.line, row.column) for row in capture.refused] == [(4, f"{NAA}: Reads/sec"), (6, None), (8, None)]
    assert "'1OO.00' is no number" in capture.refused[0].reason
    assert "cells, where the header has" in capture.refused[1].reason


@pytest.mark.parametrize("cell", ["nan", "inf", "1_0", "0x1", "1e999", "１２"])
def test_cells_that_only_a_programming_language_takes_for_numbers_are_refused(cell: str) -> None:
    lines = small().text().splitlines()
    lines[3] = lines[3].replace('"100.00"', f'"{cell}"', 1)
    assert read("\n".join([*lines, ""])).refused_rows == 1


def test_blank_cells_are_none_and_negative_ones_not_used() -> None:
    lines = small().text().splitlines()
    lines[3] = lines[3].replace('"100.00"', '" "', 1)
    lines[4] = lines[4].replace('"100.00"', '"-1"', 1)
    capture = read("\n".join([*lines, ""]))
    assert [math.isnan(value) for value in column(capture, "reads_per_s")[:5]] == [True, False, True, True, False]
    assert [each.column for each in capture.warnings if each.code == "negative_value"] == [f"{NAA}: Reads/sec"]


def test_columns_of_one_name_are_used_once_when_they_agree() -> None:
    more = {f"Virtual Disk(twin:scsi0:0)\\{name}": ["0.00", *["4.00"] * 12] for name in ("Reads/sec", "Writes/sec")}
    text = small(more=more).text()
    doubled = read(_with_columns_twice(text, "Virtual Disk(twin:scsi0:0)"))
    assert column(doubled, "reads_per_s", "twin:scsi0:0", ObjectKind.VIRTUAL_DISK)[1:] == [4.0] * 12
    assert "duplicate_name" not in codes(doubled)


def test_vms_of_one_name_are_not_used_when_they_differ() -> None:
    twin = small(
        machines=[
            Machine("same", 7000, {"scsi0:0": (5, 0, 1.5, 0)}),
            Machine("same", 8000, {"scsi0:0": (6, 0, 1.5, 0)}),
            Machine("own", 9000, {"scsi0:0": (7, 0, 1.5, 0)}),
        ]
    )
    capture = read(twin)
    assert {each.parent for each in capture.of_kind(ObjectKind.VIRTUAL_DISK)} == {"own"}
    assert sum(each.code == "duplicate_name" for each in capture.warnings) == 2


def _with_columns_twice(text: str, name: str) -> str:
    """Each line once more behind itself: the columns of an object have a namesake with equal values."""
    header, *rows = text.splitlines()
    names = header.count(name)
    assert names
    extra = [f'"\\\\h\\{name}\\{counter}"' for counter in ("Reads/sec", "Writes/sec")]
    cells = ['"0.00","0.00"', *['"4.00","4.00"'] * (len(rows) - 1)]
    return "\n".join(
        [f"{header},{','.join(extra)}", *(f"{row},{more}" for row, more in zip(rows, cells, strict=True)), ""]
    )


def test_chosen_device_is_read_with_its_worlds_and_nothing_else() -> None:
    capture = read(incident(), device="9486B0001")
    assert {(each.kind, each.parent or each.name) for each in capture.objects} == {
        (ObjectKind.DEVICE, NAA),
        (ObjectKind.WORLD, NAA),
    }


def test_virtual_disk_columns_without_a_vm_are_not_used_and_named() -> None:
    capture = read(small(more={"Virtual Disk(Raid0)\\Reads/sec": ["1.00"] * 13}))
    assert all(each.parent == "vm" for each in capture.of_kind(ObjectKind.VIRTUAL_DISK))
    warning = next(each for each in capture.warnings if each.code == "virtual_disk_without_vm")
    assert "Raid0" in warning.text


def test_resolution_is_that_of_the_digits_in_the_file() -> None:
    text = small().text()
    assert read(text.replace('"0.36"', '"0.361"')).latency_half_us == 5.0  # enough is known after the first rows
    coarse = Twin(devices=[Device(NAA, [Load(reads=10, read=(2, 1, 0))])], rows=4).text().replace('.00"', '"')
    assert read(coarse).latency_half_us == 500.0


def test_capture_of_fifty_thousand_columns_is_read() -> None:
    twin = small(filler=50_000, rows=3)
    capture = read(twin)
    assert capture.segments[0].report.columns > 50_000
    assert same_rows(capture, read(small(rows=3)), 3)


loads = st.builds(
    Load,
    reads=st.integers(1, 90_000).map(float),
    writes=st.integers(0, 90_000).map(float),
    read=st.tuples(st.integers(0, 99_999), st.integers(0, 9_999), st.integers(0, 9_999)).map(
        lambda ms: tuple(v / 100 for v in ms)
    ),
    write=st.tuples(st.integers(0, 99_999), st.integers(0, 9_999), st.integers(0, 9_999)).map(
        lambda ms: tuple(v / 100 for v in ms)
    ),
    active=st.integers(0, 64),
    queued=st.integers(0, 500),
    depth=st.integers(1, 256),
)


@settings(max_examples=40, deadline=None)
@given(drawn=st.lists(loads, min_size=2, max_size=6), broken=st.integers(2, 5))
def test_what_was_written_is_what_is_read(drawn: list[Load], broken: int) -> None:
    """parse(print(loads)) = loads, to the digits that are written."""
    capture = read(Twin(devices=[Device(NAA, drawn)], rows=len(drawn) + 1, broken_pcpus=broken))
    own = series(capture, NAA).columns
    for row, load in enumerate(drawn, 1):
        assert own["reads_per_s"][row] == load.reads
        assert own["writes_per_s"][row] == load.writes
        assert (own["active"][row], own["queued"][row], own["device_queue_depth"][row]) == (
            load.active,
            load.queued,
            load.depth,
        )
        assert own["read_driver_us"][row] == pytest.approx(1000 * load.read[0])
        assert own["read_queue_us"][row] == pytest.approx(1000 * load.read[2])
        expected = 1000 * load.write[1] if load.writes else math.nan
        assert own["write_kernel_us"][row] == pytest.approx(expected, nan_ok=True)
