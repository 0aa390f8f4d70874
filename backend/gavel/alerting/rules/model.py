"""An alert rule: its scope, its conditions, their durations, severity and labels."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import fnmatchcase

from gavel.domain.errors import SettingsError
from gavel.domain.io_path import SEGMENT_STYLES, Direction, Layer, Quality, Segment, Severity
from gavel.findings.registry import RULES_BY_ID

# Minutes with fewer I/Os have no diagnosis (attribution.md §4).
LEAST_OPS = 30
NO_DATA_AFTER_MIN = 5
_DAY_MIN = 24 * 60
_KEY = re.compile(r"[a-z][a-z0-9_]{0,63}")
_LABEL = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_LONGEST_TEXT = 200


class RuleError(SettingsError):
    """A rule is unusable as written. `problems`: one line each, with what to write instead."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class Subject(StrEnum):
    """What kind of object a rule is evaluated for."""

    VM = "vm"
    DATASTORE = "datastore"
    HOST = "host"
    CLUSTER = "cluster"
    VOLUME = "volume"
    ARRAY = "array"
    SOURCE = "source"


class Unit(StrEnum):
    """What a threshold is counted in."""

    US = "µs"
    SHARE = "share"
    TIMES = "×"
    IOS = "I/Os"
    SECONDS = "s"
    FINDINGS = "findings"


class Quantity(StrEnum):
    """What is compared with the threshold."""

    LATENCY = "latency"  # of a layer, a segment or the total
    SHARE = "share"  # of a layer or segment in the total
    EXCESS = "excess"  # above the baseline, of a layer or the total
    BASELINE_RATIO = "baseline_ratio"  # a layer or the total ÷ its baseline
    EXCESS_OUTSTANDING = "excess_outstanding"  # excess latency × IOPS
    QUEUE_UTILIZATION = "queue_utilization"  # outstanding I/Os ÷ effective queue depth
    DISAGREEMENT = "disagreement"  # by how much measurements of one path contradict each other
    SAMPLE_AGE = "sample_age"  # of the newest sample of a source
    CLOCK_SKEW = "clock_skew"  # of a source, either way
    GAP = "gap"  # missing seconds of the last hour
    OPEN_FINDINGS = "open_findings"  # of one rule of findings or of all, from a severity on


UNITS: Mapping[Quantity, Unit] = {
    Quantity.LATENCY: Unit.US,
    Quantity.SHARE: Unit.SHARE,
    Quantity.EXCESS: Unit.US,
    Quantity.BASELINE_RATIO: Unit.TIMES,
    Quantity.EXCESS_OUTSTANDING: Unit.IOS,
    Quantity.QUEUE_UTILIZATION: Unit.SHARE,
    Quantity.DISAGREEMENT: Unit.US,
    Quantity.SAMPLE_AGE: Unit.SECONDS,
    Quantity.CLOCK_SKEW: Unit.SECONDS,
    Quantity.GAP: Unit.SECONDS,
    Quantity.OPEN_FINDINGS: Unit.FINDINGS,
}
OF_SOURCES = frozenset({Quantity.SAMPLE_AGE, Quantity.CLOCK_SKEW, Quantity.GAP})
# Measured as of now, once per minute; all others by the minutes of the ledger.
BY_CLOCK = OF_SOURCES | {Quantity.OPEN_FINDINGS}
OF_A_PART = frozenset({Quantity.LATENCY, Quantity.SHARE, Quantity.EXCESS, Quantity.BASELINE_RATIO})
OF_LAYERS_ONLY = frozenset({Quantity.EXCESS, Quantity.BASELINE_RATIO})


class Compared(StrEnum):
    """Which number is compared: the lower bound of the range, or the estimate."""

    LOWER = "lower"
    ESTIMATE = "estimate"


class AlertSeverity(StrEnum):
    """How urgent an alert is, as its rule says. How bad a latency is, is another thing: `Severity` of a diagnosis."""

    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"


