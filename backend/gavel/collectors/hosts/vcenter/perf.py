"""Samples of one stream: which entities, which of their counters, asked in batches, checked and turned into rows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias

from pyVmomi import vim, vmodl

from gavel.collectors.hosts.vcenter.client import VcenterClient
from gavel.collectors.hosts.vcenter.counters import AGGREGATES, Catalogue, catalogue, choose, is_aggregate, wanted_keys
from gavel.collectors.hosts.vcenter.csv import CsvDecoder, Forms, NotCsvError, PivotedSeries, TooMuchError
from gavel.collectors.hosts.vcenter.instances import Instances, available_metrics
from gavel.collectors.hosts.vcenter.parse import moid
from gavel.collectors.hosts.vcenter.query import PerfQuery, named_queries, queries
from gavel.collectors.hosts.vcenter.refusals import fault_words, is_fault, is_too_much, vanished
from gavel.collectors.hosts.vcenter.targets import Targets, halves
from gavel.collectors.hosts.vcenter.wire import TooLargeError
from gavel.domain.errors import DeadlineError, OverloadedError, PermissionMissingError, ProtocolError, SourceError
from gavel.domain.source import Stream

# A host may have forty devices, but thousands of paths.
_ENTITIES_PER_CALL: Final[Mapping[Stream, int]] = {
    Stream.HOST_DEVICE: 25,
    Stream.VM_DISK: 250,
    Stream.ADAPTER: 50,
    Stream.PATH: 5,
    Stream.HOST_CPU: 250,
}
_SAMPLED_HOSTS: Final = 3
_TRIED: Final = 5
_MOST_RETRIES: Final = 5
# Where so many entities are refused one by one and none is answered, it may not be about them.
_REFUSED_BEFORE_DOUBT: Final = 3
# What pyVmomi knows of the method QueryPerfCounter.
_DESCRIBE: Final = vim.PerformanceManager.QueryPerfCounter.info  # type: ignore[attr-defined]

KINDS: Final[Mapping[Stream, str]] = {
    Stream.HOST_DEVICE: "HostSystem",
    Stream.VM_DISK: "VirtualMachine",
    Stream.PATH: "HostSystem",
    Stream.ADAPTER: "HostSystem",
    Stream.HOST_CPU: "HostSystem",
}


Asks: TypeAlias = Callable[[str], bool]


class NotExpandedError(ProtocolError):
    """The server takes "*" for a name."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked of one group of entities: counters in the order of the columns, and the calls for them."""

    stream: Stream
    counters: tuple[str, ...]
    calls: tuple[PerfQuery, ...]


