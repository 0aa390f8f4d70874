"""How long samples took from when the source had them whole to the commit of their rows, of some objects of each host and array.

Watched from outside: the newest row of each object is asked for again and again, and what the lab says of its clocks and of when it fills
its samples tells since when that row could have been read.
"""

import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from tests.benchmarks.load.processes import spent_s
from tests.product.running import Product

from gavel.domain.samples import Precision
from gavel_lab.settings import Settings as LabSettings

# A look costs the database a few ms, and is so fine what is seen.
_EVERY_S = 0.5
_OBJECTS = 120
_LAB = LabSettings()
# Name of the vCenter → stream → seconds from the end of a sample until all of its counters are there (gavel_lab.vcenter.perf_filling). The
# first one serves no counters of devices that come late.
_FILLED_S: Mapping[str, Mapping[str, float]] = {
    "vcenter-1": {"vm_disk": 0.5 * _LAB.old_slots_fill_s, "adapter": 0.75 * _LAB.old_slots_fill_s},
    "vcenter-2": {
        "host_device": _LAB.new_slots_fill_s,
        "vm_disk": 0.5 * _LAB.new_slots_fill_s,
        "adapter": 0.75 * _LAB.new_slots_fill_s,
    },
}
# Name of the object, of its host's or its array's clock, of its vCenter's (none of an array), and its id; every so many-th of them.
_WHO: Mapping[str, str] = {
    "array_volume": "SELECT v.id, a.name, NULL FROM volume v JOIN source a ON a.id = v.source_id WHERE v.present",
    "host_device": "SELECT d.id, h.name, s.name FROM host_device d JOIN esxi_host h ON h.id = d.host_id"
    " JOIN source s ON s.id = d.source_id WHERE d.present",
    "vm_disk": "SELECT k.id, h.name, s.name FROM vm_disk k JOIN vm v ON v.id = k.vm_id JOIN esxi_host h ON h.id = v.host_id"
    " JOIN source s ON s.id = k.source_id WHERE k.present",
    "adapter": "SELECT a.id, h.name, s.name FROM hba a JOIN esxi_host h ON h.id = a.host_id JOIN source s ON s.id = a.source_id"
    " WHERE a.present",
}
_NEWEST = """
    SELECT o.id, n.at, n.precision FROM unnest(%(ids)s::int[]) AS o(id), LATERAL (
        SELECT extract(epoch FROM s.ts)::float8 AS at, {precision} AS precision FROM {stream}_sample s
         WHERE s.entity_id = o.id AND s.ts > now() - interval '3 minutes' ORDER BY s.ts DESC LIMIT 1) n
"""


@dataclass(frozen=True, slots=True)
class _Watched:
    """ahead_s: of its clock. filled_s: so long after the end of a sample it is whole."""

    ahead_s: float
    filled_s: float


class Promptness:
    """Watches while the block lasts.

    late_s: stream → seconds of each sample seen. cpu_s: what its own questions cost the database, afterwards.
    """

    def __init__(self, product: Product) -> None:
        self._product = product
        self._clocks = product.truth.get("/clocks").raise_for_status().json()
        self._watched = {stream: self._objects(stream) for stream in _WHO}
        self._finest: dict[tuple[str, int], int] = {}
        self._seen: dict[tuple[str, int], float] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.late_s: dict[str, list[float]] = defaultdict(list)
        self.cpu_s = 0.0

    def __enter__(self) -> "Promptness":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def lines(self) -> Iterator[str]:
        for stream, late in sorted(self.late_s.items()):
            p50, p99 = np.percentile(late, (50, 99))
            yield (
                f"{stream}: {len(late):,} samples of {len(self._watched[stream])} objects; from when it can be read to its commit"
                f" p50 {p50:.1f} s, p99 {p99:.1f} s, at most {max(late):.1f} s (goal p99 5)"
            )

    def _objects(self, stream: str) -> Mapping[int, _Watched]:
        rows = self._product.ask(f"{_WHO[stream]} ORDER BY 2, 1")
        ahead = self._clocks["hosts"] | self._clocks["arrays"]
        return {
            number: _Watched(ahead[clock], _FILLED_S.get(vcenter or "", {}).get(stream, 0.0))
            for number, clock, vcenter in rows[:: max(1, len(rows) // _OBJECTS)]
        }

    def _watch(self) -> None:
        with self._product.database() as connection:
            while not self._over.wait(_EVERY_S):
                for stream, objects in self._watched.items():
                    precision = "NULL" if stream == "array_volume" else "s.precision"
                    query = _NEWEST.format(stream=stream, precision=precision)
                    found = connection.execute(query.encode(), {"ids": list(objects)}).fetchall()
                    self._note(stream, objects, found, time.time())
            self.cpu_s = spent_s(connection.info.backend_pid)

    def _note(
        self, stream: str, objects: Mapping[int, _Watched], found: list[tuple[int, float, int | None]], now_s: float
    ) -> None:
        for number, stamp_s, precision in found:
            key = stream, number
            coarseness = precision if precision is not None else int(Precision.MICROSECOND)
            self._finest[key] = min(coarseness, self._finest.get(key, coarseness))
            before_s = self._seen.get(key)
            # A row that is half filled has latencies in ms, as far as it has any.
            if coarseness > self._finest[key] or (before_s is not None and stamp_s <= before_s):
                continue
            self._seen[key] = stamp_s
            if before_s is not None:
                watched = objects[number]
                self.late_s[stream].append(now_s - (stamp_s - watched.ahead_s + watched.filled_s))
