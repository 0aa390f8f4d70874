"""Runs of several VMs at once become one: what one VM of them lacks has no sum."""

import pytest

from gavel.collectors.imports.hcibench.sums import sums_of
from gavel.domain.load_runs import LoadFigures, LoadRun


def vm(*, ops: int | None = 1000, ops_per_s: float | None = 10.0, bytes_per_s: float | None = 40960.0) -> list[LoadRun]:
    figures = LoadFigures(
        direction="all",
        ops=ops,
        ops_per_s=ops_per_s,
        bytes_per_s=bytes_per_s,
        mean_us=500.0,
        max_us=9000.0,
        p50_us=None,
        p95_us=None,
        p99_us=None,
        p999_us=None,
    )
    run = LoadRun(
        name="oltp",
        tool="fio",
        tool_version="",
        starts_at=None,
        ends_at=None,
        outstanding_limit=None,
        block_size=None,
        is_direct=None,
        figures=[figures],
        warnings=[],
    )
    return [run]


def whole(*vms: list[LoadRun]) -> LoadFigures:
    (run,) = sums_of(vms, 0)
    (figures,) = run.figures
    return figures


def test_rates_of_all_vms_add_up() -> None:
    found = whole(vm(), vm(ops_per_s=30.0, ops=3000))
    assert (found.ops, found.ops_per_s, found.bytes_per_s, found.mean_us) == (4000, 40.0, 81920.0, 500.0)


@pytest.mark.parametrize("rate", ["ops_per_s", "bytes_per_s"])
def test_a_rate_that_one_vm_lacks_has_no_sum_and_the_others_have(rate: str) -> None:
    found = whole(vm(), vm(**{rate: None}))
    assert getattr(found, rate) is None
    (other,) = {"ops_per_s", "bytes_per_s"} - {rate}
    assert getattr(found, other) == 2 * getattr(vm()[0].figures[0], other)
    assert found.mean_us == 500.0


def test_latency_is_not_measured_where_a_vm_has_neither_ios_nor_rate_to_weigh_it() -> None:
    assert whole(vm(), vm(ops=None, ops_per_s=None)).mean_us is None