class PerfReader:
    """Reads samples over a client's session. `rejected`: series dropped as unreadable since the start."""

    def __init__(self, client: VcenterClient) -> None:
        self._client = client
        self._targets = Targets(client)
        self._instances = Instances(client)
        self._expands = True  # whether the server knows what "*" stands for
        self._catalogue: Catalogue | None = None
        self._session = -1
        self._available: dict[str, frozenset[str]] = {}
        self._plans: dict[Stream, tuple[object, list[Plan]]] = {}
        self._sizes = dict(_ENTITIES_PER_CALL)
        # By the counters that are asked for, in the order of their columns.
        self._forms: dict[tuple[int, ...], Forms] = {}
        # By the counters and their ids, the hash of an answer that described them as these: the same one again need not be parsed.
        self._agreed: dict[tuple[tuple[str, int], ...], int] = {}
        self.rejected = 0

    def series(
        self, stream: Stream, since: datetime, until: datetime, asks: Asks | None = None
    ) -> Iterator[tuple[Sequence[str], PivotedSeries]]:
        """Names of counters and their series, one reply at a time. Every reply was checked against the catalogue.

        asks: whether an entity is asked for; without it all are.
        """
        try:
            yield from self._series(stream, since, until, asks)
        except NotExpandedError:
            # The first call says so, before anything was handed on.
            self._expands = False
            yield from self._series(stream, since, until, asks)

    def newest_sample(self, stream: Stream, since: datetime, until: datetime) -> datetime | None:
        """End of the newest sample that a few of the entities have in a window, asked for in one call; None when there is none.

        Raises LookupError when there is nobody to ask, such as VMs that are on.
        """
        try:
            found = self._few(stream, since, until)
        except NotExpandedError:
            self._expands = False
            found = self._few(stream, since, until)
        stamps = [int(series.ended_at_us.max()) for series in found if series.ended_at_us.size]
        return datetime.fromtimestamp(max(stamps) / 1_000_000, UTC) if stamps else None

    def _few(self, stream: Stream, since: datetime, until: datetime) -> tuple[PivotedSeries, ...]:
        groups = self._targets.groups(stream, KINDS[stream])
        if not groups:
            raise LookupError(stream)
        version, entities = max(groups, key=lambda group: len(group[1]))
        plan = self._plan(stream, self.catalogue(), version, entities[:_TRIED])
        if not plan.calls:
            raise ProtocolError(
                f"{self._client.address}: the server names no counters of {stream} and none of their instances."
            )
        return self._answer(plan, plan.calls[0], since, until)

    def left_out(self, stream: Stream) -> tuple[str, ...]:
        """What the newest read of a stream did without, each a sentence."""
        return self._targets.left_out(stream)

    def _series(
        self, stream: Stream, since: datetime, until: datetime, asks: Asks | None
    ) -> Iterator[tuple[Sequence[str], PivotedSeries]]:
        answered = False
        refused: list[str] = []
        plans = self.plans(stream, asks)
        # Of some entities alone, none need have a part.
        if asks is None and not self._expands and plans and not any(plan.calls for plan in plans):
            raise ProtocolError(
                f"{self._client.address}: QueryPerf does not expand the instance '*', and the server names no instance of the"
                f" counters of {stream}; it is not a complete vCenter."
            )
        for plan in plans:
            calls = list(reversed(plan.calls))
            while calls:
                call = calls.pop()
                try:
                    parts = self._answer(plan, call, since, until)
                except (DeadlineError, TooLargeError):
                    # Asked for less at once, a slow vCenter may keep up from the next poll on; and answers fit.
                    self._sizes[stream] = max(1, len(call.entities) // 2)
                    raise
                except (ProtocolError, OverloadedError, PermissionMissingError) as error:
                    if not answered and len(refused) >= _REFUSED_BEFORE_DOUBT:
                        answered = self._answers_another(plan, calls, since, until)
                        if not answered:
                            self._targets.readmit(stream, refused)  # it is not about them
                            raise
                    calls += reversed(self._smaller(plan, call, error))
                    refused += call.entities if len(call.entities) == 1 else ()
                    continue
                answered = True
                yield from ((plan.counters, part) for part in parts)

    def _answers_another(self, plan: Plan, calls: Sequence[PerfQuery], since: datetime, until: datetime) -> bool:
        """Whether an entity is answered for that lies far from those that were refused so far."""
        if not calls:
            return False
        (alone,) = self._calls(plan.stream, calls[0].entities[-1:], plan.counters, 1)
        try:
            self._answer(plan, alone, since, until)
        except (ProtocolError, OverloadedError, PermissionMissingError):
            return False
        return True

    def _smaller(self, plan: Plan, call: PerfQuery, error: SourceError) -> list[PerfQuery]:
        """What is asked instead of a call that failed: its halves, or nothing where it failed for one entity, which is left out.

        Raises the error where asking for less does not help.
        """
        if not is_fault(error):
            raise error
        stream, entities = plan.stream, call.entities
        if is_too_much(error):
            if len(entities) == 1:
                raise ProtocolError(
                    f"{self._client.address}: even the counters of one entity are more than it answers at once ({error.__cause__})."
                    " Raise config.vpxd.stats.maxQueryMetrics in its advanced settings."
                ) from error
            self._sizes[stream] = max(1, len(entities) // 2)
        elif len(entities) == 1:
            self._targets.refuse(stream, entities[0], fault_words(error))
            return []
        return [smaller for part in halves(entities) for smaller in self._calls(stream, part, plan.counters, len(part))]

    def plans(self, stream: Stream, asks: Asks | None = None) -> list[Plan]:
        """What is asked for a stream now, of those who are to be asked. For all of them it is made anew only when entities or counters have
        changed."""
        groups = self._targets.groups(stream, KINDS[stream])
        known = self.catalogue()
        if asks is not None:
            some = ((version, tuple(filter(asks, entities))) for version, entities in groups)
            return [self._plan(stream, known, *group) for group in some if group[1]]
        state = (self._client.session, known, groups, self._sizes[stream])
        if stream not in self._plans or self._plans[stream][0] != state or not self._expands:
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
        """Counters that hosts of a version serve, determined on a few of them; all wanted ones when these report none."""
        known = self.catalogue()
        if version not in self._available:
            names = {counter: key for key, counter in known.ids.items()}
            found = {key for host in hosts[:_SAMPLED_HOSTS] for key in self._served(host, names)}
            served = frozenset(key for key in wanted_keys() if key in found)
            self._available[version] = served or frozenset(known.ids)
        return self._available[version]

    def _served(self, host: str, names: Mapping[int, str]) -> Iterator[str]:
        """Counters that a host has: of itself those that are asked of it as a whole, all others of its parts."""
        for counter, instances in available_metrics(self._client, "HostSystem", host).items():
            key = names.get(counter)
            if key is not None and ("" in instances if is_aggregate(key) else instances - {""}):
                yield key

    def _plan(self, stream: Stream, counters: Catalogue, version: str, entities: tuple[str, ...]) -> Plan:
        kind = KINDS[stream]
        served = self.available(version, entities) if kind == "HostSystem" else frozenset(counters.ids)
        chosen = choose(stream, served & counters.ids.keys())
        return Plan(stream, chosen, tuple(self._calls(stream, entities, chosen, self._sizes[stream])))

    def _calls(
        self, stream: Stream, entities: Sequence[str], counters: Sequence[str], size: int
    ) -> Iterator[PerfQuery]:
        known = self.catalogue()
        if missing := [key for key in counters if key not in known.ids]:
            raise OverloadedError(
                f"{self._client.address}: the counters {missing} are gone; the next poll does without."
            )
        manager = moid(self._client.content.perfManager)
        ids = [known.ids[key] for key in counters]
        if stream in AGGREGATES:
            return queries(manager, KINDS[stream], entities, ids, size=size, instance="")
        if self._expands:
            return queries(manager, KINDS[stream], entities, ids, size=size)
        instances = self._instances.of(KINDS[stream], entities, ids)
        return named_queries(manager, KINDS[stream], instances, ids, size=size)

    def _answer(self, plan: Plan, call: PerfQuery, since: datetime, until: datetime) -> tuple[PivotedSeries, ...]:
        """The reply to one call, once it is confirmed that its counter ids still mean what they were resolved to."""
        for _ in range(_MOST_RETRIES):
            entities = call.entities
            try:
                series = self._post(call, since, until)
            except (ProtocolError, OverloadedError, PermissionMissingError) as error:
                gone = vanished(error)
                if gone in entities:
                    entities = tuple(entity for entity in entities if entity != gone)
                elif self._still_valid(plan.counters):
                    raise
            else:
                if self._still_valid(plan.counters):
                    return series
            if not entities:
                return ()
            call = next(self._calls(plan.stream, entities, plan.counters, len(entities)))
        raise OverloadedError(f"{self._client.address}: its counters and entities change faster than they can be read.")

    def _still_valid(self, counters: Sequence[str]) -> bool:
        """Whether the counters still have the ids they were asked by; if not, they are resolved anew next time."""
        known = self.catalogue()
        asked = [key for key in counters if key in known.ids]
        question = tuple((key, known.ids[key]) for key in asked)

        def agrees() -> bool:
            manager, stub = self._client.content.perfManager, self._client.stub
            answer = stub.answer(manager, _DESCRIBE, [[counter for _, counter in question]])
            if self._agreed.get(question) == hash(answer):
                return True
            try:
                found: Sequence[Any] = stub.result(_DESCRIBE, *answer)
            except vmodl.fault.InvalidArgument:  # one of the ids is no longer in use
                return False
            if not known.agrees_with(found, asked):
                return False
            self._agreed[question] = hash(answer)
            return True

        if self._client.ask(agrees):
            return True
        self._catalogue = None
        self._agreed.clear()
        self._forms.clear()
        return False

    def _post(self, call: PerfQuery, since: datetime, until: datetime) -> tuple[PivotedSeries, ...]:
        body = call.body(since, until)

        def question() -> tuple[PivotedSeries, ...]:
            decoder = CsvDecoder(call.columns, self._forms.setdefault(call.counters, Forms()))
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
        except TooMuchError as error:
            entities = f"{len(call.entities)} {'entity' if len(call.entities) == 1 else 'entities'}"
            raise TooLargeError(
                f"{self._client.address}: the answer to QueryPerf for {entities} holds {error}, more than Gavel takes at once. "
                "Fewer are asked for next time."
            ) from error
        except NotCsvError as error:
            raise ProtocolError(
                f"{self._client.address}: the answer to QueryPerf is unreadable ({error}). It is asked again next time."
            ) from error
        if self._expands and any(instance == "*" for part in series for _, instance in part.names):
            raise NotExpandedError(f"{self._client.address}: QueryPerf does not expand the instance '*'.")
        return series
