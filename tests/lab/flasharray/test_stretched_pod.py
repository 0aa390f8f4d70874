"""A pod over both arrays: one volume under one serial, mirrored writes on one array or on both, hosts of both."""

from collections import defaultdict
from typing import Any

import pytest
from tests.lab.flasharray.client import Client
from tests.lab.flasharray.labs import build

from gavel_lab.lab import Lab
from gavel_lab.settings import Settings

STRETCHED = "pod.name='metro-pod'"


@pytest.fixture(scope="module")
def counted_once() -> Lab:
    return build(settings=Settings(mirrored_writes_counted_on="one"))


def pair(lab: Lab) -> tuple[Client, Client]:
    one, other = (Client(lab, array) for array in lab.environment.arrays[:2])
    return one, other


def rows_of_pod(client: Client, path: str = "volumes/performance") -> list[dict[str, Any]]:
    """The pod's rows at one instant of the lab, whatever the arrays' clocks say."""
    names = [row["name"] for row in client.get("volumes", filter=STRETCHED)["items"]]
    rows: list[dict[str, Any]] = client.get(path, names=names)["items"]
    return rows


def test_both_arrays_list_the_volume_under_one_serial_that_names_its_creator(lab: Lab) -> None:
    one, other = pair(lab)
    (here,), (there,) = (client.get("volumes", filter=STRETCHED)["items"] for client in (one, other))
    assert here["serial"] == there["serial"]
    assert here["id"] == there["id"]
    assert here["serial"].startswith(one.array.serial_prefix)


def test_the_pod_names_both_arrays(client: Client) -> None:
    version = "2.15"
    (pod,) = client.get("pods", version)["items"]
    assert pod["array_count"] == 2
    assert [array["name"] for array in pod["arrays"]] == [array.name for array in client.lab.environment.arrays[:2]]


def test_writes_to_the_pod_are_mirrored_writes(client: Client) -> None:
    for row in rows_of_pod(client):
        assert row["writes_per_sec"] == 0
        assert row["mirrored_writes_per_sec"] > 0


def test_counted_on_both_the_arrays_show_the_same_mirrored_writes(lab: Lab) -> None:
    one, other = pair(lab)
    here, there = rows_of_pod(one), rows_of_pod(other)
    assert [row["mirrored_writes_per_sec"] for row in here] == [row["mirrored_writes_per_sec"] for row in there]


def test_counted_on_one_the_arrays_show_half_of_what_counting_on_both_does(lab: Lab, counted_once: Lab) -> None:
    """The load is the same in both labs, so match_ratio is 100 % in one and 200 % in the other."""
    both = sum(_mirrored(client) for client in pair(lab))
    once = sum(_mirrored(client) for client in pair(counted_once))
    assert once == pytest.approx(both / 2, abs=4)


def _mirrored(client: Client) -> int:
    return sum(row["mirrored_writes_per_sec"] for row in rows_of_pod(client))


def test_by_array_adds_the_remote_half_with_the_numbers_the_peer_shows_itself(lab: Lab) -> None:
    one, other = pair(lab)
    for path in ("volumes/performance/by-array", "pods/performance/by-array"):
        plain = path.removesuffix("/by-array")
        rows = one.get(path, "2.15")["items"]
        local = [row for row in rows if row["array"]["name"] == one.array.name]
        remote = [row for row in rows if row["array"]["name"] == other.array.name]
        assert len(local) == len(one.get(plain)["items"])
        assert len(remote) == 1
        own = {row["name"]: row for row in other.get(plain, "2.15")["items"]}
        for row in remote:
            # usec_per is left out: each array answers in its own semantics.
            shown = [name for name in row if name.startswith(("mirrored_writes", "reads", "service", "san"))]
            assert [row[name] for name in shown] == [own[row["name"]][name] for name in shown]
        assert len(one.get(path, "2.15")["total"]) == 2


def test_hosts_of_the_peer_are_listed_with_their_arrays_name(client: Client) -> None:
    hosts = client.get("hosts")["items"]
    remote = [host for host in hosts if not host["is_local"]]
    assert {host["name"].split(":")[0] for host in remote} == _peers(client)
    wwns = {wwn for host in hosts if host["is_local"] for wwn in host["wwns"]}
    assert all(set(host["wwns"]) <= wwns for host in remote)
    assert {host["port_connectivity"]["status"] for host in remote} == {"unknown"}


def _peers(client: Client) -> set[str]:
    return {array.name for array in client.lab.environment.arrays[:2]} - {client.array.name}


def test_preferred_arrays_are_references_to_arrays(client: Client) -> None:
    preferred = [array for host in client.get("hosts")["items"] for array in host["preferred_arrays"]]
    assert preferred
    assert {array["name"] for array in preferred} <= {array.name for array in client.lab.environment.arrays}


def test_a_host_is_counted_on_the_array_its_io_went_to(client: Client) -> None:
    """Local rows are served here, the peer's hosts over there; together they are the pod's reads on both arrays."""
    rows = client.get("hosts/performance/by-array")["items"]
    served = defaultdict(set)
    for row in rows:
        served[row["array"]["name"]].add(":" in row["name"])
    assert served == {client.array.name: {False}, _peers(client).pop(): {True}}
    remote = sum(row["reads_per_sec"] for row in rows if ":" in row["name"])
    (pod,) = (
        row for row in client.get("pods/performance/by-array")["items"] if row["array"]["name"] != client.array.name
    )
    assert remote == pytest.approx(pod["reads_per_sec"], abs=len(rows))


def test_connections_of_the_peers_hosts_are_listed(client: Client) -> None:
    rows = [row for row in client.get("connections")["items"] if ":" in row["host"]["name"]]
    assert {row["volume"]["name"].split("::")[0] for row in rows} == {"metro-pod"}
