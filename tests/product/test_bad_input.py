"""What a newcomer gets wrong, through the door the page uses and through the command: a sentence to act on, and nobody else is harmed."""

import re
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from tests.product.bad_arrays import bad_arrays
from tests.product.comparing import caught_up, compare
from tests.product.hostile import Hostiles, hostiles
from tests.product.running import SLOWNESS, Product, tell
from tests.product.ticks import ticks

TOKEN, PASSWORD = "0123abcd-1234-1234-1234-0123456789ab", "correct horse"
NO_SUCH_NAME = "no-such-array.invalid"
AT_ONCE = 4  # as many trials as the API takes
# 20 s, and what a busy machine adds to it.
WITHIN_S = 30.0 * SLOWNESS


@dataclass(frozen=True)
class Case:
    """`address`: "own" (the lab's of the kind), the name of a source or a hostile server, or as it stands. `says`: in the sentence."""

    kind: str
    address: str
    says: str
    pinned: bool = True


CASES: Mapping[str, Case] = {
    "a wrong token": Case("flasharray", "own", r"token was refused.*Give this source a valid one"),
    "a wrong password": Case("vcenter", "own", r"login refused for 'gavel.*Check user name and password"),
    "an array's name that does not resolve": Case("flasharray", NO_SUCH_NAME, r"does not resolve.*spelling"),
    "a vCenter's name that does not resolve": Case("vcenter", NO_SUCH_NAME, r"does not resolve.*spelling"),
    "an array's self-signed certificate": Case("flasharray", "own", r"not trusted.*[0-9a-f]{64}.*pin", pinned=False),
    "a vCenter's self-signed certificate": Case("vcenter", "own", r"not trusted.*[0-9a-f]{64}.*pin", pinned=False),
    "a website for an array": Case("flasharray", "website", r"version|FlashArray"),
    "a website for a vCenter": Case("vcenter", "website", r"not a vCenter"),
    "a vCenter for an array": Case("flasharray", "vcenter-1", r"version|FlashArray"),
    "an array for a vCenter": Case("vcenter", "flasharray-1", r"not a vCenter"),
    "an ESXi host for a vCenter": Case("vcenter", "esxi", r"VMware ESXi.*not a vCenter"),
    "plain HTTP for an array": Case("flasharray", "plain_http", r"TLS"),
    "plain HTTP for a vCenter": Case("vcenter", "plain_http", r"TLS"),
    "a closed port for an array": Case("flasharray", "closed_port", r"refused.*Check the address"),
    "a closed port for a vCenter": Case("vcenter", "closed_port", r"refused.*Check the address"),
    "a black hole for an array": Case("flasharray", "black_hole", r"no answer in time"),
    "a black hole for a vCenter": Case("vcenter", "black_hole", r"no answer in time"),
    "an array that never answers": Case("flasharray", "silent_server", r"no answer in time"),
    "a vCenter that never answers": Case("vcenter", "silent_server", r"no answer in time"),
    "an array that drips": Case("flasharray", "drip", r"no answer in time|deadline"),
    "a vCenter that drips": Case("vcenter", "drip", r"no answer in time|deadline"),
}
BY_COMMAND = (
    "a wrong token",
    "a vCenter's self-signed certificate",
    "a closed port for an array",
    "a vCenter that never answers",
)


@dataclass(frozen=True)
class Outcome:
    answer: dict[str, Any]
    took_s: float


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hostiles]:
    with hostiles(tmp_path_factory.mktemp("hostile")) as all_of_them:
        yield all_of_them


@pytest.fixture(scope="module")
def outcomes(product: Product, hostile: Hostiles) -> dict[str, Outcome]:
    """Every case tried through the API, a few at once, as several people would."""

    def attempt(case: Case) -> Outcome:
        began = time.monotonic()
        answer = product.api.post(
            "/sources/test", json={"kind": case.kind, "settings": settings(product, hostile, case)}
        )
        return Outcome(answer.raise_for_status().json(), time.monotonic() - began)

    slow_first = sorted(CASES, key=lambda name: CASES[name].address not in ("black_hole", "silent_server", "drip"))
    with ThreadPoolExecutor(AT_ONCE) as people:
        found = dict(zip(slow_first, people.map(attempt, [CASES[name] for name in slow_first]), strict=True))
    tell("slowest trial {:.1f} s: {}".format(*max((found[name].took_s, name) for name in found)))
    assert max(outcome.took_s for outcome in found.values()) < WITHIN_S
    return found


def settings(product: Product, hostile: Hostiles, case: Case) -> dict[str, Any]:
    own = {source["name"]: source for source in product.sources()}
    known = own.get(f"{case.kind}-1" if case.address == "own" else case.address)
    # By another name: under the one it has, it is a source already.
    address = (
        known["address"].replace("127.0.0.1", "localhost") if known else getattr(hostile, case.address, case.address)
    )
    pin = known["settings"]["tls_sha256"] if known else hostile.fingerprint
    secrets = (
        {"api_token": TOKEN} if case.kind == "flasharray" else {"username": "gavel@vsphere.local", "password": PASSWORD}
    )
    return {"address": address, **secrets} | ({"fingerprint_sha256": pin} if case.pinned else {})