@dataclass(frozen=True, slots=True)
class RuleMeasure:
    """One number per object and minute. `part` None: the whole I/O.

    Of open findings: `finding` is the id of their rule (None: every rule), `finding_severity` the lowest that counts (None: any).
    """

    quantity: Quantity
    part: Layer | Segment | None = None
    direction: Direction = Direction.ALL
    finding: str | None = None
    finding_severity: Severity | None = None

    @property
    def unit(self) -> Unit:
        return UNITS[self.quantity]


@dataclass(frozen=True, slots=True)
class Condition:
    """Holds from `at_least` on, in the measure's unit; has recovered below `recover_below` (None: below `at_least`)."""

    measure: RuleMeasure
    at_least: float
    recover_below: float | None = None
    compared: Compared = Compared.LOWER

    @property
    def recovery(self) -> float:
        return self.at_least if self.recover_below is None else self.recover_below


@dataclass(frozen=True, slots=True)
class Scope:
    """Objects of one kind; of these, the ones that every selector matches.

    `where`: a property (`name`, `array`, `cluster`, `datastore`, `vm`, `tag.<key>`, `attribute.<key>`) and a pattern with * and ?.
    """

    subject: Subject
    where: tuple[tuple[str, str], ...] = ()

    def covers(self, subject: Subject, facts: Mapping[str, Collection[str]]) -> bool:
        """Whether an object of that kind with these properties is in the scope. A property may have several values (a cluster on two
        arrays), of which one has to match; an absent one matches no pattern, not even *."""
        return subject is self.subject and all(
            any(fnmatchcase(value.casefold(), pattern.casefold()) for value in facts.get(what, ()))
            for what, pattern in self.where
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Fires when all conditions hold for `for_min` minutes with data; resolves after `keep_firing_min` minutes of recovery.

    key: stable name. layer: the one responsible (None: no layer). min_ops: per minute. min_quality: worse minutes count as no data.
    Raises RuleError when its parts do not fit.
    """

    key: str
    name: str
    scope: Scope
    conditions: tuple[Condition, ...]
    for_min: int = 5
    keep_firing_min: int = 5
    no_data_after_min: int = NO_DATA_AFTER_MIN
    min_ops: int = LEAST_OPS
    min_quality: Quality = Quality.C
    severity: AlertSeverity = AlertSeverity.WARNING
    labels: Mapping[str, str] = field(default_factory=dict)
    runbook_url: str = ""
    enabled: bool = True

    def __post_init__(self) -> None:
        if problems := (*_naming(self), *_timing(self), *_conditions(self), *_scope(self)):
            raise RuleError(tuple(f"Rule {self.key!r}: {problem}" for problem in problems))

    @property
    def layer(self) -> Layer | None:
        """The layer that the first condition names, itself or by its segment."""
        part = self.conditions[0].measure.part
        return SEGMENT_STYLES[part].layer if isinstance(part, Segment) else part

    @property
    def is_by_clock(self) -> bool:
        """Whether it is evaluated as of now, and not by the minutes of the ledger."""
        return self.conditions[0].measure.quantity in BY_CLOCK


_WHERE = ("name", "array", "cluster", "datastore", "vm")
_KEYED = ("tag.", "attribute.")


def _naming(rule: Rule) -> tuple[str, ...]:
    bad_labels = sorted(label for label in rule.labels if not _LABEL.fullmatch(label))
    link = rule.runbook_url
    return _problems(
        (not _KEY.fullmatch(rule.key), "key: use 1 to 64 small letters, digits and _, a letter first."),
        (not 0 < len(rule.name.strip()) <= _LONGEST_TEXT, f"name: give it 1 to {_LONGEST_TEXT} characters."),
        (bool(bad_labels), f"labels: {', '.join(bad_labels)}: a label's name has letters, digits and _ only."),
        (
            any(len(value) > _LONGEST_TEXT for value in rule.labels.values()),
            f"labels: a value has at most {_LONGEST_TEXT} characters.",
        ),
        (bool(link) and not link.startswith(("https://", "http://")), "runbook_url: start it with https://."),
    )


def _timing(rule: Rule) -> tuple[str, ...]:
    return _problems(
        (not 0 <= rule.for_min <= _DAY_MIN, f"for: give 0 to {_DAY_MIN} minutes."),
        (not 0 <= rule.keep_firing_min <= _DAY_MIN, f"keep_firing: give 0 to {_DAY_MIN} minutes."),
        (not 1 <= rule.no_data_after_min <= _DAY_MIN, f"no_data_after: give 1 to {_DAY_MIN} minutes."),
        (
            rule.min_ops < (0 if rule.scope.subject is Subject.SOURCE else LEAST_OPS),
            f"min_ops: give {LEAST_OPS} or more; minutes with fewer I/Os are not evaluated.",
        ),
    )


def _conditions(rule: Rule) -> tuple[str, ...]:
    count = len(rule.conditions)
    of_findings = {condition.measure.quantity is Quantity.OPEN_FINDINGS for condition in rule.conditions}
    found = _problems(
        (not 1 <= count <= 3, f"when: give 1 to 3 conditions, not {count}."),
        (len(of_findings) > 1, "when: open_findings goes with conditions of open_findings only; make two rules."),
    )
    return found + tuple(
        f"when[{index}]: {problem}"
        for index, condition in enumerate(rule.conditions)
        for problem in (*_measured(condition.measure, rule.scope.subject), *_thresholds(condition))
    )


def _measured(measure: RuleMeasure, subject: Subject) -> tuple[str, ...]:
    quantity, part = measure.quantity, measure.part
    of_source = subject is Subject.SOURCE
    return _problems(
        (
            quantity is not Quantity.OPEN_FINDINGS and (quantity in OF_SOURCES) is not of_source,
            f"{quantity} is measured of {'objects with I/O' if of_source else 'sources'} only; change `of` or the quantity.",
        ),
        (quantity is Quantity.SHARE and part is None, "share: name the layer or segment, as in `share: kernel`."),
        (part is not None and quantity not in OF_A_PART, f"{quantity} has no layers; leave the part out."),
        (
            isinstance(part, Segment) and quantity in OF_LAYERS_ONLY,
            f"{quantity}: baselines are of layers, not of segments; name the layer.",
        ),
        (measure.direction is not Direction.ALL and quantity not in OF_A_PART, f"{quantity} has no direction."),
        (
            quantity is not Quantity.OPEN_FINDINGS and (measure.finding, measure.finding_severity) != (None, None),
            f"{quantity} has no finding; leave finding and finding_severity out.",
        ),
        (
            measure.finding is not None and measure.finding not in RULES_BY_ID,
            f"finding: {measure.finding!r} is none of {', '.join(RULES_BY_ID)}.",
        ),
    )


def _thresholds(condition: Condition) -> tuple[str, ...]:
    low, high = condition.recovery, condition.at_least
    return _problems(
        # Also refuses NaN, which compares with nothing.
        (not 0 < high < float("inf"), "at_least: give a number above 0."),
        (not 0 < low <= high, "recover_below: give a number above 0 and not above at_least."),
        (
            condition.measure.unit is Unit.SHARE and condition.measure.quantity is Quantity.SHARE and high > 1,
            "at_least: a share is at most 100 %.",
        ),
    )


def _scope(rule: Rule) -> tuple[str, ...]:
    strange = [what for what, _ in rule.scope.where if what not in _WHERE and not _keyed(what)]
    empty = [what for what, pattern in rule.scope.where if not pattern]
    return _problems(
        (bool(strange), f"where: {', '.join(strange)}: choose {', '.join(_WHERE)}, tag.<key> or attribute.<key>."),
        (bool(empty), f"where: {', '.join(empty)}: give a name or a pattern with * and ?."),
    )


def _keyed(what: str) -> bool:
    return any(what.startswith(prefix) and len(what) > len(prefix) for prefix in _KEYED)


def _problems(*checks: tuple[bool, str]) -> tuple[str, ...]:
    return tuple(words for wrong, words in checks if wrong)
