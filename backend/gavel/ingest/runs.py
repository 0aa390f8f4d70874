"""The account every run leaves: when, how long, what it cost, what it brought, how it failed."""

import time
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import TracebackType
from typing import NoReturn

import structlog
from billiard.exceptions import SoftTimeLimitExceeded

from gavel.collectors.contract import Collector
from gavel.db import live
from gavel.db.engine import transaction
from gavel.db.errors import StorageError, UnavailableError
from gavel.db.queries.runs import SourceRun, record_run
from gavel.db.queries.sources import SourceRow
from gavel.domain.errors import ErrorKind, SettingsError, SourceError
from gavel.domain.source import Usage
from gavel.domain.text import clean_text
from gavel.ingest.lanes import LEASH_S, UNFINISHED, UnfinishedError, leash_is_over
from gavel.ingest.troubles import log_once_per_minute
from gavel.ingest.worker import WorkerContext

log = structlog.get_logger(__name__)

# What a run is called that did not get as far as the source.
OPENING = "opening"


@dataclass(slots=True)
class RunOutcome:
    """Filled in by the run as it learns. `error` is set when the run failed."""

    samples: int = 0
    new_samples: int = 0
    completed: int = 0
    corrected: int = 0
    unknown_keys: set[str] = field(default_factory=set)
    lag_s: float | None = None
    clock_offset_s: float | None = None
    left_out: tuple[str, ...] = ()
    error: SourceError | StorageError | SettingsError | None = None


class RecordedRun:
    """`with Accounted(...) as account:` records one run of a source, failed or not.

    A source's failure ends here, in the row and the log; a fault of Gavel is recorded and raised on. A run that is cut short because
    the worker stops is nobody's failure and leaves no row. `only_failures` is for steps on the way (reading the time) that are
    worth a row only when they fail.
    """

    def __init__(
        self,
        context: WorkerContext,
        source: SourceRow,
        collector: Collector | None,
        *,
        stream: str,
        queue: str,
        only_failures: bool = False,
    ) -> None:
        self._place = context
        self._source = source
        self._collector = collector
        self._only_failures = only_failures
        self._account = RunOutcome()
        self._run = SourceRun(source_id=source.id, stream=stream, queue=queue, started_at=context.now(), duration_s=0.0)
        self._began = time.monotonic()
        self._before = _usage(collector)

    def __enter__(self) -> RunOutcome:
        return self._account

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is not None and not isinstance(error, Exception):
            return False
        if isinstance(error, SourceError) and leash_is_over():
            self._leave_unfinished(error)
        if isinstance(error, SourceError | StorageError | SettingsError):
            self._account.error = error
        if error is not None or not self._only_failures:
            usage = _usage(self._collector)
            run = replace(
                self._run,
                duration_s=time.monotonic() - self._began,
                calls=usage.calls - self._before.calls,
                bytes_received=usage.bytes_received - self._before.bytes_received,
            )
            done = _completed(run, self._account, error)
            if isinstance(error, UnavailableError):
                log_once_per_minute(error)
            else:
                _log_run(self._source, done)
            _record(self._place, self._source, done)
        return self._account.error is not None

    def _leave_unfinished(self, error: SourceError) -> NoReturn:
        """A pass that reached its time limit is no fault of the source; its row keeps the source off the fast lane meanwhile."""
        took_s = time.monotonic() - self._began
        _record(self._place, self._source, replace(self._run, stream=UNFINISHED, duration_s=max(took_s, LEASH_S)))
        raise UnfinishedError(str(error)) from error


def opened(context: WorkerContext, source: SourceRow, *, queue: str) -> Collector | None:
    """The collector of a source; None where what is stored for it cannot be used, which leaves a run that says why."""
    with RecordedRun(context, source, None, stream=OPENING, queue=queue, only_failures=True):
        return context.connections.collector(source)
    return None


def _usage(collector: Collector | None) -> Usage:
    return Usage() if collector is None else collector.usage


def _completed(run: SourceRun, account: RunOutcome, fault: BaseException | None) -> SourceRun:
    return replace(
        run,
        samples=account.samples,
        new_samples=account.new_samples,
        completed=account.completed,
        corrected=account.corrected,
        unknown_keys=len(account.unknown_keys),
        lag_s=account.lag_s,
        clock_offset_s=account.clock_offset_s,
        left_out=account.left_out,
        error_kind=ErrorKind.TIMEOUT if _is_cut_short(fault) else _kind(fault),
        error_message=_cut_short(run, account) if _is_cut_short(fault) else _words(fault),
    )


def _kind(error: BaseException | None) -> ErrorKind | None:
    match error:
        case None:
            return None
        case SourceError():
            return error.kind
        case StorageError():
            return ErrorKind.STORAGE
        case SettingsError():
            return ErrorKind.SETTINGS
        case _:
            return ErrorKind.INTERNAL


def _is_cut_short(error: BaseException | None) -> bool:
    """By the limit of its task, which strikes anywhere: in the middle of a statement it comes out as a broken connection."""
    seen = set[int]()  # a cause may have its own consequence for a context
    while error is not None and id(error) not in seen:
        if isinstance(error, SoftTimeLimitExceeded):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


def _cut_short(run: SourceRun, account: RunOutcome) -> str:
    kept = (
        f"The {account.samples:,} samples read until then are stored."
        if account.samples
        else "Nothing of it is stored."
    )
    return (
        f"Reading {run.stream.replace('_', ' ')} was ended after {run.duration_s:.0f} s, the longest that it may keep others waiting."
        f" {kept} It is tried again with the next poll; look at the load of the source and at the network if it repeats."
    )


def _words(error: BaseException | None) -> str | None:
    """One bounded line that can be stored and shown, whatever a source had a part in it."""
    if error is None:
        return None
    is_expected = isinstance(error, SourceError | StorageError | SettingsError)
    return clean_text(str(error) if is_expected else f"{type(error).__name__}: {error}")


def _log_run(source: SourceRow, run: SourceRun) -> None:
    if run.error_kind:
        log.warning("run failed", source=source.name, stream=run.stream, kind=run.error_kind, error=run.error_message)
    else:
        log.info("run", source=source.name, stream=run.stream, samples=run.samples, new=run.new_samples,
                 seconds=round(run.duration_s, 2))  # fmt: skip


def _record(context: WorkerContext, source: SourceRow, run: SourceRun) -> None:
    """What cannot be recorded now leaves no row; the next run may."""
    try:
        with transaction(context.engine) as connection:
            record_run(connection, run)
            if run.error_kind is not None:
                # One that brought something is told of with what it brought.
                live.announce(connection, live.News(source.id, run.stream, None))
    except UnavailableError as error:
        log_once_per_minute(error)
    except StorageError as error:
        log.warning("run not recorded", source=source.name, stream=run.stream, error=str(error))


def lag_s(newest: datetime | None, source_now: datetime) -> float | None:
    return (source_now - newest).total_seconds() if newest else None
