"""What time it is at a vCenter and at its hosts, against the local clock."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final

from pyVmomi import vim

from gavel import clock
from gavel.collectors.hosts.vcenter.client import VcenterClient
from gavel.collectors.hosts.vcenter.parse import moid
from gavel.collectors.hosts.vcenter.watch import all_of, retrieve
from gavel.domain.errors import DeadlineError, OverloadedError, PermissionMissingError, ProtocolError
from gavel.domain.source import ClockReading
from gavel.egress.network import total_deadline

_HOSTS_PER_RUN: Final = 25
_WITHIN_S: Final = 10.0
_PAGE: Final = 500
_TRIES: Final = 3


def vcenter_clock(client: VcenterClient) -> ClockReading:
    """The vCenter's own clock: of a few readings the one with the shortest round trip, which is the surest."""

    def read_time() -> datetime:
        # Made anew for every question: an object keeps the session that it was made in, which may have ended since.
        now: datetime = vim.ServiceInstance("ServiceInstance", client.stub).CurrentTime()
        return now

    readings = [_reading(None, lambda: client.ask(read_time)) for _ in range(_TRIES)]
    return min(readings, key=lambda reading: reading.error_s)


class HostClocks:
    """The hosts' own clocks, some hosts per call in turn. A host that does not report its time is left out."""

    def __init__(self, client: VcenterClient) -> None:
        self._client = client
        self._next = 0

    def read(self) -> tuple[ClockReading, ...]:
        systems = self._systems()
        if not systems:
            return ()
        start = self._next % len(systems)
        turn = (systems[start:] + systems[:start])[:_HOSTS_PER_RUN]
        self._next = start + len(turn)
        with total_deadline(_WITHIN_S):
            found = [self._host(key, system) for key, system in turn]
        return tuple(reading for reading in found if reading)

    def _systems(self) -> list[tuple[str, str]]:
        """Connected hosts, each with the id of its HostDateTimeSystem."""
        paths = ("configManager.dateTimeSystem", "runtime.connectionState")

        def question() -> list[Any]:
            content = self._client.content
            return retrieve(content, all_of(content, {vim.HostSystem: paths}), page=_PAGE)

        systems = []
        for found in self._client.ask(question):
            properties = {prop.name: prop.val for prop in found.propSet}
            system = properties.get("configManager.dateTimeSystem")
            if system is not None and str(properties.get("runtime.connectionState")) == "connected":
                systems.append((moid(found.obj), moid(system)))
        return sorted(systems)

    def _host(self, key: str, system: str) -> ClockReading | None:
        def read_time() -> datetime:
            now: datetime = vim.host.DateTimeSystem(system, self._client.stub).QueryDateTime()
            return now

        try:
            return _reading(key, lambda: self._client.ask(read_time))
        except (PermissionMissingError, ProtocolError, OverloadedError, DeadlineError):
            return None  # one host that is away says nothing about the others


def _reading(subject: str | None, ask: Callable[[], datetime]) -> ClockReading:
    asked_at = clock.now()
    told = ask()
    answered_at = clock.now()
    half = (answered_at - asked_at) / 2
    return ClockReading(
        subject=subject,
        offset_s=(told.astimezone(UTC) - asked_at - half).total_seconds(),
        error_s=max(half.total_seconds(), 0.0),
        read_at=answered_at,
    )
