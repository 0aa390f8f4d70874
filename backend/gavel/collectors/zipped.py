"""Zips of imports, opened within limits: their directory is read whole, and only deflate unpacks in bounded steps."""

import io
import struct
import zipfile
from typing import IO, Final

MOST_DIRECTORY_BYTES: Final = 2**20
_END, _END_64 = struct.Struct("<4s4H2LH"), b"PK\x06\x07"
_LOCATOR_BYTES = 20
_LONGEST_COMMENT = 2**16


def open_zip(stream: IO[bytes]) -> zipfile.ZipFile:
    """Raises BadZipFile for a directory of more than 1 MiB, and for packing other than deflate."""
    size = stream.seek(0, io.SEEK_END)
    start = max(0, size - _END.size - _LOCATOR_BYTES - _LONGEST_COMMENT)
    stream.seek(start)
    tail = stream.read(size - start)
    stream.seek(0)
    at = tail.rfind(b"PK\x05\x06", 0, len(tail) - _END.size + 4)
    if at < 0:
        raise zipfile.BadZipFile("it has no directory at its end")
    # A zip of the 64-bit form has its own size of the directory: it is for more than 4 GiB, or 65,535 files.
    directory_bytes = _END.unpack_from(tail, at)[5]
    if directory_bytes > MOST_DIRECTORY_BYTES or _END_64 in tail[max(0, at - _LOCATOR_BYTES) : at]:
        raise zipfile.BadZipFile("its directory has more than 1 MiB; pack fewer files")
    archive = zipfile.ZipFile(stream)
    if any(each.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for each in archive.infolist()):
        raise zipfile.BadZipFile("it is not packed with deflate; pack it anew")
    return archive
