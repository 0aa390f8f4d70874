"""The product on one machine as one story in order: start, page, alert, kills, a restart, the end, and a store of an older build.

The steps depend on each other, so that the first one that fails ends the run (`--exitfirst`).
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.alerting.receivers import HttpReceiver, http_receiver
from tests.alerting.signing import is_signed
from tests.product.comparing import assert_nothing_unexplained, caught_up, compare
from tests.product.older_store import make_older_store
from tests.product.running import Product, children, tell
from tests.product.started import LOOPBACK_ONLY, continued
from tests.supervise.processes import is_alive

from gavel.supervise.forks import Forks
from gavel.supervise.lock import running_pid

WORKERS = {"worker-live", "worker-slow", "worker-back", "worker-notify"}
SERVICES = {"database", "broker", "lab", *WORKERS, "beat", "api", *({"preload"} if Forks.are_possible() else ())}
# Services that end when they have done their part.
STEPS = {"migrate", "lab-sources"}
SECRET = "whsec_" + "QUJD" * 8
# Every array takes longer than the first, and nothing takes as long as the second.
ALWAYS_US, NEVER_US = 20.0, 3.6e9
# Of the lab's default environment.
DATASTORES = 17
# These only say that something hangs. `Product.wait_for` stretches them on a slow machine.
BACK_S, MESSAGE_S, GONE_S = 180, 300, 60


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with continued(tmp_path_factory.mktemp("product"), **LOOPBACK_ONLY) as made:
        yield made


@pytest.fixture(scope="module", autouse=True)
def began_at(product: Product) -> float:
    """Before the first step, by the product's clock."""
    return product.now()


def test_start_brings_every_service_up_with_a_setup_link_and_files_that_only_their_owner_reads(
    product: Product,
) -> None:
    states = {name: entry["state"] for name, entry in product.services().items()}
    wanted = dict.fromkeys(SERVICES, "ready") | dict.fromkeys(STEPS, "done")
    assert states == wanted, f"services after `gavel up`: {states}"
    assert re.search(r"/#setup=gvl_\S{20,}$", product.link), f"no setup link in the output:\n{product.said()}"
    for name in ("secret.key", "setup-token"):
        mode = (product.data_dir / name).stat().st_mode
        assert mode & 0o077 == 0, f"{name} is readable by others: {mode:o}"
    health = product.api.get("/health").raise_for_status().json()
    assert health["storage_mode"] == "plain"


def test_start_of_a_second_product_on_the_same_data_is_refused_in_one_line(product: Product) -> None:
    refused = product.run("up")
    assert refused.returncode == 1
    assert f"Gavel is already running on {product.data_dir} (process {product.supervisor})" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_status_command_lists_the_processes_and_the_address(product: Product) -> None:
    done = product.run("status", "--json")
    assert done.returncode == 0, f"`gavel status` failed: {done.stderr}"
    found = json.loads(done.stdout)
    assert found["supervisor_pid"] == product.supervisor
    assert found["url"] == product.link
    assert found["database"] == {"place": "embedded", "ok": True, "mode": "plain", "detail": ""}
    assert {process["name"] for process in found["processes"]} == SERVICES | STEPS


def test_first_page_is_served_with_its_script_and_lists_every_datastore_with_both_sides(product: Product) -> None:
    address, browser = product.api.base_url.copy_with(path="/"), {"accept": "text/html"}
    page = httpx.get(address, headers=browser, trust_env=False).raise_for_status()
    script = re.search(r'src="(?:\./|/)(assets/[^"]+\.js)"', page.text)
    assert script, f"the first page names no script: {page.text[:200]}"
    loaded = httpx.get(address.copy_with(path=f"/{script[1]}"), trust_env=False).raise_for_status()
    assert loaded.headers["content-type"].startswith("text/javascript")
    product.sign_in()
    listed = product.api.get("/datastores", params={"limit": 500}).raise_for_status().json()["items"]
    assert len(listed) == DATASTORES
    unmatched = [row["name"] for row in listed if not row["match"]["matched"]]
    assert unmatched == [], f"datastores without their volumes: {unmatched}"
    ranked = product.api.get("/overview").raise_for_status().json()
    assert ranked["total"] == DATASTORES


