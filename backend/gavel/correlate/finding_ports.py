"""Evidence of target ports whose traffic came near the line rate, and of adapters with I/Os queued before them."""

from collections.abc import Iterator, Sequence
from datetime import timedelta

from gavel.correlate.finding_loads import EvidenceWindow
from gavel.db.engine import Connection
from gavel.db.queries.finding_ports import PortHosts, busy_ports, full_adapters, port_hosts
from gavel.findings.binding import DEVICE_QUEUE_USED, PORT_USED
from gavel.findings.evidence_ports import AdapterLoad, PortLoad

# Samples of paths are of five minutes.
_PATHS = timedelta(minutes=15)


def port_loads(connection: Connection, window: EvidenceWindow) -> Iterator[PortLoad]:
    busy = busy_ports(connection, window.from_at, window.to_at, used=PORT_USED)
    if not busy:
        return
    hosts = port_hosts(connection, [one.id for one in busy], window.to_at - _PATHS, window.to_at)
    for one in busy:
        on_port = hosts.get(one.id, PortHosts())
        yield PortLoad(
            source_id=one.source_id,
            array=one.array,
            port=one.port,
            line_rate=one.line_rate,
            received=one.received,
            transmitted=one.transmitted,
            busy_s=one.busy_s,
            hosts=on_port.hosts,
            us=on_port.us,
            other_us=on_port.other_us,
            precision_us=on_port.precision_us,
            from_at=window.from_at,
            to_at=window.to_at,
        )


def adapter_loads(connection: Connection, window: EvidenceWindow) -> Sequence[AdapterLoad]:
    return full_adapters(connection, window.from_at, window.to_at, used=DEVICE_QUEUE_USED)
