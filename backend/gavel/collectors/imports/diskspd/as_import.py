"""A result of diskspd as it is kept: one run per timespan."""

from typing import IO

from gavel.collectors.imports.diskspd.as_text import text_spans
from gavel.collectors.imports.diskspd.as_xml import xml_spans
from gavel.collectors.imports.diskspd.spans import runs_of_spans
from gavel.collectors.load_file import LoadFileError, bounded, read_text
from gavel.domain.imports import ImportOptions
from gavel.domain.load_runs import ImportedRuns

_HOW = "Run diskspd with -L -Rxml and import what it writes, or its text."


def read_import(stream: IO[bytes], file: str, options: ImportOptions) -> ImportedRuns:
    """Raises LoadFileError."""
    text = read_text(stream, file)
    if text.lstrip().startswith("<"):
        spans = xml_spans(text, file)
    elif "Results for timespan" in text:
        spans = text_spans(text, file)
    else:
        raise LoadFileError(file, f"no result of diskspd in it. {_HOW}")
    return bounded(runs_of_spans(spans, file, options), file)
