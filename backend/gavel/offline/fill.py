"""An empty database becomes an environment: inventory and samples from files by the ordinary writers, then the ordinary stages in order
of time, as if they had been collected live."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from gavel.alerting.use.evaluate import evaluate_rules
from gavel.correlate.findings import EVERY, evaluate_findings
from gavel.correlate.run import GRACE, correlate
from gavel.db.engine import Connection, Engine, Role, open_engine, transaction
from gavel.db.queries.clocks import record_clocks
from gavel.db.queries.correlation import LedgerProgress, save_progress
from gavel.db.queries.imports import host_id_by_name
from gavel.db.queries.sources import add_source, change_source, sources
from gavel.db.series import retention
from gavel.db.series.maintenance import roll_dirty
from gavel.db.write.imports import begin_import, save_capture, tie_capture
from gavel.db.write.inventory import store_inventory
from gavel.db.write.samples import advance_watermark, write_samples
from gavel.domain.errors import SettingsError
from gavel.domain.imports import ImportedCapture, ImportOptions, ImportState, OffsetOrigin
from gavel.domain.inventory import Inventory, InventoryTaken
from gavel.domain.samples import SampleBatch
from gavel.domain.source import ClockReading, SourceKind
from gavel.ingest.connections import Connections
from gavel.ingest.worker import WorkerContext
from gavel.offline.capture_inventory import capture_inventory
from gavel.offline.capture_samples import capture_batches
from gavel.vault import Vault

MINUTE = timedelta(minutes=1)
LONGEST = timedelta(days=2)
# Stamps of captures have whole seconds.
_STAMP_ERROR_S = 1.0
_BUDGET_S = 600.0
_NOTE = "Its rows are the samples of this offline environment."
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class CaptureFile:
    file_name: str
    size_bytes: int
    capture: ImportedCapture


@dataclass(frozen=True, slots=True)
class Window:
    """Whole minutes [from_at, to_at) that the captures cover."""

    from_at: datetime
    to_at: datetime


def window_of(captures: Sequence[ImportedCapture]) -> Window:
    """Raises SettingsError where there is no whole minute, or where they are too far apart to be one environment."""
    starts, ends = min(each.starts_at for each in captures), max(each.ends_at for each in captures)
    window = Window(_minute(starts + MINUTE - timedelta(microseconds=1)), _minute(ends))
    if window.to_at <= window.from_at:
        raise SettingsError(
            f"The capture from {starts:%H:%M:%S} to {ends:%H:%M:%S} UTC covers no whole minute. Capture for some minutes."
        )
    if window.to_at - window.from_at > LONGEST:
        raise SettingsError(
            f"From {starts:%Y-%m-%d %H:%M} to {ends:%Y-%m-%d %H:%M} UTC are more than"
            f" {LONGEST.days} days. Make an environment of each part."
        )
    return window


def _minute(at: datetime) -> datetime:
    return at.replace(second=0, microsecond=0)


def fill_database(url: str, vault: Vault, name: str, files: Sequence[CaptureFile], window: Window, say: Say) -> None:
    """Raises GavelError."""
    engine = open_engine(url, Role.WORKER)
    try:
        with transaction(engine) as connection:
            retention.keep_everything(connection)
            save_progress(connection, LedgerProgress(window.from_at, None, frozenset()))
        _store_captures(engine, name, files, window)
        say("Samples are stored.")
        _analyze(engine, vault, window, say)
    finally:
        engine.dispose()


def _store_captures(engine: Engine, name: str, files: Sequence[CaptureFile], window: Window) -> None:
    captures = [each.capture for each in files]
    inventory = capture_inventory(name, captures)
    batches = [batch for capture in captures for batch in capture_batches(capture)]
    clock = ClockReading(subject=None, offset_s=0.0, error_s=_STAMP_ERROR_S, read_at=window.from_at)
    address = ", ".join(each.file_name for each in files)
    with transaction(engine) as connection:
        source_id = add_source(
            connection,
            kind=SourceKind.VCENTER,
            name="esxtop captures",
            address=address,
            settings={"address": address},
            enabled=True,
            now=window.from_at,
        )
        store_source(connection, source_id, inventory, batches, [clock], window)
        for each in files:
            _keep_capture(connection, each, window.to_at)


def store_source(
    connection: Connection,
    source_id: int,
    inventory: Inventory,
    batches: Sequence[SampleBatch],
    clocks: Sequence[ClockReading],
    window: Window,
) -> None:
    """What a source had, as of the whole window."""
    for at in (window.from_at, window.to_at):
        store_inventory(connection, source_id, InventoryTaken(inventory, at))
    record_clocks(connection, source_id, clocks)
    for batch in batches:
        write_samples(connection, source_id, batch)
        newest = datetime.fromtimestamp(int(batch.ended_at_us.max()) / 1e6, UTC)
        advance_watermark(connection, source_id, batch.stream, newest)


def _keep_capture(connection: Connection, file: CaptureFile, at: datetime) -> None:
    """As an import has it, for the queues of its worlds. Its latencies are in the samples: they have no say beside them."""
    import_id = begin_import(
        connection, "esxtop", file.file_name, file.size_bytes, ImportOptions(), ImportState.READING, at
    )
    save_capture(connection, import_id, file.capture, at)
    tie_capture(
        connection,
        import_id,
        host_id=host_id_by_name(connection, file.capture.host_name),
        offset_s=0.0,
        offset_error_s=0.0,
        offset_by=OffsetOrigin.GIVEN,
        correlation=None,
        narrows=False,
        note=_NOTE,
    )


def _analyze(engine: Engine, vault: Vault, window: Window, say: Say) -> None:
    """Minutes, findings and alerts one after the other, each as of its time."""
    connections = Connections(vault)
    at = window.from_at
    while at < window.to_at:
        at = min(at + EVERY, window.to_at)
        correlate(_context(engine, connections, at), budget_s=_BUDGET_S)
        evaluate_rules(_context(engine, connections, at), budget_s=_BUDGET_S)
        evaluate_findings(_context(engine, connections, at))
    # Minutes for which a source has nothing are waited for so long.
    correlate(_context(engine, connections, at + GRACE), budget_s=_BUDGET_S)
    evaluate_rules(_context(engine, connections, at), budget_s=_BUDGET_S)
    say(f"Analyzed from {window.from_at:%Y-%m-%d %H:%M} to {window.to_at:%H:%M} UTC.")
    with transaction(engine) as connection:
        for source in sources(connection):
            # Nothing more will come of it, and nobody waits.
            change_source(connection, source.id, enabled=False)
    # Buckets of the last hours are closed by then.
    roll_dirty(engine, window.to_at + timedelta(hours=2))


def _context(engine: Engine, connections: Connections, at: datetime) -> WorkerContext:
    return WorkerContext(engine, connections, now=lambda: at)
