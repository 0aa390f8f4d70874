"""A result of fio as it is kept: one run per group of jobs that ran together."""

from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any

from gavel.collectors.imports.fio.documents import documents
from gavel.collectors.imports.fio.jobs import FioField, mapping, optional, read_job, texts
from gavel.collectors.imports.fio.runs import FioDocument, runs_of
from gavel.collectors.load_file import LoadFileError, bounded, read_text
from gavel.domain.imports import ImportOptions
from gavel.domain.load_runs import MOST_RUNS, ImportedRuns, LoadRun

_ALL_CLIENTS = "All clients"


def read_import(stream: IO[bytes], file: str, options: ImportOptions) -> ImportedRuns:  # noqa: ARG001 (fio writes no local times)
    """Raises LoadFileError."""
    runs: list[LoadRun] = []
    for line, document in documents(read_text(stream, file), file):
        runs += _runs(document, line, file)
        if len(runs) > MOST_RUNS:
            break
    return bounded(runs, file)


def _runs(document: Mapping[str, Any], line: int, file: str) -> Sequence[LoadRun]:
    at = FioField(file, f"line {line}:")
    shared = texts(document.get("global options", {}), at.of("global options"))
    jobs = tuple(read_job(entry, shared, field) for field, entry in _entries(document, at))
    ended = optional(document.get("timestamp_ms"), at.of("timestamp_ms"))
    if ended is None and (seconds := optional(document.get("timestamp"), at.of("timestamp"))) is not None:
        ended = seconds * 1000
    found = FioDocument(file=file, line=line, version=str(document["fio version"]), ended_at_ms=ended, jobs=jobs)
    return runs_of(found)


def _entries(document: Mapping[str, Any], at: FioField) -> Iterator[tuple[FioField, object]]:
    """Of one machine: those of several would be of several VMs."""
    name = "client_stats" if "client_stats" in document else "jobs"
    listed = document.get(name)
    if not isinstance(listed, list) or not listed:
        raise at.of(name).refuse("has no jobs")
    entries = [(at.of(f"{name}[{position}]"), entry) for position, entry in enumerate(listed)]
    if name == "client_stats":
        entries = [pair for pair in entries if mapping(pair[1], pair[0]).get("jobname") != _ALL_CLIENTS]
        hosts = sorted({str(mapping(entry, field).get("hostname")) for field, entry in entries})
        if len(hosts) > 1:
            raise LoadFileError(
                at.file,
                f"results of {len(hosts)} machines ({', '.join(hosts[:5])}). A test run is of one VM: run fio per VM.",
            )
    yield from entries
