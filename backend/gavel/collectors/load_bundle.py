"""Several files of a load tool in one: a zip, or a tar, also with gzip; read one after another, within limits."""

import gzip
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO, Final

from gavel.collectors.load_file import LoadFileError

MOST_MEMBERS: Final = 2000
MOST_UNPACKED_BYTES: Final = 2**30
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
    members = _zipped(stream, file) if _head(stream)[:4] == _ZIP else _archived(stream)
    for count, (name, size, opened) in enumerate(members):
        left -= size
        if count >= MOST_MEMBERS or left < 0:
            most = f"more than {MOST_MEMBERS} files or {MOST_UNPACKED_BYTES // 2**30} GiB of them"
            raise LoadFileError(file, f"{most}. Import fewer at once.")
        yield BundledFile(PurePosixPath(name), opened)


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
    with zipfile.ZipFile(stream) as bundle:
        for member in bundle.infolist():
            if member.flag_bits & _ENCRYPTED:
                raise LoadFileError(file, "a zip with a password. Pack it without.")
            if not member.is_dir():
                with bundle.open(member) as opened:
                    yield member.filename, member.file_size, opened


def _archived(stream: IO[bytes]) -> Iterator[tuple[str, int, IO[bytes]]]:
    with tarfile.open(fileobj=stream, mode="r|*") as bundle:
        for member in bundle:
            opened = bundle.extractfile(member) if member.isfile() else None
            if opened is not None:
                yield member.name, member.size, opened
