"""What is expected of a layer, and on what that rests, over HTTP."""

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from tests.api.ledgers import HEALTHY, KERNEL, MINUTE, NOW, Environment, ask, between, minute, span, texts

from gavel.analysis.attribution import QualityReason
from gavel.domain.io_path import Layer
from gavel.domain.scope import ScopeKind

DATASTORE = ScopeKind.DATASTORE
# 4 KiB at 1,600 MB/s.
TRANSFER_US = 2.56


def test_an_arrays_settings_say_what_is_expected_of_it(engine: Engine, client: TestClient) -> None:
    environment = Environment.made(engine, {"baseline_array_us": 100, "pod_round_trip_us": 2000})
    environment.attributed_until(NOW)
    store, stretched = environment.id("datastore", "simple"), environment.id("datastore", "stretched")
    for thing in (store, stretched):
        environment.last_minutes(DATASTORE, thing, 5, minute(30_000, 10_000, HEALTHY))
    plain = ask(client, f"datastores/{store}/waterfall")["directions"]
    assert [one["baseline_us"] for one in plain] == pytest.approx([200 + TRANSFER_US] * 3)
    pod = ask(client, f"datastores/{stretched}/waterfall")["directions"]
    assert [one["baseline_us"] for one in pod] == pytest.approx([one + TRANSFER_US for one in (200, 2200, 700)])


def test_a_stored_history_is_expected_instead_and_is_chronic_above_its_cap(
    client: TestClient, environment: Environment, store: int
) -> None:
    hour = (NOW - MINUTE).hour
    environment.expect(DATASTORE, store, {hour: (150.0, 1800.0), (NOW - 6 * MINUTE).hour: (150.0, 1800.0)})
    slow = {**HEALTHY, span(Layer.ARRAY): (2000.0, 1990.0, 2010.0)}
    environment.last_minutes(DATASTORE, store, 5, minute(30_000, 10_000, slow))
    found = ask(client, f"datastores/{store}/diagnosis")
    assert [layer["baseline_us"] for layer in found["layers"]] == [0, 150, 1000]
    assert any(one["code"] == "chronic" for one in found["sentence"]["caveats"])
    assert found["baseline_from"] == "history"
    assert found["sentence"]["head"]["text"].endswith("above baseline")


def test_a_baseline_without_history_is_called_the_configured_default(
    client: TestClient, environment: Environment, store: int
) -> None:
    environment.last_minutes(DATASTORE, store, 5, minute(30_000, 10_000, HEALTHY))
    answers = ("diagnosis", "waterfall", "deltas")

    def bases() -> set[str | None]:
        row = next(one for one in ask(client, "overview")["items"] if one["subject"]["id"] == store)
        return {row["baseline_from"], *(ask(client, f"datastores/{store}/{name}")["baseline_from"] for name in answers)}

    assert bases() == {"setting"}
    said = ask(client, f"datastores/{store}/diagnosis")["sentence"]
    assert said["head"]["detail"].endswith("the kernel 10 µs above baseline")
    assert "Baseline: configured default of the array source, no history for this hour yet" in texts(said["caveats"])
    hours = {(NOW - n * MINUTE).hour for n in range(1, 6)}
    environment.expect(DATASTORE, store, dict.fromkeys(hours, (95.0, 400.0)))
    assert bases() == {"history"}
    learned = ask(client, f"datastores/{store}/diagnosis")["sentence"]["caveats"]
    assert not any(caveat["code"] == "default_baseline" for caveat in learned)


@pytest.mark.parametrize("coarse", [False, True])
def test_whole_milliseconds_do_not_tell_the_kernels_segments_apart_and_parts_still_add_up(
    client: TestClient, environment: Environment, store: int, coarse: bool
) -> None:
    reasons = int(QualityReason.MILLISECONDS) if coarse else 0
    environment.last_minutes(DATASTORE, store, 5, minute(30_000, 10_000, KERNEL, quality_reasons=reasons))
    for found in ask(client, f"datastores/{store}/waterfall")["directions"]:
        kernel = {part["name"]: part for part in found["parts"] if part["layer"] == "kernel"}
        (layer,) = (layer for layer in found["layers"] if layer["name"] == "kernel")
        assert sum(part["us"] for part in kernel.values()) == pytest.approx(layer["us"])
        assert sum(part["us"] for part in found["parts"]) == pytest.approx(found["total_us"])
        if coarse:
            assert [(name, part["label"], part["is_rest"]) for name, part in kernel.items()] == [
                ("kernel_rest", "Kernel, not separable", True)
            ]
        else:
            assert {"hypervisor", "kernel_queue", "kernel_service"} <= set(kernel)
    over_time = ask(client, f"datastores/{store}/latency?{between(5, 0)}")["directions"][2]
    names = {part["name"] for part in over_time["parts"] if part["layer"] == "kernel"}
    assert names == ({"kernel_rest"} if coarse else {"hypervisor", "kernel_queue", "kernel_service"})


def test_the_basis_is_of_what_was_measured(client: TestClient, environment: Environment, store: int) -> None:
    kernel = {span(Layer.KERNEL): HEALTHY[span(Layer.KERNEL)]}
    environment.last_minutes(DATASTORE, store, 5, minute(30_000, 10_000, kernel))
    assert ask(client, f"datastores/{store}/diagnosis")["baseline_from"] is None
    nothing = ask(client, f"datastores/{environment.id('datastore', 'stretched')}/diagnosis")
    assert nothing["baseline_from"] is None
