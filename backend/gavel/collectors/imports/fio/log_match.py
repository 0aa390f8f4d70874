"""Which run of a result each latency log is of: by the name that its job gave it, then by the number of its job."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from gavel.collectors.imports.fio.jobs import FioJob
from gavel.collectors.imports.fio.log_series import log_series
from gavel.collectors.imports.fio.logs import FioLog
from gavel.collectors.imports.fio.runs import ON, FioDocument, groups_of, ramp_of
from gavel.collectors.load_file import LoadFileError, small_count
from gavel.domain.load_runs import LoadRun, LoadWarning

# Between fio's own times and those of its log: setting up, and writing the result.
_SLACK = timedelta(seconds=60)
_FIO_2 = "fio-2"
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class GroupedRun:
    """A run with its jobs, and the numbers of their threads as fio counts them."""

    run: LoadRun
    jobs: Sequence[FioJob]
    threads: range
    document: FioDocument


def grouped_runs(document: FioDocument, runs: Sequence[LoadRun]) -> list[GroupedRun]:
    """runs: of the document, in its order."""
    found, before = [], 1
    for jobs, run in zip(groups_of(document), runs, strict=True):
        entries = Counter(job.name for job in jobs)
        count = sum(_threads(job) if entries[job.name] == 1 else 1 for job in jobs)
        found.append(GroupedRun(run, jobs, range(before, before + count), document))
        before += count
    return found


def _threads(job: FioJob) -> int:
    count = small_count(job.options.get("numjobs", "1"))
    return 1 if count is None else count


def with_series(grouped: Sequence[GroupedRun], logs: Sequence[FioLog]) -> list[LoadRun]:
    """Each run with its logs over time; a log that is of none of them is named in a warning of the first. Raises LoadFileError."""
    owned: list[list[FioLog]] = [[] for _ in grouped]
    left_out: list[str] = []
    owners = _Owners(grouped, logs)
    for log in logs:
        owner = owners.owner(log)
        if owner is None:
            left_out.append(log.name.file)
        else:
            owned[owner].append(log)
    runs = [_with_logs(each, own) for each, own in zip(grouped, owned, strict=True)]
    return [with_left_out(runs[0], left_out, "it is not clear which job wrote them"), *runs[1:]] if left_out else runs


def with_left_out(run: LoadRun, files: Sequence[str], why: str) -> LoadRun:
    named = ", ".join(sorted(files)[:_MOST_NAMED])
    more = f" and {len(files) - _MOST_NAMED} more" if len(files) > _MOST_NAMED else ""
    return _warned(run, "left_out", f"Left out: {named}{more} ({why}).")


class _Owners:
    """Runs by the name that their jobs gave to logs, and by the numbers of their threads."""

    def __init__(self, grouped: Sequence[GroupedRun], logs: Sequence[FioLog]) -> None:
        self._alone = len(grouped) == 1
        self._named: dict[str, set[int]] = {}
        for at, each in enumerate(grouped):
            for job in each.jobs:
                self._named.setdefault(_prefix(job), set()).add(at)
        # Jobs that fio reported as a group may be more than its result says.
        logged = {each.name.job for each in logs}
        threads = sum(len(each.threads) for each in grouped)
        is_counted = (
            len({id(each.document) for each in grouped}) == 1
            and threads == len(logged)
            and logged == set(range(1, threads + 1))
        )
        self._numbered = (
            {number: at for at, each in enumerate(grouped) for number in each.threads} if is_counted else {}
        )

    def owner(self, log: FioLog) -> int | None:
        if self._alone:
            return 0
        named = self._named.get(log.name.prefix, ())
        if len(named) == 1:
            return next(iter(named))
        return None if log.name.job is None else self._numbered.get(log.name.job)


def _prefix(job: FioJob) -> str:
    """As the job named its logs: by the option, without folders, or after itself."""
    return (job.options.get("write_lat_log") or job.name).replace("\\", "/").rsplit("/", 1)[-1]


def _with_logs(grouped: GroupedRun, logs: Sequence[FioLog]) -> LoadRun:
    run = grouped.run
    logged = [log for log in logs if not log.is_empty]
    if not logged:
        return run
    start = _start(grouped)
    if start is None and not all(log.is_absolute for log in logged):
        text = "When its jobs were started is not known, so their latency logs are left out. Add --log_unix_epoch=1."
        return _warned(run, "log_unplaced", text)
    _require_same_time(grouped, logged)
    are_maxima = any(
        job.options.get("log_max_value", "0") in ON or job.options.get("log_window_value") == "max"
        for job in grouped.jobs
    )
    unit = 1.0 if grouped.document.version.startswith(_FIO_2) else 1e-3
    start_ms = 0.0 if start is None else start.timestamp() * 1000
    return replace(run, series=log_series(logged, start_ms, unit, are_maxima=are_maxima))


def _start(grouped: GroupedRun) -> datetime | None:
    """Of its jobs, where their logs begin to count: before the ramp, which they leave out."""
    ramp_s = ramp_of(grouped.jobs)
    if grouped.run.starts_at is None or ramp_s is None:
        return None
    return grouped.run.starts_at - timedelta(seconds=ramp_s)


def _require_same_time(grouped: GroupedRun, logs: Sequence[FioLog]) -> None:
    """Raises LoadFileError for logs of another run, or of a clock that is neither fio's nor that of the day."""
    start, ends_at = _start(grouped), grouped.run.ends_at
    if start is None or ends_at is None:
        return
    for log in logs:
        zero = datetime.fromtimestamp(0, UTC) if log.is_absolute else start
        first, last = (zero + timedelta(milliseconds=at) for at in (log.first_ms, log.last_ms))
        if first > ends_at + _SLACK or last < start - _SLACK or last > ends_at + _SLACK:
            reason = (
                f"its rows are of another time than run {grouped.run.name!r}. Import logs with the result of the same run,"
                " and without --log_alternate_epoch_clock_id."
            )
            raise LoadFileError(log.name.file, reason)


def _warned(run: LoadRun, code: str, text: str) -> LoadRun:
    return replace(run, warnings=[*run.warnings, LoadWarning(code, text)])
