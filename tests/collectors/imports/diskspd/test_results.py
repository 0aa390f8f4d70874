"""Results of diskspd become runs, from XML and from text alike, and what limits or refuses them."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.collectors.imports.diskspd.spans import Span, as_text, as_xml
from tests.collectors.imports.reading import by_direction, codes, only_run, refusal, runs_of

from gavel.domain.imports import ImportOptions

START = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)
FORMS = pytest.mark.parametrize("written", [as_xml, as_text], ids=["xml", "text"])
Written = Callable[..., str]


@FORMS
def test_diskspd_result_becomes_a_run_after_its_warm_up(written: Written) -> None:
    run = only_run("diskspd", written(Span()))
    assert (run.name, run.tool, run.outstanding_limit, run.block_size, run.is_direct) == (
        "sql-01",
        "diskspd",
        32,
        "8k",
        True,
    )
    assert (run.starts_at, run.ends_at) == (START + timedelta(seconds=5), START + timedelta(seconds=65))
    found = by_direction(run)
    assert (found["read"].ops, found["write"].ops, found["all"].ops) == (90_000, 30_000, 120_000)
    assert (found["read"].ops_per_s, found["all"].ops_per_s, found["all"].bytes_per_s) == (1500, 2000, 2000 * 8192)
    assert (found["read"].mean_us, found["write"].mean_us, found["all"].mean_us) == pytest.approx((400, 800, 500))
    reads = found["read"]
    assert (reads.p50_us, reads.p95_us, reads.p99_us, reads.p999_us, reads.max_us) == pytest.approx(
        (360, 800, 1200, 2000, 8000)
    )
    assert codes(run) == set()


@FORMS
def test_diskspd_without_latency_has_rates_and_says_so(written: Written) -> None:
    run = only_run("diskspd", written(Span(read_ms=None, write_ms=None)))
    whole = run.figures[-1]
    assert (whole.ops_per_s, whole.mean_us, whole.p99_us, whole.max_us) == (2000, None, None, None)
    assert codes(run) == {"no_latency"}


@FORMS
def test_diskspd_of_one_direction_has_no_figures_of_the_other(written: Written) -> None:
    run = only_run("diskspd", written(Span(writes=0)))
    assert [each.direction for each in run.figures] == ["read", "all"]


@FORMS
def test_diskspd_that_limits_its_use_is_warned_about(written: Written) -> None:
    assert codes(only_run("diskspd", written(Span(is_direct=False)))) == {"buffered"}
    assert codes(only_run("diskspd", written(Span(asked_s=300)))) == {"stopped_early"}
    assert codes(only_run("diskspd", written(Span(read_ms=90, write_ms=90)))) == {"more_outstanding"}


@FORMS
def test_diskspd_timespans_follow_one_another(written: Written) -> None:
    runs = runs_of("diskspd", written(Span(), Span(reads=600)))
    assert [run.name for run in runs] == ["sql-01, timespan 1", "sql-01, timespan 2"]
    assert [run.starts_at for run in runs] == [START + timedelta(seconds=5), START + timedelta(seconds=70)]
    assert runs[1].figures[0].ops == 600


def test_diskspd_text_of_newer_versions_has_its_tables_behind_the_topology() -> None:
    assert only_run("diskspd", as_text(Span(), topology=True)) == only_run("diskspd", as_text(Span()))


def test_diskspd_text_without_a_date_takes_the_given_start() -> None:
    text = as_text(Span(), ran_at=None)
    assert codes(only_run("diskspd", text)) == {"window_unknown"}
    placed = only_run("diskspd", text, ImportOptions(started_at=START))
    assert (placed.starts_at, placed.ends_at) == (START + timedelta(seconds=5), START + timedelta(seconds=65))
    several = as_text(Span(), Span(), ran_at=None)
    assert codes(runs_of("diskspd", several, ImportOptions(started_at=START))[0]) == {"window_unknown"}


def test_diskspd_local_time_needs_its_zone() -> None:
    text = as_xml(Span(), ran_at="2026/03/14 11:30:00")
    assert codes(only_run("diskspd", text)) == {"window_unknown"}
    assert only_run("diskspd", text, ImportOptions(utc_bias_minutes=-120)).starts_at == START + timedelta(seconds=5)


def test_diskspd_xml_with_a_declaration_of_another_encoding_is_read() -> None:
    data = ('<?xml version="1.0" encoding="utf-16"?>\n' + as_xml(Span())).encode("utf-16")
    assert only_run("diskspd", data).figures[-1].ops == 120_000


def test_diskspd_that_cannot_be_read_is_refused_with_its_line() -> None:
    whole = as_xml(Span())
    assert "no whole XML" in refusal("diskspd", whole[: len(whole) // 2])
    assert "TestTimeSeconds is 'long', no usable number" in refusal("diskspd", whole.replace(">60.00<", ">long<"))
    assert "line 15: Target has no ReadCount" in refusal("diskspd", whole.replace("ReadCount", "Reads"))
    assert "XML without results of diskspd" in refusal("diskspd", "<html><body/></html>")
    assert "no result of diskspd" in refusal("diskspd", "WARNING: could not set privileges")
    text = as_text(Span())
    assert "breaks off before its table Total IO" in refusal("diskspd", text[: text.index("Total IO")])
    assert "I/Os is 'many'" in refusal("diskspd", text.replace("120000", "many"))
    assert "no I/O was counted" in refusal("diskspd", as_xml(replace(Span(), reads=0, writes=0, read_ms=None)))


def test_diskspd_xml_entities_are_not_expanded() -> None:
    bomb = '<!DOCTYPE a [<!ENTITY b "60">]>' + as_xml(Span()).replace(">60.00<", ">&b;<")
    assert "TestTimeSeconds is None" in refusal("diskspd", bomb)


@given(
    st.builds(
        Span,
        reads=st.integers(1, 10**9).map(lambda count: count * 2),
        writes=st.integers(1, 10**9).map(lambda count: count * 2),
        read_ms=st.floats(0.05, 100),
        write_ms=st.floats(0.05, 100),
        length_s=st.integers(1, 10_000).map(float),
        threads=st.integers(1, 64),
        depth=st.integers(1, 256),
    )
)
def test_diskspd_text_and_xml_of_one_run_say_the_same(span: Span) -> None:
    """Law: figures do not depend on the form, but for rounding to µs."""
    from_xml, from_text = only_run("diskspd", as_xml(span)), only_run("diskspd", as_text(span))
    assert (from_xml.starts_at, from_xml.ends_at, from_xml.outstanding_limit) == (
        from_text.starts_at,
        from_text.ends_at,
        from_text.outstanding_limit,
    )
    assert from_xml.figures == from_text.figures
    assert by_direction(from_xml)["all"].mean_us == pytest.approx((span.mean_ms or 0) * 1000, abs=0.6)
