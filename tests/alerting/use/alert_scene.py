"""A workplace with a small environment, rules and a receiver on loopback, on a clock that the test moves minute by minute."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Engine, text
from tests.alerting.receivers import LOOPBACK, HttpReceiver
from tests.api.ledgers import HEALTHY, KERNEL, NOW, Environment, Interval
from tests.api.ledgers import minute as row

from gavel.admin import channels
from gavel.alerting.use import deliver, evaluate, notify, rules
from gavel.db.engine import Role, open_engine, transaction
from gavel.db.write import alert_memory
from gavel.domain.scope import ScopeKind
from gavel.egress.policy import OutboundPolicy
from gavel.ingest.connections import Connections
from gavel.ingest.worker import WorkerContext
from gavel.vault import Vault

MINUTE = timedelta(minutes=1)
SECRET = "whsec_" + "QUJD" * 8
KERNEL_SLOW = {
    "key": "kernel_slow",
    "name": "Kernel slow",
    "of": "datastore",
    "where": {},
    "when": [{"quantity": "latency", "part": "kernel", "direction": "all", "at_least": 300, "recover_below": 200,
              "compared": "lower"}],
    "for_min": 0,
    "keep_firing_min": 1,
    "no_data_after_min": 5,
    "min_ops": 30,
    "min_quality": "C",
    "severity": "warning",
    "labels": {},
    "runbook_url": "https://wiki.example.org/kernel",
    "enabled": True,
}  # fmt: skip
SOURCE_SILENT = KERNEL_SLOW | {
    "key": "silent",
    "name": "Source stale",
    "of": "source",
    "when": [{"quantity": "sample_age", "part": None, "direction": "all", "at_least": 120, "recover_below": None,
              "compared": "estimate"}],
    "min_ops": 0,
    "min_quality": "D",
    "severity": "critical",
}  # fmt: skip


@dataclass
class AlertScene:
    """`now` is the clock of every process. `step` writes and judges one minute of one datastore."""

    engine: Engine
    environment: Environment
    now: datetime = NOW
    extra: list[Engine] = field(default_factory=list)

    @property
    def store(self) -> int:
        return self.environment.id("datastore", "simple")

    def place(self, engine: Engine | None = None) -> WorkerContext:
        """What a worker process has; each call is another process."""
        outside = OutboundPolicy("https://gavel.example.org", LOOPBACK)
        return WorkerContext(
            engine or self.engine, Connections(Vault(bytes(32))), now=lambda: self.now, outside=outside
        )

    def other_process(self) -> WorkerContext:
        engine = open_engine(self.engine.url.render_as_string(hide_password=False), Role.WORKER)
        self.extra.append(engine)
        return self.place(engine)

    def rule(self, plain: Mapping[str, Any] = KERNEL_SLOW, **changes: object) -> int:
        return rules.add(self.engine, {**plain, **changes}, self.now)

    def channel(self, receiver: HttpReceiver, name: str = "ours", **more: Any) -> int:
        given = {"kind": "webhook", "settings": {"url": f"{receiver.url}/hook", "secrets": [SECRET]}} | more
        route, second = given.pop("route", {}), given.pop("second_id", None)
        vault = Vault(bytes(32))
        return channels.add(
            self.engine, vault, name=name, enabled=True, route=route, second_id=second, now=self.now, **given
        )

    def write(
        self,
        spans: Mapping[int, Interval] | None,
        at: datetime | None = None,
        *,
        also: Mapping[str, Mapping[int, Interval]] | None = None,
        is_whole: bool = True,
    ) -> None:
        """A minute of the ledger, as correlate leaves it; None: without a row. also: rows of other datastores by name."""
        begin = at or self.now - MINUTE
        wanted = {self.store: spans} | {
            self.environment.id("datastore", name): other for name, other in (also or {}).items()
        }
        rows = {thing: row(60_000, 30_000, those) for thing, those in wanted.items() if those is not None}
        if rows:
            self.environment.write([(ScopeKind.DATASTORE, thing, begin, made) for thing, made in rows.items()])
        self.environment.attributed_until(max(self.now, begin + MINUTE))
        with transaction(self.engine) as connection:
            alert_memory.minutes_written(connection, [round(begin.timestamp()) // 60], is_whole=is_whole)

    def ran(self, source_id: int, *, samples_until: datetime | None = None, error: str | None = None) -> None:
        """A source was read just now."""
        self.ask_to_write(
            "INSERT INTO collection_run (source_id, stream, queue, started_at, duration_s, calls, bytes_received, samples,"
            " new_samples, unknown_keys, error_kind) VALUES (:id, 'x', 'live', :now, 0.1, 1, 1, 1, 1, 0, :error)",
            id=source_id, now=self.now, error=error,
        )  # fmt: skip
        if samples_until is not None:
            self.ask_to_write(
                "INSERT INTO watermark VALUES (:id, 'x', :until) ON CONFLICT (source_id, stream) DO UPDATE SET until_at = :until",
                id=source_id, until=samples_until,
            )  # fmt: skip

    def ask_to_write(self, statement: str, **values: object) -> None:
        with transaction(self.engine) as connection:
            connection.execute(text(statement), values)

    def turn(self, place: WorkerContext | None = None) -> None:
        """One tick of everything."""
        here = place or self.place()
        evaluate.evaluate_rules(here, budget_s=20)
        notify.enqueue_messages(here)
        for due in notify.due_channels(here):
            deliver.deliver(here, due.channel_id, budget_s=20)

    def step(self, spans: Mapping[int, Interval] | None, place: WorkerContext | None = None) -> None:
        """The next minute passes, is written and judged."""
        self.now += MINUTE
        self.write(spans)
        self.turn(place)

    def ask(self, query: str, **values: object) -> list[tuple[Any, ...]]:
        with self.engine.connect() as connection:
            return [tuple(found) for found in connection.execute(text(query), values)]

    def states(self) -> list[str]:
        """Of every transition, in order."""
        return [state for (state,) in self.ask("SELECT after FROM alert_transition ORDER BY alert_id, sequence")]


@contextmanager
def alert_scene(url: str) -> Iterator[AlertScene]:
    engine = open_engine(url, Role.WORKER)
    with transaction(engine) as connection:
        # The rules that ship are tested as such.
        alert_memory.note_default_rules(connection)
        is_empty = connection.execute(text("SELECT NOT EXISTS (SELECT FROM source)")).scalar_one()
    made = AlertScene(engine, Environment.made(engine) if is_empty else Environment.stored(engine))
    yield made
    for one in (engine, *made.extra):
        one.dispose()


def told(receiver: HttpReceiver) -> list[dict[str, Any]]:
    """What the receiver was told, in order."""
    return [json.loads(one.body) for one in receiver.received]


__all__ = ["HEALTHY", "KERNEL", "KERNEL_SLOW", "MINUTE", "SOURCE_SILENT", "AlertScene", "alert_scene", "told"]
