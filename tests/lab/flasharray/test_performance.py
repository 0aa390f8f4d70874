"""The numbers of different endpoints belong together, and are those of the model."""

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from tests.lab.flasharray.client import Client

from gavel_lab.model import ArrayBy, By

Row = dict[str, Any]
RATES = ("reads_per_sec", "writes_per_sec", "mirrored_writes_per_sec", "read_bytes_per_sec", "write_bytes_per_sec")
SUB_TIMES = ("service_usec_per_{}_op", "queue_usec_per_{}_op", "san_usec_per_{}_op", "qos_rate_limit_usec_per_{}_op")
DIRECTIONS = ("read", "write", "mirrored_write")


def window(client: Client, count: int = 2) -> dict[str, int]:
    """The last complete samples of 30 s."""
    last = (client.now_ms() - 60_000) // 30_000 * 30_000
    return {"resolution": 30_000, "start_time": last - (count - 1) * 30_000, "end_time": last}


def by_time(rows: list[Row]) -> dict[int, list[Row]]:
    grouped: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        grouped[row["time"]].append(row)
    return grouped


def test_rows_are_the_rounded_numbers_of_the_model(client: Client) -> None:
    asked = window(client, 1)
    rows = client.get("volumes/performance", **asked)["items"]
    index = {volume.id: volume.index for volume in client.lab.environment.volumes}
    clock = client.lab.clocks.arrays[client.array.index]
    spans = clock.windows(np.array([asked["end_time"] // 1000]), 30.0)
    for row in rows:
        reading = client.lab.model.read_array(ArrayBy.VOLUME, [index[row["id"]]], spans, array=client.array.index)
        for place, direction in enumerate(DIRECTIONS):
            assert row[f"{direction}s_per_sec"] == pytest.approx(reading.ops_per_s()[0, 0, place], abs=0.501)
            if row[f"{direction}s_per_sec"] == 0:
                continue
            service = float(reading.segment_us("array_service")[0, 0, place])
            queue = float(reading.segment_us("array_queue")[0, 0, place])
            shown = service + queue if client.array.purity != "6.3.3" else service
            assert row[f"usec_per_{direction}_op"] == pytest.approx(shown, abs=0.501)
            assert row[f"service_usec_per_{direction}_op"] == pytest.approx(service, abs=0.501)
            san = float(reading.segment_us("array_port")[0, 0, place])
            assert row[f"san_usec_per_{direction}_op"] == pytest.approx(san, abs=0.501)


def test_the_default_environment_has_load_queueing_and_idleness_to_show(client: Client) -> None:
    end = client.now_ms()
    rows = client.get("volumes/performance", resolution=300_000, start_time=end - 3_600_000)["items"]
    assert any(row["reads_per_sec"] > 1_000 for row in rows)
    assert any(row["queue_usec_per_read_op"] > 0 for row in rows)
    assert any(row["mirrored_writes_per_sec"] > 0 and row["writes_per_sec"] == 0 for row in rows)


def test_the_protocol_endpoint_is_all_zero(new: Client) -> None:
    endpoint = next(row for row in new.get("volumes")["items"] if row["subtype"] == "protocol_endpoint")
    (row,) = new.get("volumes/performance", names=endpoint["name"], **window(new, 1))["items"]
    assert not any(value for name, value in row.items() if "per_" in name)


def test_the_old_array_shows_the_old_semantics_and_the_new_one_the_new(old: Client, new: Client) -> None:
    queued = 0
    for client in (old, new):
        for row in client.get("volumes/performance", **window(client, 10))["items"]:
            for direction in DIRECTIONS:
                usec, service = row[f"usec_per_{direction}_op"], row[f"service_usec_per_{direction}_op"]
                queue = row[f"queue_usec_per_{direction}_op"]
                expected = service if client is old else service + queue
                assert abs(usec - expected) <= 1
                queued += queue > 1
    assert queued, "without queueing the two semantics look the same"


def test_volumes_and_files_add_up_to_the_array(client: Client) -> None:
    """Exact sums, rounded once per row: half a count of slack for every row that is added."""
    asked = window(client, 4)
    volumes = by_time(client.get("volumes/performance", **asked)["items"])
    files = by_time(client.get("directories/performance", **asked)["items"])
    for array in client.get("arrays/performance", **asked)["items"]:
        rows = [*volumes[array["time"]], *files.get(array["time"], [])]
        for rate in RATES:
            added = sum(row.get(rate, 0) for row in rows)
            assert added == pytest.approx(array[rate], abs=0.5 * (len(rows) + 1)), rate


def test_protocols_split_the_array_into_block_and_file(new: Client) -> None:
    asked = window(new, 1)
    whole, block, file, nfs, smb = (
        new.get("arrays/performance", **asked, **parameters)["items"][0]
        for parameters in (
            {},
            {"protocol_group": "block"},
            {"protocol_group": "file"},
            {"protocol": "nfs"},
            {"protocol": "smb"},
        )
    )
    assert file["reads_per_sec"] > 0
    assert file == nfs
    for rate in RATES:
        assert block[rate] + file[rate] == pytest.approx(whole[rate], abs=2)
    assert not any(value for name, value in smb.items() if "per_" in name)
    pods = new.get("pods/performance", protocol_group="file", **asked)["items"]
    assert not any(pod["reads_per_sec"] for pod in pods)


@pytest.mark.parametrize("parameters", [{"protocol": "s3"}, {"protocol_group": "object-store"}])
def test_object_store_is_a_word_of_later_versions(new: Client, parameters: dict[str, str]) -> None:
    assert new.refused("arrays/performance", "2.50", **parameters)[0] == 400
    (row,) = new.get("arrays/performance", "2.51", **parameters)["items"]
    assert row["reads_per_sec"] == 0


def test_totals_are_the_sum_of_the_items_truncated(client: Client) -> None:
    body = client.get("volumes/performance", **window(client, 3))
    rows = by_time(body["items"])
    assert [total["time"] for total in body["total"]] == sorted(rows)
    for total in body["total"]:
        assert total["name"] is None
        for rate in RATES:
            added = sum(row[rate] for row in rows[total["time"]])
            assert added == pytest.approx(total[rate], abs=0.5 * len(rows[total["time"]]) + 1), rate
        for direction in DIRECTIONS:
            for pattern in SUB_TIMES:
                mean = _weighted(rows[total["time"]], pattern.format(direction), f"{direction}s_per_sec")
                assert total[pattern.format(direction)] == pytest.approx(mean, abs=2), (direction, pattern)


def test_total_only_leaves_the_items_out_and_a_filter_leaves_rows_out_of_the_total(client: Client) -> None:
    everything = client.get("volumes/performance", **window(client, 1))
    only = client.get("volumes/performance", total_only=True, **window(client, 1))
    assert only["items"] == []
    assert only["total"] == everything["total"]
    busy = client.get("volumes/performance", filter="reads_per_sec>100", **window(client, 1))
    assert busy["items"]
    assert busy["total"][0]["writes_per_sec"] == pytest.approx(
        sum(row["writes_per_sec"] for row in busy["items"]), abs=0.5 * len(busy["items"]) + 1
    )
    named = [row["name"] for row in everything["items"] if row["reads_per_sec"] > 100]
    assert client.get("volumes/performance", names=named, **window(client, 1))["total"] == busy["total"]


def test_a_volume_group_is_the_sum_of_its_volumes(new: Client) -> None:
    members = defaultdict(list)
    for row in new.get("volume-groups/volumes")["items"]:
        members[row["group"]["id"]].append(row["member"]["id"])
    asked = window(new, 1)
    volumes = {row["id"]: row for row in new.get("volumes/performance", **asked)["items"]}
    groups = new.get("volume-groups/performance", **asked)["items"]
    assert any(group["reads_per_sec"] for group in groups)
    for group in groups:
        mine = [volumes[member] for member in members[group["id"]]]
        assert group["reads_per_sec"] == pytest.approx(
            sum(row["reads_per_sec"] for row in mine), abs=0.5 * len(mine) + 1
        )


def test_local_hosts_add_up_to_what_their_array_served(client: Client) -> None:
    """Reads are served where they arrive, so the array's hosts account for all of its volumes' reads."""
    hosts = [row for row in client.get("hosts/performance/by-array")["items"] if ":" not in row["name"]]
    volumes = client.get("volumes/performance")["items"]
    added = sum(row["reads_per_sec"] for row in volumes)
    assert sum(row["reads_per_sec"] for row in hosts) == pytest.approx(added, abs=len(hosts) + len(volumes))


def test_balance_counts_the_operations_of_each_path_of_a_host(client: Client) -> None:
    paths = client.get("hosts/performance/balance")["items"]
    hosts = {row["name"]: row for row in client.get("hosts/performance")["items"]}
    by_host = defaultdict(list)
    for path in paths:
        by_host[path["name"]].append(path)
    assert by_host
    for name, mine in by_host.items():
        host = hosts[name]
        ops = host["reads_per_sec"] + host["writes_per_sec"] + host["mirrored_writes_per_sec"]
        assert sum(path["op_count"] for path in mine) == pytest.approx(ops, abs=len(mine) + 2)
        if ops > 10:
            assert max(path["fraction_relative_to_max"] for path in mine) == 1.0


def test_interfaces_carry_what_the_hosts_read_and_write(client: Client) -> None:
    asked = window(client, 1)
    interfaces = client.get("network-interfaces/performance", **asked)
    volumes = client.get("volumes/performance", **asked)["items"]
    files = client.get("directories/performance", **asked)["items"]
    sent = sum(row[row["interface_type"]]["transmitted_bytes_per_sec"] for row in interfaces["items"])
    read = sum(row["read_bytes_per_sec"] for row in [*volumes, *files])
    assert sent == pytest.approx(_without_bare(client, read, asked), rel=1e-6, abs=len(volumes) + 20)
    total = interfaces["total"][0]
    assert total["eth"]["transmitted_bytes_per_sec"] + total["fc"]["transmitted_bytes_per_sec"] == sent


def _without_bare(client: Client, read: float, asked: dict[str, int]) -> float:
    """Machines that are no ESXi hosts have no paths in the environment, so no port carries their I/O."""
    environment = client.lab.environment
    bare = {environment.volumes[load.volume].id for load in environment.bare_loads}
    rows = client.get("volumes/performance", **asked)["items"]
    of_bare: int = sum(row["read_bytes_per_sec"] for row in rows if row["id"] in bare)
    return read - of_bare


def test_a_directory_has_the_reads_of_the_hosts_that_mount_it(new: Client) -> None:
    asked = window(new, 1)
    (row,) = new.get("directories/performance", **asked)["items"]
    clock = new.lab.clocks.arrays[new.array.index]
    spans = clock.windows(np.array([asked["end_time"] // 1000]), 30.0)
    reading = new.lab.model.read(By.DIRECTORY, [0], spans)
    assert row["reads_per_sec"] == pytest.approx(reading.ops_per_s()[0, 0, 0], abs=0.501)
    assert row["usec_per_read_op"] == pytest.approx(reading.latency_us("array_internal")[0, 0, 0], abs=0.501)


def _weighted(rows: list[Row], value: str, weight: str) -> float:
    total = sum(row[weight] for row in rows)
    return float(sum(row[value] * row[weight] for row in rows) / total) if total else 0.0
