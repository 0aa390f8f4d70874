"""A result of HCIBench as it is kept: its summary, or its folder with a file per VM, packed."""

from collections.abc import Mapping
from typing import IO

from gavel.collectors.imports.hcibench.archive import VmReader, archived_runs
from gavel.collectors.imports.hcibench.summary import summary_runs
from gavel.collectors.load_bundle import MOST_MEMBERS, is_bundle, unpacking
from gavel.collectors.load_file import bounded, read_text, require_few
from gavel.domain.imports import ImportOptions
from gavel.domain.load_runs import ImportedRuns


def read_import(
    stream: IO[bytes], file: str, options: ImportOptions, *, vm_readers: Mapping[str, VmReader]
) -> ImportedRuns:
    """vm_readers: of the tools that HCIBench runs in its VMs. Raises LoadFileError."""
    with unpacking(file):
        if is_bundle(stream):
            held = archived_runs(stream, file, options, vm_readers)
            require_few(held.runs, file, MOST_MEMBERS)
            return held
    return bounded(summary_runs(read_text(stream, file), file), file)
