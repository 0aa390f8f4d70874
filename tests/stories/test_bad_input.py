"""Mistakes of a newcomer in a living product: by the command, and beside good sources, which lose no tick."""

import re
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from tests.product.bad_arrays import bad_arrays
from tests.product.comparing import caught_up, compare
from tests.product.hostile import Hostiles, hostiles
from tests.product.mistakes import CASES, TOKEN, settings
from tests.product.running import Product, tell
from tests.product.ticks import ticks

BY_COMMAND = (
    "a wrong token",
    "a vCenter's self-signed certificate",
    "a closed port for an array",
    "a vCenter that never answers",
)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hostiles]:
    with hostiles(tmp_path_factory.mktemp("hostile")) as all_of_them:
        yield all_of_them


@pytest.mark.parametrize("name", BY_COMMAND)
def test_the_command_says_the_same(product: Product, hostile: Hostiles, name: str) -> None:
    case = CASES[name]
    body = {"kind": case.kind, "name": name, "settings": settings(product.sources(), hostile, case), "enabled": False}
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
        body = {"kind": CASES[name].kind, "name": name, "settings": settings(product.sources(), hostile, CASES[name])}
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
