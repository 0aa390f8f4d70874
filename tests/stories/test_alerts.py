"""From the lab's samples to a receiver that writes down real HTTP: one firing, one end, the right layer, soon enough."""

import json
import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from tests.alerting.failing import Fault, failing, faults
from tests.alerting.receivers import HttpReceiver, http_receiver
from tests.product import chapters, ledgers
from tests.product.comparing import KEPT_S, caught_up
from tests.product.running import SLOWNESS, Product, tell
from tests.stories.vendors import vendors

SECRET = "whsec_" + "QUJD" * 8
# From the moment that the last sample can be read. Three products share a machine here: a busy one may take twice as long.
GOAL_S = 30.0
LATEST_S = 2 * GOAL_S * SLOWNESS
# By the lab's rules: samples end at multiples of their width on the clock of who gives them; an array's can be read a little later.
ARRAY_S, ARRAY_SETTLES_S, HOST_S = 30, 1.5, 20
# What the product waits for an answer at most, and a busy machine more.
PATIENCE_S, MUCH_LATER_S = 25, 60
FAULTS = faults()
ONLY_OURS = {"matchers": [{"label": "rule", "pattern": "array_takes_time"}]}
NOBODY_S = {"matchers": [{"label": "rule", "pattern": "no rule is called so"}]}


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


def test_a_datastore_whose_array_takes_time_is_told_once_and_so_is_its_end_whatever_other_receivers_do(
    product: Product, receiver: HttpReceiver, tmp_path: Path
) -> None:
    """Every array takes more than 20 µs, in whatever minute of the hour; nothing takes an hour.

    Beside the receiver that writes down stand one of every vendor's kind, and others that fail, each in its own way, one of them by
    taking 60 s.
    """
    caught_up(product)
    store = product.api.get("/datastores", params={"limit": 1}).raise_for_status().json()["items"][0]
    with ExitStack() as stack:
        second = stack.enter_context(http_receiver())
        dead_letters = _channel(product, stack, "dead letters", second.url, NOBODY_S)
        _channel(product, stack, "recording", receiver.url, ONLY_OURS)
        of_vendors = stack.enter_context(vendors())
        for kind, settings in of_vendors.settings().items():
            _add(product, stack, {"kind": kind, "name": f"of {kind}", "settings": settings, "route": ONLY_OURS})
        ill = {
            name: _channel(
                product, stack, name, stack.enter_context(_failing(fault, tmp_path, name)).url, ONLY_OURS, dead_letters
            )
            for name, fault in FAULTS.items()
        }
        rule = product.api.post("/alert-rules", json=_rule(store["name"], 20)).raise_for_status().json()["id"]
        stack.callback(product.api.delete, f"/alert-rules/{rule}")
        product.wait_for(lambda: bool(receiver.received), "the message that it fires", 180)
        came_at = receiver.received[0].at
        (firing,) = _told(receiver)
        assert firing["type"] == "alert.firing"
        assert firing["data"]["labels"]["layer"] == "array"
        assert firing["data"]["path"][-1] == store["name"]
        _numbers_are_those_of_the_diagnosis(product, store["id"], firing["data"])
        _came_in_time(product, store, firing["data"], came_at)
        begun_s = product.wait_for(lambda: of_vendors.have_had(1), "the same in the form of every vendor", MUCH_LATER_S)
        # Its threshold out of reach: what had fired is over.
        product.api.put(f"/alert-rules/{rule}", json=_rule(store["name"], 3.6e9)).raise_for_status()
        over_s = product.wait_for(lambda: len(receiver.received) > 1, "the message that it is over", 120)
        resolved = _told(receiver)[1]
        assert (resolved["type"], resolved["data"]["incident_id"]) == ("alert.resolved", firing["data"]["incident_id"])
        ended_s = product.wait_for(lambda: of_vendors.have_had(2), "the end in the form of every vendor", MUCH_LATER_S)
        assert of_vendors.problems(firing["data"]) == []
        tried_s = product.wait_for(
            lambda: _all_tried(product, ill), "an attempt on every channel", PATIENCE_S + MUCH_LATER_S
        )
        tell(
            f"every vendor's kind had it {begun_s:.0f} s later; its end came in {over_s:.0f} s, to all of them {ended_s:.0f} s later;"
            f" the slow one was waited for {tried_s:.0f} s more"
        )
        _fared_as_they_should(product, ill)
        product.wait_for(lambda: _are_told_on(second), "the dead letters on the second channel", 60)
        assert len(receiver.received) == 2


def test_shipped_rules_fire_in_the_stories_of_the_lab_as_documented(product: Product) -> None:
    """Each phase of which enough lies within the hour that the product holds."""
    ledgers.settled(product)
    after, until = ledgers.whole_minutes(product, KEPT_S - 300)
    assert chapters.undocumented(product.api, product.phases(after, until), after, until) == []


def _rule(datastore: str, at_least_us: float) -> dict[str, Any]:
    return {
        "key": "array_takes_time",
        "name": "The array takes time",
        "of": "datastore",
        "where": {"name": datastore},
        "when": [{"quantity": "latency", "part": "array", "at_least": at_least_us, "compared": "estimate"}],
        "for_min": 0,
        "min_quality": "D",
    }


