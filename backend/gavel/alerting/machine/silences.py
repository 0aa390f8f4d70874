"""What holds notifications back: silences, maintenance windows, and arrays that are down."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from fnmatch import fnmatchcase
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from gavel.domain.errors import SettingsError

LONGEST_WINDOW = timedelta(days=7)
_WEEKDAYS = 7


@dataclass(frozen=True, slots=True)
class Matcher:
    """A label and a pattern with * and ?. An absent label is the empty text."""

    label: str
    pattern: str
    negated: bool = False

    def holds(self, labels: Mapping[str, str]) -> bool:
        return fnmatchcase(labels.get(self.label, "").casefold(), self.pattern.casefold()) is not self.negated


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """Quiet for what every matcher holds for, in [from_at, until_at). by: whoever typed it. Raises SettingsError."""

    silence_id: str
    matchers: tuple[Matcher, ...]
    from_at: datetime
    until_at: datetime
    reason: str
    by: str

    def __post_init__(self) -> None:
        if not self.matchers:
            raise SettingsError("A silence needs at least one matcher.")
        if self.until_at <= self.from_at:
            raise SettingsError("The end of a silence has to be after its start.")
        if not self.reason.strip() or not self.by.strip():
            raise SettingsError("Enter a reason and a name.")

    def covers(self, labels: Mapping[str, str], at: datetime) -> bool:
        return self.from_at <= at < self.until_at and all(matcher.holds(labels) for matcher in self.matchers)


class Repeat(StrEnum):
    ONCE = "once"
    DAILY = "daily"
    WEEKLY = "weekly"


@dataclass(frozen=True, slots=True, kw_only=True)
class Maintenance:
    """A window by the clock on the wall of `zone`, on `first_day` and as it repeats, until `last_day` (None: for good).

    weekdays: 0 is Monday; for weekly ones. Without matchers it is for everything. Raises SettingsError.
    """

    window_id: str
    name: str
    first_day: date
    starts: time
    lasts: timedelta
    zone: str
    repeat: Repeat = Repeat.ONCE
    weekdays: frozenset[int] = frozenset()
    last_day: date | None = None
    matchers: tuple[Matcher, ...] = ()

    def __post_init__(self) -> None:
        if not timedelta() < self.lasts <= LONGEST_WINDOW:
            raise SettingsError(f"{self.name}: a maintenance window lasts up to {LONGEST_WINDOW.days} days.")
        if (self.repeat is Repeat.WEEKLY) is not bool(self.weekdays) or not self.weekdays <= set(range(_WEEKDAYS)):
            raise SettingsError(f"{self.name}: give weekdays (0 is Monday) for a weekly window, and only there.")
        try:
            ZoneInfo(self.zone)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise SettingsError(f"{self.name}: {self.zone!r} is no time zone; write one like Europe/Berlin.") from error

    def covers(self, labels: Mapping[str, str], at: datetime) -> bool:
        return self.is_on(at) and all(matcher.holds(labels) for matcher in self.matchers)

    def is_on(self, at: datetime) -> bool:
        """Whether one of its days began at most `lasts` ago. It lasts as long also when the clocks change."""
        zone = ZoneInfo(self.zone)
        today = at.astimezone(zone).date()
        days = (today - timedelta(days=back) for back in range(self.lasts.days + 2))
        begins = (datetime.combine(day, self.starts, zone).astimezone(UTC) for day in days if self._falls_on(day))
        return any(begin <= at < begin + self.lasts for begin in begins)

    def _falls_on(self, day: date) -> bool:
        if day < self.first_day or (self.last_day is not None and day > self.last_day):
            return False
        if self.repeat is Repeat.WEEKLY:
            return day.weekday() in self.weekdays
        return self.repeat is Repeat.DAILY or day == self.first_day


@dataclass(frozen=True, slots=True)
class Quiet:
    """Everything that may keep a message back. arrays_down: names of arrays that an open alert reports as down."""

    silences: tuple[Silence, ...] = ()
    maintenance: tuple[Maintenance, ...] = ()
    arrays_down: frozenset[str] = frozenset()

    def reason(self, labels: Mapping[str, str], at: datetime, *, says_down: bool = False) -> str | None:
        """Why nothing is said about an incident with these labels, in words; None: it is said.

        says_down: this is itself the incident that says an array is down, which is not muted by that.
        """
        return next(self._reasons(labels, at, says_down=says_down), None)

    def _reasons(self, labels: Mapping[str, str], at: datetime, *, says_down: bool) -> Iterator[str]:
        for silence in self.silences:
            if silence.covers(labels, at):
                yield f"silenced by {silence.by} until {silence.until_at:%Y-%m-%d %H:%M} UTC: {silence.reason}"
        for window in self.maintenance:
            if window.covers(labels, at):
                yield f"maintenance: {window.name}"
        if not says_down and (array := labels.get("array")) in self.arrays_down:
            yield f"array {array} is down"
