"""Latency logs as fio writes them, made from their grammar, and bundles of files as they are imported together."""

import io
import tarfile
import zipfile
from collections.abc import Mapping, Sequence

Row = tuple[int, int, int]


def averages(rows: Sequence[Row]) -> str:
    """As of `--log_avg_msec`: (ms, ns, direction), with a block size of 0."""
    return "".join(f"{at_ms}, {ns}, {direction}, 0, 0\n" for at_ms, ns, direction in rows)


def every_io(rows: Sequence[Row], *, block: int = 4096, more: str = ", 0") -> str:
    """As without it: a row per I/O. more: columns that options add."""
    return "".join(f"{at_ms}, {ns}, {direction}, {block}{more}\n" for at_ms, ns, direction in rows)


def tar(files: Mapping[str, str | bytes], mode: str = "w") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode) as bundle:  # type: ignore[call-overload]
        for name, text in files.items():
            data = text if isinstance(text, bytes) else text.encode()
            member = tarfile.TarInfo(name)
            member.size = len(data)
            bundle.addfile(member, io.BytesIO(data))
    return packed.getvalue()


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, text in files.items():
            bundle.writestr(name, text)
    return packed.getvalue()
