"""What a FlashArray says of itself and of its hosts, as Gavel's inventory."""

import pytest

from gavel.collectors.arrays.flasharray import inventory, wire
from gavel.domain.inventory import Fact, PortHealth


@pytest.mark.parametrize(
    ("status", "details", "found"),
    [
        ("healthy", "Redundant", PortHealth("healthy", "Redundant")),
        ("critical", "No ports: 0 of 2", PortHealth("critical", "No ports: 0 of 2")),
        ("unknown", "Unknown.", PortHealth("unknown", None)),
        ("healthy", None, PortHealth("healthy", None)),
        (None, None, None),
    ],
)
def test_port_health_is_a_state_and_what_its_detail_adds(
    status: str | None, details: str | None, found: PortHealth | None
) -> None:
    assert inventory.port_health(wire.PortConnectivity(status=status, details=details)) == found


def test_a_host_without_port_health_has_none() -> None:
    assert inventory.port_health(None) is None


@pytest.mark.parametrize(
    ("name", "is_local", "owner"),
    [
        ("array-b:esx-1", False, "array-b"),
        ("esx-1", False, None),
        (":esx-1", False, None),
        ("a:b", True, None),
        ("a:b", None, None),
    ],
)
def test_a_host_of_a_pods_other_array_names_its_owner(name: str, is_local: bool | None, owner: str | None) -> None:
    assert inventory.array_host(wire.HostItem(name=name, is_local=is_local)).managed_by == owner


def test_an_array_says_its_versions_and_what_its_latency_holds_in_its_own_words() -> None:
    info = inventory.array_info(wire.ArrayItem(id="a", name="array", version="6.6.10"), (), (2, 36))
    assert info.version == "6.6.10"
    assert info.facts == (
        Fact("Purity", "6.6.10"),
        Fact("REST API", "2.36"),
        Fact("Reported latency", "includes queue time"),
    )


@pytest.mark.parametrize(
    ("qos", "limits"),
    [
        (None, (None, None)),
        (wire.Qos(), (None, None)),
        (wire.Qos(bandwidth_limit=10**9, iops_limit=6000), (6000, 10**9)),
    ],
)
def test_a_volume_group_has_the_limits_that_its_volumes_share(
    qos: wire.Qos | None, limits: tuple[int | None, int | None]
) -> None:
    group = inventory.volume_group(wire.VolumeGroupItem("g-1", "vg", qos))
    assert (group.name, (group.qos_iops_limit, group.qos_bytes_per_s_limit)) == ("vg", limits)


def test_a_port_has_the_line_rate_of_its_interface_less_the_encoding_of_fibre_channel() -> None:
    rates = inventory.line_rates(
        [
            wire.InterfaceItem(name="ct0.fc0", interface_type="fc", speed=32_000_000_000),
            wire.InterfaceItem(name="CT0.ETH4", interface_type="eth", speed=25_000_000_000),
            wire.InterfaceItem(name="ct0.fc1", interface_type="fc", speed=0),
            wire.InterfaceItem(name="ct0.fc2", interface_type="fc"),
        ]
    )
    listed = [inventory.port(wire.PortItem(name=name), rates) for name in ("CT0.FC0", "CT0.ETH4", "CT0.FC1", "CT0.FC2")]
    assert [one.line_rate_bytes_per_s for one in listed] == [3_200_000_000, 3_125_000_000, None, None]
