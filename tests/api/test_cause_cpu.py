"""A host's CPU as the cause of an excess, from its samples and the ledger to the API, and its quiet twins."""

from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from tests.api.ledgers import HEALTHY, MINUTE, NOW, Environment, ask, between
from tests.api.stories import ELEVATED, NORMAL, Story, limited_disk, throttled
from tests.db.environments import batch

from gavel import clock
from gavel.db.engine import transaction
from gavel.db.write.samples import write_samples
from gavel.domain.source import Stream

_SAMPLE = timedelta(seconds=20)


@pytest.fixture
def story(engine: Engine, environment: Environment) -> Story:
    return Story(engine, environment)


def slow_vm(story: Story, *, limit: int = 90_000, iops: float = 900) -> int:
    """4.5 ms in the hypervisor and the kernel's own code for the newest five minutes."""
    return limited_disk(story, elevated_iops=iops, normal=throttled(300, HEALTHY), limit=limit)


def used(story: Story, elevated: float, normal: float | None, *, host: str = "esx-1", ahead_s: float = 0.0) -> None:
    """CPU of a host in percent, by a clock of its own that is ahead."""
    for minutes, percent in ((ELEVATED, elevated), (NORMAL, normal)):
        if percent is None:
            continue
        ends = [NOW - n * MINUTE + part * _SAMPLE + timedelta(seconds=ahead_s) for n in minutes for part in (1, 2, 3)]
        sample = batch(Stream.HOST_CPU, host, ends, 20, usage_basis_points=round(100 * percent))
        with transaction(story.engine) as connection:
            assert not write_samples(connection, story.environment.vcenter, sample).unknown_keys
    story.run(
        "INSERT INTO clock_offset (source_id, subject, read_at, offset_s, error_s)"
        " SELECT source_id, key, CAST(:now AS timestamptz) + interval '1 day', :ahead, 0.1 FROM esxi_host WHERE key = :host",
        ahead=ahead_s,
        host=host,
        now=clock.now(),
    )


def cause_of(client: TestClient, vm: int) -> dict[str, Any]:
    cause: dict[str, Any] = ask(client, f"vms/{vm}/diagnosis")["cause"]
    return cause


@pytest.mark.parametrize("ahead_s", [0.0, 180.0])
def test_a_cpu_in_full_use_while_ios_wait_in_the_hosts_own_code_is_likely_the_cause(
    client: TestClient, story: Story, ahead_s: float
) -> None:
    vm = slow_vm(story)
    used(story, 97.0, 41.0, ahead_s=ahead_s)
    cause = cause_of(client, vm)
    assert (cause["kind"], cause["label"], cause["confidence"], cause["finding"]) == (
        "host_cpu", "Host CPU", "likely", None,
    )  # fmt: skip
    host = cause["on"]["name"]
    assert cause["headline"] == f"CPU of {host} at 97 %"
    assert cause["text"] == f"CPU of {host} is at 97 %; hypervisor and kernel processing take 4.50 ms per I/O"
    assert cause["object"]["refs"][0]["kind"] == "host"
    evidence = {one["label"]: (round(one["value"], 1), one["unit"]) for one in cause["evidence"]}
    assert evidence["Host CPU"] == (97.0, "%")
    assert evidence["Host CPU before"] == (41.0, "%")
    assert cause["twin"] == {
        "elevated_minutes": 5, "binding_minutes": 5, "normal_minutes": 15, "normal_binding_minutes": 0,
    }  # fmt: skip


def test_the_same_wait_with_a_cpu_at_90_percent_is_no_matter_of_it(client: TestClient, story: Story) -> None:
    vm = slow_vm(story)
    used(story, 90.0, 41.0)
    assert cause_of(client, vm)["kind"] == "no_single_cause"


def test_a_busy_cpu_of_another_host_is_not_the_cause(client: TestClient, story: Story) -> None:
    vm = slow_vm(story)
    used(story, 97.0, 41.0, host="esx-2")
    assert cause_of(client, vm)["kind"] == "no_single_cause"


def test_a_cpu_that_was_as_busy_without_a_wait_is_a_candidate_at_most(client: TestClient, story: Story) -> None:
    vm = slow_vm(story)
    used(story, 97.0, 97.0)
    cause = cause_of(client, vm)
    assert cause["kind"] == "no_single_cause"
    assert [one["kind"] for one in cause["candidates"]] == ["host_cpu"]


def test_a_cpu_that_was_not_measured_is_not_the_cause(client: TestClient, story: Story) -> None:
    assert cause_of(client, slow_vm(story))["kind"] == "no_single_cause"


def test_a_disk_at_its_iops_limit_waits_for_that_and_not_for_the_cpu(client: TestClient, story: Story) -> None:
    vm = slow_vm(story, limit=1500, iops=1490)
    used(story, 97.0, 41.0)
    assert cause_of(client, vm)["kind"] == "iops_limit"


def test_cpu_usage_of_a_host_stands_among_its_counters_and_in_its_evidence(client: TestClient, story: Story) -> None:
    used(story, 97.0, 41.0, ahead_s=180.0)
    host = story.environment.id("esxi_host", "esx-1")
    found = ask(client, f"hosts/{host}/series?detail=parts&{between(10, 0)}")
    (cpu,) = (group for group in found["groups"] if group["level"] == "cpu")
    assert (cpu["side"], cpu["scope"], cpu["entity"]["id"]) == ("host", "whole", host)
    (column,) = cpu["columns"]
    assert (column["label"], column["unit"], column["counter"]) == ("CPU usage", "%", "cpu.usage.average")
    measured = [value for value in column["values"] if value is not None]
    assert (measured[0], measured[-1]) == (41.0, 97.0)
    diagnosis = ask(client, f"hosts/{host}/diagnosis?{between(10, 0)}")
    numbers = [one for one in diagnosis["evidence"] if one["name"] == "cpu_usage"]
    assert [(one["unit"], round(one["value"])) for one in numbers] == [("%", 69)]
