"""Test runs over the API: a result of fio is uploaded for a VM, stands beside its layers, is compared with another, and is removed."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, text
from tests.api.ledgers import HEALTHY, KERNEL, MINUTE, NOW, Environment, minute
from tests.api.test_imports import listed, part, read
from tests.collectors.imports.fio.results import job, result, way, written
from tests.collectors.imports.hcibench.summaries import of_fio
from tests.collectors.imports.sqlio.results import printed
from tests.collectors.imports.vdbench.flat import Interval, flatfile, rows

from gavel.db.engine import transaction
from gavel.domain.scope import ScopeKind
from gavel.views.load_runs import minutes_of_run

API = "/api/v1"
IOPS = 65_000


@pytest.fixture
def vm_id(environment: Environment) -> int:
    """Its minutes: ten in health, ten with a full device queue, the newest last; IOPS reads a second each."""
    found = environment.id("vm", "vm-1")
    for count, layers in ((20, HEALTHY), (10, KERNEL)):
        environment.last_minutes(ScopeKind.VM, found, count, minute(IOPS * 60, 0, layers))
    return found


def fio(mean_us: float, *, ended_at: datetime = NOW, minutes: float = 5.0, iops: float = IOPS) -> str:
    runtime_ms = round(minutes * 60_000)
    reads = way(round(iops * runtime_ms / 1000), mean_us=mean_us, runtime_ms=runtime_ms, whole=True)
    reads["lat_ns"]["percentile"] = {"50.000000": round(mean_us * 900), "99.000000": round(mean_us * 3000)}
    options = {"bs": "4k", "iodepth": "32", "numjobs": "4", "direct": "1"}
    return written(result(job(read=reads, options=options), ended_ms=round(ended_at.timestamp() * 1000)))


def imported(
    admin: TestClient, engine: Engine, vm_id: int, data: str, name: str = "fio.json", tool: str = "fio", **given: Any
) -> int:
    announced = {"format": tool, "file_name": name, "size_bytes": len(data), "vm_id": vm_id, **given}
    made = admin.post(f"{API}/imports", json=announced)
    assert made.status_code == 201, made.text
    import_id = int(made.json()["id"])
    assert part(admin, import_id, 0, data.encode()).json()["is_complete"]
    read(engine)
    return import_id


def runs(client: TestClient, vm_id: int, query: str = "") -> Any:
    answer = client.get(f"{API}/vms/{vm_id}/test-runs{query}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_test_run_stands_beside_the_layers_of_its_minutes(admin: TestClient, engine: Engine, vm_id: int) -> None:
    import_id = imported(admin, engine, vm_id, fio(1400))
    found = listed(admin, import_id)
    assert (found["state"], found["runs"]) == ("ready", 1)
    assert found["subject"] == {"kind": "vm", "id": vm_id, "name": "db01"}
    assert (found["narrows"], found["note"], found["host"]) == (False, None, None)
    page = runs(admin, vm_id)
    assert page["total"] == 1
    (one,) = page["items"]
    assert (one["run"]["file_name"], one["run"]["tool"], one["run"]["outstanding_limit"]) == ("fio.json", "fio", 128)
    window = one["window"]
    assert (window["from_at"], window["to_at"]) == (
        (NOW - 5 * MINUTE).isoformat().replace("+00:00", "Z"),
        NOW.isoformat().replace("+00:00", "Z"),
    )
    assert (window["minutes"], window["is_partial"]) == (5, False)
    reads, whole = one["directions"]
    assert (reads["direction"], whole["direction"]) == ("read", "all")
    assert (reads["figures"]["mean_us"], reads["figures"]["p50_us"], reads["figures"]["p99_us"]) == (1400, 1260, 4200)
    assert reads["ops_ratio"] == pytest.approx(1)
    assert reads["total_us"] == pytest.approx(930)
    assert {layer["name"]: layer["us"] for layer in reads["layers"]} == pytest.approx(
        {"kernel": 438, "san": 92, "array": 400}
    )
    assert reads["not_measured"] == ["guest"]
    remainder = reads["remainder"]
    assert remainder["us"] == pytest.approx(470)
    assert (remainder["lower_us"], remainder["upper_us"]) == pytest.approx((446, 494))


def test_test_run_layers_and_remainder_add_up_to_what_the_tool_saw(
    admin: TestClient, engine: Engine, vm_id: int
) -> None:
    imported(admin, engine, vm_id, fio(1400))
    (one,) = runs(admin, vm_id)["items"]
    for each in one["directions"]:
        parts = [layer["us"] for layer in each["layers"]] + [each["remainder"]["us"]]
        assert sum(parts) == pytest.approx(each["figures"]["mean_us"])


def test_test_run_below_the_layers_has_a_negative_remainder_and_says_how_many_ios_are_others(
    admin: TestClient, engine: Engine, vm_id: int
) -> None:
    imported(admin, engine, vm_id, fio(300, iops=IOPS / 4))
    (one,) = runs(admin, vm_id)["items"]
    assert one["directions"][-1]["remainder"]["us"] == pytest.approx(-630)
    assert one["directions"][-1]["ops_ratio"] == pytest.approx(4)


def test_test_run_of_less_than_a_minute_is_compared_with_the_minutes_that_it_touches(
    admin: TestClient, engine: Engine, vm_id: int
) -> None:
    imported(admin, engine, vm_id, fio(1400, ended_at=NOW - 2.5 * MINUTE, minutes=0.25))
    (one,) = runs(admin, vm_id)["items"]
    assert (one["window"]["minutes"], one["window"]["is_partial"]) == (1, True)
    assert one["directions"][-1]["total_us"] == pytest.approx(930)


def test_test_run_outside_the_ledger_is_shown_alone(admin: TestClient, engine: Engine, vm_id: int) -> None:
    imported(admin, engine, vm_id, fio(1400, ended_at=NOW - timedelta(hours=3)))
    (one,) = runs(admin, vm_id)["items"]
    whole = one["directions"][-1]
    assert (one["window"]["minutes"], whole["state"], whole["layers"], whole["remainder"]) == (0, "no_data", [], None)
    assert whole["not_measured"] == ["guest", "kernel", "san", "array"]
    assert (whole["figures"]["mean_us"], whole["iops"], whole["ops_ratio"]) == (1400, None, None)


def test_test_run_without_a_time_has_no_layers(admin: TestClient, engine: Engine, vm_id: int) -> None:
    groups = [job("a", group=0, read=way(), elapsed=61), job("b", group=1, read=way(), elapsed=61)]
    imported(admin, engine, vm_id, written(result(*groups)))
    page = runs(admin, vm_id)
    assert [(one["run"]["starts_at"], one["window"]) for one in page["items"]] == [(None, None)] * 2
    assert page["items"][0]["run"]["warnings"][-1]["code"] == "window_unknown"


def test_test_runs_are_listed_newest_first_and_in_pages(admin: TestClient, engine: Engine, vm_id: int) -> None:
    for ago in (5, 15, 10):
        imported(admin, engine, vm_id, fio(1400, ended_at=NOW - ago * MINUTE), f"{ago}.json")
    assert [one["run"]["file_name"] for one in runs(admin, vm_id)["items"]] == ["5.json", "10.json", "15.json"]
    second = runs(admin, vm_id, "?limit=1&offset=1")
    assert ([one["run"]["file_name"] for one in second["items"]], second["total"]) == (["10.json"], 3)


def test_test_runs_compared_show_what_changed_per_figure_and_layer(
    admin: TestClient, engine: Engine, vm_id: int
) -> None:
    imported(admin, engine, vm_id, fio(605, ended_at=NOW - 12 * MINUTE, iops=50_000))
    imported(admin, engine, vm_id, fio(1400))
    after, before = (one["run"]["id"] for one in runs(admin, vm_id)["items"])
    answer = admin.get(f"{API}/vms/{vm_id}/test-runs/changes?before={before}&after={after}")
    assert answer.status_code == 200, answer.text
    changes = answer.json()
    assert (changes["before"]["run"]["id"], changes["after"]["run"]["id"]) == (before, after)
    reads, whole = changes["directions"]
    assert (reads["direction"], whole["direction"]) == ("read", "all")
    figures = {one["name"]: one for one in whole["figures"]}
    assert figures["ops_per_s"]["change_ratio"] == pytest.approx(0.3)
    assert (figures["mean_us"]["before"], figures["mean_us"]["after"]) == (605, 1400)
    assert (figures["p95_us"]["change"], figures["p95_us"]["change_ratio"]) == (None, None)
    layers = {one["name"]: one for one in whole["layers"]}
    assert list(layers) == ["remainder", "kernel", "san", "array"]
    kernel = layers["kernel"]
    assert (kernel["before_us"], kernel["after_us"], kernel["change_us"]) == pytest.approx((10, 438, 428))
    assert (kernel["change_lower_us"], kernel["change_upper_us"]) == pytest.approx((410, 446))
    assert layers["array"]["change_us"] == pytest.approx(0)
    assert layers["remainder"]["change_us"] == pytest.approx(470 - 100)
    assert sum(one["change_us"] for one in layers.values()) == pytest.approx(795)


def test_test_runs_of_another_vm_are_not_compared(admin: TestClient, engine: Engine, vm_id: int) -> None:
    imported(admin, engine, vm_id, fio(1400))
    (one,) = runs(admin, vm_id)["items"]
    run_id = one["run"]["id"]
    changes = f"test-runs/changes?before={run_id}&after={run_id}"
    assert admin.get(f"{API}/vms/{vm_id}/{changes}").status_code == 200
    assert admin.get(f"{API}/vms/{vm_id + 1}/{changes}").status_code == 404
    assert admin.get(f"{API}/vms/{vm_id}/test-runs/changes?before={run_id}&after=99").status_code == 404
    assert admin.get(f"{API}/vms/9999/test-runs").status_code == 404


def test_test_runs_leave_nothing_behind_when_their_import_is_removed(
    admin: TestClient, engine: Engine, vm_id: int
) -> None:
    before = admin.get(f"{API}/vms/{vm_id}/waterfall").json()
    import_id = imported(admin, engine, vm_id, fio(1400))
    assert admin.get(f"{API}/vms/{vm_id}/waterfall").json() == before
    assert admin.delete(f"{API}/imports/{import_id}").status_code == 204
    assert runs(admin, vm_id) == {"items": [], "total": 0}
    with transaction(engine) as connection:
        for table in ("load_run", "load_run_direction", "file_import", "import_chunk"):
            assert connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one() == 0, table


def test_test_run_needs_a_vm_and_a_capture_takes_none(admin: TestClient, vm_id: int) -> None:
    announced = {"format": "fio", "file_name": "x", "size_bytes": 1}
    without = admin.post(f"{API}/imports", json=announced)
    assert (without.status_code, "name the VM" in without.json()["detail"]) == (422, True)
    assert admin.post(f"{API}/imports", json=announced | {"vm_id": 9999}).status_code == 404
    capture = admin.post(f"{API}/imports", json=announced | {"format": "esxtop", "vm_id": vm_id})
    assert (capture.status_code, "leave VM, datastore and volume out" in capture.json()["detail"]) == (422, True)
    for given in ({"offset_s": 3.0}, {"started_at": NOW.isoformat()}):
        timed = admin.post(f"{API}/imports", json=announced | {"format": "esxtop"} | given)
        assert (timed.status_code, "is given with its host" in timed.json()["detail"]) == (422, True)


def test_test_run_file_that_is_broken_fails_with_line_and_remedy(admin: TestClient, engine: Engine, vm_id: int) -> None:
    import_id = imported(admin, engine, vm_id, fio(1400)[:700])
    found = listed(admin, import_id)
    assert (found["state"], found["runs"]) == ("failed", 0)
    assert "breaks off" in found["error"]
    assert runs(admin, vm_id)["total"] == 0


def test_test_run_has_no_host_and_no_report(admin: TestClient, engine: Engine, vm_id: int) -> None:
    import_id = imported(admin, engine, vm_id, fio(1400))
    assert admin.put(f"{API}/imports/{import_id}/host", json={}).status_code == 422
    assert admin.get(f"{API}/imports/{import_id}/report").status_code == 409
    assert admin.get(f"{API}/imports/{import_id}/hosts").json() == []


@pytest.mark.parametrize(
    ("start_s", "end_s", "first_minute", "last_minute", "is_partial"),
    [
        (0, 300, 0, 5, False),
        (1, 299, 1, 4, False),
        (30, 130, 1, 2, False),
        (30, 110, 0, 2, True),
        (10, 20, 0, 1, True),
        (0, 60, 0, 1, False),
        (0, 59, 0, 1, True),
        (59, 60, 0, 1, True),
    ],
)
def test_test_run_minutes_are_whole_ones_within_it_where_there_are(
    start_s: int, end_s: int, first_minute: int, last_minute: int, is_partial: bool
) -> None:
    found = minutes_of_run(NOW + timedelta(seconds=start_s), NOW + timedelta(seconds=end_s))
    assert found == (NOW + first_minute * MINUTE, NOW + last_minute * MINUTE, is_partial)


@pytest.mark.parametrize("tool", ["vdbench", "sqlio"])
def test_test_run_of_any_tool_has_layers_and_a_sentence_with_what_is_given_beside_its_file(
    admin: TestClient, engine: Engine, vm_id: int, tool: str
) -> None:
    """Local times two hours ahead of UTC, without a date."""
    start = NOW - 5 * MINUTE
    local = start + timedelta(hours=2)
    texts = {
        "vdbench": flatfile(rows([Interval(read_ms=1.4, read_share=1)] * 4, start=local, step_s=60), stamps=False),
        "sqlio": printed(average_ms="1"),
    }
    given = {"utc_bias_minutes": -120, "started_at": start.isoformat()}
    imported(admin, engine, vm_id, texts[tool], tool, tool=tool, **given)
    (one,) = runs(admin, vm_id)["items"]
    assert (one["run"]["tool"], one["window"]["minutes"]) == (tool, 3 if tool == "vdbench" else 1)
    assert one["directions"][-1]["total_us"] == pytest.approx(930)
    if tool == "vdbench":
        assert one["sentence"] == "vdbench saw 1.40 ms at 2,000 IOPS: guest 0.47, kernel 0.44, SAN 0.09, array 0.40."


@pytest.mark.parametrize(("ahead_s", "minutes_later"), [(600.0, -10), (-120.0, 2)])
def test_test_run_of_a_clock_that_is_off_is_compared_with_the_minutes_of_its_hosts(
    admin: TestClient, engine: Engine, vm_id: int, ahead_s: float, minutes_later: int
) -> None:
    import_id = imported(admin, engine, vm_id, fio(1400, ended_at=NOW - 5 * MINUTE), offset_s=ahead_s)
    (one,) = runs(admin, vm_id)["items"]
    ends_at = NOW - 5 * MINUTE + minutes_later * MINUTE
    assert datetime.fromisoformat(one["window"]["to_at"]) == ends_at
    assert datetime.fromisoformat(one["run"]["ends_at"]) == ends_at
    assert one["run"]["offset_s"] == ahead_s
    found = listed(admin, import_id)
    assert datetime.fromisoformat(found["ends_at"]) == NOW - 5 * MINUTE
    assert (found["offset_s"], found["offset_by"]) == (ahead_s, "given")


def test_test_runs_of_two_tools_are_compared(admin: TestClient, engine: Engine, vm_id: int) -> None:
    imported(admin, engine, vm_id, fio(605, ended_at=NOW - 12 * MINUTE, iops=50_000))
    imported(admin, engine, vm_id, of_fio(write_ms="0.0000"), "x-res.txt", tool="hcibench")
    after, before = sorted((one["run"]["id"] for one in runs(admin, vm_id)["items"]), reverse=True)
    changes = admin.get(f"{API}/vms/{vm_id}/test-runs/changes?before={before}&after={after}").json()
    (whole,) = changes["directions"]
    figures = {one["name"]: one for one in whole["figures"]}
    assert (figures["ops_per_s"]["change"], figures["mean_us"]["after"]) == (24_000 - 50_000, pytest.approx(610))
    assert figures["p99_us"]["change"] is None
    assert changes["after"]["sentence"] == "HCIBench saw 0.61 ms at 24,000 IOPS."
