"""Files of load tools: small texts, read whole, plain or gzip; and why one of them is refused."""

import zlib
from collections.abc import Sequence
from typing import IO, Final

from gavel.domain.errors import GavelError
from gavel.domain.load_runs import MOST_RUNS, ImportedRuns, LoadRun
from gavel.domain.text import clean_text

MOST_TEXT_BYTES: Final = 64 * 2**20
# No tool counts so far; integers beyond it are more than a float, or the database, takes.
BEYOND_MEASURE: Final = 1e18
_MOST_DIGITS = 9
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


class LoadFileError(GavelError):
    """The file cannot be used. The text names file, line or field, cause and remedy; it may quote the file, on one line."""

    def __init__(self, file: str, reason: str, *, line: int | None = None) -> None:
        where = f", line {line}" if line is not None else ""
        super().__init__(clean_text(f"{file}{where}: {reason}", 1000))


def read_text(stream: IO[bytes], file: str) -> str:
    """The file as text: UTF-8, or UTF-16 as PowerShell redirects it. Raises LoadFileError."""
    data = stream.read(MOST_TEXT_BYTES + 1)
    if data[:2] == b"\x1f\x8b":
        data = _unpacked(data, file)
    if len(data) > MOST_TEXT_BYTES:
        raise LoadFileError(file, f"larger than {MOST_TEXT_BYTES // 2**20} MiB, so no result of a load tool.")
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    return data.decode("utf-8", "replace")


def _unpacked(data: bytes, file: str) -> bytes:
    """At most one byte more than is read of any file."""
    unpacker = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    try:
        text = unpacker.decompress(data, MOST_TEXT_BYTES + 1)
    except zlib.error as error:
        raise LoadFileError(file, f"gzip that cannot be unpacked ({error}). Copy the file again.") from error
    if not unpacker.eof and len(text) <= MOST_TEXT_BYTES:
        raise LoadFileError(file, "gzip that ends in the midst. Copy the file again.")
    return text


def bounded(runs: Sequence[LoadRun], file: str) -> ImportedRuns:
    """Raises LoadFileError for more than anybody reads run by run."""
    require_few(runs, file, MOST_RUNS)
    return ImportedRuns(tuple(runs))


def require_few(runs: Sequence[LoadRun], file: str, most: int) -> None:
    """Raises LoadFileError for more than that."""
    if len(runs) > most:
        raise LoadFileError(file, f"more than {most} runs. Import them in several files.")


def small_count(text: str) -> int | None:
    """A number of threads, of outstanding I/Os or of an interval; None for what is none. Anything else stands in files, too."""
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else None
