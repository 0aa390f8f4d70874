"""The product as a newcomer has it a minute after `make up`: both sides of everything, equal to what the sources said, and staying so."""

import random
import time
from typing import Any

import httpx
import pytest
from tests.product import chapters, correlating, ledgers
from tests.product.comparing import (
    KEPT_S,
    STREAMS,
    assert_nothing_unexplained,
    caught_up,
    compare,
    last_hour,
    stored_rows,
)
from tests.product.lab_reader import COLUMNS
from tests.product.running import Product, tell

from gavel.domain.scope import ScopeKind


@pytest.fixture(scope="module")
def product(new_product: Product) -> Product:
    """Nobody has used it before."""
    return new_product


def test_every_datastore_shows_the_numbers_of_both_sides(product: Product) -> None:
    listed = product.api.get("/datastores", params={"limit": 500}).raise_for_status().json()["items"]
    assert len(listed) == 17
    for row in listed:
        sides = _measured_sides(product, row["id"])
        assert "host" in sides, row["name"]
        assert "array" in sides, row["name"]
        assert row["match"]["matched"], row


def _measured_sides(product: Product, datastore: int) -> set[str]:
    """Sides with a measured number, be it a zero, at some time of the last half hour."""
    answer = product.api.get(f"/datastores/{datastore}/series", params={"from": "-30m", "to": "now", "points": 200})
    groups: list[dict[str, Any]] = answer.raise_for_status().json()["groups"]
    return {
        group["side"]
        for group in groups
        for column in group["columns"]
        if any(value is not None for value in column["values"])
    }


def test_the_database_holds_exactly_what_the_sources_said(product: Product) -> None:
    caught_up(product)
    found = compare(product, *last_hour(product))
    tell(f"the last hour: {found}")
    assert found.is_equal, str(found)
    assert found.rows > 10_000
    assert_nothing_unexplained(product)


def test_every_datastore_has_every_minute_in_the_ledger(product: Product) -> None:
    caught_up(product)
    ledgers.settled(product)
    after, until = ledgers.whole_minutes(product, KEPT_S)
    wanted = {after + 60 * n for n in range(round((until - after) / 60))}
    found = ledgers.minutes(product, ScopeKind.DATASTORE, after, until)
    assert len(wanted) > 40
    assert len(found) == 17
    for datastore, minutes in found.items():
        assert wanted - minutes == set(), datastore


def test_every_story_gets_the_diagnosis_that_it_deserves(product: Product) -> None:
    ledgers.settled(product)
    after, until = ledgers.whole_minutes(product, KEPT_S)
    told = list(chapters.chapters(product.phases(after, until), after, until))
    # An hour less what is not kept or not settled yet hides at most three of the eight, whichever minute it is now.
    assert len({chapter.story for chapter in told}) >= 5, told
    assert [wrong for chapter in told if (wrong := chapters.unlike_the_story(product.api, chapter))] == []
    for chapter in told:
        if chapter.story == "competing-worlds":
            _tells_of_competing_worlds(product, chapter, chapters.about(product.api, chapter, "diagnosis"))


def _tells_of_competing_worlds(product: Product, chapter: chapters.Chapter, diagnosis: dict[str, Any]) -> None:
    """Which depth is in force and why; and who brought it down, where the minutes before that are kept."""
    caveats = " ".join(one["text"] for one in diagnosis["sentence"]["caveats"])
    assert "limited by DSNRO 32 (device queue depth 64), as 2 VMs (app-main, app-report) issue I/O" in caveats
    numbers = {one["name"]: one["value"] for one in diagnosis["evidence"] if one["subject"]["kind"] == "device"}
    assert numbers == {"queue_depth": 32, "device_depth": 64, "dsnro": 32, "active_vms": 2}
    if chapter.begin - 300 > ledgers.whole_minutes(product, KEPT_S)[0]:
        assert "Competing worlds: DQLEN fell from 64 to 32" in caveats, caveats
        assert "when app-report started I/O" in caveats, caveats


def test_the_incident_of_the_article_is_told_as_it_was(product: Product) -> None:
    """Guest not measured, kernel / kernel / normal, the wait moving from the guest into the kernel and away."""
    ledgers.settled(product)
    after, until = ledgers.whole_minutes(product, KEPT_S)
    told = [
        chapter
        for chapter in chapters.chapters(product.phases(after, until), after, until)
        if chapter.story == "esxi-queuing"
    ]
    assert len(told) >= 2
    assert [wrong for chapter in told if (wrong := chapters.unlike_the_article(product.api, chapter))] == []


def test_attributing_an_hour_again_changes_no_number(product: Product) -> None:
    """What counters had proven by then is used for all of it the first time, and is still known the second."""
    ledgers.settled(product)
    after, until = ledgers.whole_minutes(product, KEPT_S - 300)
    assert ledgers.write_again(product, after, until) > 40
    ledgers.settled(product)
    before = ledgers.everything(product, after, until)
    assert ledgers.write_again(product, after, until) > 40
    ledgers.settled(product)
    assert ledgers.differences(before, ledgers.everything(product, after, until)) == []
    assert len(before) > 5_000


