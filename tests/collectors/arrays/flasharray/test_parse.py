"""Rows that a healthy array never sends, and the arithmetic between the wire's rates and Gavel's counts."""

import json

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavel.collectors.arrays.flasharray import inventory as build
from gavel.collectors.arrays.flasharray import parse, wire
from gavel.domain.errors import ProtocolError
from gavel.domain.samples import NOT_MEASURED
from gavel.domain.source import Stream
from gavel.domain.streams import COLUMNS_OF


def _rows(*rows: dict[str, object]) -> tuple[list[wire.VolumePerformance], int]:
    return parse.parse_items([msgspec.Raw(json.dumps(row).encode()) for row in rows], wire.VolumePerformance)


@pytest.mark.parametrize(
    ("stream", "kind"),
    [
        (Stream.ARRAY_VOLUME, wire.VolumePerformance),
        (Stream.ARRAY_WIDE, wire.VolumePerformance),
        (Stream.ARRAY_DIRECTORY, wire.DirectoryPerformance),
        (Stream.ARRAY_PORT, wire.PortPerformance),
    ],
)
def test_what_is_read_of_a_row_is_what_columns_are_made_from(stream: Stream, kind: type[msgspec.Struct]) -> None:
    declared = [counter.name for column in COLUMNS_OF[stream] for counter in column.counters]
    read = {field.encode_name for field in msgspec.structs.fields(kind)} - {"id", "name", "time"}
    assert sorted(declared) == sorted(read)


def test_a_port_has_one_name_however_the_array_spells_it() -> None:
    """Hosts are told by their initiators, which vCenter spells its own way."""
    raw = [
        msgspec.Raw(json.dumps({"name": name, "wwns": [wwn]}).encode())
        for name, wwn in (("plain", "2100F4C7AA002706"), ("with colons", "21:00:f4:c7:aa:00:27:06"))
    ]
    hosts, rejected = parse.parse_items(raw, wire.HostItem)
    assert rejected == 0
    assert {build.array_host(host).wwns for host in hosts} == {("2100F4C7AA002706",)}


def test_a_row_of_the_wrong_type_is_rejected_and_its_neighbours_are_kept() -> None:
    rows, rejected = _rows({"id": "a", "time": 1}, {"id": "b", "time": "noon"}, {"time": 2}, {"id": "c", "time": 3})
    assert [row.id for row in rows] == ["a", "c"]
    assert rejected == 2


_ROWS = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from(["a", "b", None]),
        "time": st.sampled_from([1_000, 2_000, "noon", 1.5]),
        "reads_per_sec": st.sampled_from([None, 5, 2.5, "five", -1]),
        "more": st.sampled_from([{"within": [1, {}]}, []]),
    },
)


@given(st.lists(_ROWS, max_size=6), st.booleans())
def test_a_page_that_is_read_at_once_is_as_one_that_is_read_row_by_row(
    rows: list[dict[str, object]], more: bool
) -> None:
    body = json.dumps({"items": rows, "more_items_remaining": more, "continuation_token": "next"}).encode()
    page = parse.parse_rows(body, "array: volumes", wire.VolumePerformance)
    assert (page.items, page.rejected) == _rows(*rows)
    assert (page.is_last, page.continuation_token) == (not more, "next")


@pytest.mark.parametrize("nonsense", [-1, -0.5, 2**63, 1e300])
def test_a_number_no_array_can_mean_is_not_measured(nonsense: float) -> None:
    rows, _ = _rows(
        {"id": "a", "time": 1, "reads_per_sec": 10, "service_usec_per_read_op": nonsense, "writes_per_sec": nonsense}
    )
    batch = parse.performance_batch(rows, stream=Stream.ARRAY_VOLUME, interval_s=30)
    assert batch.values["read_service_us"][0] == NOT_MEASURED
    assert batch.values["write_ops"][0] == NOT_MEASURED


def test_an_absent_field_is_not_measured() -> None:
    rows, _ = _rows({"id": "a", "time": 1, "reads_per_sec": 10})
    batch = parse.performance_batch(rows, stream=Stream.ARRAY_VOLUME, interval_s=30)
    assert batch.values["read_ops"][0] == 300
    assert batch.values["read_service_us"][0] == NOT_MEASURED
    assert batch.values["write_ops"][0] == NOT_MEASURED


