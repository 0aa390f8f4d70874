"""A diagnosis in words that a tired person understands."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from gavel.analysis.diagnosis import SETTLES, Reason
from gavel.diagnosis.capture_words import capture_words
from gavel.diagnosis.cause_words import percent
from gavel.diagnosis.diagnose import DiagnosisState
from gavel.diagnosis.excess import LargestExcess, SpanExcess
from gavel.diagnosis.sentences import (
    NOTHING,
    Facts,
    FullestMinute,
    Head,
    Statement,
    StatementKind,
    duration,
    head,
    sentence,
)
from gavel.diagnosis.stored_sentence import StoredSentence
from gavel.domain.io_path import SPANS, Confidence, Layer, Severity

KERNEL, SAN = SPANS.index((Layer.KERNEL, Layer.KERNEL)), SPANS.index((Layer.SAN, Layer.SAN))
FOUND = Facts(
    state=DiagnosisState.JUDGED,
    severity=Severity.ELEVATED,
    confidence=Confidence.CONFIRMED,
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
NORMAL = replace(FOUND, severity=Severity.NORMAL, confidence=None, named=None)


def test_the_whole_sentence() -> None:
    assert sentence(FOUND).text == (
        "Kernel queue on esx-14: 0.44 of 0.93 ms since 02:10 UTC, 0.44 ms above baseline. Confirmed. Evidence: 64 I/Os outstanding; busiest"
        " device queue on esx-14: ACTV ≈ 32, DQLEN 32; array latency 0.40 ms. Guest not measured; virtual disk queue full, guest queueing"
        " likely."
    )


def test_captures_that_narrow_ranges_are_named() -> None:
    (caveat,) = (
        each.text
        for each in sentence(replace(FOUND, more=capture_words(["a.csv", "b.csv", "c.csv", "d.csv"]))).caveats
        if each.code is StatementKind.CAPTURED
    )
    assert capture_words([]) == ()
    assert caveat == "Device latency narrowed by esxtop capture a.csv, b.csv and 2 more, where it covers the window"


def test_two_that_cannot_be_told_apart_come_with_what_would_settle_it() -> None:
    both = (SpanExcess(KERNEL, 0.0, 612.0), SpanExcess(SAN, 118.0, 507.0))
    facts = replace(FOUND, confidence=Confidence.INCONCLUSIVE, other=SAN, named_us=530, place=None, detail=None)
    found = sentence(replace(facts, open_between=both))
    assert found.head == Head("Kernel or SAN", "0.53 of 0.93 ms since 02:10 UTC, 0.44 ms above baseline")
    assert found.confidence == "Inconclusive"
    assert found.reasons[:2] == (
        Statement(StatementKind.RANGE_ABOVE_BASELINE, "kernel ≤ 0.61 ms above baseline"),
        Statement(StatementKind.RANGE_ABOVE_BASELINE, "SAN 0.12 to 0.51 ms above baseline"),
    )
    assert found.to_confirm == (SETTLES,)
    assert found.text.endswith(f"To confirm: {SETTLES}.")


@pytest.mark.parametrize("place", ["esx-14", "a. — b: c; d", "two\nlines"])
def test_a_stored_sentence_comes_apart_again_whatever_names_are_in_it(place: str) -> None:
    said = sentence(replace(FOUND, place=place, more=capture_words([place])))
    kept = StoredSentence.of(said, f"Spread the VMs of {place}")
    stored = StoredSentence.parse(kept.stored)
    assert stored == kept
    assert stored.action == " ".join(f"Spread the VMs of {place}".split("\n"))
    assert (
        stored.evidence
        == "64 I/Os outstanding; busiest device queue on esx-14: ACTV ≈ 32, DQLEN 32; array latency 0.40 ms."
    )
    assert stored.text == said.text.replace("\n", " ")


def test_a_sentence_that_was_stored_without_an_action_has_none() -> None:
    assert StoredSentence.parse("claim.\nevidence.\nlimits.") == StoredSentence("claim.", "evidence.", "limits.", "")


def test_a_sentence_that_was_stored_without_parts_is_all_claim() -> None:
    old = "Kernel: 0.44 of 0.93 ms. Confirmed. — 64 I/Os outstanding."
    assert StoredSentence.parse(old) == StoredSentence(old, "", "")
    assert StoredSentence.parse(old).text == old


ARRAY = SPANS.index((Layer.ARRAY, Layer.ARRAY))


@pytest.mark.parametrize(
    ("named", "detail", "share", "words"),
    [
        (ARRAY, "Array QoS limit", 0.886, "Array on esx-14, mostly array QoS limit: 0.44 of 0.93 ms"),
        (KERNEL, "Hypervisor", 0.8, "Kernel on esx-14, mostly hypervisor: 0.44 of 0.93 ms"),
        (KERNEL, "Kernel queue", 0.999, "Kernel queue on esx-14: 0.44 of 0.93 ms"),
        (KERNEL, None, 1.0, "Kernel on esx-14: 0.44 of 0.93 ms"),
    ],
)
def test_a_layers_time_is_given_to_one_of_its_parts_only_where_that_takes_all_of_it(
    named: int, detail: str | None, share: float, words: str
) -> None:
    assert head(replace(FOUND, named=named, detail=detail, detail_share=share)).text.startswith(words)


def test_a_queue_holds_no_more_than_its_depth_and_the_others_wait() -> None:
    for in_flight, waiting, words in (
        (33.2, None, "busiest device queue on esx-14: ACTV ≈ 32, DQLEN 32, QUED not measured;"),
        (33.2, 0.0, "ACTV ≈ 32, DQLEN 32, QUED ≈ 1;"),
        (31.9, 30.6, "ACTV ≈ 32, DQLEN 32, QUED ≈ 31;"),
        (18.4, None, "ACTV ≈ 18, DQLEN 32;"),
        (12.4, 0.0, "no device queue full, busiest on esx-14: ACTV ≈ 12, DQLEN 32;"),
    ):
        queue = FullestMinute(host="esx-14", in_flight_ios=in_flight, depth=32, waiting_ios=waiting)
        assert words in sentence(replace(FOUND, fullest=queue)).text


def test_a_run_that_began_on_another_day_says_which() -> None:
    begun = datetime(2026, 11, 20, 22, 5, tzinfo=UTC)
    assert "since 20 Nov 22:05 UTC" in head(replace(FOUND, since_at=begun)).detail


def test_what_the_newest_minutes_do_not_say_any_more_is_said_to_have_ended() -> None:
    gone = replace(FOUND, since_at=None, until_at=datetime(2026, 11, 21, 2, 37, tzinfo=UTC))
    assert (
        head(gone).text == "Kernel queue on esx-14: 0.44 of 0.93 ms on average, 0.44 ms above baseline, until 02:37 UTC"
    )


def test_the_mean_of_a_window_is_not_said_to_hold_since_a_time_within_it() -> None:
    mean = replace(FOUND, from_at=datetime(2026, 11, 21, 1, 40, tzinfo=UTC))
    assert (
        head(mean).text == "Kernel queue on esx-14: 0.44 of 0.93 ms on average, 0.44 ms above baseline, since 02:10 UTC"
    )
    since = replace(FOUND, from_at=datetime(2026, 11, 21, 2, 10, tzinfo=UTC))
    assert head(since).text == "Kernel queue on esx-14: 0.44 of 0.93 ms since 02:10 UTC, 0.44 ms above baseline"


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (
            replace(NORMAL, baseline_us=860, over=LargestExcess(KERNEL, 82, is_sure=True)),
            "Normal: 0.93 ms per I/O, the kernel 82 µs above baseline",
        ),
        (
            # Others make up for it, but by what single layers are over is judged: nothing is said of the total then.
            replace(NORMAL, baseline_us=1_100, over=LargestExcess(KERNEL, 70, is_sure=False)),
            "Normal: 0.93 ms per I/O, the kernel 70 µs above baseline (estimate)",
        ),
        (
            replace(NORMAL, baseline_us=500, over=LargestExcess(KERNEL, 430, is_sure=False), reasons=Reason.TOO_COARSE),
            "Normal: 0.93 ms per I/O, limited counters",
        ),
        (
            # From twice the threshold on it is elevated, though no layer can be named.
            replace(NORMAL, severity=Severity.ELEVATED, baseline_us=400, reasons=Reason.TOO_COARSE),
            "Elevated: 0.93 ms per I/O, limited counters",
        ),
        (replace(NORMAL, baseline_us=1_100), "Normal: 0.93 ms per I/O, 0.17 ms below baseline"),
        (
            replace(NORMAL, baseline_us=929.6, over=LargestExcess(KERNEL, 0.4, is_sure=True)),
            "Normal: 0.93 ms per I/O, at baseline",
        ),
        (NORMAL, "Normal: 0.93 ms per I/O"),
        (replace(FOUND, state=DiagnosisState.TOO_FEW, ops=7, minutes=5), "Too few I/Os: 7 in 5 min"),
        (replace(FOUND, state=DiagnosisState.IDLE), "No I/O in this window"),
        (NOTHING, "Not analyzed yet"),
    ],
)
def test_what_is_no_finding_is_said_as_plainly(facts: Facts, words: str) -> None:
    assert head(facts).text == words
    assert sentence(facts).reasons == ()


@pytest.mark.parametrize(
    ("us", "words"),
    [(0, "0 µs"), (0.4, "< 1 µs"), (64, "64 µs"), (99.6, "0.10 ms"), (100, "0.10 ms"), (12_345, "12.35 ms")],
)
def test_a_positive_time_is_never_written_as_nothing(us: float, words: str) -> None:
    assert duration(us) == words


def test_a_window_that_earlier_rules_diagnosed_says_so() -> None:
    (caveat,) = sentence(replace(FOUND, reasons=Reason.NONE, has_earlier_rules=True)).caveats
    assert caveat.code is StatementKind.EARLIER_RULES
    assert caveat.text.startswith("Diagnosed by earlier rules")


@pytest.mark.parametrize("reason", [r for r in Reason if r not in (Reason.NONE, Reason.VIRTUAL_DISK_QUEUE_FULL)])
def test_every_reason_is_told(reason: Reason) -> None:
    (caveat,) = sentence(replace(FOUND, reasons=reason)).caveats
    assert caveat.code == (reason.name or "").lower()


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0 %"), (0.0099, "< 1 %"), (0.01, "1 %"), (0.984, "98 %"), (1.0, "100 %"), (1.2, "100 %")],
)
def test_share_of_a_cause_is_below_one_percent_only_where_it_is(share: float, text: str) -> None:
    assert percent(share) == text
