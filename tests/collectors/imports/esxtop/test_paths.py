"""Paths and adapters of a capture: latency of reads and writes alone, and paths that give way where a file is too large."""

import io
import math

import pytest
from tests.collectors.imports.esxtop.reading import codes, column, read
from tests.collectors.imports.esxtop.twin import Device, Load, Twin

from gavel.collectors.imports.esxtop.as_import import read_import
from gavel.collectors.imports.esxtop.columns import ObjectKind
from gavel.collectors.imports.esxtop.errors import EsxtopFileError
from gavel.collectors.imports.esxtop.lines import ReadLimits
from gavel.domain.imports import ImportOptions

NAA = "naa.624a9370a934ae2e94a9486b00011010"
PATH = "vmhba3:C0:T0:L7"


def of_hba(kind: str, read_ms: str, command_ms: str, **cells: str) -> dict[str, list[str]]:
    """Four rows with reads alone, and commands that are neither."""
    own = {
        "Reads/sec": "10.00",
        "Writes/sec": "0.00",
        "Average Guest MilliSec/Read": read_ms,
        "Average Guest MilliSec/Write": "0.00",
        "Average Guest MilliSec/Command": command_ms,
        **cells,
    }
    return {f"Physical Disk {kind}\\{counter}": ["0.00", *[cell] * 4] for counter, cell in own.items()}


def twin() -> Twin:
    idle = of_hba("Path(vmhba3:C0:T1:L7)", "0.00", "31.92", **{"Reads/sec": "0.00"})
    columns = of_hba(f"Path({PATH})", "0.80", "9.70") | of_hba("Adapter(vmhba3)", "0.81", "9.70") | idle
    return Twin([Device(NAA, [Load(reads=10, read=(0.6, 0.2, 0.1))])], rows=5, more=columns)


@pytest.mark.parametrize(
    ("kind", "name", "us"), [(ObjectKind.PATH, PATH, 800.0), (ObjectKind.ADAPTER, "vmhba3", 810.0)]
)
def test_latency_of_paths_and_adapters_is_of_their_reads_and_writes(kind: ObjectKind, name: str, us: float) -> None:
    capture = read(twin())
    first, *others = column(capture, "read_guest_us", name, kind)
    assert math.isnan(first)
    assert others == pytest.approx([us] * 4)
    assert all(math.isnan(each) for each in column(capture, "write_guest_us", name, kind))
    assert "command_guest_us" not in next(each for each in capture.of_kind(kind) if each.name == name).columns


def test_import_keeps_adapters_and_the_paths_with_ios() -> None:
    kept = read_import(io.BytesIO(twin().data()), "capture.csv", ImportOptions())
    assert {each.name for each in kept.objects if each.kind == "path"} == {PATH, "vmhba2:C0:T0:L1"}
    assert {each.name for each in kept.objects if each.kind == "adapter"} == {"vmhba2", "vmhba3"}


def test_paths_give_way_where_a_file_has_more_numbers_than_fit() -> None:
    whole = read(twin())
    numbers = sum(len(values) for each in whole.objects for values in each.columns.values())
    paths = sum(len(values) for each in whole.of_kind(ObjectKind.PATH) for values in each.columns.values())
    most = ReadLimits(values=numbers - 1)
    capture = read(twin(), limits=most)
    assert "paths_left_out" in codes(capture)
    assert list(capture.of_kind(ObjectKind.PATH)) == []
    assert column(capture, "read_guest_us")[1:] == column(whole, "read_guest_us")[1:]
    appended = twin().text() + twin().text()
    assert list(read(appended, limits=ReadLimits(values=2 * numbers - 1)).of_kind(ObjectKind.PATH)) == []
    assert "paths_left_out" not in codes(read(twin(), limits=ReadLimits(values=numbers)))
    with pytest.raises(EsxtopFileError, match="million numbers"):
        read(twin(), limits=ReadLimits(values=numbers - paths - 1))
