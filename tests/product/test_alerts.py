"""From the lab's samples to a receiver that writes down real HTTP: one firing, one end, the right layer, soon enough."""

import json
import math
import re
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from tests.alerting.receivers import HttpReceiver, http_receiver
from tests.product import ledgers, stories
from tests.product.comparing import KEPT_S, caught_up
from tests.product.running import Product, tell

DOCS = Path(__file__).parents[2] / "docs/alerts.md"
NOT_OF_THE_RULE = {"id", "is_default", "open", "created_at", "changed_at", "error", "error_at"}
# The rules want five minutes in a row, and the first one may be the phase's own.
LEAST_CHAPTER_S = 7 * 60
SECRET = "whsec_" + "QUJD" * 8
# From the moment that the last sample can be read. Three products share a machine here: a busy one may take twice as long.
GOAL_S = 30.0
LATEST_S = 2 * GOAL_S
# By the lab's rules: samples end at multiples of their width on the clock of who gives them; an array's can be read a little later.
ARRAY_S, ARRAY_SETTLES_S, HOST_S = 30, 1.5, 20


@pytest.fixture
def receiver() -> Iterator[HttpReceiver]:
    with http_receiver() as found:
        yield found


def test_what_rules_ship_is_there_and_on(product: Product) -> None:
    found = product.api.get("/alert-rules").raise_for_status().json()
    assert {rule["key"] for rule in found} >= {
        "kernel_queueing",
        "san_over_usual",
        "array_twice_usual",
        "source_silent",
    }
    assert all(rule["enabled"] and rule["is_default"] for rule in found)


def test_a_datastore_whose_array_takes_time_is_told_once_and_so_is_its_end(
    product: Product, receiver: HttpReceiver
) -> None:
    """Every array takes more than 20 µs, in whatever minute of the hour; nothing takes an hour."""
    caught_up(product)
    store = product.api.get("/datastores", params={"limit": 1}).raise_for_status().json()["items"][0]
    body = {
        "kind": "webhook",
        "name": "recording",
        "settings": {"url": f"{receiver.url}/hook", "secrets": [SECRET]},
        "route": {"matchers": [{"label": "rule", "pattern": "array_takes_time"}]},
    }
    channel = product.api.post("/channels", json=body).raise_for_status().json()["id"]
    rule = product.api.post("/alert-rules", json=_rule(store["name"], 20)).raise_for_status().json()["id"]
    try:
        product.wait_for(lambda: receiver.received, "the message that it fires", 180)
        came_at = receiver.received[0].at
        (firing,) = _told(receiver)
        assert firing["type"] == "alert.firing"
        assert firing["data"]["labels"]["layer"] == "array"
        assert firing["data"]["path"][-1] == store["name"]
        _numbers_are_those_of_the_verdict(product, store["id"], firing["data"])
        # Its threshold out of reach: what had fired is over.
        product.api.put(f"/alert-rules/{rule}", json=_rule(store["name"], 3.6e9)).raise_for_status()
        product.wait_for(lambda: len(receiver.received) > 1, "the message that it is over", 120)
        resolved = _told(receiver)[1]
        assert (resolved["type"], resolved["data"]["incident_id"]) == ("alert.resolved", firing["data"]["incident_id"])
        minute_end = datetime.fromisoformat(firing["data"]["to_at"]).timestamp()
        sources_at, everyone_at = _readable_at(product, minute_end)
        tell(
            f"the message came {came_at - minute_end:.1f} s after the end of its minute, {came_at - sources_at:.1f} s after every source "
            f"had a sample beyond that to be read (goal {GOAL_S:.0f} s), {came_at - everyone_at:+.1f} s after every single host had"
        )
        assert came_at - sources_at < LATEST_S
        time.sleep(8)
        assert len(receiver.received) == 2
    finally:
        product.api.delete(f"/alert-rules/{rule}")
        product.api.delete(f"/channels/{channel}")