def test_alert_reaches_a_receiver_once_with_the_numbers_of_the_diagnosis_and_so_does_its_end(
    product: Product,
) -> None:
    store = product.api.get("/datastores", params={"limit": 1}).raise_for_status().json()["items"][0]
    with http_receiver() as receiver:
        channel = _added(product, "/channels", _channel(receiver))
        rule = _added(product, "/alert-rules", _rule(store["name"], ALWAYS_US))
        fired_s = product.wait_for(lambda: bool(receiver.received), "the first notification", MESSAGE_S)
        firing = _messages(receiver)[0]
        assert firing["type"] == "alert.firing", f"the first notification is {firing}"
        assert firing["data"]["labels"]["layer"] == "array"
        assert firing["data"]["path"][-1] == store["name"]
        _has_the_numbers_of_the_diagnosis(product, store["id"], firing["data"])
        product.api.put(f"/alert-rules/{rule}", json=_rule(store["name"], NEVER_US)).raise_for_status()
        over_s = product.wait_for(lambda: len(receiver.received) > 1, "the notification of the end", MESSAGE_S)
        resolved = _messages(receiver)[1]
        assert (resolved["type"], resolved["data"]["incident_id"]) == ("alert.resolved", firing["data"]["incident_id"])
        assert all(is_signed(one.headers, one.body, SECRET) for one in receiver.received), "a signature is wrong"
        assert len(receiver.received) == 2, f"{len(receiver.received)} notifications of one alert"
        product.api.delete(f"/alert-rules/{rule}").raise_for_status()
        product.api.delete(f"/channels/{channel}").raise_for_status()
    tell(f"the first notification after {fired_s:.0f} s, that of its end after {over_s:.0f} s")


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_killed_process_comes_back_by_itself(product: Product, name: str) -> None:
    before = product.services()[name]
    product.kill(next(part for part in product.parts() if part.pid == before["pid"]))

    def is_back() -> bool:
        now = product.services().get(name, before)
        return now["restarts"] > before["restarts"] and product.all_ready() and _is_healthy(product)

    tell(f"{name} was back after {product.wait_for(is_back, f'{name} to come back', BACK_S):.1f} s")


def test_killed_supervisor_leaves_no_process_behind_and_the_next_start_continues(product: Product) -> None:
    family = children(product.supervisor)
    assert len(family) > len(SERVICES)
    product.kill_supervisor()
    product.wait_for(lambda: not any(map(is_alive, family)), "every process of the product to end", GONE_S)
    product.wait_for(lambda: running_pid(product.data_dir) is None, "the lock of the data directory", GONE_S)
    product.come_up()
    product.api.get("/sources").raise_for_status()


def test_samples_equal_those_of_the_lab_after_the_kills(product: Product, began_at: float) -> None:
    until = caught_up(product)
    found = compare(product, began_at, until)
    tell(f"since the start: {found}")
    assert found.is_equal, f"samples differ from the lab's: {found}"
    assert found.rows > 500
    assert_nothing_unexplained(product)


def test_ctrl_c_stops_every_process(product: Product) -> None:
    family = children(product.supervisor)
    assert product.stop() == 0, f"exit status of `gavel up`; it said:\n{product.said()[-2000:]}"
    assert "Stopped after" in product.said()
    left = [pid for pid in family if is_alive(pid)]
    assert left == [], f"processes after Ctrl-C: {left}"
    assert running_pid(product.data_dir) is None
    assert product.services() == {}


def test_upgrade_of_an_older_store_keeps_rules_channels_with_their_secrets_and_silences(tmp_path: Path) -> None:
    make_older_store(tmp_path / "data")
    product = Product(tmp_path, GAVEL_LAB="0", **LOOPBACK_ONLY)
    try:
        product.start()
        report = product.run("db", "check")
        assert report.returncode == 0, f"`gavel db check` after the upgrade: {report.stdout}{report.stderr}"
        rules = {rule["key"] for rule in product.api.get("/alert-rules").raise_for_status().json()}
        assert "kept_rule" in rules, f"rules after the upgrade: {sorted(rules)}"
        (channel,) = product.api.get("/channels").raise_for_status().json()
        assert (channel["name"], channel["secrets_set"]) == ("kept channel", ["secrets", "url"])
        (silence,) = product.api.get("/silences").raise_for_status().json()
        assert (silence["reason"], silence["by"]) == ("kept silence", "Kim")
        # Its address is a secret: the attempt is refused there only if the stored key still opens it.
        tested = product.api.post(f"/channels/{channel['id']}/test").raise_for_status().json()
        assert "127.0.0.1:9" in str(tested), f"the test of the channel: {tested}"
        assert product.stop() == 0
    finally:
        product.end()


def _is_healthy(product: Product) -> bool:
    try:
        return product.api.get("/health").status_code == 200
    except httpx.TransportError:
        return False


def _added(product: Product, path: str, body: dict[str, Any]) -> int:
    number: int = product.api.post(path, json=body).raise_for_status().json()["id"]
    return number


def _channel(receiver: HttpReceiver) -> dict[str, Any]:
    settings = {"url": f"{receiver.url}/hook", "secrets": [SECRET]}
    route = {"matchers": [{"label": "rule", "pattern": "array_takes_time"}]}
    return {"kind": "webhook", "name": "recording", "settings": settings, "route": route}


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


def _messages(receiver: HttpReceiver) -> list[dict[str, Any]]:
    return [json.loads(one.body) for one in receiver.received]


def _has_the_numbers_of_the_diagnosis(product: Product, store: int, data: dict[str, Any]) -> None:
    """The API gives the same for the same window."""
    window = {"from": data["from_at"], "to": data["to_at"]}
    diagnosis = product.api.get(f"/datastores/{store}/diagnosis", params=window).raise_for_status().json()
    sent = {layer["name"]: layer["us"] for layer in data["layers"]}
    assert sent == pytest.approx({layer["label"]: layer["us"] for layer in diagnosis["layers"]}, rel=0.05)
