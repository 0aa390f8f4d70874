"""What trying a FlashArray finds out: which array it is, also where something further on fails."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from gavel.collectors.arrays.flasharray.preflight import preflight
from gavel.collectors.clock import DateClock
from gavel.domain.errors import AuthenticationError, PermissionMissingError
from gavel.domain.source import Check, CheckState


class Scripted:
    """A client up to the list of volumes, which its user may not read."""

    address, version = "array-1", (2, 26)

    def __init__(self, *, token_is_good: bool) -> None:
        self._token_is_good = token_is_good

    def login(self) -> None:
        if not self._token_is_good:
            raise AuthenticationError("array-1 refused the token.")

    def items(self, path: str, _: Mapping[str, object] | None = None) -> list[msgspec.Raw]:
        if path != "arrays":
            raise PermissionMissingError(f"array-1: {path} may not be read.")
        return [msgspec.Raw(b'{"id": "0f0f-11", "name": "array-1", "version": "6.6.1", "os": "Purity//FA"}')]


def test_which_array_it_is_is_known_as_soon_as_it_was_asked() -> None:
    found = preflight(Scripted(token_is_good=True), poll_interval_s=30)  # type: ignore[arg-type]
    assert [check.state for check in found.checks][2:4] == [CheckState.OK, CheckState.FAILED]
    assert found.identity == "0f0f-11"


def test_which_array_it_is_is_not_known_before() -> None:
    found = preflight(Scripted(token_is_good=False), poll_interval_s=30)  # type: ignore[arg-type]
    assert not found.passed
    assert found.identity is None


ROW = b'{"id": "v", "name": "v", "time": 1000, "reads_per_sec": 5}'


class Measured(Scripted):
    """A client of an array with so many volumes, whose performance rows have a known size."""

    def __init__(self, *, volumes: int, purity: str = "6.6.1", sampled: bool = True) -> None:
        super().__init__(token_is_good=True)
        self._volumes, self._purity, self._sampled = volumes, purity, sampled
        self.clock = DateClock()

    def items(self, path: str, _: Mapping[str, object] | None = None) -> list[msgspec.Raw]:
        if path == "volumes":
            return [msgspec.Raw(b"{}")] * self._volumes
        array = f'{{"id": "0f0f-11", "name": "array-1", "version": "{self._purity}", "os": "Purity//FA"}}'
        return [msgspec.Raw(array.encode())]

    row = ROW

    def get(self, _: str, params: Mapping[str, object]) -> bytes:
        count = min(int(str(params["limit"])), self._volumes) if self._sampled else 0
        return b'{"items": [' + b", ".join([self.row] * count) + b"]}"


def told(client: Measured, check: str, poll_interval_s: int = 30) -> str:
    found = preflight(client, poll_interval_s=poll_interval_s)  # type: ignore[arg-type]
    return next(one.detail for one in found.checks if one.name == check)


@pytest.mark.parametrize(
    ("volumes", "poll_interval_s", "words"),
    [
        (1, 30, "Every 30 s 1 call for 1 volume, about 0.1 kB per read."),
        (11, 30, "Every 30 s 1 call for 11 volumes, about 1.3 kB per read."),
        (10_000, 30, "Every 30 s 20 calls for 10,000 volumes, about 1.2 MB per read."),
        (10_000, 60, "Every 60 s 30 calls for 10,000 volumes, about 1.8 MB per read."),
    ],
)
def test_the_cost_of_an_array_is_measured_and_told_at_every_size(
    volumes: int, poll_interval_s: int, words: str
) -> None:
    assert told(Measured(volumes=volumes), "Cost", poll_interval_s) == words


def test_what_was_not_measured_is_not_told_as_nothing() -> None:
    words = told(Measured(volumes=3, sampled=False), "Cost")
    assert words == "Every 30 s 1 call for 3 volumes; how large the answers are shows once there are samples."


@pytest.mark.parametrize(("purity", "word"), [("6.3.3", "leaves out"), ("6.9.2", "includes")])
def test_the_headline_latency_is_told_without_the_names_of_fields(purity: str, word: str) -> None:
    assert told(Measured(volumes=1, purity=purity), "Array").endswith(f"its headline latency {word} queue time.")


def samples_check(row: bytes) -> Check:
    client = Measured(volumes=3)
    client.row = row
    found = preflight(client, poll_interval_s=30)  # type: ignore[arg-type]
    return next(one for one in found.checks if one.name == "Recent 30 s samples")


def row_of(age: timedelta) -> bytes:
    return b'{"id": "v", "name": "v", "time": %d}' % ((datetime.now(UTC) - age).timestamp() * 1000)


def test_the_newest_sample_is_dated() -> None:
    check = samples_check(row_of(timedelta(seconds=24)))
    assert check.state is CheckState.OK
    assert re.fullmatch(r"The newest of 3 samples is 2[4-9] s old\.", check.detail)


@pytest.mark.parametrize(
    ("age", "words"),
    [(timedelta(days=1600), "4.4 years old"), (timedelta(hours=2), "2 h old"), (timedelta(hours=-3), "3 h ahead")],
)
def test_samples_of_another_time_do_not_pass_as_recent_ones(age: timedelta, words: str) -> None:
    check = samples_check(row_of(age))
    assert check.state is CheckState.WARNING
    assert words in check.detail
    assert "clock" in check.remedy


def test_a_sample_of_no_time_at_all_and_one_that_is_none_are_warnings() -> None:
    for row in (b'{"id": "v", "time": 99999999999999999999}', b'{"id": "v"}', b"7"):
        assert samples_check(row).state is CheckState.WARNING


@pytest.mark.parametrize("items", [[], [msgspec.Raw(b'{"id": 7}')]])
def test_an_array_that_does_not_list_itself_is_a_failed_check(items: list[msgspec.Raw]) -> None:
    class Empty(Measured):
        def items(self, path: str, _: Mapping[str, object] | None = None) -> list[msgspec.Raw]:
            return items if path == "arrays" else super().items(path)

    found = preflight(Empty(volumes=1), poll_interval_s=30)  # type: ignore[arg-type]
    check = next(one for one in found.checks if one.name == "Array")
    assert check.state is CheckState.FAILED
    assert "does not list the array itself" in check.detail
    assert check.remedy
