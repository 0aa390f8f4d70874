"""Files of one run of a load tool, packed so that they are imported together."""

import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from gavel.domain.errors import SettingsError

_LOGS: Final = (".log", ".log.gz")
_IN_MEMORY_BYTES: Final = 16 * 2**20


def is_log(path: Path) -> bool:
    """Of latency over time, which belongs to the result beside it."""
    return path.name.endswith(_LOGS)


def bundle_name(paths: Sequence[Path]) -> str:
    """That of the result, and how many logs are with it."""
    results, logs = [path.name for path in paths if not is_log(path)], [path.name for path in paths if is_log(path)]
    first, others = (results[0], len(logs)) if results else (logs[0], len(logs) - 1)
    return f"{first} + {others} {'log' if others == 1 else 'logs'}" if others else first


@contextmanager
def bundled(paths: Sequence[Path]) -> Iterator[IO[bytes]]:
    """A tar of them, at its start. Raises SettingsError for a file that cannot be read."""
    with tempfile.SpooledTemporaryFile(_IN_MEMORY_BYTES) as stream:
        with tarfile.open(fileobj=stream, mode="w") as bundle:
            for path in paths:
                try:
                    bundle.add(path, arcname=path.name, recursive=False)
                except OSError as error:
                    raise SettingsError(f"{path}: cannot be read ({error.strerror or error}).") from error
        stream.seek(0)
        yield stream
