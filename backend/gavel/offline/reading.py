"""Files of this machine as what an environment is made from."""

from collections.abc import Sequence
from pathlib import Path

from gavel.collectors.import_registry import FORMATS
from gavel.domain.errors import SettingsError
from gavel.domain.imports import ImportedCapture, ImportOptions
from gavel.offline.fill import CaptureFile


def read_captures(paths: Sequence[Path], options: ImportOptions) -> list[CaptureFile]:
    """Raises GavelError that names the file, and line, column and reason where it has them."""
    return [_read(path, options) for path in paths]


def _read(path: Path, options: ImportOptions) -> CaptureFile:
    try:
        with path.open("rb") as stream:
            read = FORMATS["esxtop"].read(stream, str(path), options)
        size_bytes = path.stat().st_size
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read ({error.strerror or error}).") from error
    if not isinstance(read, ImportedCapture):
        raise SettingsError(f"{path}: is no capture of a host.")
    return CaptureFile(path.name, size_bytes, read)