def test_every_column_was_measured_somewhere(product: Product) -> None:
    """Guards the comparison itself: a column that is null everywhere on both sides would compare as equal."""
    after, until = last_hour(product)
    for stream, names in COLUMNS.items():
        measured: set[str] = set()
        for source in product.sources():
            if stream in STREAMS[source["kind"]]:
                rows, _ = stored_rows(product, source["name"], stream, after, until)
                measured |= {
                    name for row in rows.values() for name, value in zip(names, row, strict=True) if value is not None
                }
        assert measured == set(names), stream


def test_reading_an_hour_again_changes_no_row(product: Product) -> None:
    """Everything is owed once more: live and backfill read it all a second time."""
    after, until = last_hour(product)
    before = _all_rows(product, after, until)
    asked_at = product.now()
    with product.database() as connection:
        connection.execute("UPDATE watermark SET until_at = until_at - interval '50 minutes'")
    took_s = product.wait_for(
        lambda: _read_since(product, asked_at)[0] > 20_000 and product.pending() == 0, "all to be read again", 240
    )
    product.wait_until_read(until)
    assert _all_rows(product, after, until) == before
    rows, new = _read_since(product, asked_at)
    tell(f"read again in {took_s:.0f} s: {rows} samples, {new} of them new")
    assert_nothing_unexplained(product)


def _read_since(product: Product, at: object) -> tuple[int, int]:
    """Samples that runs since `at` brought, and how many of them were new."""
    query = (
        "SELECT coalesce(sum(samples), 0)::int, coalesce(sum(new_samples), 0)::int FROM collection_run"
        " WHERE started_at > to_timestamp(%(at)s) AND stream <> 'inventory'"
    )
    rows, new = product.ask(query, at=at)[0]
    return rows, new


def _all_rows(product: Product, after: float, until: float) -> dict[tuple[str, str], Any]:
    return {
        (source["name"], stream): stored_rows(product, source["name"], stream, after, until)
        for source in product.sources()
        for stream in STREAMS[source["kind"]]
    }


def test_a_restart_continues_where_it_stopped(product: Product) -> None:
    """What it missed meanwhile is compared in the end, after all that follows."""
    assert product.stop() == 0
    assert product.services() == {}
    time.sleep(random.Random(1).uniform(5, 15))
    product.start()
    product.wait_until_read(product.now() - 60)


@pytest.mark.parametrize(
    "name", ["database", "broker", "lab", "worker-live", "worker-slow", "worker-back", "worker-notify", "beat", "api"]
)
def test_whatever_is_killed_comes_back_by_itself(product: Product, name: str) -> None:
    time.sleep(random.Random(name).uniform(0, 3))
    before = product.services()[name]
    part = next(part for part in product.parts() if part.pid == before["pid"])
    product.kill(part)

    def is_back() -> bool:
        now = product.services().get(name, before)
        return now["restarts"] > before["restarts"] and product.all_ready()

    took_s = product.wait_for(is_back, f"{name} to come back", 120)
    tell(f"{name} was back {took_s:.1f} s after kill -9")
    product.wait_for(lambda: _healthy(product), "the API to answer", 60)


def _healthy(product: Product) -> bool:
    try:
        return product.api.get("/health").status_code == 200
    except httpx.TransportError:
        return False


def test_correlate_survives_kill_9_of_worker_and_database_anywhere(product: Product) -> None:
    """What was written before without a kill is what stands there after kills in the midst of writing it again."""
    choose = random.Random(3)
    ledgers.settled(product)
    after, until = ledgers.whole_minutes(product, KEPT_S - 300)
    assert ledgers.write_again(product, after, until) > 30
    ledgers.settled(product)
    before = ledgers.everything(product, after, until)

    killed = [correlating.kill_worker_inside(product, choose, writing=n % 2 == 0) for n in range(5)]
    undone = [found for found in killed if correlating.was_undone(product, found)]
    tell(
        f"{len(undone)} workers killed inside correlate, {sum(found.transaction is not None for found in undone)} after writing"
    )
    assert len(undone) == len(killed)
    restarts = product.services()["database"]["restarts"]
    correlating.kill_database_inside(product, choose)
    product.wait_for(lambda: product.services()["database"]["restarts"] > restarts, "the supervisor to see it", 60)
    product.wait_for(lambda: product.all_ready() and _healthy(product), "the database to come back", 120)

    ledgers.settled(product)
    assert len(before) > 5_000
    assert ledgers.differences(before, ledgers.everything(product, after, until)) == []


def test_after_all_of_this_nothing_is_lost_doubled_or_altered(product: Product) -> None:
    caught_up(product)
    found = compare(product, *last_hour(product))
    tell(f"in the end: {found}")
    assert found.is_equal, str(found)
    assert product.pending() == 0
    after, until = ledgers.whole_minutes(product, KEPT_S - 300, settling_s=ledgers.CAUGHT_UP_S)
    assert ledgers.changed_by_writing_again(product, after, until) == []
