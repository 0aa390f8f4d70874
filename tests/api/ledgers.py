"""A small environment with a ledger whose numbers a test chooses, so that it can say what the API has to answer."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from fastapi.testclient import TestClient
from sqlalchemy import Engine, text
from tests.db.environments import array_inventory, host_inventory

from gavel.db.engine import Connection, Role, open_engine, transaction
from gavel.db.queries.correlation import LedgerProgress, save_progress
from gavel.db.queries.sources import add_source
from gavel.db.write.inventory import store_inventory
from gavel.db.write.ledger import write_ledger
from gavel.domain.inventory import Inventory, InventoryTaken
from gavel.domain.io_path import SPANS, Layer, Segment
from gavel.domain.ledger import LedgerRows, Notes
from gavel.domain.scope import ENVIRONMENT_ID, ScopeKind, scope_key
from gavel.domain.source import SourceKind

MINUTE = timedelta(minutes=1)
NOW = datetime.now(UTC).replace(second=0, microsecond=0)


def span(first: Layer, last: Layer | None = None) -> int:
    return SPANS.index((first, last or first))


# µs per I/O: the state "as found" of the worked cases without a guest, and one in good health.
Interval = tuple[float, float, float]
KERNEL: Mapping[int, Interval] = {
    span(Layer.KERNEL): (438, 425, 451),
    span(Layer.SAN): (92, 82.5, 101.5),
    span(Layer.ARRAY): (400, 398.5, 401.5),
}
HEALTHY: Mapping[int, Interval] = {
    span(Layer.KERNEL): (10, 5, 15),
    span(Layer.SAN): (95, 85, 105),
    span(Layer.ARRAY): (400, 398.5, 401.5),
}
# 0.43 ms more than in health, and nobody can tell whether in the kernel or in the SAN.
BLURRED: Mapping[int, Interval] = {
    span(Layer.KERNEL): (280, 0, 624),
    span(Layer.SAN): (250, 0, 602),
    span(Layer.ARRAY): (400, 398.5, 401.5),
}
# Shares of their layer.
SEGMENTS: Mapping[Segment, tuple[Layer, float]] = {
    Segment.HYPERVISOR: (Layer.KERNEL, 0.1),
    Segment.KERNEL_QUEUE: (Layer.KERNEL, 0.8),
    Segment.KERNEL_SERVICE: (Layer.KERNEL, 0.1),
    Segment.FABRIC: (Layer.SAN, 0.75),
    Segment.ARRAY_PORT: (Layer.SAN, 0.25),
    Segment.ARRAY_QOS: (Layer.ARRAY, 0.0),
    Segment.ARRAY_QUEUE: (Layer.ARRAY, 0.25),
    Segment.ARRAY_SERVICE: (Layer.ARRAY, 0.75),
}


def minute(
    reads: float, writes: float, spans: Mapping[int, Interval], *, outermost_us: float = 0.0, **notes: float
) -> tuple[LedgerRows, Notes]:
    """One row; reads and writes fare alike. Segments of layers that are no span of their own are absent.

    outermost_us: lower bound of the whole, where it is higher than the layers' together.
    """
    ops = np.array([[reads, writes, reads + writes]], dtype=float)
    numbers = {name: np.zeros((1, 3, len(SPANS))) for name in ("time", "lower", "upper", "ops")}
    for index, interval in spans.items():
        for name, us in zip(("time", "lower", "upper"), interval, strict=True):
            numbers[name][:, :, index] = us * ops
        numbers["ops"][:, :, index] = ops
    segments = {name: np.zeros((1, 3, len(Segment))) for name in ("time", "ops")}
    for segment, (layer, share) in SEGMENTS.items():
        if span(layer) in spans:
            segments["time"][:, :, segment] = share * spans[span(layer)][0] * ops
            segments["ops"][:, :, segment] = ops
    rows = LedgerRows(
        ops=ops,
        bytes=ops * 4096,
        segment_time=segments["time"],
        segment_lower=np.zeros_like(segments["time"]),
        segment_upper=np.zeros_like(segments["time"]),
        segment_ops=segments["ops"],
        span_time=numbers["time"],
        span_lower=numbers["lower"],
        span_upper=numbers["upper"],
        span_ops=numbers["ops"],
        outermost_lower=np.maximum(numbers["lower"].sum(axis=2), outermost_us * ops),
    )
    return rows, _notes(reads + writes, notes)


def _notes(ops: float, given: Mapping[str, float]) -> Notes:
    usual: dict[str, float] = {"device_ops": ops, "array_ops": ops, "offset_error_s": 0.1, "missing_s": 0.0}
    usual |= {
        "disagreement_us": 0.0,
        "outstanding_s": 64.0 * 60,
        "queue_depth": 32.0,
        "reasons": 0,
        "quality_reasons": 0,
    }
    values = usual | dict(given)
    flags = ("reasons", "quality_reasons")
    return Notes(
        **{f.name: np.array([values[f.name]], dtype=np.int64 if f.name in flags else float) for f in fields(Notes)}
    )


Entry = tuple[ScopeKind, int, datetime, tuple[LedgerRows, Notes]]


def written(connection: Connection, entries: Sequence[Entry], *, replaced: Sequence[datetime]) -> None:
    """These rows of the ledger, in the caller's transaction."""
    minutes = np.array([round(at.timestamp()) * 1_000_000 for _, _, at, _ in entries])
    keys = np.array([scope_key(kind, thing) for kind, thing, _, _ in entries])
    rows, notes = (
        kind(**{f.name: np.concatenate([getattr(entry[3][n], f.name) for entry in entries]) for f in fields(kind)})
        for n, kind in enumerate((LedgerRows, Notes))
    )
    write_ledger(connection, minutes, keys, rows, notes, replace_minutes=replaced)


