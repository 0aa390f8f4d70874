"""A verdict in words that a tired person understands."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from gavel.analysis.segments import SPANS
from gavel.analysis.verdict import SETTLES, Reason
from gavel.domain.io_path import Certainty, Layer
from gavel.pipeline.judging import State
from gavel.pipeline.over import Furthest, Over
from gavel.pipeline.sentences import NOTHING, Facts, FullestMinute, duration, head, sentence

KERNEL, SAN = SPANS.index((Layer.KERNEL, Layer.KERNEL)), SPANS.index((Layer.SAN, Layer.SAN))
FOUND = Facts(
    state=State.JUDGED,
    certainty=Certainty.CERTAIN,
    ops=3_900_000,
    minutes=1,
    total_us=930,
    excess_us=440,
    reasons=Reason.GUEST_NOT_MEASURED | Reason.VIRTUAL_DISK_QUEUE_FULL,
    named=KERNEL,
    named_us=440,
    detail="Kernel queue",
    place="esx-14",
    since_at=datetime(2026, 11, 21, 2, 10, tzinfo=UTC),
    to_at=datetime(2026, 11, 21, 2, 40, tzinfo=UTC),
    array_us=400,
    kernel_us=440,
    outstanding=64,
    fullest=FullestMinute(host="esx-14", in_flight_ios=31.6, depth=32, waiting_ios=0.2),
)
HEALTHY = replace(FOUND, certainty=Certainty.HEALTHY, named=None)


def test_the_whole_sentence() -> None:
    assert sentence(FOUND).text == (
        "Kernel queue on esx-14: 0.44 of 0.93 ms since 02:10 UTC, 0.44 ms over usual. Certain. — 64 I/Os outstanding; the fullest"
        " queue, on esx-14, held 32 of 32; the array answers in 0.40 ms. Guest not measured; its virtual disk queue is full, so guest"
        " queueing is likely."
    )


def test_two_that_cannot_be_told_apart_come_with_what_would_settle_it() -> None:
    both = (Over(KERNEL, 0.0, 612.0), Over(SAN, 118.0, 507.0))
    facts = replace(FOUND, certainty=Certainty.UNDETERMINED, other=SAN, named_us=530, place=None, detail=None)
    found = sentence(replace(facts, open_between=both))
    assert found.head == "Kernel or SAN: 0.53 of 0.93 ms since 02:10 UTC, 0.44 ms over usual"
    assert found.certainty == "Undetermined"
    assert found.because[:2] == (
        "the kernel is at most 0.61 ms over usual",
        "the SAN is 0.12 to 0.51 ms over usual",
    )
    assert found.settles == (f"What would settle it: {SETTLES}",)


ARRAY = SPANS.index((Layer.ARRAY, Layer.ARRAY))


@pytest.mark.parametrize(
    ("named", "detail", "share", "words"),
    [
        (ARRAY, "Array QoS limit", 0.886, "Array on esx-14, mostly its QoS limit: 0.44 of 0.93 ms"),
        (KERNEL, "Hypervisor", 0.8, "Kernel on esx-14, mostly the hypervisor: 0.44 of 0.93 ms"),
        (KERNEL, "Kernel queue", 0.999, "Kernel queue on esx-14: 0.44 of 0.93 ms"),
        (KERNEL, None, 1.0, "Kernel on esx-14: 0.44 of 0.93 ms"),
    ],
)
def test_a_layers_time_is_given_to_one_of_its_parts_only_where_that_takes_all_of_it(
    named: int, detail: str | None, share: float, words: str
) -> None:
    assert head(replace(FOUND, named=named, detail=detail, detail_share=share)).startswith(words)


def test_a_queue_holds_no_more_than_its_depth_and_the_others_wait() -> None:
    for in_flight, waiting, words in (
        (33.2, None, "the fullest queue, on esx-14, held 32 of 32, and others waited"),
        (33.2, 0.0, "held 32 of 32, 1 more waited"),
        (31.9, 30.6, "held 32 of 32, 31 more waited"),
        (18.4, None, "held 18 of 32;"),
        (12.4, 0.0, "no device queue was full: the fullest, on esx-14, held 12 of 32;"),
    ):
        queue = FullestMinute(host="esx-14", in_flight_ios=in_flight, depth=32, waiting_ios=waiting)
        assert words in sentence(replace(FOUND, fullest=queue)).text


def test_a_run_that_began_on_another_day_says_which() -> None:
    begun = datetime(2026, 11, 20, 22, 5, tzinfo=UTC)
    assert "since 20 Nov 22:05 UTC" in head(replace(FOUND, since_at=begun))


def test_what_the_newest_minutes_do_not_say_any_more_is_said_to_have_ended() -> None:
    gone = replace(FOUND, since_at=None, until_at=datetime(2026, 11, 21, 2, 37, tzinfo=UTC))
    assert head(gone) == "Kernel queue on esx-14: 0.44 of 0.93 ms on average, 0.44 ms over usual, until 02:37 UTC"


def test_the_mean_of_a_window_is_not_said_to_hold_since_a_time_within_it() -> None:
    mean = replace(FOUND, from_at=datetime(2026, 11, 21, 1, 40, tzinfo=UTC))
    assert head(mean) == "Kernel queue on esx-14: 0.44 of 0.93 ms on average, 0.44 ms over usual, since 02:10 UTC"
    since = replace(FOUND, from_at=datetime(2026, 11, 21, 2, 10, tzinfo=UTC))
    assert head(since) == "Kernel queue on esx-14: 0.44 of 0.93 ms since 02:10 UTC, 0.44 ms over usual"


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (
            replace(HEALTHY, expected_us=860, over=Furthest(KERNEL, 82, is_sure=True)),
            "Healthy: 0.93 ms per I/O, the kernel 82 µs over usual",
        ),
        (
            # Others make up for it, but by what single layers are over is judged: nothing is said of the total then.
            replace(HEALTHY, expected_us=1_100, over=Furthest(KERNEL, 70, is_sure=False)),
            "Healthy: 0.93 ms per I/O, the kernel perhaps 70 µs over usual",
        ),
        (
            replace(HEALTHY, expected_us=500, over=Furthest(KERNEL, 430, is_sure=False), reasons=Reason.TOO_COARSE),
            "Healthy: 0.93 ms per I/O, as far as its counters can tell",
        ),
        (replace(HEALTHY, expected_us=1_100), "Healthy: 0.93 ms per I/O, 0.17 ms below usual"),
        (
            replace(HEALTHY, expected_us=929.6, over=Furthest(KERNEL, 0.4, is_sure=True)),
            "Healthy: 0.93 ms per I/O, as usual",
        ),
        (HEALTHY, "Healthy: 0.93 ms per I/O"),
        (replace(FOUND, state=State.TOO_FEW, ops=7, minutes=5), "Too few I/Os to judge: 7 in 5 min"),
        (replace(FOUND, state=State.IDLE), "No I/O in this window"),
        (NOTHING, "Nothing of this window has been attributed"),
    ],
)
def test_what_is_no_finding_is_said_as_plainly(facts: Facts, words: str) -> None:
    assert head(facts) == words
    assert sentence(facts).because == ()


@pytest.mark.parametrize(
    ("us", "words"),
    [(0, "0 µs"), (0.4, "< 1 µs"), (64, "64 µs"), (99.6, "0.10 ms"), (100, "0.10 ms"), (12_345, "12.35 ms")],
)
def test_a_positive_time_is_never_written_as_nothing(us: float, words: str) -> None:
    assert duration(us) == words


@pytest.mark.parametrize("reason", [r for r in Reason if r not in (Reason.NONE, Reason.VIRTUAL_DISK_QUEUE_FULL)])
def test_every_reason_is_told(reason: Reason) -> None:
    assert len(sentence(replace(FOUND, reasons=reason)).caveats) == 1
