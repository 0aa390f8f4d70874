"""A target port at its line rate as the cause of an excess in the SAN, from its samples and the ledger to the API, and its quiet twins."""

from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from tests.api.ledgers import HEALTHY, MINUTE, NOW, Environment, ask, minute
from tests.api.stories import DEVICE, ELEVATED, NORMAL, SLOW_SAN, Story
from tests.db.environments import batch

from gavel import clock
from gavel.db.engine import transaction
from gavel.db.write.samples import write_samples
from gavel.domain.samples import Precision
from gavel.domain.scope import ScopeKind
from gavel.domain.source import Stream

PORT, PATHS = "CT0.FC0", ["esx-1/p0", "esx-1/p1"]
LINE_RATE = 3_200_000_000
HALF_MINUTE = timedelta(seconds=30)


@pytest.fixture
def story(engine: Engine, environment: Environment) -> Story:
    """Of two paths of a device of esx-1 one leads to the port, the other to a port of no array that is read."""
    story = Story(engine, environment)
    story.set("array_port", PORT, "line_rate_bytes_per_s", LINE_RATE)
    for path, target in zip(PATHS, ("52:4a", "52:4b"), strict=True):
        story.set("path", path, "target", target)
        story.set("path", path, "state", "active")
        story.set("path", path, "is_optimized", True)
    return story


def slow_store(story: Story) -> int:
    """A datastore with 1.9 ms in the SAN for the newest five minutes."""
    store, device = story.environment.id("datastore", "simple"), story.environment.id("host_device", DEVICE)
    for scope, thing in ((ScopeKind.DATASTORE, store), (ScopeKind.HOST_DEVICE, device)):
        story.write(scope, thing, minute(60_000, 0, SLOW_SAN), minute(60_000, 0, HEALTHY))
    return store