@pytest.mark.parametrize("name", CASES)
def test_a_mistake_is_named_with_the_place_and_what_to_do(
    outcomes: dict[str, Outcome], product: Product, hostile: Hostiles, name: str
) -> None:
    outcome = outcomes[name]
    # A vCenter says who it is before it is signed in to: that it is a source already is said besides.
    failed = [
        check
        for check in outcome.answer["checks"]
        if check["state"] == "failed" and check["name"] != "Not a source already"
    ]
    assert not outcome.answer["passed"]
    assert len(failed) == 1
    assert re.search(CASES[name].says, failed[0]["detail"], re.DOTALL), failed[0]
    assert settings(product, hostile, CASES[name])["address"] in failed[0]["detail"], failed[0]
    assert failed[0]["remedy"], failed[0]
    assert not re.search(r"Traceback|<class|object at 0x", str(outcome.answer))
    assert TOKEN not in str(outcome.answer)
    assert PASSWORD not in str(outcome.answer)


@pytest.mark.parametrize("name", BY_COMMAND)
def test_the_command_says_the_same(product: Product, hostile: Hostiles, name: str) -> None:
    case = CASES[name]
    body = {"kind": case.kind, "name": name, "settings": settings(product, hostile, case), "enabled": False}
    source = product.api.post("/sources", json=body).raise_for_status().json()
    try:
        began = time.monotonic()
        done = product.run("source", "test", name)
        tell(f"gavel source test, {name}: {time.monotonic() - began:.1f} s")
        assert done.returncode == 1
        assert "FAILED" in done.stdout
        assert re.search(case.says, done.stdout, re.DOTALL), done.stdout
        assert "Traceback" not in done.stdout + done.stderr
    finally:
        product.api.delete(f"/sources/{source['id']}").raise_for_status()


def test_sources_that_fail_are_told_on_their_page_and_cost_the_others_no_tick(
    product: Product, hostile: Hostiles, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A refused token, black holes, drips, pages without end and 400 MB in 400 kB are polled for a while beside the good sources."""
    began = product.now()
    wrong = ("a wrong token", "a black hole for a vCenter", "an array that drips")
    added = {}
    for name in wrong:
        body = {"kind": CASES[name].kind, "name": name, "settings": settings(product, hostile, CASES[name])}
        added[name] = product.api.post("/sources", json=body).raise_for_status().json()["id"]
    lab = [source["name"] for source in product.sources()]
    with bad_arrays(tmp_path_factory.mktemp("bad")) as (fingerprint, addresses):
        for name, address in addresses.items():
            kept = {"address": address, "api_token": TOKEN, "fingerprint_sha256": fingerprint}
            body = {"kind": "flasharray", "name": name, "settings": kept}
            added[name] = product.api.post("/sources", json=body).raise_for_status().json()["id"]
        _watch(product, added, wrong, lab, began)


def _watch(product: Product, added: dict[str, int], wrong: tuple[str, ...], lab: list[str], began: float) -> None:
    try:
        for name in wrong:
            product.wait_for(partial(_is_told, product, added[name]), f"{name} to be told", 120)
            assert re.search(CASES[name].says, _error_of(product, added[name]), re.DOTALL)
            assert _logged(product, CASES[name].says), name
        for name in added.keys() - set(wrong):
            product.wait_for(partial(_is_told, product, added[name]), f"{name} to be told", 180)
        found_ticks = ticks(product, lab, began, product.now())
        tell("; ".join(map(str, found_ticks)))
        assert [str(each) for each in found_ticks if each.lost] == []
        until = caught_up(product)
    finally:
        for source in added.values():
            product.api.delete(f"/sources/{source}").raise_for_status()
    found = compare(product, began - 60, until)
    assert found.is_equal, str(found)
    of_the_lab = {source["name"] for source in product.sources()}
    failed = product.ask(
        "SELECT s.name, r.error_message FROM collection_run r JOIN source s ON s.id = r.source_id "
        "WHERE r.error_kind IS NOT NULL AND r.started_at > to_timestamp(%(began)s) AND s.name = ANY(%(names)s)",
        began=began, names=list(of_the_lab),
    )  # fmt: skip
    assert failed == []


def _error_of(product: Product, source: int) -> str:
    answer: dict[str, Any] = product.api.get(f"/sources/{source}").raise_for_status().json()
    return answer["error_message"] or ""


def _is_told(product: Product, source: int) -> bool:
    return bool(_error_of(product, source))


def _logged(product: Product, says: str) -> bool:
    logs = (product.data_dir / "logs").glob("worker-*")
    return any(re.search(says, file.read_text(errors="replace"), re.DOTALL) for file in logs)
