"""What is no result of fio, or a broken one, is refused with file, line or field, and what to do."""

import gzip
import io
import json
from typing import Any

import pytest
from tests.collectors.imports.fio.results import idle, job, result, way, written

from gavel.collectors.imports.fio.as_import import read_import
from gavel.collectors.load_file import MOST_TEXT_BYTES, LoadFileError
from gavel.domain.imports import ImportOptions
from gavel.domain.load_runs import MOST_RUNS

GOOD = written(result(job(read=way())))


def refusal(text: str | bytes) -> str:
    data = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(LoadFileError) as raised:
        read_import(io.BytesIO(data), "run 3.json", ImportOptions())
    message = str(raised.value)
    assert message.startswith("run 3.json")
    assert "\n" not in message
    return message


def test_fio_text_for_people_is_refused_with_the_options_to_use() -> None:
    text = "oltp: (groupid=0, jobs=1): err= 0: pid=1: Sat Mar 14 10:31:00 2026\n  read: IOPS=2000, BW=7.8MiB/s\n"
    assert "Run fio with --output-format=json (or json+) --output=FILE" in refusal(text)
    assert "no JSON of fio" in refusal("fio: engine libaio not loadable\n")
    assert "no JSON of fio" in refusal('{"pods": []}\n')


@pytest.mark.parametrize("part", [0.2, 0.5, 0.9, 0.999])
def test_fio_file_that_is_cut_short_says_where(part: float) -> None:
    cut = GOOD.rstrip()[: int(len(GOOD.rstrip()) * part)]
    message = refusal(f"fio: a warning\n{cut}")
    assert f"line {cut.count(chr(10)) + 2}: " in message
    assert "begins at line 2 breaks off" in message


def test_fio_file_with_text_inside_the_json_names_line_and_column() -> None:
    lines = GOOD.splitlines()
    lines.insert(9, "fio: pid=77, err=28/file:io_u.c:1846, func=io_u error")
    assert refusal("\n".join(lines)).startswith("run 3.json, line 10: no JSON at column 1")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"read": {**way(), "iops": "many"}}, "jobs[0].read.iops is 'many'"),
        ({"read": {**way(), "total_ios": -1}}, "jobs[0].read.total_ios is -1"),
        ({"read": 7}, "jobs[0].read is no JSON object"),
        ({"read": {**way(), "lat_ns": {"mean": True, "N": 5}}}, "jobs[0].read.lat_ns.mean is True"),
        ({"read": {**way(), "lat_ns": {}}}, "has I/Os and no latency"),
        ({"read": {**way(), "lat_ns": idle()["lat_ns"]}}, "has I/Os and no latency"),
        ({"read": {**way(), "clat_ns": {"percentile": {"fast": 1}}}}, "percentile has 'fast'"),
        ({"job options": []}, "jobs[0].job options is no JSON object"),
    ],
    ids=lambda found: found if isinstance(found, str) else "",
)
def test_fio_field_of_a_wrong_kind_is_named(change: dict[str, Any], field: str) -> None:
    assert field in refusal(written(result({**job(read=way()), **change})))


def test_fio_job_without_io_is_refused_with_its_error() -> None:
    assert "job 'oltp': no I/O was counted" in refusal(written(result(job(read=idle()))))
    assert "fio ended with error 28 and counted no I/O" in refusal(written(result(job(error=28))))


def test_fio_of_several_machines_is_refused() -> None:
    entries = [job(read=way(), hostname=name) for name in ("vm-1", "vm-2")]
    assert "results of 2 machines (vm-1, vm-2)" in refusal(written(result() | {"client_stats": entries}))


def test_fio_numbers_that_json_does_not_have_are_refused() -> None:
    assert "NaN is no number" in refusal(GOOD.replace('"bw_bytes": 8192000', '"bw_bytes": NaN'))
    assert "is inf, no usable number" in refusal(GOOD.replace('"bw_bytes": 8192000', '"bw_bytes": 1e999'))


@pytest.mark.parametrize("document", [{"jobs": []}, {"jobs": None}, {"jobs": {}}])
def test_fio_without_jobs_is_refused(document: dict[str, Any]) -> None:
    assert "jobs has no jobs" in refusal(written(result() | document))


def test_fio_file_that_is_nested_or_large_beyond_measure_is_refused() -> None:
    assert "JSON that fio does not write" in refusal('{"fio version": ' + "[" * 200_000)
    assert "larger than 64 MiB" in refusal(gzip.compress(b" " * (MOST_TEXT_BYTES + 1), mtime=0))
    assert "gzip that ends in the midst" in refusal(gzip.compress(GOOD.encode(), mtime=0)[:-20])
    many = {**result(), "jobs": [job(read=way(), group=n) for n in range(MOST_RUNS + 1)]}
    assert f"more than {MOST_RUNS} runs" in refusal(json.dumps(many))
