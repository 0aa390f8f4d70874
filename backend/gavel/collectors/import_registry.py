"""Every format of files that Gavel imports; a new one is a folder of `imports` and a line here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import IO, Final, TypeAlias

from gavel.collectors.imports.diskspd import as_import as diskspd
from gavel.collectors.imports.esxtop import as_import as esxtop
from gavel.collectors.imports.fio import as_import as fio
from gavel.collectors.imports.hcibench import as_import as hcibench
from gavel.collectors.imports.iometer import as_import as iometer
from gavel.collectors.imports.sqlio import as_import as sqlio
from gavel.collectors.imports.vdbench import as_import as vdbench
from gavel.domain.imports import ImportedCapture, ImportOptions
from gavel.domain.load_runs import ImportedRuns

Reader: TypeAlias = Callable[[IO[bytes], str, ImportOptions], ImportedCapture | ImportedRuns]


@dataclass(frozen=True, slots=True)
class FileFormat:
    """read: the file from a binary stream, its name for messages, and what was chosen beside it; raises GavelError with line, column and
    reason where it cannot be used. is_load_tool: it holds runs of a VM, not a capture of a host."""

    label: str
    read: Reader
    is_load_tool: bool = False


FORMATS: Final[Mapping[str, FileFormat]] = {
    "esxtop": FileFormat("esxtop capture", esxtop.read_import),
    "fio": FileFormat("fio result", fio.read_import, is_load_tool=True),
    "vdbench": FileFormat("vdbench result", vdbench.read_import, is_load_tool=True),
    "diskspd": FileFormat("diskspd result", diskspd.read_import, is_load_tool=True),
    "iometer": FileFormat("Iometer result", iometer.read_import, is_load_tool=True),
    "sqlio": FileFormat("sqlio result", sqlio.read_import, is_load_tool=True),
    "hcibench": FileFormat(
        "HCIBench result",
        partial(hcibench.read_import, vm_readers={".json": fio.last_runs, ".txt": vdbench.runs_of_text}),
        is_load_tool=True,
    ),
}
