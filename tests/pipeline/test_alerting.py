"""Alerting on a real database: from a minute of the ledger to the message, whatever stops in between."""

from collections.abc import Iterator

import pytest
from tests.alerting.receivers import HttpReceiver, http_receiver
from tests.pipeline.alert_scene import HEALTHY, KERNEL, AlertScene, alert_scene, told


@pytest.fixture
def scene(postgres_url: str) -> Iterator[AlertScene]:
    with alert_scene(postgres_url) as made:
        yield made


@pytest.fixture
def receiver() -> Iterator[HttpReceiver]:
    with http_receiver() as found:
        yield found


def test_a_slow_kernel_is_told_once_and_its_end_once(scene: AlertScene, receiver: HttpReceiver) -> None:
    scene.rule()
    scene.channel(receiver)
    for spans in (HEALTHY, KERNEL, KERNEL, KERNEL, HEALTHY, HEALTHY):
        scene.step(spans)
    assert scene.states() == ["firing", "resolved"]
    firing, resolved = told(receiver)
    assert [one["type"] for one in (firing, resolved)] == ["alert.firing", "alert.resolved"]
    data = firing["data"]
    assert data["incident_id"] == resolved["data"]["incident_id"]
    assert data["verdict"].startswith("Kernel queue")
    assert data["path"][-1] == "simple"
    assert data["labels"]["layer"] == "kernel"
    (kernel,) = (layer for layer in data["layers"] if layer["name"] == "Kernel")
    assert (kernel["us"], kernel["lower_us"], kernel["upper_us"]) == pytest.approx((438, 425, 451), rel=1e-3)
    assert data["evidence"][0].startswith("64 I/Os outstanding")
    assert data["grade"] == "A"
    assert data["links"]["Open"].startswith(f"https://gavel.example.org/datastores/{scene.store}?from=")
    assert data["links"]["Runbook"] == "https://wiki.example.org/kernel"
    assert "Over since" in resolved["data"]["verdict"]
