"""Evidence of settings: SIOC on flash, adaptive queue depth on some hosts of a port, stretched pods without a preferred array."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta

from gavel.correlate.finding_loads import EvidenceWindow
from gavel.db.engine import Connection
from gavel.db.queries import finding_settings as settings
from gavel.db.queries.finding_settings import PodLeg, PortUse
from gavel.findings.evidence_settings import FlashSioc, HostLegs, HostQueueFull, SharedPorts, StretchedPod
from gavel.findings.model import ObjectRef

LEG_WINDOW = timedelta(hours=1)


def flash_sioc(connection: Connection, _: EvidenceWindow) -> Sequence[FlashSioc]:
    return settings.flash_datastores_with_sioc(connection)


def shared_ports(connection: Connection, _: EvidenceWindow) -> Iterator[SharedPorts]:
    """By array, or by vCenter where the array is not polled: ports of which some hosts adapt their queue depth and others do not."""
    by_port: Mapping[str, list[PortUse]] = defaultdict(list)
    for use in settings.ports_by_host(connection):
        by_port[use.target].append(use)
    mixed: Mapping[tuple[ObjectRef | None, int], list[list[PortUse]]] = defaultdict(list)
    for uses in by_port.values():
        if {True, False} <= {use.host.is_on for use in uses}:
            first = uses[0]
            mixed[first.array, 0 if first.array is not None else first.source_id].append(uses)
    for (array, _source), ports in mixed.items():
        every = [use for uses in ports for use in uses]
        # It is cleared once a source with a host that has it on was read again.
        source = next(use for use in every if use.host.is_on)
        yield SharedPorts(
            source_id=source.source_id,
            object=source.host.host if array is None else array,
            array=array,
            ports=tuple(uses[0].target for uses in ports),
            hosts=_hosts(every),
            read_at=source.read_at,
        )


def _hosts(uses: Sequence[PortUse]) -> tuple[HostQueueFull, ...]:
    """Each host once, with all devices on any of the ports."""
    by_host: dict[int, HostQueueFull] = {}
    devices: Mapping[int, set[str]] = defaultdict(set)
    for use in uses:
        by_host[use.host.host.id] = use.host
        devices[use.host.host.id].update(use.host.devices)
    return tuple(
        HostQueueFull(
            host=one.host,
            sample_size=one.sample_size,
            threshold=one.threshold,
            least=one.least,
            most=one.most,
            devices=tuple(sorted(devices[number])),
        )
        for number, one in sorted(by_host.items(), key=lambda pair: (pair[1].host.name, pair[0]))
    )


def stretched_pods(connection: Connection, window: EvidenceWindow) -> Iterator[StretchedPod]:
    from_at = window.to_at - LEG_WINDOW
    by_pod: Mapping[int, list[PodLeg]] = defaultdict(list)
    for row in settings.pod_legs(connection, from_at, window.to_at):
        by_pod[row.pod_id].append(row)
    if not by_pod:
        return
    stores = settings.datastores_on_pods(connection, list(by_pod))
    for pod_id, rows in by_pod.items():
        by_host: Mapping[ObjectRef, list[PodLeg]] = defaultdict(list)
        for row in rows:
            by_host[row.host].append(row)
        yield StretchedPod(
            source_id=rows[0].source_id,
            array=rows[0].array,
            pod=rows[0].pod,
            hosts=tuple(
                HostLegs(host=host, has_preference=own[0].has_preference, legs=tuple(one.leg for one in own))
                for host, own in by_host.items()
            ),
            objects=stores.get(pod_id, ()),
            from_at=from_at,
            to_at=window.to_at,
        )
