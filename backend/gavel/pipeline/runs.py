"""The account every run leaves: when, how long, what it cost, what it brought, how it failed."""

import time
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import TracebackType

import structlog

from gavel.collectors.contract import Collector
from gavel.db import live
from gavel.db.engine import transaction
from gavel.db.errors import StorageError, UnavailableError
from gavel.db.queries.runs import Run, record_run
from gavel.db.queries.sources import SourceRow
from gavel.domain.errors import ErrorKind, SettingsError, SourceError
from gavel.domain.source import Usage
from gavel.pipeline.troubles import tell
from gavel.pipeline.workplace import Workplace

log = structlog.get_logger(__name__)

# What a run is called that did not get as far as the source.
OPENING = "opening"


@dataclass(slots=True)
class Account:
    """Filled in by the run as it learns. `error` is set when the run failed."""

    samples: int = 0
    new_samples: int = 0
    conflicting: int = 0
    strangers: set[str] = field(default_factory=set)
    lag_s: float | None = None
    clock_offset_s: float | None = None
    error: SourceError | StorageError | SettingsError | None = None


class Accounted:
    """`with Accounted(...) as account:` records one run of a source, failed or not.

    A source's failure ends here, in the row and the log; a fault of Gavel is recorded and raised on. A run that is cut short because
    the worker stops is nobody's failure and leaves no row. `only_failures` is for steps on the way (reading the time) that are
    worth a row only when they fail.
    """

    def __init__(
        self,
        place: Workplace,
        source: SourceRow,
        collector: Collector | None,
        *,
        stream: str,
        queue: str,
        only_failures: bool = False,
    ) -> None:
        self._place = place
        self._source = source
        self._collector = collector
        self._only_failures = only_failures
        self._account = Account()
        self._run = Run(source_id=source.id, stream=stream, queue=queue, started_at=place.now(), duration_s=0.0)
        self._began = time.monotonic()
        self._before = _usage(collector)

    def __enter__(self) -> Account:
        return self._account

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is not None and not isinstance(error, Exception):
            return False
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
                tell(error)
            else:
                _tell(self._source, done)
            _record(self._place, self._source, done)
        return self._account.error is not None


def opened(place: Workplace, source: SourceRow, *, queue: str) -> Collector | None:
    """The collector of a source; None where what is stored for it cannot be used, which leaves a run that says why."""
    with Accounted(place, source, None, stream=OPENING, queue=queue, only_failures=True):
        return place.connections.collector(source)
    return None


def _usage(collector: Collector | None) -> Usage:
    return Usage() if collector is None else collector.usage


def _completed(run: Run, account: Account, fault: BaseException | None) -> Run:
    return replace(
        run,
        samples=account.samples,
        new_samples=account.new_samples,
        conflicting=account.conflicting,
        strangers=len(account.strangers),
        lag_s=account.lag_s,
        clock_offset_s=account.clock_offset_s,
        error_kind=_kind(fault),
        error_message=_words(fault),
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


def _words(error: BaseException | None) -> str | None:
    if error is None or isinstance(error, SourceError | StorageError | SettingsError):
        return str(error) if error else None
    return f"{type(error).__name__}: {error}"


def _tell(source: SourceRow, run: Run) -> None:
    if run.error_kind:
        log.warning("run failed", source=source.name, stream=run.stream, kind=run.error_kind, error=run.error_message)
    else:
        log.info("run", source=source.name, stream=run.stream, samples=run.samples, new=run.new_samples,
                 seconds=round(run.duration_s, 2))  # fmt: skip


def _record(place: Workplace, source: SourceRow, run: Run) -> None:
    """What cannot be recorded now leaves no row; the next run may."""
    try:
        with transaction(place.engine) as connection:
            record_run(connection, run)
            if run.error_kind is not None:
                # One that brought something is told of with what it brought.
                live.tell(connection, live.News(source.id, run.stream, None))
    except UnavailableError as error:
        tell(error)
    except StorageError as error:
        log.warning("run not recorded", source=source.name, stream=run.stream, error=str(error))


def lag_s(newest: datetime | None, source_now: datetime) -> float | None:
    return (source_now - newest).total_seconds() if newest else None
