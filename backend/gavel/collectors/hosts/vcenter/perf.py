"""Samples of one stream: which entities, which of their counters, asked in batches, checked and turned into rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from pyVmomi import vim, vmodl

from gavel.collectors.hosts.vcenter.client import VcenterClient
from gavel.collectors.hosts.vcenter.counters import Catalogue, catalogue, choose, wanted_keys
from gavel.collectors.hosts.vcenter.csv import CsvDecoder, NotCsvError, Series
from gavel.collectors.hosts.vcenter.parse import moid
from gavel.collectors.hosts.vcenter.query import SAMPLE_S, PerfQuery, queries
from gavel.collectors.hosts.vcenter.watch import Watch
from gavel.domain.errors import DeadlineError, OverloadedError, ProtocolError
from gavel.domain.source import Stream

# A host may have forty devices, but thousands of paths.
_ENTITIES_PER_CALL: Final[Mapping[Stream, int]] = {
    Stream.HOST_DEVICE: 25,
    Stream.VM_DISK: 250,
    Stream.ADAPTER: 50,
    Stream.PATH: 5,
}
_LIGHT_PAGE: Final = 1000
_SAMPLED_HOSTS: Final = 3
_MOST_RETRIES: Final = 5

KINDS: Final[Mapping[Stream, str]] = {
    Stream.HOST_DEVICE: "HostSystem",
    Stream.VM_DISK: "VirtualMachine",
    Stream.PATH: "HostSystem",
    Stream.ADAPTER: "HostSystem",
}


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked of one group of entities: readings by name in the order of the columns, and the calls for them."""

    stream: Stream
    readings: Mapping[str, str]
    calls: tuple[PerfQuery, ...]


