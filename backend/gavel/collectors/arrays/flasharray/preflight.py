"""What a newcomer may have wrong with a FlashArray, looked at in the order in which it would fail."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TypeAlias

import msgspec

from gavel import clock
from gavel.collectors.arrays.flasharray import parse, wire
from gavel.collectors.arrays.flasharray.client import FlashArrayClient, Params
from gavel.collectors.arrays.flasharray.paging import PAGE_LIMIT
from gavel.collectors.clock import age_words, offset_words
from gavel.collectors.net import only_source_errors
from gavel.domain.errors import ProtocolError, SourceError
from gavel.domain.source import Check, CheckState, Preflight, failed_check
from gavel.egress.network import TOTAL_S, Address, total_deadline

_LOOK_BACK = timedelta(minutes=5)
_TOLERABLE_OFFSET_S = 5.0
_RECENT_S = _LOOK_BACK.total_seconds() + 60
# Enough to know how large one is, and little to ask for.
_MEASURED_ROWS = 50
Found: TypeAlias = tuple[CheckState, str, str]

_REMEDIES = {
    "name": "Where DNS does not know the array, give its IP address.",
    "unreachable": "Check the address, the port and firewalls between this machine and the array.",
    "timeout": "Check firewalls between this machine and the array; the port does not respond.",
    "certificate": "Pin the fingerprint shown after comparing it with the array's own, or give its certificate authority.",
    "wrong_kind": "Give the management address of a FlashArray.",
    "authentication": "Create a new API token for a readonly user on the array and enter it here.",
    "permission": "Give the API user the role readonly.",
    "protocol": "Check that this is the management address of a FlashArray, and that no proxy answers in its place.",
    "overloaded": "Wait a minute and test again; other tools may be asking the array too often.",
}


def preflight(client: FlashArrayClient, *, poll_interval_s: int) -> Preflight:
    """Address and certificate, REST version, token, volumes, recent samples, clock, cost. What follows a failure is skipped."""
    look = _FlashArrayChecks(client, poll_interval_s)
    with total_deadline(TOTAL_S):
        checks = tuple(_run(client.address, look.steps()))
    return Preflight(checks, identity=look.identity)


def _run(address: Address, steps: Mapping[str, Callable[[], Found]]) -> Iterator[Check]:
    failed = False
    for name, step in steps.items():
        if failed:
            yield Check(name, CheckState.SKIPPED, "Not reached.")
            continue
        try:
            with only_source_errors(address):
                found = Check(name, *step())
            yield found
        except SourceError as error:
            failed = True
            yield failed_check(name, error, _REMEDIES.get(error.kind, ""))


class _FlashArrayChecks:
    """The single checks. Each returns state, detail and remedy, or raises what went wrong."""

    def __init__(self, client: FlashArrayClient, poll_interval_s: int) -> None:
        self._client = client
        self._poll_interval_s = poll_interval_s
        self._volumes = 0
        self._row_bytes: float | None = None  # of one volume's sample, as the array answers
        self.identity: str | None = None

    def steps(self) -> Mapping[str, Callable[[], Found]]:
        return {
            "Reachable, certificate trusted, REST version": self.version,
            "API token": self.login,
            "Array": self.array,
            "Volumes": self.volumes,
            "Recent 30 s samples": self.samples,
            "Clock": self.clock,
            "Cost": self.cost,
        }

    def version(self) -> Found:
        major, minor = self._client.version
        return CheckState.OK, f"{self._client.address} supports REST {major}.{minor}.", ""

    def login(self) -> Found:
        self._client.login()
        return CheckState.OK, "The token opened a session.", ""

    def array(self) -> Found:
        arrays, _ = parse.parse_items(self._client.items("arrays"), wire.ArrayItem)
        if not arrays:
            raise ProtocolError(f"{self._client.address}: /arrays does not list the array itself.")
        array = arrays[0]
        self.identity = array.id
        meaning = "includes" if parse.usec_includes_queue(array.version) else "leaves out"
        words = f"{array.name}, Purity {array.version}: its headline latency {meaning} queue time."
        return CheckState.OK, words, ""

    def volumes(self) -> Found:
        self._volumes = len(self._client.items("volumes", {"destroyed": "false"}))
        if self._volumes == 0:
            return CheckState.WARNING, "The array lists no volumes.", "Check that this is the array you mean."
        return CheckState.OK, f"{_counted(self._volumes, 'volume')} can be read.", ""

    def samples(self) -> Found:
        now = clock.now()
        params: Params = {
            "destroyed": "false",
            "resolution": int(wire.RESOLUTION.total_seconds() * 1000),
            "start_time": int((now - _LOOK_BACK).timestamp() * 1000),
            "end_time": int((now + _LOOK_BACK).timestamp() * 1000),
            "limit": _MEASURED_ROWS,
        }
        body = self._client.get("volumes/performance", params)
        items = parse.parse_page(body, f"{self._client.address}: volumes/performance").items
        if items:
            self._row_bytes = len(body) / len(items)
            return self._recent(items, now)
        detail = "The array has no samples of the last 5 minutes."
        return CheckState.WARNING, detail, "New and idle arrays start late; if this stays, check the array's clock."

    def _recent(self, items: Sequence[msgspec.Raw], now: datetime) -> Found:
        """How old the newest of the samples is by the array's own clock: an answer may hold rows of any time."""
        rows, _ = parse.parse_items(items, wire.VolumePerformance)
        if not rows:
            detail = "The array answers with samples that cannot be read."
            return CheckState.WARNING, detail, "Report the array's model and Purity version."
        reading = self._client.clock.reading()
        offset_s = reading.offset_s if reading else 0.0
        age_s = now.timestamp() + offset_s - max(row.time for row in rows) / 1000
        words = f"The newest of {_counted(len(rows), 'sample')} is {age_words(age_s)}."
        if abs(age_s) > _RECENT_S:
            return CheckState.WARNING, words, "Samples should be at most some minutes old; check the array's clock."
        return CheckState.OK, words, ""

    def clock(self) -> Found:
        reading = self._client.clock.reading()
        if reading is None:
            return CheckState.WARNING, "The array's answers carry no date; its clock cannot be compared.", ""
        words = f"The array's clock is {offset_words(reading)} against this machine's."
        if abs(reading.offset_s) - reading.error_s > _TOLERABLE_OFFSET_S:
            remedy = "Gavel corrects for it; set NTP on the array and on this machine all the same."
            return CheckState.WARNING, words, remedy
        return CheckState.OK, words, ""

    def cost(self) -> Found:
        """Rows as a live read asks for them, each as large as those that were just read."""
        interval_s = wire.RESOLUTION.total_seconds()
        rows = self._volumes * (math.ceil(self._poll_interval_s / interval_s) + wire.REVISED)
        calls = max(1, math.ceil(rows / PAGE_LIMIT))
        every = f"Every {self._poll_interval_s} s {_counted(calls, 'call')} for {_counted(self._volumes, 'volume')}"
        if self._row_bytes is None:
            return CheckState.OK, f"{every}; how large the answers are shows once there are samples.", ""
        return CheckState.OK, f"{every}, about {_size(rows * self._row_bytes)} per read.", ""


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _size(size_bytes: float) -> str:
    """ "1.0 kB", "33 kB", "9.1 MB": two digits that mean something, whatever the array's size."""
    scaled, unit = (size_bytes / 1e6, "MB") if size_bytes >= 999_500 else (size_bytes / 1000, "kB")
    return f"{scaled:.1f} {unit}" if scaled < 9.95 else f"{scaled:.0f} {unit}"
