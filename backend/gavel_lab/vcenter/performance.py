"""PerformanceManager: the catalogue, what is available for an entity, and queries."""

from threading import Lock
from typing import Any
from xml.sax.saxutils import escape

from pyVmomi import VmomiSupport, vim

from gavel_lab.vcenter.counters import Catalogue
from gavel_lab.vcenter.perf_families import FAMILIES
from gavel_lab.vcenter.perf_query import answer, invalid_argument, parse_specs
from gavel_lab.vcenter.perf_windows import INTERVALS, REAL_TIME_S, serves_real_time
from gavel_lab.vcenter.site import Site
from gavel_lab.vcenter.soap import Markup, markup
from gavel_lab.vcenter.tree import Node

_NO_REFRESH = -1
COUNTER_INFOS: Any = VmomiSupport.GetVmodlType("vim.PerformanceManager.CounterInfo[]")


class Performance:
    """One vCenter's PerformanceManager."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._lock = Lock()
        self._catalogue: tuple[int, Catalogue] | None = None
        self._markup: dict[tuple[Catalogue, str, str], bytes] = {}

    @property
    def catalogue(self) -> Catalogue:
        """The counters under the ids in force now."""
        vcenter = self._site.vcenter
        generation = self._site.lab.faults.counter_generation(vcenter.name)
        with self._lock:
            if self._catalogue is None or self._catalogue[0] != generation:
                fresh = Catalogue(
                    vcenter_index=vcenter.index,
                    has_microsecond_family=vcenter.has_microsecond_family,
                    generation=generation,
                )
                self._catalogue = (generation, fresh)
                self._markup.clear()
            return self._catalogue[1]

    def counters_markup(self, name: str, declared: Any, version: str) -> bytes:
        """The whole catalogue as an element; every client asks for it at every start."""
        catalogue = self.catalogue
        key = (catalogue, name, version)
        if key not in self._markup:
            infos = COUNTER_INFOS(catalogue.infos)
            self._markup[key] = markup(name, infos, declared, version)
        return self._markup[key]

    def counters(self, ids: list[int]) -> list[Any]:
        """QueryPerfCounter. Raises FaultError for an id that is not in the catalogue."""
        infos = {info.key: info for info in self.catalogue.infos}
        unknown = [number for number in ids if number not in infos]
        if unknown:
            raise invalid_argument("counterId", f"there is no counter {unknown[0]}")
        return [infos[number] for number in ids]

    def provider_summary(self, node: Node) -> Any:
        real_time = type(node.record) in FAMILIES and serves_real_time(self._site, node.record)
        return vim.PerformanceManager.ProviderSummary(
            entity=self._site.reference(node.moref),
            currentSupported=real_time,
            summarySupported=True,
            refreshRate=REAL_TIME_S if real_time else _NO_REFRESH,
        )

    def available(self, node: Node, interval_s: int | None) -> Markup:
        """QueryAvailablePerfMetric: every counter and instance the entity has at that interval, as XML."""
        wanted = interval_s or REAL_TIME_S
        if wanted not in INTERVALS:
            raise invalid_argument("intervalId", f"{wanted} is not an interval of this server")
        families = FAMILIES.get(type(node.record), ())
        if not INTERVALS[wanted] or (wanted == REAL_TIME_S and not serves_real_time(self._site, node.record)):
            families = ()
        catalogue = self.catalogue
        pieces: list[str] = []
        for family in families:
            instances = family.instances(self._site, node.record)
            for key in family.counters:
                number = catalogue.id_of.get(key)
                if number is None or not family.is_kept(catalogue.by_id[number], real_time=wanted == REAL_TIME_S):
                    continue
                pieces.extend(
                    f"<returnval><counterId>{number}</counterId><instance>{escape(instance)}</instance></returnval>"
                    for instance in instances
                )
        return Markup("".join(pieces).encode())

    def query(self, element: Any, text: str) -> Markup:
        """QueryPerf over the call's XML."""
        return Markup(answer(self._site, self.catalogue, parse_specs(element), text))


def historical_intervals() -> list[Any]:
    """The four intervals of a new vCenter, all at level 1."""
    periods = (
        (1, 300, "Past day", 86_400),
        (2, 1800, "Past week", 604_800),
        (3, 7200, "Past month", 2_592_000),
        (4, 86_400, "Past year", 31_536_000),
    )
    return [
        vim.HistoricalInterval(key=key, samplingPeriod=period, name=name, length=length, level=1, enabled=True)
        for key, period, name, length in periods
    ]
