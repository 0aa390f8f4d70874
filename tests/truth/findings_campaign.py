"""The lab's stories through parsers, attribution and writers, all rules of findings evaluated every five minutes beside them, offline."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast

import numpy as np
from sqlalchemy import Engine, text
from tests.benchmarks.fill.ledgering import learn, write_minutes
from tests.benchmarks.fill.sampling import Stretch, of_array, of_paths, of_vcenter, of_whole_array
from tests.truth import findings_stories as stories
from tests.truth.findings_stories import Story
from tests.truth.lab_guests import LabGuests

from gavel.admin.guests import make_guest_token
from gavel.correlate.findings import EVERY, evaluate_findings
from gavel.db.engine import Connection, reading, transaction
from gavel.db.queries.clocks import record_clocks
from gavel.db.queries.correlation import LedgerProgress, save_progress
from gavel.db.queries.findings import FindingQuery, findings
from gavel.db.queries.gaps import GapState, note_gap
from gavel.db.queries.sources import add_source
from gavel.db.series.maintenance import roll_dirty
from gavel.db.write.inventory import store_inventory
from gavel.db.write.samples import advance_watermark, write_samples
from gavel.domain.inventory import HostInventory, Inventory, InventoryTaken
from gavel.domain.samples import SampleBatch
from gavel.domain.source import ATTRIBUTED, ClockReading, SourceKind, Stream
from gavel.domain.tasks import TaskKind
from gavel.ingest.connections import Connections, open_collector
from gavel.ingest.guest_matching import match_now
from gavel.ingest.worker import WorkerContext
from gavel.vault import Vault
from gavel_lab.lab import Lab, create_lab
from gavel_lab.scale import DEFAULT, Scale
from gavel_lab.sources import serve_lab

MINUTE = timedelta(minutes=1)
_STEP = round(EVERY / MINUTE)
_LEARNED_MINUTES = 4
# What is usual for an array is what its last three days were like.
_REMEMBERED_DAYS, _MINUTES_OF_AN_HOUR = 3, (5, 15, 25, 35, 45, 55)
_MOVED_S, _CLOCK_ERROR_S = 4.0, 0.05


@dataclass(frozen=True)
class Source:
    """inventory: as the real collector read it from the lab over its protocol."""

    id: int
    name: str
    kind: SourceKind
    inventory: Inventory


@dataclass
class Played:
    """open_at: minutes of the campaign at whose evaluation a finding was open, by rule and object; touched: all names it concerns."""

    minutes: int
    open_at: dict[tuple[str, str], list[int]] = field(default_factory=lambda: defaultdict(list))
    touched: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))


def microsecond_lab(scale: Scale = DEFAULT) -> Lab:
    """A lab all of whose vCenters have counters of µs: what whole milliseconds hide is another test's."""
    lab = create_lab(1, step_s=60, scale=scale)
    vcenters = tuple(replace(one, version="9.0.1", has_microsecond_family=True) for one in lab.environment.vcenters)
    return replace(lab, environment=replace(lab.environment, vcenters=vcenters))


def listed(engine: Engine, lab: Lab, folder: Path, begin: datetime) -> list[Source]:
    """Every source of the lab, its inventory read over its own protocol and stored as its quiet twin."""
    served = serve_lab(lab, 0, folder)
    found = []
    try:
        for announced in served.announcement:
            kind, settings = SourceKind(str(announced["kind"])), dict(cast("dict[str, Any]", announced["settings"]))
            name, address = str(announced["name"]), str(announced["address"])
            settings = {
                "address": address, "fingerprint_sha256": settings.pop("tls_sha256"), **settings,
            }  # fmt: skip
            collector = open_collector(kind, settings)
            try:
                inventory = collector.inventory()
            finally:
                collector.close()
            with transaction(engine) as connection:
                source_id = add_source(
                    connection, kind=kind, name=name, address=address, settings={}, enabled=True,
                    now=begin - timedelta(days=2),
                )  # fmt: skip
            found.append(Source(source_id, name, kind, stories.quiet(inventory)))
    finally:
        served.stop()
    return found