@dataclass(frozen=True)
class Environment:
    """One array and one vCenter with the small environment of the database's tests, and words to fill the ledger."""

    engine: Engine
    array: int
    vcenter: int

    @classmethod
    def made(cls, engine: Engine, array_settings: Mapping[str, int] | None = None) -> "Environment":
        array = cls._source(engine, SourceKind.FLASHARRAY, array_inventory(), array_settings or {})
        return cls(engine, array, cls._source(engine, SourceKind.VCENTER, host_inventory(), {}))

    @classmethod
    def stored(cls, engine: Engine) -> "Environment":
        """The one that a database was filled with before it was copied."""
        with transaction(engine) as connection:
            ids = {row.kind: row.id for row in connection.execute(text("SELECT kind, id FROM source"))}
        return cls(engine, ids[SourceKind.FLASHARRAY], ids[SourceKind.VCENTER])

    @staticmethod
    def _source(engine: Engine, kind: SourceKind, inventory: Inventory, settings: Mapping[str, int]) -> int:
        with transaction(engine) as connection:
            source_id = add_source(
                connection,
                kind=kind,
                name=f"source of {kind}",
                address="192.0.2.1",
                settings=settings,
                enabled=True,
                now=NOW,
            )
            store_inventory(connection, source_id, InventoryTaken(inventory, NOW))
        return source_id

    def id(self, table: str, key: str) -> int:
        with transaction(self.engine) as connection:
            found: int = connection.execute(text(f"SELECT id FROM {table} WHERE key = :key"), {"key": key}).scalar_one()
        return found

    def write(self, entries: Sequence[Entry]) -> None:
        with transaction(self.engine) as connection:
            written(connection, entries, replaced=sorted({at for _, _, at, _ in entries}))
            # As the transaction does that writes minutes.
            connection.execute(text("UPDATE correlated SET until_at = until_at"))

    def attributed_until(self, at: datetime) -> None:
        with transaction(self.engine) as connection:
            save_progress(connection, LedgerProgress(at, None, frozenset()))

    def last_minutes(self, kind: ScopeKind, thing: int, count: int, row: tuple[LedgerRows, Notes]) -> None:
        """The same in each of the `count` minutes before NOW."""
        self.write([(kind, thing, NOW - n * MINUTE, row) for n in range(1, count + 1)])

    def expect(self, kind: ScopeKind, thing: int, hours: Mapping[int, tuple[float, float]]) -> None:
        """SAN and array µs by hour of the day, as a week of history would have left them: each hour with a row of the whole environment."""
        with transaction(self.engine) as connection:
            for hour, (san_us, array_us) in hours.items():
                connection.execute(
                    text("INSERT INTO expectation VALUES (:key, :hour, :san, :array, 7, :now)"),
                    {"key": scope_key(kind, thing), "hour": hour, "san": san_us, "array": array_us, "now": NOW},
                )
                connection.execute(
                    text(
                        "INSERT INTO expectation VALUES (:key, :hour, NULL, NULL, 0, clock_timestamp())"
                        " ON CONFLICT (entity_id, hour) DO UPDATE SET computed_at = excluded.computed_at"
                    ),
                    {"key": scope_key(ScopeKind.ENVIRONMENT, ENVIRONMENT_ID), "hour": hour},
                )


def make_environment(url: str) -> None:
    """With an environment that nothing was attributed in."""
    engine = open_engine(url, Role.API)
    Environment.made(engine)
    engine.dispose()


def fill_environment(url: str) -> None:
    """With an environment that is attributed until NOW, without any row yet."""
    engine = open_engine(url, Role.API)
    Environment.made(engine).attributed_until(NOW)
    engine.dispose()


def ask(client: TestClient, path: str) -> Any:
    answer = client.get(f"/api/v1/{path}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def ago(minutes: int) -> str:
    return f"{NOW - minutes * MINUTE:%Y-%m-%dT%H:%M:%SZ}"


def between(first: int, last: int) -> str:
    """A range by minutes before NOW."""
    return f"from={ago(first)}&to={ago(last)}"


def texts(statements: Iterable[Mapping[str, str]]) -> list[str]:
    return [one["text"] for one in statements]
