"""Every format of files that Gavel imports; a new one is a folder of `imports` and a line here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import IO, Final, TypeAlias

from gavel.collectors.imports.esxtop import as_import as esxtop
from gavel.domain.imports import ImportedCapture, ImportOptions

Reader: TypeAlias = Callable[[IO[bytes], str, ImportOptions], ImportedCapture]


@dataclass(frozen=True, slots=True)
class FileFormat:
    """read: the file from a binary stream, its name for messages, and what was chosen beside it; raises GavelError with line, column and
    reason where it cannot be used."""

    label: str
    read: Reader


FORMATS: Final[Mapping[str, FileFormat]] = {
    "esxtop": FileFormat("esxtop capture", esxtop.read_import),
}
