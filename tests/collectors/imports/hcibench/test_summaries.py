"""Summaries of HCIBench become runs: sums over VMs, and no more than can be concluded from plain means."""

import pytest
from tests.collectors.imports.hcibench.summaries import of_fio, of_vdbench
from tests.collectors.imports.reading import codes, only_run, refusal, runs_of


def test_hcibench_summary_becomes_a_run_per_job() -> None:
    run = only_run("hcibench", of_vdbench())
    assert (run.name, run.tool, run.tool_version) == ("run1 on vsanDatastore, 8 VMs", "hcibench", "vdbench50407")
    (whole,) = run.figures
    assert (whole.direction, whole.ops, whole.ops_per_s, whole.bytes_per_s) == ("all", None, 24_000.5, 93.75 * 2**20)
    assert whole.mean_us == pytest.approx(680)
    assert (run.starts_at, codes(run)) == (None, {"approximate", "window_unknown"})


def test_hcibench_percentiles_that_are_means_of_percentiles_are_left_out() -> None:
    for text in (of_fio(), of_vdbench()):
        whole = only_run("hcibench", text).figures[-1]
        assert (whole.p50_us, whole.p95_us, whole.p99_us, whole.p999_us) == (None, None, None, None)


def test_hcibench_without_shares_has_no_mean_of_reads_and_writes() -> None:
    run = only_run("hcibench", of_fio())
    assert (run.figures[-1].mean_us, codes(run)) == (None, {"approximate", "no_mean", "window_unknown"})
    assert "0.61 ms and writes 0.84 ms" in " ".join(each.text for each in run.warnings)
    reads = only_run("hcibench", of_fio(write_ms="0.0000"))
    assert reads.figures[-1].mean_us == pytest.approx(610)
    assert codes(reads) == {"approximate", "window_unknown"}


def test_hcibench_jobs_of_several_datastores_are_runs_of_their_own() -> None:
    first = of_fio().split("Resource Usage")[0]
    runs = runs_of("hcibench", first + of_fio(job="job1").replace("vsanDatastore", "gold-02"))
    assert [run.name for run in runs] == ["job0 on vsanDatastore, 8 VMs", "job1 on gold-02, 8 VMs"]


def test_hcibench_that_cannot_be_read_is_refused_by_line() -> None:
    assert "no summary of HCIBench" in refusal("hcibench", "Datastore     = x\n")
    assert "line 5: IOPS is 'many IO/S'" in refusal("hcibench", of_fio(iops="many"))
    assert "line 3: a job without THROUGHPUT" in refusal("hcibench", of_fio().replace("THROUGHPUT", "X"))
    assert "no I/O was counted" in refusal("hcibench", of_fio(iops="0.00"))
