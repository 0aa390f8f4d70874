"""Instances by name, for a server that does not expand "*": what each entity has is asked for once an hour."""

import time
from collections.abc import Collection, Mapping, Sequence
from typing import Final
from xml.sax.saxutils import escape

from gavel.collectors.hosts.vcenter.asking import answer_to
from gavel.collectors.hosts.vcenter.client import VcenterClient
from gavel.collectors.hosts.vcenter.parse import moid
from gavel.collectors.hosts.vcenter.query import SAMPLE_S

_MAX_AGE_S: Final = 3600.0
_MOST_PER_POLL: Final = 250


def available_metrics(client: VcenterClient, kind: str, entity: str) -> Mapping[int, frozenset[str]]:
    """Counter id → instances of an entity that it has samples of ("" is the aggregate). Raises SourceErrors."""
    manager = client.ask(lambda: moid(client.content.perfManager))
    answer = answer_to(
        client,
        "QueryAvailablePerfMetric",
        f'<_this type="PerformanceManager">{escape(manager)}</_this>'
        f'<entity type="{kind}">{escape(entity)}</entity><intervalId>{SAMPLE_S}</intervalId>',
    )
    found: dict[int, set[str]] = {}
    for metric in answer.iter("{*}returnval"):
        counter = metric.findtext("{*}counterId") or ""
        if counter.isdigit():
            found.setdefault(int(counter), set()).add(metric.findtext("{*}instance") or "")
    return {counter: frozenset(instances) for counter, instances in found.items()}


class Instances:
    """What was found out so far, per entity; of many that are new some are asked per poll."""

    def __init__(self, client: VcenterClient) -> None:
        self._client = client
        self._known: dict[str, tuple[float, Mapping[int, frozenset[str]]]] = {}

    def of(self, kind: str, entities: Sequence[str], counters: Collection[int]) -> Mapping[str, tuple[str, ...]]:
        """Entity → its instances of these counters, for those that are known and have any."""
        now = time.monotonic()
        due = [entity for entity in entities if entity not in self._known or now - self._known[entity][0] > _MAX_AGE_S]
        for entity in due[:_MOST_PER_POLL]:
            self._known[entity] = (now, available_metrics(self._client, kind, entity))
        named = {
            entity: tuple(
                sorted(set().union(*(self._known[entity][1].get(counter, ()) for counter in counters)) - {""})
            )
            for entity in entities
            if entity in self._known
        }
        return {entity: instances for entity, instances in named.items() if instances}
