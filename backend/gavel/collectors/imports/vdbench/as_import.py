"""A result of vdbench as it is kept: one run per run definition (RD)."""

import re
from typing import IO

from gavel.collectors.imports.vdbench.flatfile import flat_runs
from gavel.collectors.imports.vdbench.runs import run_of_flat
from gavel.collectors.imports.vdbench.totals import total_runs
from gavel.collectors.load_file import LoadFileError, bounded, read_text
from gavel.domain.imports import ImportOptions
from gavel.domain.load_runs import ImportedRuns, LoadRun

HOW = "Import flatfile.html of vdbench's output folder."
_TOTALS = re.compile(r"^.*\binterval\s+i/o\s+MB/sec\b", re.MULTILINE)


def read_import(stream: IO[bytes], file: str, options: ImportOptions) -> ImportedRuns:
    """Raises LoadFileError."""
    return bounded(runs_of_text(read_text(stream, file), file, options), file)


def runs_of_text(text: str, file: str, options: ImportOptions) -> list[LoadRun]:
    """Raises LoadFileError."""
    if flat := flat_runs(text, file, options):
        return [run_of_flat(each, file) for each in flat]
    if _TOTALS.search(text):
        return total_runs(text, file, options)
    raise LoadFileError(file, f"no table of vdbench in it. {HOW}")