@given(
    rate=st.integers(0, 2_000_000),
    usec=st.integers(0, 1_000_000),
    interval_s=st.sampled_from([30, 300]),
)
def test_rates_become_counts_and_times_stay(rate: int, usec: int, interval_s: int) -> None:
    rows, _ = _rows({"id": "a", "time": 5, "reads_per_sec": rate, "queue_usec_per_read_op": usec})
    batch = parse.performance_batch(rows, stream=Stream.ARRAY_VOLUME, interval_s=interval_s)
    assert batch.values["read_ops"][0] == rate * interval_s
    assert batch.values["read_queue_us"][0] == (usec if rate else NOT_MEASURED)
    assert batch.ended_at_us.dtype == np.int64
    assert batch.ended_at_us[0] == 5000


@pytest.mark.parametrize("body", [b"<html>login</html>", b"", b"[]", b'{"items": 3}', b'{"items": [NaN]}'])
def test_a_body_that_is_no_list_names_what_was_asked(body: bytes) -> None:
    with pytest.raises(ProtocolError, match="volumes"):
        parse.parse_page(body, "array: volumes")
    with pytest.raises(ProtocolError, match="volumes"):
        parse.parse_rows(body, "array: volumes", wire.VolumePerformance)


@pytest.mark.parametrize(
    ("purity", "expected"),
    [
        ("6.1.5", False),
        ("6.3.13", False),
        ("6.3.14", True),
        ("6.4.9", False),
        ("6.4.10", True),
        ("6.5.0", True),
        ("6.6.11", True),
    ],
)
def test_the_headline_holds_queue_time_from_the_documented_releases_on(purity: str, expected: bool) -> None:
    assert parse.usec_includes_queue(purity) is expected


def test_versions_unknown_to_gavel_are_not_chosen() -> None:
    assert parse.choose_version([(2, 9), (2, 10), (2, 99)]) == (2, 10)
    assert parse.choose_version([(2, 1)]) is None


def test_of_interfaces_only_ports_are_samples_and_each_has_the_counters_of_its_own_kind() -> None:
    """The other kind's counters are there, and empty."""
    empty: dict[str, object] = {"received_bytes_per_sec": None, "total_errors_per_sec": None}
    fibre = {"received_bytes_per_sec": 100, "transmitted_bytes_per_sec": 200, "total_errors_per_sec": 2}
    ethernet = {"received_bytes_per_sec": 7, "received_crc_errors_per_sec": 1}
    raw = [
        {"name": "ct0.fc0", "time": 1000, "interface_type": "fc", "fc": fibre, "eth": empty},
        {"name": "ct0.eth4", "time": 1000, "interface_type": "eth", "fc": empty, "eth": ethernet},
        {"name": "ct0.eth5", "time": 1000, "interface_type": "eth", "eth": ethernet},
        {"name": "ct0.fc1", "time": 1000, "interface_type": "fc"},
        {"name": "ct0.eth0", "time": 1000, "interface_type": "eth", "eth": ethernet},
    ]
    items, rejected = parse.parse_items(
        [msgspec.Raw(json.dumps(row).encode()) for row in raw], wire.InterfacePerformance
    )
    names = ("CT0.FC0", "CT0.FC1", "CT0.ETH4", "CT0.ETH5")
    rows = parse.port_rows(items, {name.lower(): name for name in names})
    assert rejected == 0
    batch = parse.performance_batch(rows, stream=Stream.ARRAY_PORT, interval_s=30)
    assert batch.keys == ("CT0.FC0", "CT0.ETH4", "CT0.ETH5")
    assert batch.values["received_bytes"].tolist() == [3000, 210, 210]
    assert batch.values["transmitted_bytes"].tolist() == [6000, NOT_MEASURED, NOT_MEASURED]
    assert batch.values["errors"].tolist() == [60, NOT_MEASURED, NOT_MEASURED]
    assert batch.values["crc_errors"].tolist() == [NOT_MEASURED, 30, 30]
