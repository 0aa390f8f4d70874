"""A verdict in words: one sentence that a tired person understands, then why, what limits it, and what would settle it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from gavel.analysis.segments import SPANS, span_name
from gavel.analysis.verdict import SETTLES, WORDS, Reason
from gavel.domain.io_path import Certainty, Layer
from gavel.pipeline.expecting import ExpectedFrom
from gavel.pipeline.judging import MOSTLY, State, span_label
from gavel.pipeline.over import Furthest, Over

_MILLISECOND_US = 1000.0
# From 0.1 ms on, rounded, people read milliseconds.
_LEAST_MS_US = 99.5
_LEAST_SHARE = 0.01
# Of its depth: then the queue is not what I/Os wait for.
_FAR_FROM_FULL = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """`head` and `certainty` are the sentence; the others are what comes after it."""

    head: str
    certainty: str
    because: tuple[str, ...]
    caveats: tuple[str, ...]
    settles: tuple[str, ...]

    @property
    def text(self) -> str:
        """All of it in one line."""
        said = ". ".join(part for part in (self.head, self.certainty) if part) + "."
        why = f" — {'; '.join(self.because)}." if self.because else ""
        more = "".join(f" {one}." for one in (*self.caveats, *self.settles))
        return f"{said}{why}{more}"


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

    named, other: positions in `SPANS`. named_us: of both where undetermined; excess_us: of what is named; expected_us: of the total, by
    `expected_from`. detail: the segment that most of the named layer's time is in, in words; detail_share: which part of it. array_us:
    what the array takes; kernel_us: what the kernel takes at most. All of them per I/O that was measured there; array_share,
    kernel_share: which part of the timed I/Os that is. partly: layers that were measured by themselves in such a part.

    outstanding: I/Os. fullest: one queue where the layer is named. ops, minutes: of the window. queue: sentences
    about the depth of the queue where I/Os wait.
    """

    state: State
    certainty: Certainty
    ops: float
    minutes: int
    total_us: float
    excess_us: float
    reasons: Reason
    disagreement_us: float | None = None
    named: int | None = None
    other: int | None = None
    over: Furthest | None = None
    open_between: tuple[Over, ...] = ()
    named_us: float = 0.0
    expected_us: float | None = None
    expected_from: ExpectedFrom | None = ExpectedFrom.HISTORY
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
    queue: tuple[str, ...] = ()


NOTHING = Facts(
    state=State.NO_DATA,
    certainty=Certainty.UNKNOWN,
    ops=0,
    minutes=0,
    total_us=0,
    excess_us=0,
    reasons=Reason.NONE,
)
# Reasons that have a sentence of their own here.
_TOLD = Reason.GUEST_NOT_MEASURED | Reason.VIRTUAL_DISK_QUEUE_FULL | Reason.DISAGREEMENT
_STATES = {
    State.IDLE: "No I/O in this window",
    State.NOT_MEASURED: "There was I/O, but no latency was measured",
    State.NO_DATA: "Nothing of this window has been attributed",
}


_UNTOLD = "How many I/Os there were was not measured"


def sentence(facts: Facts) -> Sentence:
    """The whole of it."""
    if facts.state is not State.JUDGED:
        return Sentence(head=head(facts), certainty="No verdict", because=(), caveats=(), settles=())
    undetermined = facts.certainty is Certainty.UNDETERMINED
    judged = facts.certainty is not Certainty.HEALTHY
    return Sentence(
        head=head(facts),
        certainty=facts.certainty.value.capitalize() if judged else "",
        because=tuple(_because(facts)) if judged else (),
        caveats=tuple(_caveats(facts)),
        settles=(f"What would settle it: {SETTLES}",) if undetermined else (),
    )


def head(facts: Facts) -> str:
    """The verdict itself: "Kernel queue on esx-14: 0.44 of 0.93 ms since 02:10 UTC, 0.44 ms over usual"."""
    if facts.state is State.TOO_FEW:
        return f"Too few I/Os to judge: {facts.ops:.0f} in {facts.minutes} min"
    if facts.state is State.NOT_MEASURED and not facts.ops > 0:
        return _UNTOLD
    if facts.state is not State.JUDGED:
        return _STATES[facts.state]
    if facts.named is None:
        return f"Healthy: {duration(facts.total_us)} per I/O{_against_usual(facts)}"
    over = f"{duration(facts.excess_us)} over {_usual(facts)}"
    return f"{_subject(facts)}: {_part_of(facts.named_us, facts.total_us)}{_while(facts, over)}"


def _while(facts: Facts, over: str) -> str:
    """The numbers are the whole window's: they hold since a time only where that lies before it."""
    if facts.until_at is not None:
        return f" on average, {over}, until {clock(facts.until_at, facts.to_at)}"
    if facts.since_at is None:
        return f", {over}"
    since = f"since {clock(facts.since_at, facts.to_at)}"
    if facts.from_at is not None and facts.since_at > facts.from_at:
        return f" on average, {over}, {since}"
    return f" {since}, {over}"


