"""Small files that unpack to much, or whose headers are everything: refused at once, with what was tried and what to do."""

import gzip
import io
import tarfile
import zipfile
from typing import IO

import pytest

from gavel.collectors import load_bundle, zipped
from gavel.collectors.import_registry import FORMATS
from gavel.collectors.imports.diskspd import as_xml
from gavel.domain.errors import GavelError
from gavel.domain.imports import ImportOptions

MIB = 2**20


class CountedFile(io.BytesIO):
    """Counts the bytes that are read of it."""

    taken = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.taken += len(data)
        return data


def header(name: str, kind: bytes, size: int) -> bytes:
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, size
    return info.tobuf(tarfile.GNU_FORMAT)


def refusal(kind: str, data: bytes | IO[bytes], name: str = "test.tar") -> str:
    stream = io.BytesIO(data) if isinstance(data, bytes) else data
    with pytest.raises(GavelError) as refused:
        FORMATS[kind].read(stream, name, ImportOptions())
    return str(refused.value)


@pytest.mark.parametrize("kind", ["hcibench", "fio"])
@pytest.mark.parametrize(
    "header_kind",
    [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.SOLARIS_XHDTYPE],
)
def test_tar_with_a_header_of_gigabytes_is_refused_before_it_is_read(kind: str, header_kind: bytes) -> None:
    """Issue 28, H4: 2 MB took 4.1 GB, as the standard library reads headers whole."""
    data = header("long", header_kind, 2**31) + b"x" * 8 * MIB
    stream = CountedFile(data)
    assert "a tar with a header of 2147483648 bytes, more than 1 MiB" in refusal(kind, stream)
    assert stream.taken < MIB


@pytest.mark.parametrize("kind", ["hcibench", "fio"])
def test_tar_of_folders_is_refused_after_2000_headers_of_any_kind(kind: str) -> None:
    folders = b"".join(header(f"f{number}/", tarfile.DIRTYPE, 0) for number in range(3000))
    stream = CountedFile(folders * 4)
    assert "more than 2000 files and folders" in refusal(kind, stream)
    assert stream.taken < 2 * MIB
    assert "more than 2000 files and folders" in refusal(kind, gzip.compress(folders, mtime=0), "test.tar.gz")


@pytest.mark.parametrize("header_kind", [tarfile.REGTYPE, b"?"], ids=["file", "unknown kind"])
def test_tar_that_unpacks_to_too_much_is_refused_by_what_is_read(
    header_kind: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load_bundle, "MOST_UNPACKED_BYTES", MIB)
    data = header("a.bin", header_kind, 3 * MIB) + bytes(3 * MIB)
    assert "GiB of them. Import fewer at once" in refusal("fio", gzip.compress(data, mtime=0), "test.tar.gz")


@pytest.mark.parametrize(
    "data",
    [
        header("sparse", tarfile.GNUTYPE_SPARSE, 10**6),
        header("x", tarfile.XHDTYPE, 512) + b"28 GNU.sparse.numblocks=99\n".ljust(512, b"\0"),
        header("x", tarfile.XHDTYPE, 512) + b"1" * 512,
        header("x", tarfile.XHDTYPE, 512) + b"0 path=a\n".ljust(512, b"\0"),
    ],
    ids=["GNU sparse", "PAX sparse", "digits", "no length"],
)
def test_tar_whose_headers_are_not_those_of_plain_files_is_refused(data: bytes) -> None:
    assert "Pack" in refusal("fio", data + bytes(1024))


def test_tar_keeps_long_names_of_both_forms() -> None:
    name = "folder/" * 40 + "run.json"
    for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT):
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w", format=form) as archive:
            for each in ("first.txt", "folder/" * 20 + "run.json" if form == tarfile.USTAR_FORMAT else name):
                info = tarfile.TarInfo(each)
                info.size = 3
                archive.addfile(info, io.BytesIO(b"abc"))
        packed.seek(0)
        found = [(str(each.path), each.stream.read()) for each in load_bundle.bundled_files(packed, "a.tar")]
        assert [data for _, data in found] == [b"abc", b"abc"]
        assert found[0][0] == "first.txt"
        assert found[1][0].endswith("folder/run.json")


def zip_of(names: int, packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", packing) as archive:
        for number in range(names):
            archive.writestr(f"{number:030}.csv", b"x" * 100)
    return packed.getvalue()


@pytest.mark.parametrize("kind", ["hcibench", "fio", "esxtop"])
def test_zip_with_a_large_directory_or_unbounded_packing_is_refused(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "not packed with deflate" in refusal(kind, zip_of(1, zipfile.ZIP_BZIP2), "a.zip")
    assert "not packed with deflate" in refusal(kind, zip_of(1, zipfile.ZIP_LZMA), "a.zip")
    monkeypatch.setattr(zipped, "MOST_DIRECTORY_BYTES", 5000)
    assert "directory has more than 1 MiB" in refusal(kind, zip_of(100), "a.zip")


def test_diskspd_xml_of_millions_of_elements_is_refused_before_a_tree_is_built() -> None:
    for unit in ("<a/>", "<a b='' c=''/>"):
        text = f"<Results>{unit * (3 * as_xml.MOST_ELEMENTS)}</Results>"
        assert "XML of more than 200000 elements" in refusal(
            "diskspd", gzip.compress(text.encode(), mtime=0), "a.xml.gz"
        )


def test_fio_logs_that_span_centuries_are_refused() -> None:
    rows = b"1700000000000, 500, 0, 4096\n90000000000000, 500, 0, 4096\n"
    assert "more than a year apart" in refusal("fio", rows, "run_lat.1.log")
