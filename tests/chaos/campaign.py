"""A seeded campaign against a running product: kill -9 of whatever comes up, faults of the sources in between, then the accounts."""

import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx
import psycopg
from tests.product import correlating, ledgers
from tests.product.comparing import KEPT_S, Comparison, caught_up, compare, together
from tests.product.running import Part, Product, tell

# What a lab that is killed forgets (clock steps, moves) would change its history, which no source does: not in here.
_FAULTS: tuple[tuple[str, str, dict[str, object]], ...] = (
    ("any", "expire_sessions", {}),
    ("any", "status", {"status": 503, "retry_after_s": 2, "count": 2}),
    ("any", "status", {"status": 429, "count": 1}),
    ("any", "status", {"status": 500, "count": 1}),
    ("any", "cut_body", {"after_bytes": 900, "count": 1}),
    ("any", "garbage", {"count": 1}),
    ("any", "html", {"count": 1}),
    ("any", "black_hole", {"for_s": 6}),
    ("any", "slow_drip", {"bytes_per_s": 400, "for_s": 6}),
    ("vcenter", "renumber_counters", {}),
    ("vcenter", "missing_samples", {"for_s": 8}),
)
STAGE = 15
_SUPERVISOR = "supervisor"
_CORRELATE = "worker inside correlate"
_CORRELATE_DATABASE = "database inside correlate"


@dataclass
class Report:
    """What was done to the product and what became of its data."""

    kills: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    healed_s: list[float] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)
    undone: int = 0
    ledger_rows: int = 0
    ledger_differences: list[str] = field(default_factory=list)
    corrected: int = 0
    unknown_keys: int = 0
    pending: int = 0

    @property
    def is_clean(self) -> bool:
        return all(found.is_equal for found in self.comparisons) and not (
            self.corrected or self.unknown_keys or self.pending or self.ledger_differences
        )

    def __str__(self) -> str:
        found = together(self.comparisons)
        lines = [
            f"kills            {self.kills.total()}: "
            + ", ".join(f"{n} × {name}" for name, n in self.kills.most_common()),
            f"faults           {self.faults.total()}: "
            + ", ".join(f"{n} × {name}" for name, n in self.faults.most_common()),
            f"healed after     {sorted(self.healed_s)[len(self.healed_s) // 2]:.1f} s (median), {max(self.healed_s):.1f} s (worst)",
            f"rows compared    {found.rows} ({found.values} values)",
            f"lost             {found.lost}",
            f"doubled          {found.doubled}",
            f"altered          {found.altered}",
            f"never sent       {found.foreign}",
            f"corrected        {self.corrected}",
            f"unknown_keys        {self.unknown_keys}",
            f"gaps still owed  {self.pending}",
            f"undone           {self.undone} transactions of correlate whose worker died in them",
            f"ledger           {self.ledger_rows} rows written again, {len(self.ledger_differences)} differences",
            *self.ledger_differences,
            *found.examples,
        ]
        return "\n  ".join(lines)


class Campaign:
    """`choose` is the one source of chance: equal seeds choose alike as far as the processes come up alike."""

    def __init__(self, product: Product, seed: int) -> None:
        self._product = product
        self._choose = random.Random(seed)
        self._sources = product.sources()
        self.report = Report()

    def run(self, kills: int) -> Report:
        """So many kills in stages, each closed by a comparison with what the sources have."""
        while (left := kills - self.report.kills.total()) > 0:
            self._stage(min(left, STAGE))
        self._count_faults_of_data()
        return self.report

    def _stage(self, kills: int) -> None:
        began = self._product.now()
        for _ in range(kills):
            time.sleep(self._choose.uniform(0, 5))
            if self._choose.random() < 0.4:
                self._fault()
            self._kill()
        self._wait_until_healed()
        self._product.no_more_faults()
        until = caught_up(self._product, within_s=420)
        found = compare(self._product, max(began - 60, self._product.now() - KEPT_S), until)
        self.report.comparisons.append(found)
        tell(f"{self.report.kills.total()} kills: {found}")
        self._write_ledger_again()

    def _write_ledger_again(self) -> None:
        """Every kept minute once more, without a kill: the same rows as those that the kills left."""
        ledgers.settled(self._product)
        after, until = ledgers.whole_minutes(self._product, KEPT_S - 300, settling_s=ledgers.CAUGHT_UP_S)
        rows = len(ledgers.everything(self._product, after, until))
        differences = ledgers.changed_by_writing_again(self._product, after, until)
        self.report.ledger_rows += rows
        self.report.ledger_differences += differences
        tell(f"{rows} rows of the ledger written again: {len(differences)} differences {differences}")

    def _kill(self) -> None:
        if self._choose.random() < 0.05:
            self._kill_everything()
            return
        if self._choose.random() < 0.3:
            self._kill_inside_correlate()
        else:
            part = self._victim()
            self.report.kills[part.service] += 1
            self._product.kill(part)
        if self._choose.random() < 0.7:  # else the next one falls while this one is still down
            self.report.healed_s.append(self._wait_until_healed())

    def _kill_inside_correlate(self) -> None:
        self._wait_until_healed()
        if self._choose.random() < 0.2:
            self.report.kills[_CORRELATE_DATABASE] += 1
            correlating.kill_database_inside(self._product, self._choose)
            return
        self.report.kills[_CORRELATE] += 1
        found = correlating.kill_worker_inside(self._product, self._choose, writing=self._choose.random() < 0.7)
        self.report.undone += correlating.was_undone(self._product, found)

    def _victim(self) -> Part:
        """A service first, then one of its processes, so that many idle connections of the database do not draw all the fire."""
        parts = self._product.parts()
        while not parts:
            time.sleep(0.5)
            parts = self._product.parts()
        service = self._choose.choice(sorted({part.service for part in parts}))
        return self._choose.choice([part for part in parts if part.service == service])

    def _kill_everything(self) -> None:
        """The supervisor itself: its guardian ends the rest, and somebody starts it again."""
        self.report.kills[_SUPERVISOR] += 1
        self._product.kill_supervisor()
        time.sleep(self._choose.uniform(0, 3))
        began = time.monotonic()
        self._product.start()
        self.report.healed_s.append(time.monotonic() - began)

    def _fault(self) -> None:
        kind_of_source, kind, parameters = self._choose.choice(_FAULTS)
        source = self._choose.choice([s["name"] for s in self._sources if kind_of_source in ("any", s["kind"])])
        try:
            self._product.fault(source, kind, **parameters)
        except httpx.TransportError:  # the lab is the one that is down
            return
        self.report.faults[kind] += 1

    def _wait_until_healed(self) -> float:
        return self._product.wait_for(lambda: self._product.all_ready() and _answers(self._product), "it to heal", 180)

    def _count_faults_of_data(self) -> None:
        def one(query: str) -> int:
            return int(self._product.ask(query)[0][0] or 0)

        self.report.corrected = one("SELECT sum(corrected) FROM collection_run")
        self.report.unknown_keys = one("SELECT sum(unknown_keys) FROM collection_run")
        self.report.pending = self._product.pending()


def _answers(product: Product) -> bool:
    checks: tuple[Callable[[], object], ...] = (
        lambda: product.api.get("/health").raise_for_status(),
        lambda: product.ask("SELECT 1"),
        lambda: product.truth.get("/clocks").raise_for_status(),
    )
    try:
        for check in checks:
            check()
    except (httpx.HTTPError, psycopg.Error):
        return False
    return True
