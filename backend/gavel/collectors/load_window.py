"""When a run of a load tool was: from its own stamps, with the time zone that is given beside the file, or not known."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from gavel.domain.imports import ImportOptions
from gavel.domain.load_runs import LoadWarning

_LATEST_S = 7_258_118_400.0  # the year 2200
NO_ZONE = (
    "The file has local times without a time zone: the minutes of this run are not known. Import it with its UTC offset"
    " (--utc-offset=+02:00)."
)
NO_TIME = (
    "The file has no time of the run: its minutes are not known. Import it with the time that the tool was started"
    " (--started-at)."
)


@dataclass(frozen=True, slots=True)
class RunWindow:
    """Of the measurement, without its warm-up; or why it is not known."""

    starts_at: datetime | None = None
    ends_at: datetime | None = None
    warning: LoadWarning | None = None


def unplaced(text: str) -> RunWindow:
    return RunWindow(warning=LoadWarning("window_unknown", text))


def window_between(start_s: float, end_s: float) -> RunWindow:
    """start_s, end_s: since 1970 in UTC."""
    if not 0 < start_s < end_s < _LATEST_S:
        return unplaced("The time stamps of the file are no times: its minutes are not known.")
    return RunWindow(datetime.fromtimestamp(start_s, UTC), datetime.fromtimestamp(end_s, UTC))


def local_window(start: datetime, end: datetime, options: ImportOptions) -> RunWindow:
    """start, end: local times of the machine, as naive datetimes."""
    if options.utc_bias_minutes is None:
        return unplaced(NO_ZONE)
    bias = timedelta(minutes=options.utc_bias_minutes)
    return window_between(*((at.replace(tzinfo=UTC) + bias).timestamp() for at in (start, end)))


def given_window(options: ImportOptions, length_s: float, *, skipped_s: float = 0.0, runs: int = 1) -> RunWindow:
    """From when the tool was started, as it was given; of a file with one run. skipped_s: of its start, not measured."""
    if options.started_at is None:
        return unplaced(NO_TIME)
    if runs > 1:
        return unplaced("The file has several runs without a time of each: import each from a file of its own.")
    start_s = options.started_at.timestamp() + skipped_s
    return window_between(start_s, start_s + length_s)


def local_start(options: ImportOptions) -> datetime | None:
    """When the tool was started by the machine's own clock face, as a naive datetime; None where that was not given."""
    if options.started_at is None or options.utc_bias_minutes is None:
        return None
    return (options.started_at - timedelta(minutes=options.utc_bias_minutes)).astimezone(UTC).replace(tzinfo=None)
