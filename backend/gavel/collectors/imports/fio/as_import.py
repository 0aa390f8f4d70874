"""A result of fio as it is kept: one run per group of jobs that ran together; its JSON, its latency logs, or both in one bundle."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any

from gavel.collectors.imports.fio.documents import documents
from gavel.collectors.imports.fio.jobs import FioField, mapping, optional, read_job, texts
from gavel.collectors.imports.fio.log_match import GroupedRun, grouped_runs, with_left_out, with_series
from gavel.collectors.imports.fio.log_runs import runs_of_logs
from gavel.collectors.imports.fio.logs import FioLog, log_name, read_log
from gavel.collectors.imports.fio.runs import FioDocument, runs_of
from gavel.collectors.load_bundle import bundled_files, is_bundle, unpacking
from gavel.collectors.load_file import LoadFileError, bounded, read_text
from gavel.domain.imports import ImportOptions
from gavel.domain.load_runs import MOST_RUNS, ImportedRuns, LoadRun

_ALL_CLIENTS = "All clients"
_NOT_READ = "neither JSON nor a latency log as text; of a .fz log: fio --inflate-log"
_RESULTS = (".json", ".json.gz", ".txt", ".out")


def read_import(stream: IO[bytes], file: str, options: ImportOptions) -> ImportedRuns:
    """Raises LoadFileError."""
    name = log_name(file)
    with unpacking(file):
        if is_bundle(stream):
            return bounded(_bundled(stream, file, options), file)
        if name is not None:
            return bounded(runs_of_logs([read_log(stream, name)], options), file)
    return bounded([each.run for each in _results(read_text(stream, file), file)], file)


def last_runs(text: str, file: str, _options: ImportOptions) -> list[LoadRun]:
    """Of the last document alone, where fio wrote time and again what it had counted so far (--status-interval). Raises LoadFileError."""
    ((line, document),) = deque(documents(text, file), maxlen=1)
    return [each.run for each in _grouped(document, line, file)]


def _bundled(stream: IO[bytes], file: str, options: ImportOptions) -> list[LoadRun]:
    grouped: list[GroupedRun] = []
    logs: list[FioLog] = []
    left_out: list[str] = []
    for member in bundled_files(stream, file):
        name = log_name(member.path.name)
        if name is not None:
            logs.append(read_log(member.stream, name))
        elif member.path.name.endswith(_RESULTS):
            grouped += _results(read_text(member.stream, member.path.name), member.path.name)
        else:
            left_out.append(member.path.name)
    if not grouped and not logs:
        raise LoadFileError(file, "no result of fio in it: neither its JSON nor a latency log (NAME_lat.1.log).")
    runs = with_series(grouped, logs) if grouped else runs_of_logs(logs, options)
    return [with_left_out(runs[0], left_out, _NOT_READ), *runs[1:]] if left_out else runs


def _results(text: str, file: str) -> list[GroupedRun]:
    found: list[GroupedRun] = []
    for line, document in documents(text, file):
        found += _grouped(document, line, file)
        if len(found) > MOST_RUNS:
            break
    return found


def _grouped(document: Mapping[str, Any], line: int, file: str) -> Sequence[GroupedRun]:
    at = FioField(file, f"line {line}:")
    shared = texts(document.get("global options", {}), at.of("global options"))
    jobs = tuple(read_job(entry, shared, field) for field, entry in _entries(document, at))
    ended = optional(document.get("timestamp_ms"), at.of("timestamp_ms"))
    if ended is None and (seconds := optional(document.get("timestamp"), at.of("timestamp"))) is not None:
        ended = seconds * 1000
    found = FioDocument(file=file, line=line, version=str(document["fio version"]), ended_at_ms=ended, jobs=jobs)
    return grouped_runs(found, runs_of(found))


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
