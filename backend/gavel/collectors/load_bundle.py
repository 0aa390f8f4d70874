"""Several files of a load tool in one: a zip, or a tar, also with gzip; read one after another, within limits."""

import gzip
import io
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO, Any, Final, cast

from gavel.collectors.load_file import LoadFileError
from gavel.collectors.zipped import open_zip

MOST_MEMBERS: Final = 2000
MOST_UNPACKED_BYTES: Final = 2**30
MOST_HEADER_BYTES: Final = 2**20
# Headers that stand before the one of a file: long names, and extended headers of a file or of all.
_NAME_HEADERS: Final = (
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
)
_LENGTH_DIGITS = 8
_STEP = 2**18
_ZIP, _GZIP = b"PK\x03\x04", b"\x1f\x8b"
_TAR, _TAR_AT = b"ustar", 257
_ENCRYPTED = 1
_BROKEN = (OSError, EOFError, zlib.error, tarfile.TarError, zipfile.BadZipFile, NotImplementedError)


@dataclass(frozen=True, slots=True)
class BundledFile:
    """One file of a bundle. path: within it; stream: good until the next one is asked for."""

    path: PurePosixPath
    stream: IO[bytes]


def is_bundle(stream: IO[bytes]) -> bool:
    """The stream stands at its start again."""
    head = _head(stream)
    if head[:2] == _GZIP:
        try:
            with gzip.GzipFile(fileobj=stream) as unpacked:
                head = unpacked.read(_TAR_AT + len(_TAR))
        except _BROKEN:
            head = b""
        stream.seek(0)
    return head[:4] == _ZIP or head[_TAR_AT:] == _TAR


def bundled_files(stream: IO[bytes], file: str) -> Iterator[BundledFile]:
    """In their order, to be read within `unpacking`. Raises LoadFileError for more than anybody reads."""
    left = MOST_UNPACKED_BYTES
    members = _zipped(stream, file) if _head(stream)[:4] == _ZIP else _archived(stream, file)
    for count, (name, size, opened) in enumerate(members):
        left -= size
        if count >= MOST_MEMBERS or left < 0:
            raise _too_much(file)
        yield BundledFile(PurePosixPath(name), opened)


def _too_much(file: str) -> LoadFileError:
    most = f"more than {MOST_MEMBERS} files and folders or {MOST_UNPACKED_BYTES // 2**30} GiB of them"
    return LoadFileError(file, f"{most}. Import fewer at once.")


@contextmanager
def unpacking(file: str) -> Iterator[None]:
    """Raises LoadFileError where what is read meanwhile is broken."""
    try:
        yield
    except _BROKEN as error:
        raise LoadFileError(file, f"cannot be unpacked ({error}). Pack and copy it again.") from error


def _head(stream: IO[bytes]) -> bytes:
    head = stream.read(_TAR_AT + len(_TAR))
    stream.seek(0)
    return head


def _zipped(stream: IO[bytes], file: str) -> Iterator[tuple[str, int, IO[bytes]]]:
    with open_zip(stream) as bundle:
        for member in bundle.infolist():
            if member.flag_bits & _ENCRYPTED:
                raise LoadFileError(file, "a zip with a password. Pack it without.")
            if not member.is_dir():
                with bundle.open(member) as opened:
                    yield member.filename, member.file_size, opened


def _archived(stream: IO[bytes], file: str) -> Iterator[tuple[str, int, IO[bytes]]]:
    """Regular files of a tar. The standard library reads headers whole, keeps all of them, and is quadratic in some."""
    is_packed = _head(stream)[:2] == _GZIP
    unpacked = cast("IO[bytes]", gzip.GzipFile(fileobj=stream)) if is_packed else stream
    source = _TarStream(unpacked, file)
    long_name: str | None = None
    for _ in range(MOST_MEMBERS + 1):
        block = source.read(tarfile.BLOCKSIZE)
        if not block.strip(b"\0"):
            return
        header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        if header.type in _NAME_HEADERS:
            long_name = _long_name(header.type, _header_data(source, header, file)) or long_name
            continue
        if header.size < 0 or header.type == tarfile.GNUTYPE_SPARSE:
            raise LoadFileError(file, "a tar of sparse files. Pack it without --sparse.")
        if header.isreg():
            member = _TarMember(source, header.size)
            yield long_name or header.name, header.size, io.BufferedReader(member)
            member.skip()
            source.skip_padding(header.size)
        elif header.type not in tarfile.SUPPORTED_TYPES:
            source.skip(header.size + -header.size % tarfile.BLOCKSIZE)
        long_name = None
    raise _too_much(file)


def _header_data(source: "_TarStream", header: tarfile.TarInfo, file: str) -> bytes:
    if not 0 <= header.size <= MOST_HEADER_BYTES:
        most = f"more than {MOST_HEADER_BYTES // 2**20} MiB"
        raise LoadFileError(file, f"a tar with a header of {header.size} bytes, {most}. Pack it anew.")
    data = source.exactly(header.size)
    source.skip_padding(header.size)
    return data


def _long_name(kind: bytes, data: bytes) -> str | None:
    """The name of the next file in a header of its own; None where the header has none."""
    if kind == tarfile.GNUTYPE_LONGNAME:
        return data.rstrip(b"\0").decode("utf-8", "surrogateescape")
    if kind not in (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE):
        return None
    found = None
    at = 0
    while at < len(data):
        digits, blank, _ = data[at : at + _LENGTH_DIGITS].partition(b" ")
        length = int(digits) if blank and digits.isdigit() else 0
        record = data[at + len(digits) + 1 : at + length]
        if length == 0 or not record.endswith(b"\n"):
            raise tarfile.ReadError("a header that is no list of records")
        key, _, value = record[:-1].partition(b"=")
        if key.startswith(b"GNU.sparse"):
            raise tarfile.ReadError("sparse files; pack without --sparse")
        if key == b"path":
            found = value.decode("utf-8", "surrogateescape")
        at += length
    return found


class _TarStream:
    """The bytes of a tar, counted: what shrinks best in gzip are headers and folders, which are no files."""

    def __init__(self, stream: IO[bytes], file: str) -> None:
        self._stream = stream
        self._file = file
        self._left = MOST_UNPACKED_BYTES

    def read(self, size: int) -> bytes:
        """Up to so many bytes; fewer at the end alone."""
        data = self._stream.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise _too_much(self._file)
        return data

    def exactly(self, size: int) -> bytes:
        data = self.read(size)
        if len(data) < size:
            raise tarfile.ReadError("unexpected end of data")
        return data

    def skip(self, size: int) -> None:
        while size > 0:
            size -= len(self.exactly(min(size, _STEP)))

    def skip_padding(self, size: int) -> None:
        self.skip(-size % tarfile.BLOCKSIZE)


class _TarMember(io.RawIOBase):
    """One file of a tar."""

    def __init__(self, source: _TarStream, size: int) -> None:
        self._source = source
        self._left = size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._source.exactly(min(self._left, len(buffer)))
        self._left -= len(data)
        buffer[: len(data)] = data
        return len(data)

    def skip(self) -> None:
        """What was not read."""
        self._source.skip(self._left)
        self._left = 0
