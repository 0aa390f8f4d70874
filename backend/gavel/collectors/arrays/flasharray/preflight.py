"""What a newcomer may have wrong with a FlashArray, looked at in the order in which it would fail."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

from gavel.collectors.arrays.flasharray import parse, wire
from gavel.collectors.arrays.flasharray.client import PAGE_LIMIT, FlashArrayClient
from gavel.collectors.clock import offset_words
from gavel.domain.errors import SourceError
from gavel.domain.source import Check, CheckState, Preflight
from gavel.network import TOTAL_S, total_deadline

_LOOK_BACK = timedelta(minutes=5)
_TOLERABLE_OFFSET_S = 5.0

_REMEDIES = {
    "name": "Check the spelling and the name servers of this machine.",
    "unreachable": "Check the address, the port and firewalls between this machine and the array.",
    "timeout": "Check firewalls between this machine and the array; the port answers to nobody.",
    "certificate": "Pin the fingerprint shown after comparing it with the array's own, or give its certificate authority.",
    "wrong_kind": "Give the management address of a FlashArray.",
    "authentication": "Create a new API token for a readonly user on the array and enter it here.",
    "permission": "Give the API user the role readonly.",
    "protocol": "Check that this is the management address of a FlashArray, and that no proxy answers in its place.",
    "overloaded": "Wait a minute and test again; other tools may be asking the array too often.",
}


def preflight(client: FlashArrayClient) -> Preflight:
    """Address and certificate, REST version, token, volumes, recent samples, clock. What follows a failure is skipped."""
    seen: list[str] = []
    steps: tuple[tuple[str, Callable[[FlashArrayClient], Check]], ...] = (
        ("Reachable, certificate trusted, REST version", _check_version),
        ("API token", _check_login),
        ("Array", lambda client: _check_array(client, seen)),
        ("Volumes and cost", _check_volumes),
        ("Recent 30 s samples", _check_samples),
        ("Clock", _check_clock),
    )
    with total_deadline(TOTAL_S):
        checks = tuple(_run(steps, client))
    return Preflight(checks, identity=seen[0] if seen else None)


def _run(
    steps: tuple[tuple[str, Callable[[FlashArrayClient], Check]], ...], client: FlashArrayClient
) -> Iterator[Check]:
    failed = False
    for name, step in steps:
        if failed:
            yield Check(name, CheckState.SKIPPED, "Not reached.")
            continue
        try:
            yield step(client)
        except SourceError as error:
            failed = True
            yield Check(name, CheckState.FAILED, str(error), _REMEDIES.get(error.kind, ""))


def _check_version(client: FlashArrayClient) -> Check:
    major, minor = client.version
    return Check(
        "Reachable, certificate trusted, REST version", CheckState.OK, f"{client.address} speaks REST {major}.{minor}."
    )


def _check_login(client: FlashArrayClient) -> Check:
    client.login()
    return Check("API token", CheckState.OK, "The token opened a session.")


def _check_array(client: FlashArrayClient, seen: list[str]) -> Check:
    """Adds the array's id to `seen`."""
    arrays, _ = parse.parse_items(client.items("arrays"), wire.ArrayItem)
    array = arrays[0]
    seen.append(array.id)
    meaning = "holds" if parse.usec_includes_queue(array.version) else "does not hold"
    return Check("Array", CheckState.OK, f"{array.name}, Purity {array.version}: usec_per_*_op {meaning} queue time.")


def _check_volumes(client: FlashArrayClient) -> Check:
    count = len(client.items("volumes", {"destroyed": "false"}))
    pages = max(1, -(-count // PAGE_LIMIT))
    cost = f"{count} volumes: {pages} call{'s' if pages > 1 else ''} and about {count / 1000:.1f} MB per read."
    if count == 0:
        return Check(
            "Volumes and cost",
            CheckState.WARNING,
            "The array lists no volumes.",
            "Check that this is the array you mean.",
        )
    return Check("Volumes and cost", CheckState.OK, cost)


def _check_samples(client: FlashArrayClient) -> Check:
    now = datetime.now(UTC)
    params = {
        "resolution": 30_000,
        "start_time": int((now - _LOOK_BACK).timestamp() * 1000),
        "end_time": int((now + _LOOK_BACK).timestamp() * 1000),
        "limit": 1,
    }
    page = parse.parse_page(client.get("volumes/performance", params), f"{client.address}: volumes/performance")
    if page.items:
        return Check("Recent 30 s samples", CheckState.OK, "The array answers with samples of the last minutes.")
    return Check(
        "Recent 30 s samples", CheckState.WARNING, "The array has no samples of the last 5 minutes.",
        "New and idle arrays start late; if this stays, check the array's clock.",
    )  # fmt: skip


def _check_clock(client: FlashArrayClient) -> Check:
    reading = client.clock.reading()
    if reading is None:
        return Check("Clock", CheckState.WARNING, "The array's answers carry no date; its clock cannot be compared.")
    words = f"The array's clock is {offset_words(reading)} against this machine's."
    if abs(reading.offset_s) - reading.error_s > _TOLERABLE_OFFSET_S:
        return Check(
            "Clock",
            CheckState.WARNING,
            words,
            "Gavel corrects for it; set NTP on the array and on this machine all the same.",
        )
    return Check("Clock", CheckState.OK, words)