def _usual(facts: Facts) -> str:
    """Nothing is usual before it was learned."""
    return "usual" if facts.expected_from is ExpectedFrom.HISTORY else "expected"


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
    own = facts.detail.removeprefix(f"{layer} ")
    return f"{layer}{where}, mostly {f'its {own}' if own != facts.detail else f'the {own.lower()}'}"


def _against_usual(facts: Facts) -> str:
    """By how much the worst layer is over, since health is judged layer by layer; the total only where none of them is."""
    if facts.expected_us is None:
        return ""
    if Reason.TOO_COARSE in facts.reasons:
        return ", as far as its counters can tell"
    if facts.over is not None and facts.over.us >= 1:
        sure = "" if facts.over.is_sure else "perhaps "
        return f", the {span_name(facts.over.span)} {sure}{duration(facts.over.us)} over {_usual(facts)}"
    below_us = facts.expected_us - facts.total_us
    return f", as {_usual(facts)}" if below_us < 1 else f", {duration(below_us)} below {_usual(facts)}"


def _because(facts: Facts) -> Iterator[str]:
    layers = _layers(facts.named) | _layers(facts.other)
    for one in facts.open_between:
        yield f"the {span_name(one.span)} is {_between(one)} over {_usual(facts)}"
    if facts.outstanding is not None and layers & {Layer.GUEST, Layer.KERNEL}:
        yield f"{facts.outstanding:.0f} I/Os outstanding"
        if facts.fullest is not None:
            yield _fullest(facts.fullest)
    if facts.array_us is not None and Layer.ARRAY not in layers:
        yield f"the array answers in {duration(facts.array_us)}{_measured_in(facts.array_share)}"
    if facts.kernel_us is not None and Layer.KERNEL not in layers:
        yield f"the kernel takes {duration(facts.kernel_us)} at most{_measured_in(facts.kernel_share)}"


def _between(one: Over) -> str:
    """Both in one unit where both are told in it."""
    if one.lower_us >= _LEAST_MS_US:
        return f"{one.lower_us / _MILLISECOND_US:.2f} to {duration(one.upper_us)}"
    return (
        f"{duration(one.lower_us)} to {duration(one.upper_us)}"
        if one.lower_us >= 1
        else f"at most {duration(one.upper_us)}"
    )


def _fullest(queue: FullestMinute) -> str:
    has_room = queue.in_flight_ios < _FAR_FROM_FULL * queue.depth and round(queue.waiting_ios or 0) == 0
    lead = "no device queue was full: the fullest" if has_room else "the fullest queue"
    return f"{lead}, on {queue.host}, held {_held(queue)}"


def _held(queue: FullestMinute) -> str:
    """A queue holds no more than its depth: what counters put above that waits, too."""
    held = min(round(queue.in_flight_ios), round(queue.depth))
    above = round(queue.in_flight_ios) - held
    if queue.waiting_ios is None:
        return f"{held} of {queue.depth:.0f}" + (", and others waited" if above else "")
    waiting = round(queue.waiting_ios) or above
    return f"{held} of {queue.depth:.0f}" + (f", {waiting} more waited" if waiting else "")


def _measured_in(share: float) -> str:
    return "" if share >= MOSTLY else f", measured in {_percent(share)} of the I/Os"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= _LEAST_SHARE else "less than 1 %"


def _layers(span: int | None) -> set[Layer]:
    if span is None:
        return set()
    first, last = SPANS[span]
    return {layer for layer in Layer if first <= layer <= last}


_NO_HISTORY = {
    ExpectedFrom.SETTING: "What is expected is the setting of the array source: no history of this hour yet",
    ExpectedFrom.BOTH: "What is expected is partly the setting of the array source: too little history of this hour yet",
}


def _caveats(facts: Facts) -> Iterator[str]:
    yield from facts.queue
    reasons = facts.reasons
    if Reason.GUEST_NOT_MEASURED in reasons:
        full = "; its virtual disk queue is full, so guest queueing is likely"
        yield f"Guest not measured{full if Reason.VIRTUAL_DISK_QUEUE_FULL in reasons else ''}"
    if Reason.DISAGREEMENT in reasons:
        size = "" if facts.disagreement_us is None else f" by {duration(facts.disagreement_us)}"
        yield f"Measurements contradict each other{size}, and every interval is widened by that"
    for layer, share in facts.partly:
        yield f"{span_label(SPANS.index((layer, layer)))} measured by itself in {_percent(share)} of the I/Os"
    for reason, words in WORDS.items():
        if reason in reasons and reason not in _TOLD:
            yield words[0].upper() + words[1:]
    if facts.expected_from in _NO_HISTORY:
        yield _NO_HISTORY[facts.expected_from]


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
