"""A diagnosis in words: one sentence that a tired person understands, then why, what limits it, and what would confirm it.

What a sentence consists of is kept apart, each part once, so that nobody has to take a text to pieces.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from gavel.analysis.diagnosis import SETTLES, WORDS, Reason
from gavel.analysis.segments import span_name
from gavel.diagnosis.baselines import BaselineFrom
from gavel.diagnosis.diagnose import MOSTLY, DiagnosisState, span_label
from gavel.diagnosis.excess import LargestExcess, SpanExcess
from gavel.domain.io_path import SPANS, Confidence, Layer, Severity

_MILLISECOND_US = 1000.0
# From 0.1 ms on, rounded, people read milliseconds.
_LEAST_MS_US = 99.5
_LEAST_SHARE = 0.01
# Of its depth: then the queue is not what I/Os wait for.
_FAR_FROM_FULL = 0.5


class StatementKind(StrEnum):
    """What a statement is about; of a caveat that is a `Reason`, the reason's name."""

    RANGE_ABOVE_BASELINE = "range_above_baseline"
    OUTSTANDING = "outstanding"
    BUSIEST_QUEUE = "busiest_queue"
    ARRAY_LATENCY = "array_latency"
    KERNEL_LATENCY = "kernel_latency"
    QUEUE_DEPTH = "queue_depth"
    COMPETING_WORLDS = "competing_worlds"
    GUEST_NOT_MEASURED = "guest_not_measured"
    DISAGREEMENT = "disagreement"
    PARTLY_MEASURED = "partly_measured"
    MINOR_PART_OF_DEVICE = "minor_part_of_device"
    CHRONIC = "chronic"
    MERGED_LAYERS = "merged_layers"
    TOO_COARSE = "too_coarse"
    MINOR_PART_OF_VOLUME = "minor_part_of_volume"
    SAMPLE_MISSING = "sample_missing"
    WHOLE_MILLISECONDS = "whole_milliseconds"
    AMONG_EXTENTS = "among_extents"
    GUEST_BY_ARRIVAL = "guest_by_arrival"
    GUEST_WITHIN_RANGE = "guest_within_range"
    MAYBE_IDLE = "maybe_idle"
    EARLIER_RULES = "earlier_rules"
    DEFAULT_BASELINE = "default_baseline"
    CAPTURED = "captured"


@dataclass(frozen=True, slots=True)
class Statement:
    """A clause in words, and by `code` what it is about."""

    code: StatementKind
    text: str


@dataclass(frozen=True, slots=True)
class Head:
    """What it is ("Kernel queue on esx-14", "Normal") and its numbers ("0.44 of 0.93 ms since 02:10 UTC"; "": there are none)."""

    headline: str
    detail: str = ""

    @property
    def text(self) -> str:
        return f"{self.headline}: {self.detail}" if self.detail else self.headline


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """`head`, `confidence` and `cause` ("": none) are the sentence; the others are what comes after it."""

    head: Head
    confidence: str
    cause: str = ""
    reasons: tuple[Statement, ...]
    caveats: tuple[Statement, ...]
    to_confirm: tuple[str, ...]

    @property
    def claim(self) -> str:
        """The sentence by itself."""
        return f"{self.without_cause} {self.cause}." if self.cause else self.without_cause

    @property
    def without_cause(self) -> str:
        return ". ".join(part for part in (self.head.text, self.confidence) if part) + "."

    @property
    def evidence(self) -> str:
        return f"{'; '.join(one.text for one in self.reasons)}." if self.reasons else ""

    @property
    def limits(self) -> str:
        """Caveats, and what would confirm the sentence."""
        return " ".join(
            (*(f"{one.text}." for one in self.caveats), *(f"To confirm: {one}." for one in self.to_confirm))
        )

    @property
    def text(self) -> str:
        """All of it in one line."""
        return in_one_line(self.claim, self.evidence, self.limits)


