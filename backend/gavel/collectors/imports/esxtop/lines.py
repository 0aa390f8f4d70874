"""From a file as people send it (plain, gzip or zip; UTF-8, UTF-16 or Latin-1) to its lines, within limits."""

import codecs
import gzip
import io
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any, cast

from gavel.collectors.imports.esxtop.errors import CAPTURE_COMMAND, EsxtopFileError
from gavel.collectors.zipped import open_zip

_MIB = 2**20
_CHUNK = 256 * 1024
_UTF8_MARK = codecs.BOM_UTF8
_TAR_MARK_AT = 257
_OTHER_PACKING = {
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"7z\xbc\xaf": "7z",
    b"Rar!": "rar",
}


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """What a file may ask of this machine. A header of 50,000 columns is 4 MB; esxtop's rows shrink about 20 times in gzip.

    `unpacked_ratio` applies once `unchecked_bytes` are unpacked. `values`: numbers kept in memory.
    """

    line_bytes: int = 64 * _MIB
    unpacked_bytes: int = 16 * 1024 * _MIB
    unpacked_ratio: int = 200
    unchecked_bytes: int = 64 * _MIB
    junk_bytes: int = _MIB
    refused_rows: int = 10_000
    values: int = 25_000_000


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line without its end. `complete`: whether it had one; without it the file may have been cut within."""

    number: int
    data: bytes
    complete: bool


class CaptureLines:
    """The lines of a capture, in UTF-8 or Latin-1. `cut_short`: the compressed stream ended too early, known after the last line."""

    def __init__(self, stream: IO[bytes], file: str, limits: ReadLimits) -> None:
        self.cut_short = False
        self._file = file
        self._limits = limits
        self._text = _decoded(_unpacked(stream, file, limits), file)

    def __iter__(self) -> Iterator[TextLine]:
        number = 0
        while data := self._next(number + 1):
            number += 1
            # Captures that were appended to one another may each begin with a mark.
            text = data.removeprefix(_UTF8_MARK).rstrip(b"\r\n")
            yield TextLine(number, text, data.endswith(b"\n"))

    def _next(self, number: int) -> bytes:
        longest = self._limits.line_bytes
        try:
            data = self._text.readline(longest + 1)
        except EOFError:
            self.cut_short = True
            return b""
        except (zlib.error, gzip.BadGzipFile, zipfile.BadZipFile) as error:
            raise EsxtopFileError(
                self._file, f"the compressed data are damaged ({error}). Copy the file again.", line=number
            ) from error
        except OSError as error:
            raise EsxtopFileError(self._file, f"cannot be read ({error.strerror or error}).", line=number) from error
        if len(data) > longest:
            raise EsxtopFileError(
                self._file, f"the line is longer than {longest // _MIB} MiB: no esxtop capture.", line=number
            )
        return data


class _BoundedReader(io.RawIOBase):
    """Passes bytes on and counts them; refuses what unpacks to more than a capture would."""

    def __init__(
        self, inner: io.BufferedIOBase, file: str, limits: ReadLimits, packed: "_CountedReader | None"
    ) -> None:
        self._inner = inner
        self._file = file
        self._limits = limits
        self._packed = packed
        self._total = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._inner.read1(len(buffer))  # what is there: bytes before the place where a file is cut are not lost
        buffer[: len(data)] = data
        self._total += len(data)
        self._check()
        return len(data)

    def _check(self) -> None:
        limits = self._limits
        if self._total > limits.unpacked_bytes:
            raise EsxtopFileError(
                self._file,
                f"more than {limits.unpacked_bytes // _MIB} MiB of text. Split the capture, "
                "or capture fewer rows (-n) or only the disk fields (-c).",
            )
        if self._packed is None or self._total <= limits.unchecked_bytes:
            return
        if self._total > limits.unpacked_ratio * max(1, self._packed.taken):
            raise EsxtopFileError(
                self._file,
                f"unpacks to more than {limits.unpacked_ratio} times its size, which no capture does. "
                "If it is one, unpack it first.",
            )


class _CountedReader(io.RawIOBase):
    """Passes bytes on and counts them."""

    def __init__(self, inner: io.BufferedIOBase) -> None:
        self._inner = inner
        self.taken = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._inner.read1(len(buffer))
        buffer[: len(data)] = data
        self.taken += len(data)
        return len(data)


class _Utf8Reader(io.RawIOBase):
    """Text of another encoding as UTF-8. What cannot be decoded becomes a replacement character."""

    def __init__(self, inner: io.BufferedIOBase, encoding: str) -> None:
        self._inner = inner
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            data = self._inner.read1(_CHUNK)
            self._ready = self._decoder.decode(data, final=not data).encode("utf-8", "replace")
            if not data and not self._ready:
                return 0
        part, self._ready = self._ready[: len(buffer)], self._ready[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)


def _buffered(raw: io.RawIOBase | IO[bytes]) -> io.BufferedReader:
    return io.BufferedReader(cast("io.RawIOBase", raw), _CHUNK)


def _unpacked(stream: IO[bytes], file: str, limits: ReadLimits) -> io.BufferedReader:
    """The file's own bytes, whatever they are packed in."""
    packed = stream if isinstance(stream, io.BufferedReader) else _buffered(stream)
    head = packed.peek(512)
    if head.startswith(b"\x1f\x8b"):
        counted = _CountedReader(packed)
        inner = gzip.GzipFile(fileobj=_buffered(counted))
        return _buffered(_BoundedReader(inner, file, limits, counted))
    if head.startswith(b"PK"):
        return _zip_member(packed, file, limits)
    for mark, packing in _OTHER_PACKING.items():
        if head.startswith(mark):
            raise EsxtopFileError(
                file, f"is packed with {packing}. Unpack it first; gzip and zip are read as they are."
            )
    return _buffered(_BoundedReader(packed, file, limits, None))