@dataclass
class Campaign:
    """One campaign of so many minutes from `begin` on, a whole five minutes and not in the future.

    is_changed: with changes of settings. is_crowded: arrays have much other I/O, in whose mean the wait of one datastore is not unusual.
    """

    engine: Engine
    lab: Lab
    sources: Sequence[Source]
    begin: datetime
    minutes: int
    is_changed: bool
    is_crowded: bool = False

    def played(self) -> Played:
        seen, clock = Played(self.minutes), [self.begin]
        place = WorkerContext(self.engine, Connections(Vault(bytes(32))), now=lambda: clock[0])
        self._remember()
        guests = LabGuests(self.lab, self.begin.timestamp() - 60)
        token = make_guest_token(self.engine, "lab", (), self.begin).token
        for minute in range(0, self.minutes, _STEP):
            since, until = self.begin + minute * MINUTE, self.begin + (minute + _STEP) * MINUTE
            clock[0] = until + MINUTE
            with transaction(self.engine) as connection:
                self._collect(connection, minute, since, until)
                assert guests.store(connection, token, until) > 0
                if minute == 0:
                    match_now(connection, clock[0])
            if minute == 0:
                learn(self.engine, since, since + _LEARNED_MINUTES * MINUTE, clock[0])
            with transaction(self.engine) as connection:
                # The newest minute waits for what comes after it, as in correlation.
                write_minutes(connection, since - MINUTE if minute else since, until - MINUTE)
                save_progress(connection, LedgerProgress(until - MINUTE, None, frozenset()))
            evaluate_findings(place)
            self._note(seen, minute + _STEP)
        return seen

    def _remember(self) -> None:
        """Hours of each array as a whole before the campaign, of six minutes each, rolled up a day at a time: samples are kept for two."""
        arrays = {one.name: one for one in self.lab.environment.arrays}
        own = [one for one in self.sources if one.kind is SourceKind.FLASHARRAY]
        with transaction(self.engine) as connection:
            for source in own:
                store_inventory(connection, source.id, InventoryTaken(source.inventory, self.begin))
        for day in range(_REMEMBERED_DAYS, 0, -1):
            begin = round((self.begin - day * timedelta(days=1)).timestamp())
            ends = begin + 3600 * np.arange(1, 25, dtype=np.int64)
            starts = ends[:, None] - 3600 + 60 * np.array(_MINUTES_OF_AN_HOUR)
            stretch = Stretch(3600, ends, np.stack([starts, starts + 60], axis=2).astype(np.float64))
            with transaction(self.engine) as connection:
                for source in own:
                    batch = of_whole_array(self.lab, arrays[source.name], stretch)
                    assert write_samples(connection, source.id, batch).new_rows == len(ends)
            roll_dirty(self.engine, self.begin - (day - 1) * timedelta(days=1) + timedelta(hours=1))

    def _collect(self, connection: Connection, minute: int, since: datetime, until: datetime) -> None:
        is_changed = self.is_changed and minute >= stories.CHANGED_FROM_MIN
        now = until + MINUTE
        for source in self.sources:
            if minute == 0 or (is_changed and minute == stories.CHANGED_FROM_MIN):
                inventory = stories.changed(source.inventory) if is_changed else source.inventory
                store_inventory(connection, source.id, InventoryTaken(inventory, now))
            connection.execute(
                text("UPDATE source SET inventory_at = :now WHERE id = :id"), {"now": now, "id": source.id}
            )
            is_moved = is_changed and source.kind is SourceKind.FLASHARRAY
            reading_of = ClockReading(None, _MOVED_S if is_moved else 0.0, _CLOCK_ERROR_S, now)
            record_clocks(connection, source.id, [reading_of])
            for batch in self._batches(source, since, until):
                write_samples(connection, source.id, _disturbed(batch, source.inventory) if is_changed else batch)
            if isinstance(source.inventory, HostInventory):
                end_us = round(until.timestamp()) * 1_000_000
                for made in stories.path_and_adapter_samples(source.inventory, end_us, is_changed=is_changed):
                    write_samples(connection, source.id, made)
                write_samples(connection, source.id, self._paths(source, since, until))
            for stream in ATTRIBUTED:
                advance_watermark(connection, source.id, stream, until)
            if is_changed and minute == stories.CHANGED_FROM_MIN and source.kind is SourceKind.VCENTER:
                note_gap(
                    connection, source.id, Stream.HOST_DEVICE, self.begin - timedelta(hours=5), self.begin - timedelta(hours=4),
                    reason="connection refused", now=now, state=GapState.EXPLAINED,
                )  # fmt: skip

    def _batches(self, source: Source, since: datetime, until: datetime) -> Iterator[SampleBatch]:
        ends = np.arange(round(since.timestamp()) + 60, round(until.timestamp()) + 1, 60, dtype=np.int64)
        stretch = Stretch(60, ends, np.stack([ends - 60, ends], axis=1)[:, None, :].astype(np.float64))
        environment = self.lab.environment
        if source.kind is SourceKind.FLASHARRAY:
            yield from of_array(self.lab, next(one for one in environment.arrays if one.name == source.name), stretch)
        else:
            yield from of_vcenter(
                self.lab, next(one for one in environment.vcenters if one.name == source.name), stretch
            )

    def _paths(self, source: Source, since: datetime, until: datetime) -> SampleBatch:
        """One sample of each path, but of datastores whose samples of paths are made up."""
        environment, made_up = self.lab.environment, (stories.UNBALANCED, stories.NON_OPTIMIZED)
        vcenter = next(one for one in environment.vcenters if one.name == source.name)
        without = [store.index for store in environment.datastores if store.name in made_up]
        span = np.array([[[since.timestamp(), until.timestamp()]]])
        end = np.array([round(until.timestamp())], dtype=np.int64)
        return of_paths(self.lab, vcenter, Stretch(_STEP * 60, end, span), without)

    def _note(self, seen: Played, minute: int) -> None:
        with reading(self.engine) as connection:
            rows = findings(connection, FindingQuery(states=("open",), limit=1000)).items
        for row in rows:
            key = row.rule, row.object_name
            seen.open_at[key].append(minute)
            seen.touched[key] |= {row.object_name, *(one["name"] for one in row.document["affected"])}

    @property
    def expected(self) -> list[Story]:
        of_lab = [
            one
            for one in stories.expected(self.begin.minute, self.minutes)
            if (one.rule != "task-running" or self._is_listed(one))
            and not (one.rule == "array-saturation" and self.is_crowded)
        ]
        if not self.is_changed:
            return of_lab
        first = stories.CHANGED_FROM_MIN
        # Its limit is taken from the disk, and snapshots are put below it.
        kept = [one for one in of_lab if not (one.name == "mail-01" and one.from_min >= first)]
        more = [
            Story("clock-skew", one.name, first, self.minutes)
            for one in self.sources
            if one.kind is SourceKind.FLASHARRAY
        ]
        more += [
            Story("source-gaps", one.name, first, self.minutes)
            for one in self.sources
            if one.kind is SourceKind.VCENTER
        ]
        counted = [
            Story("coarse-counters", stories.COARSE_HOST, first, self.minutes),
            Story("paths-unbalanced", stories.UNBALANCED, first, self.minutes),
            Story("non-optimized-io", stories.NON_OPTIMIZED, first, self.minutes),
            Story("unmonitored-initiators", stories.UNMONITORED, first, self.minutes),
            Story("adapter-queue-full", stories.COARSE_HOST, first, self.minutes),
        ]
        return [*kept, *stories.of_changes(self.minutes, self.begin.minute), *more, *counted]

    def _is_listed(self, story: Story) -> bool:
        """Whether a vCenter listed a task of then: it is asked once here, and not for tasks of long ago."""
        low, high = (self.begin + minute * MINUTE for minute in (story.from_min, story.to_min))
        inventories = (one.inventory for one in self.sources if isinstance(one.inventory, HostInventory))
        starts = [task.started_at for one in inventories for task in one.tasks if task.kind is TaskKind.CONSOLIDATION]
        return any(low - MINUTE <= start < high for start in starts)

    def scored(self, seen: Played) -> "Score":
        wanted = self.expected
        allowed = [*wanted, *stories.tolerated(self.begin.minute, self.minutes)]
        score = Score()
        for story in wanted:
            times = [
                minute
                for key, minutes in seen.open_at.items()
                if key[0] == story.rule and story.name in seen.touched[key]
                for minute in minutes
                if story.from_min < minute <= story.until_min
            ]
            score.delays[story.rule].append(min(times) - story.from_min if times else None)
        for (rule, name), minutes in seen.open_at.items():
            for minute in minutes:
                is_known = any(
                    one.rule == rule and one.name in seen.touched[rule, name] and one.from_min < minute <= one.until_min
                    for one in allowed
                )
                if not is_known:
                    score.false[rule].append((name, minute))
        return score


