"""Files as what an environment is made from: those of this machine, and streams of those that were uploaded."""

from collections.abc import Sequence
from pathlib import Path
from typing import IO

from gavel.collectors.arrays.flasharray.export import ArrayExport, decode_export, read_export
from gavel.collectors.import_registry import FORMATS
from gavel.domain.errors import SettingsError, SourceError
from gavel.domain.imports import ImportedCapture, ImportOptions
from gavel.domain.inventory import ArrayInventory
from gavel.domain.source import ClockReading
from gavel.offline.fill import CaptureFile
from gavel.offline.host_clocks import ASSUMED_ERROR_S, ArrayFile


def read_captures(paths: Sequence[Path], options: ImportOptions) -> list[CaptureFile]:
    """Raises GavelError that names the file, and line, column and reason where it has them."""
    return [_read(path, options) for path in paths]


def read_capture(stream: IO[bytes], file_name: str, options: ImportOptions) -> ImportedCapture:
    """Raises GavelError that names the file, and line, column and reason where it has them."""
    capture = FORMATS["esxtop"].read(stream, file_name, options)
    if not isinstance(capture, ImportedCapture):
        raise SettingsError(f"{file_name}: is no capture of a host.")
    return capture


def read_arrays(paths: Sequence[Path]) -> list[ArrayFile]:
    """Exports of arrays. Raises SettingsError that names the file, also where one array is there twice."""
    return require_distinct([_array(read_export(path), path.name) for path in paths])


def read_array(stream: IO[bytes], file_name: str) -> ArrayFile:
    """Raises SettingsError that names the file."""
    return _array(decode_export(stream, file_name), file_name)


def require_distinct(arrays: list[ArrayFile]) -> list[ArrayFile]:
    """Raises SettingsError where one array is there twice."""
    keys = [each.inventory.array.key for each in arrays]
    for each in arrays:
        if keys.count(each.inventory.array.key) > 1:
            raise SettingsError(
                f"{each.file_name}: the array {each.inventory.array.name} is in two of the exports. Leave one out."
            )
    return arrays


def _array(export: ArrayExport, file_name: str) -> ArrayFile:
    try:
        inventory = export.collector.inventory()
        batches = [batch for window in export.windows for batch in export.collector.samples(*window)]
    except SourceError as error:
        raise SettingsError(f"{file_name}: {error}") from error
    if not isinstance(inventory, ArrayInventory):
        raise SettingsError(f"{file_name}: is no export of an array.")
    newest = max(until for _, _, until in export.windows) if export.windows else None
    if newest is None or not batches:
        raise SettingsError(f"{file_name}: has no samples. Export again, of the time of the captures.")
    clock = export.clock or ClockReading(None, 0.0, ASSUMED_ERROR_S, newest)
    return ArrayFile(file_name, inventory, batches, clock)


def _read(path: Path, options: ImportOptions) -> CaptureFile:
    try:
        with path.open("rb") as stream:
            capture = read_capture(stream, str(path), options)
        return CaptureFile(path.name, path.stat().st_size, capture)
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read ({error.strerror or error}).") from error
