"""fan-in-over-port: a target port against the line rate of its link, at the thresholds and just below."""

from dataclasses import replace

import pytest
from tests.findings.objects import NOW, SINCE, kinds

from gavel.domain.io_path import Confidence, Severity
from gavel.findings.evidence_ports import PortHost, PortLoad
from gavel.findings.model import ObjectRef
from gavel.findings.rules import fan_in_over_port

ARRAY = ObjectRef("array", 2, "flasharray-2")
HOSTS = tuple(
    PortHost(
        host=ObjectRef("host", n, f"esx-0{n}"), adapters=1, devices=4, depth=128, iops=6000.0, bytes_per_s=bytes_per_s
    )
    for n, bytes_per_s in ((1, 1.2e9), (2, 0.4e9))
)
LOAD = PortLoad(
    source_id=1,
    array=ARRAY,
    port="CT0.FC0",
    line_rate=1.6e9,
    received=0.2e9,
    transmitted=1.55e9,
    busy_s=360,
    hosts=HOSTS,
    us=900.0,
    other_us=300.0,
    precision_us=1.0,
    from_at=SINCE,
    to_at=NOW,
)


def test_fan_in_over_port_names_the_port_its_line_rate_and_whose_traffic_it_is() -> None:
    found = fan_in_over_port.evaluate(LOAD)
    assert found is not None
    assert found.title == "Target port CT0.FC0 of flasharray-2 at its line rate: 1,550 MB/s of 1,600 MB/s transmitted"
    assert found.cause == (
        "Reads through this port wait for its link, which carries no more. esx-01 has 75 % of the traffic of 2 hosts on it."
    )
    assert (found.severity, found.confidence) == (Severity.ELEVATED, Confidence.CONFIRMED)
    assert (found.object, found.part) == (ARRAY, "CT0.FC0")
    assert kinds(found) == ["repair", "spread", "limit"]
    assert found.affected == tuple(one.host for one in HOSTS)
    assert found.affected_text == "2 hosts with 2 adapters on this port"
    assert [list(row.cells) for row in found.tables[0].rows] == [[1200, 6000, 4, 128], [400, 6000, 4, 128]]
    numbers = {one.label: one.value for one in found.evidence}
    assert numbers["Line rate"] == 1600
    assert numbers["Depth of all device queues on this port"] == 256


@pytest.mark.parametrize(("busy_s", "is_raised"), [(359, False), (360, True)])
def test_fan_in_over_port_lasts_six_of_ten_minutes(busy_s: int, *, is_raised: bool) -> None:
    assert (fan_in_over_port.evaluate(replace(LOAD, busy_s=busy_s)) is not None) is is_raised


def test_fan_in_over_port_tells_writes_from_reads() -> None:
    found = fan_in_over_port.evaluate(replace(LOAD, received=1.5e9, transmitted=0.1e9))
    assert found is not None
    assert found.title.endswith("1,500 MB/s of 1,600 MB/s received")
    assert found.cause.startswith("Writes through this port")


@pytest.mark.parametrize(
    ("us", "other_us", "precision_us", "severity"),
    [
        (499, 300, 1, Severity.NORMAL),
        (500, 300, 1, Severity.ELEVATED),
        (1300, 300, 1, Severity.HIGH),
        # Whole milliseconds: 2 against 1 may be next to nothing.
        (2000, 1000, 1000, Severity.NORMAL),
        (3000, 1000, 1000, Severity.ELEVATED),
        (200, 300, 1, Severity.NORMAL),
        (None, 300, 1, Severity.NORMAL),
        (900, None, 1, Severity.NORMAL),
    ],
)
def test_fan_in_over_port_is_as_bad_as_its_paths_are_slower_than_others(
    us: float | None, other_us: float | None, precision_us: float, severity: Severity
) -> None:
    found = fan_in_over_port.evaluate(replace(LOAD, us=us, other_us=other_us, precision_us=precision_us))
    assert found is not None
    assert found.severity is severity
    assert ("leave" in kinds(found)) is (severity is Severity.NORMAL)


def test_fan_in_over_port_without_hosts_says_nothing_of_them() -> None:
    found = fan_in_over_port.evaluate(replace(LOAD, hosts=(), us=None, other_us=None))
    assert found is not None
    assert found.cause == "Reads through this port wait for its link, which carries no more."
    assert found.tables == ()
    assert {one.label for one in found.evidence} == {"Transmitted", "Received", "Line rate"}
    unmeasured = fan_in_over_port.evaluate(
        replace(LOAD, hosts=(replace(HOSTS[0], bytes_per_s=None, iops=None, depth=None),))
    )
    assert unmeasured is not None
    assert list(unmeasured.tables[0].rows[0].cells) == [None, None, 4, None]
