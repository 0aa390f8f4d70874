"""From the lab's samples to a receiver that writes down real HTTP: one firing, one end, the right layer, soon enough."""

import json
import time
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from tests.alerting.receivers import HttpReceiver, http_receiver
from tests.product.comparing import caught_up
from tests.product.running import Product, tell

SECRET = "whsec_" + "QUJD" * 8
# The minute's own length, what its sources take to show it, and what a busy machine adds; the aim is 30 s after it can be read.
LATEST_S = 90


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
        came_at = time.time()
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
        tell(f"the message came {came_at - minute_end:.1f} s after the end of its minute")
        assert came_at - minute_end < LATEST_S
        time.sleep(8)
        assert len(receiver.received) == 2
    finally:
        product.api.delete(f"/alert-rules/{rule}")
        product.api.delete(f"/channels/{channel}")


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


def _told(receiver: HttpReceiver) -> list[dict[str, Any]]:
    return [json.loads(one.body) for one in receiver.received]


def _numbers_are_those_of_the_verdict(product: Product, store: int, data: dict[str, Any]) -> None:
    """The same window asked of the API says the same."""
    window = {"from": data["from_at"], "to": data["to_at"]}
    verdict = product.api.get(f"/datastores/{store}/verdict", params=window).raise_for_status().json()
    said = {layer["name"]: layer["us"] for layer in data["layers"]}
    assert said == pytest.approx({layer["label"]: layer["us"] for layer in verdict["layers"]}, rel=0.05)