def _channel(
    product: Product, stack: ExitStack, name: str, url: str, route: dict[str, Any], second_id: int | None = None
) -> int:
    """The id of one that signs what it sends."""
    settings = {"url": f"{url}/hook", "secrets": [SECRET]}
    return _add(
        product, stack, {"kind": "webhook", "name": name, "settings": settings, "route": route, "second_id": second_id}
    )


def _add(product: Product, stack: ExitStack, body: dict[str, Any]) -> int:
    """Its id. It is removed with the stack."""
    made: int = product.api.post("/channels", json=body).raise_for_status().json()["id"]
    stack.callback(product.api.delete, f"/channels/{made}")
    return made


def _failing(fault: Fault, folder: Path, name: str) -> Any:
    own = folder / name.replace(" ", "_")
    own.mkdir()
    return failing(fault, own)


def _attempts(product: Product, channel: int) -> list[dict[str, Any]]:
    """Of all messages to a channel, in order."""
    items = product.api.get("/notifications", params={"channel_id": channel}).raise_for_status().json()["items"]
    details = [product.api.get(f"/notifications/{one['id']}").raise_for_status().json() for one in items]
    return sorted((attempt for one in details for attempt in one["log"]), key=lambda attempt: attempt["id"])


def _are_told_on(second: HttpReceiver) -> bool:
    """Whether every message that was refused for good was."""
    said = " ".join(one["data"]["diagnosis"] for one in _told(second))
    refused = [name for name, fault in FAULTS.items() if fault.state == "dead"]
    return all(f"Not delivered by {name} (" in said for name in refused)


def _all_tried(product: Product, channels: dict[str, int]) -> bool:
    return all(_attempts(product, channel) for channel in channels.values())


def _fared_as_they_should(product: Product, channels: dict[str, int]) -> None:
    """By their logs, and their pages: who may be tried again is, whom waiting does not help is a dead letter, who is gone is off."""
    listed = {one["id"]: one for one in product.api.get("/channels").raise_for_status().json()}
    for name, fault in FAULTS.items():
        first = _attempts(product, channels[name])[0]
        assert (first["result"], first["status"]) == (fault.result, fault.status), (name, first)
        assert len(first["detail"]) < 400
        assert listed[channels[name]]["state"] == (
            "off" if not fault.is_on else "ok" if fault.result == "delivered" else "failing"
        )
    slow = _attempts(product, channels["slow"])[0]
    assert slow["duration_s"] < PATIENCE_S + 5, "sixty seconds were not waited for"


@dataclass(frozen=True)
class Readable:
    """When what closes a minute could be read. by_source: of the array and of the vCenter some sample that reaches the minute's end; that
    is not later than when the last one that the diagnosis uses could be read. by_host: of every single host that had I/Os, too."""

    by_source: float
    by_host: float


def _came_in_time(product: Product, store: dict[str, Any], data: dict[str, Any], came_at: float) -> None:
    minute_end = datetime.fromisoformat(data["to_at"]).timestamp()
    known = _readable(product, store, minute_end)
    tell(
        f"the message came {came_at - minute_end:.1f} s after the end of its minute, {came_at - known.by_source:.1f} s after its array and"
        f" its vCenter had a sample that reaches there (goal {GOAL_S:.0f} s), {came_at - known.by_host:+.1f} s after every host of it had"
    )
    assert came_at - known.by_source < LATEST_S


def _readable(product: Product, store: dict[str, Any], minute_end: float) -> Readable:
    """Of the sources that the diagnosis on this datastore is made from, by the lab's own clocks and its own account of who did I/Os."""
    clocks = product.truth.get("/clocks").raise_for_status().json()
    names = {one["name"] for one in store["arrays"]}
    arrays = max(_closes(minute_end, clocks["arrays"][name], ARRAY_S) + ARRAY_SETTLES_S for name in names)
    asked: dict[str, str | float | Sequence[str]] = {
        "from": minute_end - 60,
        "to": minute_end,
        "by": "device",
        "name": [one["name"] for one in store["volumes"]],
    }
    rows = product.truth.get("/truth", params=asked).raise_for_status().json()["rows"]
    busy = {row["host"] for row in rows if row["read"]["ops"][0] + row["write"]["ops"][0] > 0}
    hosts = [_closes(minute_end, clocks["hosts"][name], HOST_S) for name in busy]
    return Readable(max(arrays, min(hosts)), max(arrays, *hosts))


def _closes(minute_end: float, offset_s: float, width_s: int) -> float:
    """The first end of an interval at or after the minute's, by a clock that is so far ahead."""
    return math.ceil((minute_end + offset_s) / width_s) * width_s - offset_s


def _told(receiver: HttpReceiver) -> list[dict[str, Any]]:
    return [json.loads(one.body) for one in receiver.received]


def _numbers_are_those_of_the_diagnosis(product: Product, store: int, data: dict[str, Any]) -> None:
    """The same window asked of the API says the same."""
    window = {"from": data["from_at"], "to": data["to_at"]}
    diagnosis = product.api.get(f"/datastores/{store}/diagnosis", params=window).raise_for_status().json()
    said = {layer["name"]: layer["us"] for layer in data["layers"]}
    assert said == pytest.approx({layer["label"]: layer["us"] for layer in diagnosis["layers"]}, rel=0.05)