def _zip_member(stream: io.BufferedReader, file: str, limits: ReadLimits) -> io.BufferedReader:
    """The only CSV of a zip."""
    if not stream.seekable():
        raise EsxtopFileError(file, "a zip cannot be read from a pipe. Give it as a file, or unpack it first.")
    try:
        archive = open_zip(stream)
        members = [
            each for each in archive.infolist() if not each.is_dir() and not each.filename.startswith("__MACOSX")
        ]
        if len(members) != 1 or not members[0].filename.lower().endswith((".csv", ".tsv", ".txt")):
            names = ", ".join(each.filename for each in members[:3]) or "nothing"
            raise EsxtopFileError(
                file, f"the zip must hold one CSV and holds {len(members)} files: {names}. Unpack it first."
            )
        packed = _CountedReader(stream)
        packed.taken = members[0].compress_size
        inner = cast("io.BufferedIOBase", archive.open(members[0]))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise EsxtopFileError(
            file, f"the zip cannot be opened ({error}). Copy it again, or unpack it first."
        ) from error
    return _buffered(_BoundedReader(inner, file, limits, packed))


def _decoded(stream: io.BufferedReader, file: str) -> io.BufferedReader:
    """Lines in UTF-8 (or Latin-1, which rows and separators do not show)."""
    try:
        head = stream.peek(512)
    except EOFError:
        head = b""
    except (zlib.error, gzip.BadGzipFile, zipfile.BadZipFile) as error:
        raise EsxtopFileError(file, f"the compressed data are damaged ({error}). Copy the file again.") from error
    if head[_TAR_MARK_AT:].startswith(b"ustar"):
        raise EsxtopFileError(
            file,
            "a tar archive. Performance snapshots of vm-support become a capture on an ESXi host: "
            f"esxtop -R DIRECTORY -b -a > capture.csv. Or capture anew: {CAPTURE_COMMAND}",
        )
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _buffered(_Utf8Reader(stream, "utf-16"))
    if head[1:2] == b"\0":
        return _buffered(_Utf8Reader(stream, "utf-16-le"))
    if head[:1] == b"\0":
        return _buffered(_Utf8Reader(stream, "utf-16-be"))
    return stream
