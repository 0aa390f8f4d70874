"""History: stamps on the array's own clock, retention per resolution, default windows, and numbers that never change."""

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.lab.flasharray.client import Client
from tests.lab.flasharray.labs import build

from gavel_lab.flasharray.errors import ApiError
from gavel_lab.flasharray.history import (
    ARRAY_RESOLUTIONS_MS,
    AVAILABLE_AFTER_MS,
    OBJECT_RESOLUTIONS_MS,
    RETENTION_MS,
    resolution_of,
    stamps,
)
from gavel_lab.flasharray.query import Query

NOW = 1_795_231_032_831
HOUR = 3_600_000

instants = st.integers(NOW - 400 * 24 * HOUR, NOW + HOUR)
resolutions = st.sampled_from(OBJECT_RESOLUTIONS_MS)


@given(resolutions, st.none() | instants, st.none() | instants)
def test_stamps_are_the_kept_and_available_multiples_inside_the_window(
    resolution: int, start: int | None, end: int | None
) -> None:
    found = stamps(Query(start_time=start, end_time=end), resolution, NOW)
    last = NOW if end is None else end
    first = last - resolution + 1 if start is None else start
    assert all(stamp % resolution == 0 for stamp in found)
    assert all(first <= stamp <= last for stamp in found)
    assert all(NOW - RETENTION_MS[resolution] <= stamp <= NOW - AVAILABLE_AFTER_MS for stamp in found)
    assert all(later - earlier == resolution for earlier, later in itertools.pairwise(found))


@given(resolutions, st.integers(0, 10**9))
def test_without_a_start_the_window_holds_the_newest_sample_or_none_while_it_is_not_there_yet(
    resolution: int, moved: int
) -> None:
    now = NOW + moved
    found = stamps(Query(), resolution, now)
    age = now % resolution
    assert found == ([now - age] if age >= AVAILABLE_AFTER_MS else [])


@pytest.mark.parametrize(
    ("resolution", "kept"),
    [(1_000, 3_600), (30_000, 360), (300_000, 288), (1_800_000, 336), (7_200_000, 360), (28_800_000, 270)],
)
def test_retention_ends_where_it_should(resolution: int, kept: int) -> None:
    assert abs(len(stamps(Query(start_time=0), resolution, NOW)) - kept) <= 1


def test_a_day_is_kept_for_a_year() -> None:
    assert len(stamps(Query(start_time=0), 86_400_000, NOW)) == 365


def test_only_the_array_itself_has_a_resolution_of_a_second(client: Client) -> None:
    assert client.refused("volumes/performance", resolution=1_000)[0] == 400
    end = client.now_ms() - 10_000
    window = {"resolution": 1_000, "start_time": end - 59_999, "end_time": end}
    rows = client.get("arrays/performance", **window)["items"]
    assert len(rows) == 60


@pytest.mark.parametrize(("allowed", "finest"), [(ARRAY_RESOLUTIONS_MS, 1_000), (OBJECT_RESOLUTIONS_MS, 30_000)])
def test_the_finest_resolution_is_the_default_and_an_odd_one_is_refused(allowed: tuple[int, ...], finest: int) -> None:
    assert resolution_of(Query(), allowed) == finest
    with pytest.raises(ApiError, match="Valid values are"):
        resolution_of(Query(resolution=60_000), allowed)


def test_without_times_all_rows_share_one_unaligned_instant(client: Client) -> None:
    times = {row["time"] for row in client.get("volumes/performance")["items"]}
    assert len(times) == 1
    assert times.pop() % 1_000 != 0


def test_stamps_are_aligned_on_the_arrays_own_clock(client: Client) -> None:
    """Both arrays stamp :00 and :30 although their clocks differ: the clock decides, not the lab's time."""
    end = client.now_ms()
    rows = client.get("volumes/performance", resolution=30_000, start_time=end - 120_000)["items"]
    assert {row["time"] % 30_000 for row in rows} == {0}
    assert end - AVAILABLE_AFTER_MS - 30_000 < max(row["time"] for row in rows) <= end - AVAILABLE_AFTER_MS


@pytest.mark.parametrize("resolution", [30_000, 300_000, 1_800_000])
def test_a_window_read_again_gives_the_same_numbers(client: Client, resolution: int) -> None:
    end = client.now_ms()
    window = {"resolution": resolution, "start_time": end - 3 * resolution, "end_time": end}
    first = client.get("volumes/performance", **window)["items"]
    assert first
    assert client.get("volumes/performance", **window)["items"] == first
    fresh = build()
    again = Client(fresh, fresh.environment.arrays[client.array.index])
    assert again.get("volumes/performance", **window)["items"] == first


def test_a_part_of_a_window_is_part_of_the_whole(client: Client) -> None:
    end = client.now_ms() - 60_000
    whole = client.get("volumes/performance", resolution=30_000, start_time=end - 600_000, end_time=end)["items"]
    part = client.get("volumes/performance", resolution=30_000, start_time=end - 300_000, end_time=end - 90_000)[
        "items"
    ]
    assert part == [row for row in whole if end - 300_000 <= row["time"] <= end - 90_000]


def test_a_coarse_sample_is_the_mean_of_the_fine_ones(client: Client) -> None:
    stamp = (client.now_ms() - 60_000) // 300_000 * 300_000
    coarse = client.get("volumes/performance", resolution=300_000, start_time=stamp, end_time=stamp)["items"]
    fine = client.get("volumes/performance", resolution=30_000, start_time=stamp - 270_000, end_time=stamp)["items"]
    assert len(fine) == 10 * len(coarse)
    for row in coarse:
        mine = [each for each in fine if each["id"] == row["id"]]
        assert row["reads_per_sec"] == pytest.approx(sum(each["reads_per_sec"] for each in mine) / 10, abs=1.01)
        assert row["usec_per_read_op"] == pytest.approx(_weighted(mine, "usec_per_read_op", "reads_per_sec"), abs=4)


def _weighted(rows: list[dict[str, Any]], value: str, weight: str) -> float:
    total = sum(row[weight] for row in rows)
    return sum(row[value] * row[weight] for row in rows) / total if total else 0.0
