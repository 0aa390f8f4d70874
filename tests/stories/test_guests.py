"""`make up` as a newcomer has it: guests of the lab push from the start on, with a token that anybody can see and revoke."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.product.running import Product

from gavel_lab.build import build_environment
from gavel_lab.guests.agents import agents

# Of the lab that every product starts with.
NAMES = {agent.vm.name for agent in agents(build_environment())}


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """With guests that push; nobody waits for the hour that its lab has."""
    made = Product(tmp_path_factory.mktemp("guests"), GAVEL_LAB_GUESTS="1")
    try:
        made.start()
        yield made
    finally:
        made.end()


def guests(product: Product) -> dict[str, Any]:
    found: dict[str, Any] = product.api.get("/guests").raise_for_status().json()
    return found


def disks(product: Product) -> list[dict[str, Any]]:
    answer = product.api.get("/guests/disks", params={"limit": 500})
    found: list[dict[str, Any]] = answer.raise_for_status().json()["items"]
    return found


def test_guests_of_the_lab_push_to_a_listener_on_this_machine_and_are_matched(product: Product) -> None:
    product.wait_for(lambda: guests(product)["guests"] == len(NAMES), "every agent to push", 120)
    product.wait_for(lambda: guests(product)["matched_disks"] > len(NAMES), "their disks to be matched", 120)
    product.wait_for(
        lambda: all(disk["matched_by"] or disk["reason"] for disk in disks(product)), "every disk to be looked for", 60
    )
    found = guests(product)
    assert [token["name"] for token in found["tokens"]] == ["lab guests"]
    assert {each["reason"] for each in found["tokens"][0]["refused"]} <= {"not_a_disk", "counter_reset"}
    listed = disks(product)
    assert {disk["host_name"] for disk in listed} == NAMES
    assert {disk["vm_name"] for disk in listed if disk["matched_by"]} <= NAMES
    assert {disk["reason"] for disk in listed if not disk["matched_by"]} == {"no_identity"}
    status = product.run("status").stdout
    assert f"Guests push to: http://127.0.0.1:{found['port']}\n" in status


def test_guests_push_on_after_the_lab_was_killed_and_what_they_counted_before_is_no_interval(product: Product) -> None:
    before = product.services()["lab"]
    product.kill(next(part for part in product.parts() if part.pid == before["pid"]))
    product.wait_for(
        lambda: any(each["reason"] == "counter_reset" for each in guests(product)["tokens"][0]["refused"]),
        "a guest that has booted",
        120,
    )
    asked_at = product.now()
    product.wait_for(
        lambda: bool(
            product.ask("SELECT 1 FROM guest_disk_sample WHERE ts > to_timestamp(%(at)s) LIMIT 1", at=asked_at)
        ),
        "the next intervals",
        120,
    )
