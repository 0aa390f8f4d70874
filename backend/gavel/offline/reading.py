"""Files of this machine as what an environment is made from."""

from collections.abc import Sequence
from pathlib import Path

from gavel.collectors.arrays.flasharray.export import read_export
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


def read_arrays(paths: Sequence[Path]) -> list[ArrayFile]:
    """Exports of arrays. Raises SettingsError that names the file, also where one array is there twice."""
    found = [_read_array(path) for path in paths]
    keys = [each.inventory.array.key for each in found]
    for each in found:
        if keys.count(each.inventory.array.key) > 1:
            raise SettingsError(
                f"{each.file_name}: the array {each.inventory.array.name} is in two of the exports. Leave one out."
            )
    return found


def _read_array(path: Path) -> ArrayFile:
    export = read_export(path)
    try:
        inventory = export.collector.inventory()
        batches = [batch for window in export.windows for batch in export.collector.samples(*window)]
    except SourceError as error:
        raise SettingsError(f"{path}: {error}") from error
    if not isinstance(inventory, ArrayInventory):
        raise SettingsError(f"{path}: is no export of an array.")
    newest = max(until for _, _, until in export.windows) if export.windows else None
    if newest is None or not batches:
        raise SettingsError(f"{path}: has no samples. Export again, of the time of the captures.")
    clock = export.clock or ClockReading(None, 0.0, ASSUMED_ERROR_S, newest)
    return ArrayFile(path.name, inventory, batches, clock)


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
