"""The sentence of a test run: what the tool saw, and parts that add up to it as they are written."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gavel.db.queries.refs import EntityRef, RefKind
from gavel.diagnosis.diagnose import LayerNumbers
from gavel.domain.io_path import LayerName
from gavel.domain.load_runs import LoadFigures
from gavel.views.run_sentence import run_sentence

VM = EntityRef(RefKind.VM, 1, "db01")
DATASTORE = EntityRef(RefKind.DATASTORE, 2, "ds-prod-02")
VOLUME = EntityRef(RefKind.VOLUME, 3, "vol-7")


def figures(mean_us: float | None, ops_per_s: float = 65_000) -> LoadFigures:
    return LoadFigures(
        direction="all",
        ops=None,
        ops_per_s=ops_per_s,
        bytes_per_s=0,
        mean_us=mean_us,
        max_us=None,
        p50_us=None,
        p95_us=None,
        p99_us=None,
        p999_us=None,
    )


def layer(name: str, us: float) -> LayerNumbers:
    return LayerNumbers(
        name=name,
        label=name,
        layers=("kernel",),
        us=us,
        lower_us=us,
        upper_us=us,
        measured_us=us,
        baseline_us=us,
        excess_us=0,
        excess_lower_us=0,
        excess_upper_us=0,
        share=None,
        ops_share=1,
    )


def sentence(
    mean_us: float | None,
    parts: Sequence[tuple[str, float]],
    unmeasured: Sequence[LayerName] = ("guest",),
    tool: str = "fio",
    subject: EntityRef = VM,
    iops: float | None = 65_000,
) -> str:
    remainder = None if mean_us is None or not parts else mean_us - sum(us for _, us in parts)
    return run_sentence(
        tool, figures(mean_us), [layer(*part) for part in parts], unmeasured, remainder, subject=subject, iops=iops
    )


def test_run_sentence_names_what_remains_the_guests_where_it_is_not_measured() -> None:
    found = sentence(1400, [("kernel", 440), ("san", 90), ("array", 400)])
    assert found == "fio saw 1.40 ms at 65,000 IOPS: guest 0.47, kernel 0.44, SAN 0.09, array 0.40."


def test_run_sentence_with_a_measured_guest_keeps_the_remainder_apart() -> None:
    found = sentence(1400, [("guest", 430), ("kernel", 440), ("san_array", 490)], unmeasured=(), tool="vdbench")
    assert found == "vdbench saw 1.40 ms at 65,000 IOPS: remainder 0.04, guest 0.43, kernel 0.44, SAN + array 0.49."


def test_run_sentence_of_slower_ios_of_others_has_no_negative_part() -> None:
    found = sentence(300, [("kernel", 440), ("array", 400)], tool="iometer")
    assert found.startswith(
        "Iometer saw 0.30 ms at 65,000 IOPS; I/Os of these minutes took 0.84 ms: kernel 0.44, array 0.40."
    )
    assert "Slower I/Os of others" in found


def test_run_sentence_without_layers_or_latency_says_what_there_is() -> None:
    assert sentence(1400, []) == "fio saw 1.40 ms at 65,000 IOPS."
    assert sentence(None, []) == "fio saw 65,000 IOPS and no latency."
    assert sentence(61.4, [("array", 40.2)]) == "fio saw 0.061 ms at 65,000 IOPS: guest 0.021, array 0.040."


def test_run_sentence_of_a_datastore_or_volume_names_whose_ios_its_layers_are() -> None:
    parts = [("kernel", 440.0), ("san", 90.0), ("array", 400.0)]
    assert sentence(1400, parts, subject=DATASTORE, iops=80_000) == (
        "fio saw 1.40 ms at 65,000 IOPS; I/Os of all VMs on datastore ds-prod-02 took 0.93 ms at 80,000 IOPS:"
        " kernel 0.44, SAN 0.09, array 0.40."
    )
    assert sentence(300, parts, subject=VOLUME, iops=None, tool="hcibench") == (
        "HCIBench saw 0.30 ms at 65,000 IOPS; I/Os of all hosts on volume vol-7 took 0.93 ms:"
        " kernel 0.44, SAN 0.09, array 0.40."
    )
    assert sentence(1400, [], subject=DATASTORE) == "fio saw 1.40 ms at 65,000 IOPS."


@given(st.lists(st.floats(0, 1000), min_size=1, max_size=3), st.floats(0, 5000))
def test_run_sentence_of_a_datastore_parts_add_up_to_its_own_total(parts: list[float], mean_us: float) -> None:
    names = ("kernel", "san", "array")
    found = sentence(mean_us, list(zip(names, parts, strict=False)), subject=DATASTORE)
    numbers = [float(number) for number in re.findall(r"(?<= )\d+\.\d+", found.replace(",", ""))]
    assert sum(numbers[2:]) == pytest.approx(numbers[1], abs=1e-6)


@pytest.mark.parametrize("scale", [1, 10, 1000])
@example([0.5], 2.0)
@given(st.lists(st.floats(0, 1000), min_size=1, max_size=3), st.floats(0, 1000))
def test_run_sentence_parts_add_up_to_the_whole_as_they_are_written(
    scale: int, parts: list[float], rest: float
) -> None:
    """Law, for every tool: what is written is what one can add up by hand."""
    names = ("kernel", "san", "array")
    scaled = [(name, us * scale) for name, us in zip(names, parts, strict=False)]
    mean_us = sum(us for _, us in scaled) + rest * scale
    found = sentence(mean_us, scaled)
    numbers = [float(number) for number in re.findall(r"(?<= )\d+\.\d+", found.replace(",", ""))]
    assert sum(numbers[1:]) == pytest.approx(numbers[0], abs=1e-6)
