"""Pages put together are the whole list, each row once, by token and by offset."""

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.lab.flasharray.client import Client
from tests.lab.flasharray.labs import build

from gavel_lab.flasharray.catalogue import ENDPOINTS
from gavel_lab.flasharray.shaping import ordered
from gavel_lab.lab import Lab
from gavel_lab.scale import Scale

WINDOW_MS = 300_000


@pytest.fixture(scope="module")
def big() -> Lab:
    """More volumes than a page holds."""
    return build(Scale(bare_volumes=2_600))


def by_offset(client: Client, path: str, limit: int | None, **parameters: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    while True:
        paged = {"offset": len(rows), **({} if limit is None else {"limit": limit})}
        body = client.get(path, **paged, **parameters)
        rows += body["items"]
        if not body["more_items_remaining"]:
            return rows
        assert len(body["items"]) == min(limit or 1_000, 1_000)


def by_token(client: Client, path: str, limit: int | None, **parameters: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    token: dict[str, Any] = {}
    while True:
        body = client.get(path, **token, **({} if limit is None else {"limit": limit}), **parameters)
        rows += body["items"]
        assert body["more_items_remaining"] is (body["continuation_token"] is not None)
        if body["continuation_token"] is None:
            return rows
        token = {"continuation_token": body["continuation_token"]}


@pytest.mark.parametrize("path", ["volumes", "hosts", "connections", "ports/initiators", "host-groups/hosts"])
@pytest.mark.parametrize("limit", [1, 2, 7, 1_000])
def test_pages_of_an_inventory_are_the_whole_list(client: Client, path: str, limit: int) -> None:
    everything = client.get(path)["items"]
    assert by_offset(client, path, limit) == everything
    has_token = "continuation_token" in ENDPOINTS[path].parameters_of(_version(client))
    if has_token:
        assert by_token(client, path, limit) == everything


@pytest.mark.parametrize("limit", [3, 50, 1_000])
def test_pages_of_a_history_window_are_the_whole_window(client: Client, limit: int) -> None:
    end = client.now_ms() - 60_000
    window = {"resolution": 30_000, "start_time": end - WINDOW_MS, "end_time": end}
    everything = client.get("volumes/performance", **window)["items"]
    assert len({(row["id"], row["time"]) for row in everything}) == len(everything)
    assert len(everything) == len(client.get("volumes")["items"]) * 10
    assert by_offset(client, "volumes/performance", limit, **window) == everything
    if client.array.rest_version == "2.52":
        assert by_token(client, "volumes/performance", limit, **window) == everything


def test_no_page_is_longer_than_a_thousand_rows(big: Lab) -> None:
    for array in big.environment.arrays:
        client = Client(big, array)
        first = client.get("volumes/performance", resolution=30_000, limit=5_000, total_item_count=True)
        assert len(first["items"]) == 1_000
        assert first["more_items_remaining"] is True
        names = [row["name"] for row in by_offset(client, "volumes/performance", None, resolution=30_000)]
        assert len(names) == len(set(names)) == first["total_item_count"]
        assert len(by_offset(client, "volumes", 400)) == first["total_item_count"]


def test_performance_has_no_token_before_2_38(new: Client) -> None:
    assert new.get("volumes/performance", "2.37", limit=2)["continuation_token"] is None
    assert new.get("volumes/performance", "2.38", limit=2)["continuation_token"]
    assert new.get("volumes", "2.2", limit=2)["continuation_token"]
    assert "continuation_token" not in new.get("volumes", "2.0", limit=2)


def test_a_token_is_a_header_too_and_may_come_back_in_quotes(new: Client) -> None:
    response = new.call("volumes", limit=2)
    token = json.loads(response.body)["continuation_token"]
    assert response.headers["x-next-token"] == token
    assert new.get("volumes", limit=2, continuation_token=f"'{token}'") == new.get(
        "volumes", limit=2, continuation_token=token
    )


def test_there_is_no_token_with_sort(new: Client) -> None:
    body = new.get("volumes", limit=2, sort="name")
    assert body["more_items_remaining"] is True
    assert body["continuation_token"] is None


@pytest.mark.parametrize("token", ["x", "'", "bm90IGpzb24=", base64.urlsafe_b64encode(b'{"offset":1}').decode()])
def test_a_token_nobody_gave_out_is_refused(new: Client, token: str) -> None:
    status, errors = new.refused("volumes", continuation_token=token)
    assert (status, errors[0]["context"]) == (400, "continuation_token")


def test_a_token_of_another_query_is_refused(new: Client) -> None:
    token = new.get("volumes", limit=1)["continuation_token"]
    assert new.refused("volumes", limit=1, continuation_token=token, destroyed=False)[0] == 400
    assert new.refused("hosts", limit=1, continuation_token=token)[0] == 400
    assert new.refused("volumes", limit=1, continuation_token=token, sort="name")[0] == 400


def test_pages_of_a_real_time_call_share_the_instant_of_the_first(new: Client) -> None:
    rows = by_token(new, "volumes/performance", 3)
    assert len({row["time"] for row in rows}) == 1
    assert len({row["id"] for row in rows}) == len(rows)


def test_a_limit_of_zero_only_counts(client: Client) -> None:
    body = client.get("volumes", limit=0)
    assert body["items"] == []
    assert body["total_item_count"] == len(client.get("volumes")["items"])


def test_the_count_is_null_unless_asked_for_and_counts_what_the_filter_left(client: Client) -> None:
    assert client.get("volumes")["total_item_count"] is None
    filtered = client.get("volumes", filter="subtype='regular'", limit=1, total_item_count=True)
    everything = client.get("volumes")["items"]
    assert filtered["total_item_count"] == sum(row["subtype"] == "regular" for row in everything)


def test_a_filter_is_what_python_would_have_chosen(client: Client) -> None:
    everything = client.get("volumes/performance", resolution=30_000)["items"]
    threshold = sorted(row["reads_per_sec"] for row in everything)[len(everything) // 2]
    chosen = client.get("volumes/performance", resolution=30_000, filter=f"reads_per_sec>{threshold}")["items"]
    assert chosen == [row for row in everything if row["reads_per_sec"] > threshold]


def test_a_trailing_minus_descends(client: Client) -> None:
    names = [row["name"] for row in client.get("volumes", sort="name")["items"]]
    assert names == sorted(names)
    assert [row["name"] for row in client.get("volumes", sort="name-")["items"]] == names[::-1]


def test_sorting_goes_by_several_fields_and_into_objects(client: Client) -> None:
    rows = client.get("volumes", sort="pod.name-,provisioned-,name")["items"]
    keys = [(row["pod"]["name"] is None, -row["provisioned"], row["name"]) for row in rows]
    assert keys == sorted(keys)


def test_names_leave_the_others_out(client: Client) -> None:
    names = [row["name"] for row in client.get("volumes")["items"]][:3]
    for path in ("volumes", "volumes/performance"):
        assert [row["name"] for row in client.get(path, names=names)["items"]] == names


@given(st.lists(st.fixed_dictionaries({"a": st.none() | st.integers(0, 3), "b": st.integers(0, 3)})))
def test_sorting_is_stable_and_puts_missing_values_first(rows: list[dict[str, Any]]) -> None:
    numbered = [{**row, "place": place} for place, row in enumerate(rows)]
    result = ordered(numbered, [("a", False)])
    keys = [(-1 if row["a"] is None else row["a"], row["place"]) for row in result]
    assert keys == sorted(keys)


def _version(client: Client) -> tuple[int, int]:
    major, minor = client.array.rest_version.split(".")
    return int(major), int(minor)
