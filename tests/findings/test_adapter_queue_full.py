"""adapter-queue-full: an adapter by its own counters, at the thresholds and just below."""

from dataclasses import replace

import pytest
from tests.findings.objects import NOW, SINCE, kinds

from gavel.domain.io_path import Confidence, Severity
from gavel.findings.evidence_ports import AdapterLoad
from gavel.findings.model import ObjectRef
from gavel.findings.rules import adapter_queue_full

HOST = ObjectRef("host", 3, "esx-03")
LOAD = AdapterLoad(
    source_id=1,
    host=HOST,
    adapter="vmhba2",
    active=254,
    queued=40,
    depth=256,
    full_s=360,
    devices=((ObjectRef("device", 7, "naa.1"), 128), (ObjectRef("device", 8, "naa.2"), 192), (ObjectRef("device", 9, "naa.3"), None)),
    from_at=SINCE,
    to_at=NOW,
)  # fmt: skip


def test_adapter_queue_full_names_the_adapter_and_the_queues_that_share_it() -> None:
    found = adapter_queue_full.evaluate(LOAD)
    assert found is not None
    assert found.title == "Adapter queue of vmhba2 on esx-03 full: 254 of 256 I/Os active, 40 queued"
    assert found.cause.startswith("3 devices share this adapter.")
    assert (found.object, found.part, found.confidence) == (HOST, "vmhba2", Confidence.CONFIRMED)
    assert kinds(found) == ["spread", "vendor"]
    numbers = {one.label: one.value for one in found.evidence}
    assert numbers["Depth of its device queues together"] == 320
    assert [list(row.cells) for row in found.tables[0].rows] == [[128], [192], [None]]


@pytest.mark.parametrize(("full_s", "is_raised"), [(359, False), (360, True)])
def test_adapter_queue_full_lasts_six_of_ten_minutes(full_s: int, *, is_raised: bool) -> None:
    assert (adapter_queue_full.evaluate(replace(LOAD, full_s=full_s)) is not None) is is_raised


@pytest.mark.parametrize(("queued", "severity"), [(255, Severity.ELEVATED), (256, Severity.HIGH)])
def test_adapter_queue_full_is_high_where_as_many_again_wait(queued: float, severity: Severity) -> None:
    found = adapter_queue_full.evaluate(replace(LOAD, queued=queued))
    assert found is not None
    assert found.severity is severity


def test_adapter_queue_full_without_devices_has_no_table() -> None:
    found = adapter_queue_full.evaluate(replace(LOAD, devices=()))
    assert found is not None
    assert found.tables == ()
    assert "Depth of its device queues together" not in {one.label for one in found.evidence}