class PerfReader:
    """Reads samples over a client's session. `rejected`: series dropped as unreadable since the start."""

    def __init__(self, client: VcenterClient) -> None:
        self._client = client
        self._targets = Watch(
            client,
            {
                vim.HostSystem: ("runtime.connectionState", "summary.config.product"),
                vim.VirtualMachine: ("runtime.powerState",),
            },
            page=_LIGHT_PAGE,
        )
        self._catalogue: Catalogue | None = None
        self._session = -1
        self._available: dict[str, frozenset[str]] = {}
        self._plans: dict[Stream, tuple[object, list[Plan]]] = {}
        self._sizes = dict(_ENTITIES_PER_CALL)
        self.rejected = 0

    def series(self, stream: Stream, since: datetime, until: datetime) -> Iterator[tuple[Sequence[str], Series]]:
        """Names of readings and their series, one reply at a time. Every reply was checked against the catalogue."""
        for plan in self.plans(stream):
            for call in plan.calls:
                try:
                    parts = self._answer(plan, call, since, until)
                except DeadlineError:
                    # Asked for less at once, a slow vCenter may keep up from the next poll on.
                    self._sizes[stream] = max(1, len(call.entities) // 2)
                    raise
                yield from ((tuple(plan.readings), part) for part in parts)

    def plans(self, stream: Stream) -> list[Plan]:
        """What is asked for a stream now; made anew only when entities or counters have changed."""
        groups = self._groups(KINDS[stream])
        known = self.catalogue()
        state = (self._client.session, known, groups, self._sizes[stream])
        if stream not in self._plans or self._plans[stream][0] != state:
            self._plans[stream] = (state, [self._plan(stream, known, *group) for group in groups])
        return self._plans[stream][1]

    def catalogue(self) -> Catalogue:
        """The counters of this vCenter, read anew after every login: it may have been upgraded meanwhile."""
        if self._catalogue is None or self._session != self._client.session:
            counters = self._client.ask(lambda: self._client.content.perfManager.perfCounter)
            self._catalogue, self._session = catalogue(counters), self._client.session
            self._available = {}
        return self._catalogue

    def available(self, version: str, hosts: Sequence[str]) -> frozenset[str]:
        """Counters that hosts of a version serve, found out on a few of them; all wanted ones when they do not tell."""
        known = self.catalogue()
        if version not in self._available:
            names = {counter: key for key, counter in known.ids.items()}
            found = {names.get(metric.counterId) for host in hosts[:_SAMPLED_HOSTS] for metric in self._metrics(host)}
            served = frozenset(key for key in wanted_keys() if key in found)
            self._available[version] = served or frozenset(known.ids)
        return self._available[version]

    def _metrics(self, host: str) -> Sequence[Any]:
        def question() -> Sequence[Any]:
            entity = vim.HostSystem(host, self._client.stub)
            found: Sequence[Any] = self._client.content.perfManager.QueryAvailablePerfMetric(
                entity=entity, intervalId=SAMPLE_S
            )
            return [metric for metric in found if metric.instance]

        return self._client.ask(question)

    def _groups(self, kind: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Entities that can have samples, hosts by their version: connected hosts, and VMs that are not switched off."""
        groups: dict[str, list[str]] = {}
        for key, (found, properties) in self._targets.update().items():
            if kind == "VirtualMachine" and issubclass(found, vim.VirtualMachine):
                if str(properties.get("runtime.powerState")) != "poweredOff":
                    groups.setdefault("", []).append(key)
            elif kind == "HostSystem" and issubclass(found, vim.HostSystem):
                product = properties.get("summary.config.product")
                if str(properties.get("runtime.connectionState")) == "connected":
                    groups.setdefault(product.version if product else "", []).append(key)
        return tuple((version, tuple(entities)) for version, entities in sorted(groups.items()))

    def _plan(self, stream: Stream, known: Catalogue, version: str, entities: tuple[str, ...]) -> Plan:
        kind = KINDS[stream]
        served = self.available(version, entities) if kind == "HostSystem" else frozenset(known.ids)
        readings = choose(stream, served & known.ids.keys())
        return Plan(stream, readings, tuple(self._calls(stream, entities, readings, self._sizes[stream])))

    def _calls(
        self, stream: Stream, entities: Sequence[str], readings: Mapping[str, str], size: int
    ) -> Iterator[PerfQuery]:
        known = self.catalogue()
        if missing := [key for key in readings.values() if key not in known.ids]:
            raise OverloadedError(
                f"{self._client.address}: the counters {missing} are gone; the next poll does without."
            )
        manager = moid(self._client.content.perfManager)
        ids = [known.ids[key] for key in readings.values()]
        return queries(manager, KINDS[stream], entities, ids, size=size)

    def _answer(self, plan: Plan, call: PerfQuery, since: datetime, until: datetime) -> tuple[Series, ...]:
        """The reply to one call, once it is certain that its counter ids still mean what they were resolved to."""
        for _ in range(_MOST_RETRIES):
            entities = call.entities
            try:
                series = self._post(call, since, until)
            except ProtocolError as error:
                gone = _vanished(error)
                if gone in entities:
                    entities = tuple(entity for entity in entities if entity != gone)
                elif self._still_valid(plan.readings):
                    raise
            else:
                if self._still_valid(plan.readings):
                    return series
            if not entities:
                return ()
            call = next(self._calls(plan.stream, entities, plan.readings, len(entities)))
        raise OverloadedError(f"{self._client.address}: its counters and entities change faster than they can be read.")

    def _still_valid(self, readings: Mapping[str, str]) -> bool:
        """Whether the counters still have the ids they were asked by; if not, they are resolved anew next time."""
        known = self.catalogue()
        asked = [key for key in readings.values() if key in known.ids]

        def describe() -> Sequence[Any]:
            try:
                found: Sequence[Any] = self._client.content.perfManager.QueryPerfCounter(
                    [known.ids[key] for key in asked]
                )
            except vmodl.fault.InvalidArgument:  # one of the ids is no longer in use
                return ()
            return found

        if known.agrees_with(self._client.ask(describe), asked):
            return True
        self._catalogue = None
        return False

    def _post(self, call: PerfQuery, since: datetime, until: datetime) -> tuple[Series, ...]:
        body = call.body(since, until)

        def question() -> tuple[Series, ...]:
            decoder = CsvDecoder(call.columns)
            with self._client.stub.exchange(body) as reply:
                if reply.status != 200:
                    raise self._client.stub.fault(reply)
                for chunk in reply.chunks():
                    decoder.feed(chunk)
            series = decoder.finish()
            self.rejected += decoder.rejected
            return series

        try:
            series = self._client.ask(question)
        except NotCsvError as error:
            raise ProtocolError(
                f"{self._client.address}: the answer to QueryPerf is unreadable ({error}). It is asked again next time."
            ) from error
        if any(instance == "*" for part in series for _, instance in part.names):
            raise ProtocolError(
                f"{self._client.address}: QueryPerf does not expand the instance '*'; this server is not a complete vCenter."
            )
        return series


def _vanished(error: ProtocolError) -> str | None:
    """The entity that was deleted between two looks at the inventory, if that is why a call failed."""
    fault = error.__cause__
    return moid(fault.obj) if isinstance(fault, vmodl.fault.ManagedObjectNotFound) else None
