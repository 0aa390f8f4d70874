"""What is expected of a layer, and on what that rests, over HTTP."""

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from tests.api.ledgers import HEALTHY, KERNEL, MINUTE, NOW, Estate, ask, between, minute, span

from gavel.analysis.grade import GradeReason
from gavel.domain.io_path import Layer
from gavel.domain.scope import ScopeKind

DATASTORE = ScopeKind.DATASTORE


def test_an_arrays_settings_say_what_is_expected_of_it(engine: Engine, client: TestClient) -> None:
    estate = Estate(engine, {"expected_array_us": 100, "pod_round_trip_us": 2000})
    estate.attributed_until(NOW)
    store, stretched = estate.id("datastore", "simple"), estate.id("datastore", "stretched")
    for thing in (store, stretched):
        estate.last_minutes(DATASTORE, thing, 5, minute(30_000, 10_000, HEALTHY))
    plain = ask(client, f"datastores/{store}/waterfall")["directions"]
    assert [one["expected_us"] for one in plain] == [200, 200, 200]
    pod = ask(client, f"datastores/{stretched}/waterfall")["directions"]
    assert [one["expected_us"] for one in pod] == [200, 2200, 700]


def test_a_stored_history_is_expected_instead_and_is_chronic_above_its_cap(
    client: TestClient, estate: Estate, store: int
) -> None:
    hour = (NOW - MINUTE).hour
    estate.expect(DATASTORE, store, {hour: (150.0, 1800.0), (NOW - 6 * MINUTE).hour: (150.0, 1800.0)})
    slow = {**HEALTHY, span(Layer.ARRAY): (2000.0, 1990.0, 2010.0)}
    estate.last_minutes(DATASTORE, store, 5, minute(30_000, 10_000, slow))
    found = ask(client, f"datastores/{store}/verdict")
    assert [layer["expected_us"] for layer in found["layers"]] == [0, 150, 1000]
    assert "Chronic: its own history is slower than may be expected" in found["sentence"]["caveats"]
    assert found["expected_from"] == "history"
    assert found["sentence"]["head"].endswith("over usual")


def test_what_was_never_learned_is_called_a_setting_and_not_usual(
    client: TestClient, estate: Estate, store: int
) -> None:
    estate.last_minutes(DATASTORE, store, 5, minute(30_000, 10_000, HEALTHY))
    answers = ("verdict", "waterfall", "deltas")

    def bases() -> set[str | None]:
        row = next(one for one in ask(client, "overview")["items"] if one["subject"]["id"] == store)
        return {row["expected_from"], *(ask(client, f"datastores/{store}/{name}")["expected_from"] for name in answers)}

    assert bases() == {"setting"}
    said = ask(client, f"datastores/{store}/verdict")["sentence"]
    assert said["head"].endswith("the kernel 10 µs over expected")
    assert "What is expected is the setting of the array source: no history of this hour yet" in said["caveats"]
    hours = {(NOW - n * MINUTE).hour for n in range(1, 6)}
    estate.expect(DATASTORE, store, dict.fromkeys(hours, (95.0, 400.0)))
    assert bases() == {"history"}
    assert "usual" in ask(client, f"datastores/{store}/verdict")["sentence"]["head"]


@pytest.mark.parametrize("coarse", [False, True])
def test_whole_milliseconds_do_not_tell_the_kernels_segments_apart_and_parts_still_add_up(
    client: TestClient, estate: Estate, store: int, coarse: bool
) -> None:
    reasons = int(GradeReason.MILLISECONDS) if coarse else 0
    estate.last_minutes(DATASTORE, store, 5, minute(30_000, 10_000, KERNEL, grade_reasons=reasons))
    for found in ask(client, f"datastores/{store}/waterfall")["directions"]:
        kernel = {part["name"]: part for part in found["parts"] if part["layer"] == "kernel"}
        (layer,) = (layer for layer in found["layers"] if layer["name"] == "kernel")
        assert sum(part["us"] for part in kernel.values()) == pytest.approx(layer["us"])
        assert sum(part["us"] for part in found["parts"]) == pytest.approx(found["total_us"])
        if coarse:
            assert [(name, part["label"], part["is_rest"]) for name, part in kernel.items()] == [
                ("kernel_rest", "Kernel, not told apart", True)
            ]
        else:
            assert {"hypervisor", "kernel_queue", "kernel_service"} <= set(kernel)
    over_time = ask(client, f"datastores/{store}/latency?{between(5, 0)}")["directions"][2]
    names = {part["name"] for part in over_time["parts"] if part["layer"] == "kernel"}
    assert names == ({"kernel_rest"} if coarse else {"hypervisor", "kernel_queue", "kernel_service"})


def test_the_basis_is_of_what_was_measured(client: TestClient, estate: Estate, store: int) -> None:
    kernel = {span(Layer.KERNEL): HEALTHY[span(Layer.KERNEL)]}
    estate.last_minutes(DATASTORE, store, 5, minute(30_000, 10_000, kernel))
    assert ask(client, f"datastores/{store}/verdict")["expected_from"] is None
    nothing = ask(client, f"datastores/{estate.id('datastore', 'stretched')}/verdict")
    assert nothing["expected_from"] is None