def test_the_rules_that_ship_say_of_the_lab_s_stories_what_the_docs_say(product: Product) -> None:
    """Each phase of which enough lies within the hour that the product holds, whichever those are."""
    ledgers.settled(product)
    open_from_to = _would_have_been_open(product)
    seen = 0
    for chapter in stories.chapters(product, *ledgers.whole_minutes(product, KEPT_S - 300)):
        if chapter.end - chapter.begin < LEAST_CHAPTER_S:
            continue
        seen += 1
        # At its end: what had fired before takes some minutes to be over.
        about = [(rule, begin, end) for rule, name, begin, end in open_from_to if name == chapter.datastore]
        assert {rule for rule, begin, end in about if begin <= chapter.end < end} == documented(chapter), chapter
    tell(f"{seen} phases as the docs say")


def documented(chapter: stories.Chapter) -> set[str]:
    """Rules of the row of docs/alerts.md that is about this phase."""
    rows = (line.split("|") for line in DOCS.read_text().splitlines() if line.startswith(f"| `{chapter.story}`"))
    told = [(row[1], row[2]) for row in rows]
    depth = "depth 96" if "device depth 96" in chapter.title else "depth 32"
    chosen = [fires for story, fires in told if "," not in story or story.strip().endswith(depth)]
    assert len(chosen) == 1, (chapter, told)
    return set(re.findall(r"`(\w+)`", chosen[0]))


def _would_have_been_open(product: Product) -> list[tuple[str, str, float, float]]:
    """Rule, object, and from when to when, of every firing that a preview finds."""
    found = []
    for rule in product.api.get("/alert-rules").raise_for_status().json():
        body = {name: rule[name] for name in rule if name not in NOT_OF_THE_RULE}
        answer = product.api.post("/alert-rules/preview", json={"rule": body, "days": 1}).raise_for_status().json()
        found += [(rule["key"], one["object_name"], *_span(one)) for one in answer["firings"]]
    return found


def _span(firing: dict[str, Any]) -> tuple[float, float]:
    ended = firing["ended_at"]
    begin = datetime.fromisoformat(firing["fired_at"]).timestamp()
    return begin, datetime.fromisoformat(ended).timestamp() if ended else math.inf


def _rule(datastore: str, at_least_us: float) -> dict[str, Any]:
    return {
        "key": "array_takes_time",
        "name": "The array takes time",
        "of": "datastore",
        "where": {"name": datastore},
        "when": [{"quantity": "time", "part": "array", "at_least": at_least_us, "compared": "estimate"}],
        "for_min": 0,
        "min_grade": "D",
    }


def _readable_at(product: Product, minute_end: float) -> tuple[float, float]:
    """When a sample that reaches beyond the end of a minute could be read of every array and of the first host, and of every host.

    The first is not later than when the last sample that closes the minute can be read, so that what is told is at least what it took.
    """
    clocks = product.truth.get("/clocks").raise_for_status().json()
    arrays = max(_closes(minute_end, offset_s, ARRAY_S) + ARRAY_SETTLES_S for offset_s in clocks["arrays"].values())
    hosts = [_closes(minute_end, offset_s, HOST_S) for offset_s in clocks["hosts"].values()]
    return max(arrays, min(hosts)), max(arrays, *hosts)


def _closes(minute_end: float, offset_s: float, width_s: int) -> float:
    """The first end of an interval at or after the minute's, by a clock that is so far ahead."""
    return math.ceil((minute_end + offset_s) / width_s) * width_s - offset_s


def _told(receiver: HttpReceiver) -> list[dict[str, Any]]:
    return [json.loads(one.body) for one in receiver.received]


def _numbers_are_those_of_the_verdict(product: Product, store: int, data: dict[str, Any]) -> None:
    """The same window asked of the API says the same."""
    window = {"from": data["from_at"], "to": data["to_at"]}
    verdict = product.api.get(f"/datastores/{store}/verdict", params=window).raise_for_status().json()
    said = {layer["name"]: layer["us"] for layer in data["layers"]}
    assert said == pytest.approx({layer["label"]: layer["us"] for layer in verdict["layers"]}, rel=0.05)