def in_one_line(claim: str, evidence: str, limits: str) -> str:
    return " ".join(part for part in (claim, f"Evidence: {evidence}" if evidence else "", limits) if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class FullestMinute:
    """I/Os at one device of a host in one minute, its depth, and those that waited for room in it (None: counters too coarse to tell)."""

    host: str
    in_flight_ios: float
    depth: float
    waiting_ios: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is said about one scope and window. Times in µs per I/O; None where not measured or not known.

    severity: None without a diagnosis; confidence: None where no layer is named.
    named, other: positions in `SPANS`. named_us: of both where inconclusive; excess_us: of what is named; baseline_us: of the total, by
    `baseline_from`. detail: the segment that most of the named layer's time is in, in words; detail_share: which part of it. array_us:
    what the array takes; kernel_us: what the kernel takes at most. All of them per I/O that was measured there; array_share,
    kernel_share: which part of the timed I/Os that is. partly: layers that were measured by themselves in such a part.

    outstanding: I/Os. fullest: one queue where the layer is named. ops, minutes: of the window. more: statements
    about the depth of the queue where I/Os wait, and captures. has_earlier_rules: minutes of the window were attributed by earlier rules.
    own_layers: those of the object, in words, where the excess is in others alone and only seen here.
    """

    state: DiagnosisState
    severity: Severity | None
    confidence: Confidence | None
    ops: float
    minutes: int
    total_us: float
    excess_us: float
    reasons: Reason
    disagreement_us: float | None = None
    named: int | None = None
    other: int | None = None
    over: LargestExcess | None = None
    open_between: tuple[SpanExcess, ...] = ()
    named_us: float = 0.0
    baseline_us: float | None = None
    baseline_from: BaselineFrom | None = BaselineFrom.HISTORY
    detail: str | None = None
    detail_share: float = 1.0
    place: str | None = None
    since_at: datetime | None = None
    until_at: datetime | None = None
    from_at: datetime | None = None
    to_at: datetime | None = None
    array_us: float | None = None
    array_share: float = 1.0
    kernel_us: float | None = None
    kernel_share: float = 1.0
    partly: tuple[tuple[Layer, float], ...] = ()
    outstanding: float | None = None
    fullest: FullestMinute | None = None
    more: tuple[Statement, ...] = ()
    has_earlier_rules: bool = False
    own_layers: str | None = None


NOTHING = Facts(
    state=DiagnosisState.NO_DATA,
    severity=None,
    confidence=None,
    ops=0,
    minutes=0,
    total_us=0,
    excess_us=0,
    reasons=Reason.NONE,
)
# Reasons that have a sentence of their own here.
_TOLD = Reason.GUEST_NOT_MEASURED | Reason.VIRTUAL_DISK_QUEUE_FULL | Reason.DISAGREEMENT
_CODES = {reason: StatementKind[reason.name] for reason in WORDS if reason not in _TOLD and reason.name is not None}
_STATES = {
    DiagnosisState.IDLE: "No I/O in this window",
    DiagnosisState.NOT_MEASURED: "Latency not measured",
    DiagnosisState.NO_DATA: "Not analyzed yet",
}
_UNTOLD = "IOPS not measured"


def sentence(facts: Facts, cause: str = "") -> Sentence:
    """The whole of it. cause: the clause of an excess's cause, without a full stop."""
    if facts.state is not DiagnosisState.JUDGED:
        return Sentence(head=head(facts), confidence="No diagnosis", reasons=(), caveats=(), to_confirm=())
    inconclusive = facts.confidence is Confidence.INCONCLUSIVE
    return Sentence(
        head=head(facts),
        confidence="" if facts.confidence is None else facts.confidence.value.capitalize(),
        cause=cause,
        reasons=() if facts.confidence is None else tuple(_reasons(facts)),
        caveats=tuple(_caveats(facts)),
        to_confirm=(SETTLES,) if inconclusive else (),
    )


def head(facts: Facts) -> Head:
    """The diagnosis itself: "Kernel queue on esx-14: 0.44 of 0.93 ms since 02:10 UTC, 0.44 ms above baseline"."""
    if facts.state is DiagnosisState.TOO_FEW:
        return Head("Too few I/Os", f"{facts.ops:.0f} in {facts.minutes} min")
    if facts.state is DiagnosisState.NOT_MEASURED and not facts.ops > 0:
        return Head(_UNTOLD)
    if facts.state is not DiagnosisState.JUDGED or facts.severity is None:
        return Head(_STATES[facts.state])
    if facts.named is None:
        return Head(facts.severity.value.capitalize(), f"{duration(facts.total_us)} per I/O{_against_baseline(facts)}")
    over = f"{duration(facts.excess_us)} above baseline"
    numbers = f"{_part_of(facts.named_us, facts.total_us)}{_while(facts, over)}"
    if facts.own_layers is not None:
        return Head("Normal", f"{facts.own_layers} not elevated; only seen here: {_subject(facts)}, {numbers}")
    return Head(_subject(facts), numbers)


def _while(facts: Facts, amount: str) -> str:
    """The numbers are the whole window's: they hold since a time only where that lies before it."""
    if facts.until_at is not None:
        return f" on average, {amount}, until {clock(facts.until_at, facts.to_at)}"
    if facts.since_at is None:
        return f", {amount}"
    since = f"since {clock(facts.since_at, facts.to_at)}"
    if facts.from_at is not None and facts.since_at > facts.from_at:
        return f" on average, {amount}, {since}"
    return f" {since}, {amount}"


def _subject(facts: Facts) -> str:
    if facts.named is None:
        return ""
    where = f" on {facts.place}" if facts.place else ""
    layer = span_label(facts.named)
    if facts.other is not None:
        return f"{layer} or {span_name(facts.other)}{where}"
    if facts.detail is None:
        return f"{layer}{where}"
    # The time that follows is the layer's: only a segment that takes all of it may stand for it.
    if duration(facts.detail_share * facts.named_us) == duration(facts.named_us):
        return f"{facts.detail}{where}"
    return f"{layer}{where}, mostly {facts.detail[0].lower()}{facts.detail[1:]}"


def _against_baseline(facts: Facts) -> str:
    """By how much the worst layer is over, since health is judged layer by layer; the total only where none of them is."""
    if facts.baseline_us is None:
        return ""
    if Reason.TOO_COARSE in facts.reasons:
        return ", limited counters"
    if facts.over is not None and facts.over.us >= 1:
        estimate = "" if facts.over.is_sure else " (estimate)"
        return f", the {span_name(facts.over.span)} {duration(facts.over.us)} above baseline{estimate}"
    below_us = facts.baseline_us - facts.total_us
    return ", at baseline" if below_us < 1 else f", {duration(below_us)} below baseline"


def _reasons(facts: Facts) -> Iterator[Statement]:
    layers = _layers(facts.named) | _layers(facts.other)
    for one in facts.open_between:
        yield Statement(StatementKind.RANGE_ABOVE_BASELINE, f"{span_name(one.span)} {_between(one)} above baseline")
    if facts.outstanding is not None and layers & {Layer.GUEST, Layer.KERNEL}:
        yield Statement(StatementKind.OUTSTANDING, f"{ios(facts.outstanding)} outstanding")
        if facts.fullest is not None:
            yield Statement(StatementKind.BUSIEST_QUEUE, _fullest(facts.fullest))
    if facts.array_us is not None and Layer.ARRAY not in layers:
        latency = f"array latency {duration(facts.array_us)}{_measured_in(facts.array_share)}"
        yield Statement(StatementKind.ARRAY_LATENCY, latency)
    if facts.kernel_us is not None and Layer.KERNEL not in layers:
        latency = f"kernel latency ≤ {duration(facts.kernel_us)}{_measured_in(facts.kernel_share)}"
        yield Statement(StatementKind.KERNEL_LATENCY, latency)


def ios(number: float) -> str:
    return f"{number:.0f} I/O{'' if round(number) == 1 else 's'}"


def _between(excess: SpanExcess) -> str:
    """Both in one unit where both are told in it."""
    if excess.lower_us >= _LEAST_MS_US:
        return f"{excess.lower_us / _MILLISECOND_US:.2f} to {duration(excess.upper_us)}"
    return (
        f"{duration(excess.lower_us)} to {duration(excess.upper_us)}"
        if excess.lower_us >= 1
        else f"≤ {duration(excess.upper_us)}"
    )


def _fullest(queue: FullestMinute) -> str:
    """ACTV and QUED come from IOPS × latency, hence the ≈: esxtop's own counters would be exact."""
    has_room = queue.in_flight_ios < _FAR_FROM_FULL * queue.depth and round(queue.waiting_ios or 0) == 0
    lead = "no device queue full, busiest" if has_room else "busiest device queue"
    return f"{lead} on {queue.host}: {_occupied(queue)}"


def _occupied(queue: FullestMinute) -> str:
    """A queue holds no more than its depth: what counters put above that is queued, too."""
    active = min(round(queue.in_flight_ios), round(queue.depth))
    above = round(queue.in_flight_ios) - active
    full = f"ACTV ≈ {active}, DQLEN {queue.depth:.0f}"
    if queue.waiting_ios is None:
        return f"{full}, QUED not measured" if above else full
    queued = round(queue.waiting_ios) or above
    return f"{full}, QUED ≈ {queued}" if queued else full


def _measured_in(share: float) -> str:
    return "" if share >= MOSTLY else f", measured for {_percent(share)} of the I/Os"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= _LEAST_SHARE else "less than 1 %"


def _layers(span: int | None) -> set[Layer]:
    if span is None:
        return set()
    first, last = SPANS[span]
    return {layer for layer in Layer if first <= layer <= last}


_NO_HISTORY = {
    BaselineFrom.SETTING: "Baseline: configured default of the array source, no history for this hour yet",
    BaselineFrom.BOTH: "Baseline: partly the configured default of the array source, too little history for this hour",
}


def _caveats(facts: Facts) -> Iterator[Statement]:
    yield from facts.more
    reasons = facts.reasons
    if Reason.GUEST_NOT_MEASURED in reasons:
        full = "; virtual disk queue full, guest queueing likely" if Reason.VIRTUAL_DISK_QUEUE_FULL in reasons else ""
        yield Statement(StatementKind.GUEST_NOT_MEASURED, f"Guest not measured{full}")
    if Reason.DISAGREEMENT in reasons:
        size = "" if facts.disagreement_us is None else f" by {duration(facts.disagreement_us)}"
        yield Statement(StatementKind.DISAGREEMENT, f"Counters inconsistent{size}; every range is widened by that")
    for layer, share in facts.partly:
        words = f"{span_label(SPANS.index((layer, layer)))} measured separately for {_percent(share)} of the I/Os"
        yield Statement(StatementKind.PARTLY_MEASURED, words)
    for reason, words in WORDS.items():
        if reason in reasons and reason not in _TOLD:
            yield Statement(_CODES[reason], words[0].upper() + words[1:])
    if facts.has_earlier_rules:
        words = "Diagnosed by earlier rules, at least in part: samples expired or not yet recalculated"
        yield Statement(StatementKind.EARLIER_RULES, words)
    if facts.baseline_from in _NO_HISTORY:
        yield Statement(StatementKind.DEFAULT_BASELINE, _NO_HISTORY[facts.baseline_from])


def duration(us: float) -> str:
    """Milliseconds from 0.1 on, microseconds below; never 0 for a positive time."""
    if us >= _LEAST_MS_US:
        return f"{us / _MILLISECOND_US:.2f} ms"
    return f"{us:.0f} µs" if us >= 1 or us == 0 else "< 1 µs"


def _part_of(us: float, total_us: float) -> str:
    """Both in one unit where both are told in it."""
    if us >= _LEAST_MS_US:
        return f"{us / _MILLISECOND_US:.2f} of {duration(total_us)}"
    return f"{duration(us)} of {duration(total_us)}"


def clock(at: datetime, seen_from: datetime | None) -> str:
    """Hours and minutes; with the day where that is another one."""
    same_day = seen_from is None or at.date() == seen_from.date()
    return f"{at:%H:%M} UTC" if same_day else f"{at:%d %b %H:%M} UTC"
