"""OTLP in JSON as the hostmetrics receiver sends it."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavel.collectors.guests.otlp.parse import OtlpError
from gavel.collectors.guests.otlp.parse import parse_json as read_otlp_json
from gavel.domain.guests import DiskCounters, GuestAgent, GuestDiskKind, RefusalReason

AT = "1732400000000000000"
START = "1732000000000000000"


def attributes(**values: str) -> list[dict[str, Any]]:
    return [{"key": name.replace("_", "."), "value": {"stringValue": value}} for name, value in values.items()]


def metric(name: str, *points: dict[str, Any], temporality: Any = 2) -> dict[str, Any]:
    return {
        "name": name,
        "sum": {"dataPoints": list(points), "aggregationTemporality": temporality, "isMonotonic": True},
    }


def point(device: str, direction: str | None, **value: Any) -> dict[str, Any]:
    named = {"device": device} | ({"direction": direction} if direction else {})
    return {"attributes": attributes(**named), "startTimeUnixNano": START, "timeUnixNano": AT, **value}


def body(*metrics: dict[str, Any], **resource: str) -> bytes:
    group = {
        "resource": {"attributes": attributes(**(resource or {"host_name": "app01"}))},
        "scopeMetrics": [{"scope": {"name": "hostmetrics"}, "metrics": list(metrics)}],
    }
    return json.dumps({"resourceMetrics": [group]}).encode()


def disk(device: str = "sda") -> list[dict[str, Any]]:
    return [
        metric("system.disk.operations", point(device, "read", asInt="10"), point(device, "write", asInt="20")),
        metric("system.disk.io", point(device, "read", asInt="4096"), point(device, "write", asInt=8192)),
        metric(
            "system.disk.operation_time", point(device, "read", asDouble=0.007), point(device, "write", asDouble=0.5)
        ),
        metric("system.disk.weighted_io_time", point(device, None, asDouble=1.25)),
    ]


def test_points_of_one_disk_and_moment_become_one_reading() -> None:
    found = read_otlp_json(body(*disk(), *disk("sdb")))
    assert found.refused == ()
    first, second = found.readings
    assert (first.agent, first.kind, first.disk, second.disk) == (
        GuestAgent.OPENTELEMETRY,
        GuestDiskKind.DISK,
        "sda",
        "sdb",
    )
    assert (first.guest.host_name, first.at_us) == ("app01", 1_732_400_000_000_000)
    assert first.numbers == DiskCounters(10, 20, 4096, 8192, 7000, 500_000, 1_250_000, wraps_ms=True, epoch=START)


def test_other_metrics_partitions_and_gauges_are_counted_out_by_reason() -> None:
    found = read_otlp_json(
        body(
            *disk(),
            metric("system.cpu.time", point("cpu0", None, asDouble=1)),
            metric("system.disk.operations", point("sda1", "read", asInt="1")),
            metric("system.disk.io", point("sda", "read", asInt="1"), temporality=1),
            metric("system.disk.operations", point("sdc", "read", asInt="1")),
            metric("system.disk.operations", point("sdd", "sideways", asInt="1")),
            {"name": "system.disk.pending_operations", "gauge": {}},
        )
    )
    assert len(found.readings) == 1
    assert sorted(each.reason for each in found.refused) == sorted(
        [RefusalReason.UNKNOWN_MEASUREMENT] * 2 + [RefusalReason.NOT_A_DISK] + [RefusalReason.NO_COUNTERS] * 3
    )


@pytest.mark.parametrize("value", [{"asInt": "-1"}, {"asInt": "x"}, {"asDouble": "NaN"}, {"asDouble": "Infinity"}, {}])
def test_a_value_that_is_no_count_is_counted_out(value: dict[str, Any]) -> None:
    found = read_otlp_json(body(metric("system.disk.operations", point("sda", "read", **value))))
    assert [each.reason for each in found.refused] == [RefusalReason.NOT_A_NUMBER]


def test_a_resource_without_a_host_name_is_counted_out() -> None:
    found = read_otlp_json(body(*disk(), service_name="x"))
    assert {each.reason for each in found.refused} == {RefusalReason.NO_HOST}


@pytest.mark.parametrize("text", [b"", b"[]", b"{", b"[" * 100_000, b'{"resourceMetrics": 3}'])
def test_a_body_that_is_no_request_is_refused_as_a_whole(text: bytes) -> None:
    with pytest.raises(OtlpError):
        read_otlp_json(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["sum", "name", "dataPoints"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.lists(JSON, max_size=3), JSON)
def test_whatever_the_json_holds_it_is_read_or_refused(metrics: list[Any], value: Any) -> None:
    strange = {"attributes": attributes(device="sda", direction="read"), "timeUnixNano": value, "asInt": value}
    with suppress(OtlpError):
        found = read_otlp_json(body(*disk(), metric("system.disk.operations", strange), *metrics))
        assert [each.disk for each in found.readings][:1] == ["sda"]
