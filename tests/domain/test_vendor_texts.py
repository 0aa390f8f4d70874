"""Texts of vendors that hold several facts."""

import pytest

from gavel.domain.vendor_texts import PathPolicy, PortHealth, port_health_text


@pytest.mark.parametrize(
    ("state", "detail", "stored", "found"),
    [
        ("healthy", "Redundant", "healthy: Redundant", PortHealth("healthy", "Redundant")),
        ("critical", "No ports: 0 of 2", "critical: No ports: 0 of 2", PortHealth("critical", "No ports: 0 of 2")),
        ("unknown", "Unknown.", "unknown: Unknown.", PortHealth("unknown", None)),
        ("healthy", None, "healthy", PortHealth("healthy", None)),
    ],
)
def test_port_health_comes_apart_as_it_was_put_together(
    state: str, detail: str | None, stored: str, found: PortHealth
) -> None:
    assert port_health_text(state, detail) == stored
    assert PortHealth.parse(stored) == found


def test_port_health_that_an_array_does_not_tell_is_none() -> None:
    assert port_health_text(None, None) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("VMW_PSP_RR policy=iops,iops=1,bytes=10485760,useANO=0", ("VMW_PSP_RR", "iops", 1)),
        ("VMW_PSP_RR policy=rr,iops=1000,bytes=10485760,useANO=0", ("VMW_PSP_RR", None, None)),
        ("VMW_PSP_RR policy=latency,latencyEvalTime=180000", ("VMW_PSP_RR", "latency", None)),
        ("VMW_PSP_RR policy=iops,iops=many", ("VMW_PSP_RR", "iops", None)),
        ("VMW_PSP_MRU", ("VMW_PSP_MRU", None, None)),
        ("", ("", None, None)),
    ],
)
def test_a_path_policy_tells_its_plug_in_and_when_it_changes_the_path(
    text: str, found: tuple[str, str | None, int | None]
) -> None:
    assert PathPolicy.parse(text) == PathPolicy(text, *found)  # type: ignore[arg-type]