def _disturbed(batch: SampleBatch, inventory: Inventory) -> SampleBatch:
    if isinstance(inventory, HostInventory):
        return stories.coarsened(batch, inventory)
    return stories.doubled(batch, inventory)


@dataclass
class Score:
    """delays: of each story of a rule, in minutes; None: not found. false: object and minute of what no story explains."""

    delays: dict[str, list[int | None]] = field(default_factory=lambda: defaultdict(list))
    false: dict[str, list[tuple[str, int]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, other: "Score") -> None:
        for rule, delays in other.delays.items():
            self.delays[rule] += delays
        for rule, names in other.false.items():
            self.false[rule] += names

    @property
    def missed(self) -> Mapping[str, int]:
        return {rule: delays.count(None) for rule, delays in self.delays.items() if None in delays}

    def table(self) -> Iterator[str]:
        yield "| rule | stories | found | within, minutes | false evaluations |"
        yield "|---|---|---|---|---|"
        for rule in sorted({*self.delays, *self.false}):
            delays = self.delays.get(rule, [])
            met = [delay for delay in delays if delay is not None]
            within = f"{min(met)}–{max(met)}" if met else "–"
            yield f"| {rule} | {len(delays)} | {len(met)} | {within} | {len(self.false.get(rule, []))} |"
