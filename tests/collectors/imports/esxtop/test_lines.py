"""A capture is read as it comes: packed, in other encodings, from a pipe; and never more of it than the limits allow."""

import gzip
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.collectors.imports.esxtop.reading import codes, read, same_rows
from tests.collectors.imports.esxtop.twin import Machine, Twin, incident

from gavel.collectors.imports.esxtop.columns import ObjectKind
from gavel.collectors.imports.esxtop.errors import EsxtopFileError
from gavel.collectors.imports.esxtop.lines import ReadLimits
from gavel.collectors.imports.esxtop.parse import read_capture


def zipped(data: bytes, name: str = "capture.csv", *more: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for each in (name, *more):
            archive.writestr(each, data)
    return packed.getvalue()


PACKINGS: dict[str, Callable[[str], bytes]] = {
    "plain": str.encode,
    "utf-8 with a mark": lambda text: text.encode("utf-8-sig"),
    "utf-16 little-endian": lambda text: b"\xff\xfe" + text.encode("utf-16-le"),
    "utf-16 big-endian": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "utf-16 without a mark": lambda text: text.encode("utf-16-le"),
    "utf-16 big-endian without a mark": lambda text: text.encode("utf-16-be"),
    "line ends of Windows": lambda text: text.replace("\n", "\r\n").encode(),
    "gzip": lambda text: gzip.compress(text.encode(), mtime=0),
    "gzip in parts": lambda text: (
        gzip.compress(text[:5000].encode(), mtime=0) + gzip.compress(text[5000:].encode(), mtime=0)
    ),
    "gzip of utf-16": lambda text: gzip.compress(text.encode("utf-16"), mtime=0),
    "zip": lambda text: zipped(text.encode()),
    "no line end at the end": lambda text: text.removesuffix("\n").encode() + b"\n",
}


@pytest.mark.parametrize("packing", PACKINGS)
def test_capture_reads_the_same_in_every_packing(packing: str) -> None:
    twin = incident()
    expected = read(twin)
    found = read(PACKINGS[packing](twin.text()))
    assert found.rows == 13
    assert same_rows(found, expected, 13)
    assert found.warnings == expected.warnings


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16"])
def test_names_keep_their_letters_in_every_encoding(encoding: str) -> None:
    twin = Twin(machines=[Machine("Prüfung", 7000, {"scsi0:0": (5, 5, 1, 1)})])
    capture = read(twin.text().encode(encoding))
    assert {each.parent for each in capture.of_kind(ObjectKind.VIRTUAL_DISK)} == {"Prüfung"}


def test_capture_is_read_from_a_file_and_from_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "c.csv.gz").write_bytes(gzip.compress(incident().data(), mtime=0))
    assert read_capture(tmp_path / "c.csv.gz").rows == 13

    class Pipe(io.RawIOBase):
        """Gives a few bytes at a time, and cannot be rewound."""

        def __init__(self, data: bytes) -> None:
            self._rest = data

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
            part, self._rest = self._rest[:700], self._rest[700:]
            buffer[: len(part)] = part
            return len(part)

    assert read_capture(io.BufferedReader(Pipe(incident().data()))).rows == 13
    with pytest.raises(EsxtopFileError, match="a zip cannot be read from a pipe"):
        read_capture(io.BufferedReader(Pipe(zipped(incident().data()))))


def test_missing_file_is_named_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(EsxtopFileError, match=r"gone\.csv: cannot be read \(No such file"):
        read_capture(tmp_path / "gone.csv")
    with pytest.raises(EsxtopFileError, match="Is a directory"):
        read_capture(tmp_path)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (zipped(b"x", "a.csv", "b.csv"), "must hold one CSV and holds 2 files: a.csv, b.csv"),
        (zipped(b"x", "a.exe"), "must hold one CSV"),
        (zipped(incident().data())[:-40], "the zip cannot be opened"),
        (b"BZh91AY&SY", "packed with bzip2"),
        (b"\xfd7zXZ\0", "packed with xz"),
        (b"\x1f\x8bnot gzip at all", "compressed data are damaged"),
        (gzip.compress(b"v/esx.txt".ljust(257, b"\0") + b"ustar" + bytes(250), mtime=0), "a tar archive"),
    ],
)
def test_packing_that_cannot_be_read_is_refused_with_the_remedy(data: bytes, reason: str) -> None:
    with pytest.raises(EsxtopFileError, match=reason):
        read(data)


def test_damaged_gzip_is_refused() -> None:
    data = bytearray(gzip.compress(incident().data(), mtime=0))
    data[len(data) // 2] ^= 0xFF
    with pytest.raises(EsxtopFileError, match=r"damaged|no row|no esxtop"):
        read(bytes(data))


def test_gzip_that_ends_early_keeps_the_rows_before() -> None:
    twin = Twin(devices=incident().devices, machines=incident().machines, rows=400)
    data = gzip.compress(twin.data(), mtime=0)
    capture = read(data[: len(data) // 2])
    assert 5 < capture.rows < 400
    assert "compressed_data_cut" in codes(capture)
    assert same_rows(capture, read(twin), capture.rows)


def test_gzip_bomb_is_refused_before_it_is_unpacked() -> None:
    header = incident().text().encode()
    bomb = gzip.compress(header + incident().lines()[1].encode().join([b"\n"] * 20_000), mtime=0)
    with pytest.raises(EsxtopFileError, match="unpacks to more than 20 times its size"):
        read(bomb, limits=ReadLimits(unpacked_ratio=20, unchecked_bytes=100_000))


def test_zip_bomb_is_refused_before_it_is_unpacked() -> None:
    with pytest.raises(EsxtopFileError, match="unpacks to more than 20 times its size"):
        read(
            zipped(incident().data() + incident().lines()[1].encode().join([b"\n"] * 20_000)),
            limits=ReadLimits(unpacked_ratio=20, unchecked_bytes=100_000),
        )


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (ReadLimits(line_bytes=2**12), "the line is longer"),
        (ReadLimits(unpacked_bytes=2**12), "of text. Split the capture"),
        (ReadLimits(values=500), r"Read one device at a time \(--device\)"),
    ],
)
def test_file_beyond_a_limit_is_refused_with_the_remedy(limits: ReadLimits, reason: str) -> None:
    with pytest.raises(EsxtopFileError, match=reason):
        read(incident(), limits=limits)


def test_line_without_end_is_refused_and_not_kept() -> None:
    with pytest.raises(EsxtopFileError, match="line 1: the line is longer"):
        read(
            gzip.compress(b'"(PDH-CSV 4.0) (UTC)(0)",' + b"x" * 5_000_000, mtime=0), limits=ReadLimits(line_bytes=2**20)
        )
