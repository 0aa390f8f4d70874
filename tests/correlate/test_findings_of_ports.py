"""Target ports near their line rate and full adapters over a real database, and their quiet twins."""

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.correlate.correlated import START, Environment
from tests.db.environments import array_inventory, batch, host_inventory

from gavel.correlate.finding_evidence import LOADERS
from gavel.correlate.finding_loads import EvidenceWindow
from gavel.correlate.run import MINUTE
from gavel.db.engine import reading, transaction
from gavel.db.write.inventory import store_inventory
from gavel.domain.inventory import ArrayPort, InventoryTaken
from gavel.domain.source import Stream
from gavel.findings.model import Finding, FindingRule
from gavel.findings.registry import RULES_BY_ID

RULE = RULES_BY_ID["fan-in-over-port"]
LINE_RATE = 100_000_000
OWN, OTHER = "524a937000000001", "524a937000000002"


def listed(environment: Environment, *, line_rate: int | None = LINE_RATE) -> None:
    """Two ports, each with one of the two paths of either host's first device."""
    array = array_inventory()
    ports = (
        ArrayPort("CT0.FC0", OWN.upper(), None, None, None, line_rate),
        ArrayPort("CT0.FC1", OTHER.upper(), None, None, None, 8 * LINE_RATE),
    )
    hosts = host_inventory()
    paths = tuple(replace(one, target=OWN if one.name.endswith("T0:L0") else OTHER) for one in hosts.paths)
    with transaction(environment.engine) as connection:
        store_inventory(connection, environment.array, InventoryTaken(replace(array, ports=ports), START))
        store_inventory(connection, environment.vcenter, InventoryTaken(replace(hosts, paths=paths), START))


def traffic(environment: Environment, *, transmitted: int, minutes: int = 10) -> None:
    """Bytes per second of either port; one way."""
    ends = [START + n * timedelta(seconds=30) for n in range(1, 2 * minutes + 1)]
    for port in ("CT0.FC0", "CT0.FC1"):
        samples = batch(
            Stream.ARRAY_PORT, port, ends, 30, received_bytes=30_000_000, transmitted_bytes=30 * transmitted, errors=0
        )
        environment.write(environment.array, samples)


def path_samples(environment: Environment) -> None:
    """Of esx-1: 2 ms to the one port, 5 ms to the other."""
    for counter, us, ops in (("p0", 5000, 30_000), ("p1", 2000, 60_000)):
        samples = batch(
            Stream.PATH, f"esx-1/{counter}", [START + 5 * MINUTE], 300,
            read_ops=ops, write_ops=0, read_bytes=ops * 1000, write_bytes=0, read_latency_us=us, precision=2,
        )  # fmt: skip
        environment.write(environment.vcenter, samples)


def raised(environment: Environment, rule: FindingRule = RULE) -> list[Finding]:
    window = EvidenceWindow(START, START + 10 * MINUTE, START + 11 * MINUTE)
    with reading(environment.engine) as connection:
        every = [rule.evaluate(one) for one in LOADERS[rule.evidence].load(connection, window)]
    return [one for one in every if one is not None]


def test_fan_in_over_port_compares_a_port_with_its_own_link_and_its_paths_with_others(
    environment: Environment,
) -> None:
    listed(environment)
    traffic(environment, transmitted=95_000_000)
    path_samples(environment)
    (found,) = raised(environment)
    assert (found.object.name, found.part) == ("name of array-a", "CT0.FC0")
    numbers = {one.label: one.value for one in found.evidence}
    assert numbers["Transmitted"] == pytest.approx(95)
    assert numbers["Latency of paths to this port"] == pytest.approx(5000)
    assert numbers["Latency of paths to other ports"] == pytest.approx(2000)
    assert numbers["Depth of all device queues on this port"] == 64
    assert {row.object.name for row in found.tables[0].rows if row.object} == {"esx-1", "esx-2"}
    assert list(found.tables[0].rows[0].cells) == [pytest.approx(0.1), pytest.approx(100), 1, 32]


@pytest.mark.parametrize(
    ("transmitted", "line_rate", "minutes"),
    [(89_000_000, LINE_RATE, 10), (95_000_000, None, 10), (95_000_000, LINE_RATE, 5)],
    ids=["below the line rate", "speed unknown", "half of the time"],
)
def test_fan_in_over_port_has_quiet_twins(
    environment: Environment, transmitted: int, line_rate: int | None, minutes: int
) -> None:
    listed(environment, line_rate=line_rate)
    traffic(environment, transmitted=transmitted, minutes=minutes)
    assert raised(environment) == []


def test_fan_in_over_port_of_a_port_without_samples_is_not_raised(environment: Environment) -> None:
    listed(environment)
    assert raised(environment) == []


# --- adapters -----------------------------------------------------------------------------------------------------------

ADAPTER_RULE = RULES_BY_ID["adapter-queue-full"]


def adapter(environment: Environment, *, active: int, queued: int | None, minutes: int = 10) -> None:
    """Samples of one adapter that holds 100 I/Os; None: its host does not serve that counter."""
    ends = [START + n * timedelta(seconds=20) for n in range(1, 3 * minutes + 1)]
    numbers = {"queue_depth": 100, "outstanding": active} | ({} if queued is None else {"queued": queued})
    environment.write(environment.vcenter, batch(Stream.ADAPTER, "esx-1/vmhba1", ends, **numbers))


def test_adapter_queue_full_is_told_by_the_adapters_own_counters(environment: Environment) -> None:
    adapter(environment, active=95, queued=20)
    (found,) = raised(environment, ADAPTER_RULE)
    assert (found.object.name, found.part) == ("esx-1", "vmhba1")
    numbers = {one.label: one.value for one in found.evidence}
    assert numbers["Active in the adapter"] == pytest.approx(95)
    assert numbers["Queued before the adapter"] == pytest.approx(20)
    assert numbers["Depth of its device queues together"] == 32


@pytest.mark.parametrize(
    ("active", "queued", "minutes"),
    [(89, 20, 10), (95, 0, 10), (95, None, 10), (95, 20, 5)],
    ids=["slots left", "nothing waits", "not served", "half of the time"],
)
def test_adapter_queue_full_has_quiet_twins(
    environment: Environment, active: int, queued: int | None, minutes: int
) -> None:
    adapter(environment, active=active, queued=queued, minutes=minutes)
    assert raised(environment, ADAPTER_RULE) == []