def used(
    story: Story,
    elevated: float,
    normal: float | None,
    *,
    port: str = PORT,
    ahead: timedelta = timedelta(0),
    minutes: range = ELEVATED,
    way: str = "transmitted",
) -> None:
    """Percent of the line rate one way, a tenth of that the other way, by a clock of the array that is ahead."""
    other = "received" if way == "transmitted" else "transmitted"
    for times, percent in ((minutes, elevated), (NORMAL, normal)):
        if percent is None:
            continue
        ends = [NOW - n * MINUTE + part * HALF_MINUTE + ahead for n in times for part in (1, 2)]
        carried = round(30 * LINE_RATE * percent / 100)
        columns: dict[str, Any] = {f"{way}_bytes": carried, f"{other}_bytes": carried // 10}
        with transaction(story.engine) as connection:
            sample = batch(Stream.ARRAY_PORT, port, ends, 30, **columns)
            assert not write_samples(connection, story.environment.array, sample).unknown_keys
    story.run(
        "INSERT INTO clock_offset (source_id, read_at, offset_s, error_s) VALUES (:source, :read_at, :ahead, 0.1)",
        source=story.environment.array,
        ahead=ahead.total_seconds(),
        read_at=clock.now() + timedelta(days=1),
    )


def paths_took(story: Story, us: int, other_us: int, precision: Precision = Precision.MICROSECOND) -> None:
    story.paths_did(PATHS, 8, [500, 500], [500, 500], int(precision))
    story.paths_did(PATHS, 0, [500, 500], [us, other_us], int(precision))


def cause_of(client: TestClient, store: int) -> dict[str, Any]:
    cause: dict[str, Any] = ask(client, f"datastores/{store}/diagnosis")["cause"]
    return cause


@pytest.mark.parametrize("ahead", [timedelta(0), timedelta(minutes=3)])
def test_a_target_port_at_its_line_rate_with_paths_slower_than_others_is_the_cause(
    client: TestClient, story: Story, ahead: timedelta
) -> None:
    store = slow_store(story)
    used(story, 97.0, 41.0, ahead=ahead)
    paths_took(story, 4300, 500)
    cause = cause_of(client, store)
    assert (cause["kind"], cause["label"], cause["confidence"], cause["finding"]) == (
        "target_port", "Target port", "confirmed", "fan-in-over-port",
    )  # fmt: skip
    assert cause["headline"] == "Target port CT0.FC0 at 97 % of its link speed"
    assert cause["text"] == (
        "target port CT0.FC0 of name of array-a is at 97 % of its link speed (3,104 of 3,200 MB/s transmitted); "
        "50 % of the I/O goes through it; its paths take 4.30 ms, those to other ports 0.50 ms"
    )
    assert [ref["kind"] for ref in cause["object"]["refs"]] == ["array"]
    assert [ref["name"] for ref in cause["on"]["refs"]] == ["esx-1"]
    assert (cause["limit"]["value"], round(cause["limit"]["used"] / 1e6)) == (LINE_RATE, 3104)
    evidence = {one["label"]: (round(one["value"]), one["unit"]) for one in cause["evidence"]}
    assert evidence == {
        "Link speed used": (97, "%"),
        "Link speed used before": (41, "%"),
        "Latency through this port": (4300, "µs"),
        "Latency through other ports": (500, "µs"),
    }
    assert cause["twin"] == {
        "elevated_minutes": 5, "binding_minutes": 5, "normal_minutes": 15, "normal_binding_minutes": 0,
    }  # fmt: skip


def test_latencies_of_paths_in_whole_milliseconds_stand_with_their_bounds_and_never_as_nothing(
    client: TestClient, story: Story
) -> None:
    """A counter that reads 0 ms has seen a latency below a millisecond."""
    store = slow_store(story)
    used(story, 97.0, 41.0)
    paths_took(story, 4000, 0, Precision.MILLISECOND)
    cause = cause_of(client, store)
    assert (cause["kind"], cause["confidence"]) == ("target_port", "confirmed")
    assert cause["text"].endswith("its paths take 4.00 ms, those to other ports below 1.00 ms")
    bounds = {one["label"]: (one["value"], one["lower"], one["upper"]) for one in cause["evidence"]}
    assert bounds["Latency through this port"] == (4000, 3500, 5000)
    assert bounds["Latency through other ports"] == (0, 0, 1000)


def test_a_target_port_that_was_as_busy_without_a_wait_is_a_candidate_at_most(client: TestClient, story: Story) -> None:
    store = slow_store(story)
    used(story, 97.0, 97.0)
    paths_took(story, 4300, 500)
    cause = cause_of(client, store)
    assert cause["kind"] == "no_single_cause"
    assert [one["kind"] for one in cause["candidates"]] == ["target_port"]


def test_a_target_port_below_the_threshold_of_its_finding_is_no_matter(client: TestClient, story: Story) -> None:
    store = slow_store(story)
    used(story, 89.0, 41.0)
    paths_took(story, 4300, 500)
    cause = cause_of(client, store)
    assert (cause["kind"], cause["candidates"]) == ("no_single_cause", [])


def test_a_full_target_port_with_paths_as_fast_as_others_is_a_candidate_at_most(
    client: TestClient, story: Story
) -> None:
    store = slow_store(story)
    used(story, 97.0, 41.0)
    paths_took(story, 2300, 2250)
    cause = cause_of(client, store)
    assert cause["kind"] == "no_single_cause"
    assert [one["kind"] for one in cause["candidates"]] == ["target_port"]


def test_a_target_port_is_likely_where_no_path_was_timed(client: TestClient, story: Story) -> None:
    store = slow_store(story)
    used(story, 95.0, 41.0, way="received")
    cause = cause_of(client, store)
    assert (cause["kind"], cause["confidence"], cause["iops"]) == ("target_port", "likely", None)
    # One of two paths.
    assert cause["share"] == 0.5
    assert "(3,040 of 3,200 MB/s received)" in cause["text"]


def test_full_target_ports_that_carry_all_of_the_io_are_one_cause_and_likely(client: TestClient, story: Story) -> None:
    story.run(
        "INSERT INTO array_port OVERRIDING SYSTEM VALUE SELECT (jsonb_populate_record(r, jsonb_build_object("
        "'id', 1 + (SELECT max(id) FROM array_port), 'key', 'CT1.FC0', 'wwn', '52:4B'))).* FROM array_port r WHERE key = :port",
        port=PORT,
    )
    store = slow_store(story)
    used(story, 97.0, 41.0)
    used(story, 93.0, 41.0, port="CT1.FC0")
    paths_took(story, 2300, 2250)
    cause = cause_of(client, store)
    assert (cause["kind"], cause["confidence"], cause["object_count"], cause["share"]) == (
        "target_port",
        "likely",
        2,
        1.0,
    )
    assert ", and 1 more port at its own; 100 % of the I/O goes through them" in cause["text"]


def test_a_target_port_of_which_the_newest_minutes_are_not_read_yet_is_named(client: TestClient, story: Story) -> None:
    store = slow_store(story)
    used(story, 97.0, 41.0, minutes=range(4, 6))
    paths_took(story, 4300, 500)
    cause = cause_of(client, store)
    assert cause["kind"] == "target_port"
    assert (cause["twin"]["elevated_minutes"], cause["twin"]["binding_minutes"]) == (2, 2)


def test_a_target_port_without_a_speed_or_without_samples_is_not_named(client: TestClient, story: Story) -> None:
    store = slow_store(story)
    paths_took(story, 4300, 500)
    assert cause_of(client, store)["kind"] == "no_single_cause"
    used(story, 97.0, 41.0)
    story.set("array_port", PORT, "line_rate_bytes_per_s", None)
    assert cause_of(client, store)["kind"] == "no_single_cause"


def test_a_full_target_port_that_no_working_path_leads_to_is_not_the_cause(client: TestClient, story: Story) -> None:
    store = slow_store(story)
    used(story, 97.0, 41.0)
    story.set("path", PATHS[0], "state", "dead")
    cause = cause_of(client, store)
    assert cause["kind"] == "no_single_cause"
    assert "target_port" not in [one["kind"] for one in cause["candidates"]]
