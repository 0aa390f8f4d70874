"""A packed folder of HCIBench becomes a run per VM and their sum; what cannot be read is listed, and stops nothing."""

import io
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

import pytest
from tests.collectors.imports.fio.logged import tar, zipped
from tests.collectors.imports.fio.results import START_MS, job, result, way, written
from tests.collectors.imports.hcibench.summaries import of_fio
from tests.collectors.imports.reading import NOTHING_GIVEN, by_direction, codes, refusal
from tests.collectors.imports.vdbench.flat import HEAD_50407, started
from tests.collectors.imports.vdbench.test_totals import ROW_50407, UTC_GIVEN

from gavel.collectors.import_registry import FORMATS
from gavel.domain.imports import ImportOptions
from gavel.domain.load_runs import ImportedRuns, LoadRun

TEST = "fio-8vmdk-4k-1773480000"
START = datetime.fromtimestamp(START_MS / 1000, UTC)


def of_vm(ops: int = 120_000, mean_us: float = 400.0, *, later_s: int = 0) -> str:
    """As HCIBench has fio write it: what was counted after 30 s, and then the result."""
    ended_ms = START_MS + 60_000 + later_s * 1000
    half = result(job(read=way(ops // 2, mean_us=mean_us, runtime_ms=30_000)), ended_ms=ended_ms - 30_000)
    return written(half, result(job(read=way(ops, mean_us=mean_us)), ended_ms=ended_ms))


def held(files: Mapping[str, str | bytes], options: ImportOptions = NOTHING_GIVEN) -> ImportedRuns:
    found = FORMATS["hcibench"].read(io.BytesIO(tar(files)), "test.tar", options)
    assert isinstance(found, ImportedRuns)
    return found


def shape(runs: ImportedRuns) -> list[tuple[str, str | None]]:
    return [(run.name, run.vm_name) for run in runs.runs]


def whole(found: ImportedRuns) -> LoadRun:
    return found.runs[0]


@pytest.mark.parametrize("packed", [tar, zipped])
def test_hcibench_archive_has_a_run_per_vm_after_their_sum(packed: Callable[[Mapping[str, str]], bytes]) -> None:
    files = {
        f"{TEST}/hci-fio-17-0-1.json": of_vm(120_000, 400),
        f"{TEST}/hci-fio-17-0-2.json": of_vm(60_000, 1000),
        f"{TEST}-res.txt": of_fio(),
    }
    found = FORMATS["hcibench"].read(io.BytesIO(packed(files)), "test", ImportOptions())
    assert isinstance(found, ImportedRuns)
    assert shape(found) == [
        (f"oltp, 2 VMs, {TEST}", None),
        (f"oltp, {TEST}", "hci-fio-17-0-1"),
        (f"oltp, {TEST}", "hci-fio-17-0-2"),
    ]
    figures = by_direction(whole(found))["all"]
    assert figures.ops == 180_000
    assert figures.ops_per_s == pytest.approx(3000)
    assert figures.mean_us == pytest.approx((120_000 * 400 + 60_000 * 1000) / 180_000)
    assert (figures.p50_us, figures.p99_us) == (None, None)
    assert (whole(found).tool, whole(found).tool_version) == ("hcibench", "fio 3.35")
    assert (whole(found).starts_at, whole(found).ends_at) == (START, START + timedelta(seconds=60))
    assert [(each.file, each.reason[:18]) for each in found.left_out] == [(f"{TEST}-res.txt", "Averages over VMs;")]


def test_hcibench_archive_takes_the_last_of_what_fio_counted() -> None:
    found = held({"vm-1.json": of_vm(120_000)})
    assert [by_direction(run)["all"].ops for run in found.runs] == [120_000, 120_000]


def test_hcibench_archive_of_vdbench_has_a_run_per_vm() -> None:
    text = f"Vdbench distribution: vdbench50407\n{started('rd1')}{HEAD_50407}{ROW_50407}"
    found = held({"hci-vdb-17-0-1.txt": text, "hci-vdb-17-0-2.txt": text}, UTC_GIVEN)
    assert shape(found) == [("rd1, 2 VMs", None), ("rd1", "hci-vdb-17-0-1"), ("rd1", "hci-vdb-17-0-2")]
    assert by_direction(whole(found))["all"].ops_per_s == 4000
    assert (by_direction(whole(found))["read"].mean_us, by_direction(whole(found))["write"].mean_us) == (400, 800)


def test_hcibench_archive_with_its_summary_alone_is_the_run_of_the_summary() -> None:
    found = held({f"{TEST}-res.txt": of_fio(), "hcibench.cfg": "vm_num: 8"})
    assert shape(found) == [("job0 on vsanDatastore, 8 VMs", None)]
    assert [(each.file, each.reason) for each in found.left_out] == [
        ("1 other file", "No results: neither .json nor .txt.")
    ]


def test_hcibench_archive_lists_what_cannot_be_read_and_uses_the_rest() -> None:
    files: dict[str, str | bytes] = {
        "vm-1.json": of_vm(),
        "vm-2.json": of_vm()[:-400],
        "vm-3.json": "{}",
        "vm-4.txt": "ended early",
        "vm-5.json": "",
        "perf.pdf": b"%PDF",
        "stats.html": "<html>",
    }
    found = held(files)
    assert shape(found) == [("oltp, 1 VM", None), ("oltp", "vm-1")]
    reasons = {each.file: each.reason for each in found.left_out}
    assert "breaks off" in reasons["vm-2.json"]
    assert "no table of vdbench" in reasons["vm-4.txt"]
    assert set(reasons) == {"vm-2.json", "vm-3.json", "vm-4.txt", "vm-5.json", "2 other files"}
    assert "incomplete" in codes(whole(found))


def test_hcibench_archive_with_files_that_hcibench_keeps_beside_those_of_vms_is_complete() -> None:
    found = held({"vm-1.json": of_vm(), "resource_usage.json": '{"cpu": 30}', "notes.txt": "tested twice"})
    assert [each.file for each in found.left_out] == ["resource_usage.json", "notes.txt"]
    assert "incomplete" not in codes(whole(found))


def test_hcibench_archive_of_vms_that_did_not_run_at_once_says_so() -> None:
    late = held({"vm-1.json": of_vm(), "vm-2.json": of_vm(later_s=20)})
    assert (whole(late).starts_at, whole(late).ends_at) == (
        START + timedelta(seconds=20),
        START + timedelta(seconds=60),
    )
    assert "not_at_once" in codes(whole(late))
    apart = held({"vm-1.json": of_vm(), "vm-2.json": of_vm(later_s=600)})
    assert (whole(apart).starts_at, "window_unknown" in codes(whole(apart))) == (None, True)


def test_hcibench_archive_of_several_tests_keeps_them_apart() -> None:
    found = held({f"{test}/vm-1.json": of_vm() for test in ("a-1", "b-2")})
    assert shape(found) == [
        ("oltp, 1 VM, a-1", None),
        ("oltp, 1 VM, b-2", None),
        ("oltp, a-1", "vm-1"),
        ("oltp, b-2", "vm-1"),
    ]


def test_hcibench_archive_of_500_vms_is_read_whole() -> None:
    found = held({f"{TEST}/hci-fio-17-0-{number}.json": of_vm() for number in range(500)})
    assert (len(found.runs), found.left_out) == (501, ())
    assert by_direction(whole(found))["all"].ops == 500 * 120_000


@pytest.mark.parametrize(
    "path", ["../../../../etc/vm-1.json", "/etc/cron.d/vm-1.json", "..\\..\\vm-1.json", "./vm-1.json"]
)
def test_hcibench_archive_paths_that_lead_out_are_names_and_no_more(path: str) -> None:
    found = held({path: of_vm()})
    assert len(found.runs) == 2
    assert found.runs[1].vm_name in ("vm-1", "..\\..\\vm-1")
    assert ".." not in found.runs[1].name


def test_hcibench_archive_of_several_datastores_is_refused_with_what_to_do() -> None:
    both = of_fio().split("Resource Usage")[0] + of_fio().replace("vsanDatastore", "gold-02")
    message = refusal("hcibench", tar({f"{TEST}-res.txt": both, f"{TEST}/vm-1.json": of_vm()}))
    assert "a test of 2 datastores (gold-02, vsanDatastore)" in message


def test_hcibench_archive_without_a_result_is_refused_with_the_first_reason() -> None:
    assert "neither -res.txt nor the file of a VM" in refusal("hcibench", tar({"readme.md": "x"}))
    message = refusal("hcibench", tar({"vm-1.json": of_vm()[:-400]}))
    assert "First of them: vm-1.json" in message
    assert "cannot be unpacked" in refusal("hcibench", tar({"vm-1.json": of_vm()})[:900])
