"""An empty database becomes an environment: inventory and samples from files by the ordinary writers, then the ordinary stages in order
of time, as if they had been collected live."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
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
from gavel.offline.host_clocks import ArrayFile, HostClock, host_clock
from gavel.vault import Vault

MINUTE = timedelta(minutes=1)
LONGEST = timedelta(days=2)
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


@dataclass(frozen=True, slots=True)
class Material:
    """What an environment is made from. clocks: of each of the captures."""

    captures: Sequence[CaptureFile]
    clocks: Sequence[HostClock]
    arrays: Sequence[ArrayFile]

    @classmethod
    def of(cls, captures: Sequence[CaptureFile], arrays: Sequence[ArrayFile]) -> "Material":
        return cls(captures, [host_clock(each.capture, arrays) for each in captures], arrays)


def window_of(material: Material) -> Window:
    """Raises SettingsError where there is no whole minute, or where captures are too far apart to be one environment."""
    ahead = [timedelta(seconds=each.offset_s) for each in material.clocks]
    starts = min(each.capture.starts_at - by for each, by in zip(material.captures, ahead, strict=True))
    ends = max(each.capture.ends_at - by for each, by in zip(material.captures, ahead, strict=True))
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


def fill_database(url: str, vault: Vault, name: str, material: Material, window: Window, say: Say) -> None:
    """Raises GavelError."""
    engine = open_engine(url, Role.WORKER)
    try:
        with transaction(engine) as connection:
            retention.keep_everything(connection)
            save_progress(connection, LedgerProgress(window.from_at, None, frozenset()))
        _store_captures(engine, name, material, window)
        _store_arrays(engine, material.arrays, window)
        say("Samples are stored.")
        _analyze(engine, vault, window, say)
    finally:
        engine.dispose()


def _store_captures(engine: Engine, name: str, material: Material, window: Window) -> None:
    files = material.captures
    captures = [each.capture for each in files]
    volumes = {volume.serial: volume.name for array in material.arrays for volume in array.inventory.volumes}
    inventory = capture_inventory(name, captures, volumes)
    batches = [batch for capture in captures for batch in capture_batches(capture)]
    clocks = [
        ClockReading(each.capture.host_name, clock.offset_s, clock.error_s, window.from_at)
        for each, clock in zip(files, material.clocks, strict=True)
    ]
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
        _store_source(connection, source_id, inventory, batches, clocks, window)
        for each in files:
            _keep_capture(connection, each, window.to_at)


def _store_arrays(engine: Engine, arrays: Sequence[ArrayFile], window: Window) -> None:
    for each in arrays:
        name = each.inventory.array.name
        # Read after the window, of which it is the best that is known.
        clock = replace(each.clock, read_at=window.from_at)
        with transaction(engine) as connection:
            source_id = add_source(
                connection,
                kind=SourceKind.FLASHARRAY,
                name=name,
                address=each.file_name,
                settings={"address": each.file_name},
                enabled=True,
                now=window.from_at,
            )
            _store_source(connection, source_id, each.inventory, each.batches, [clock], window)


def _store_source(
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
        if at.minute == 0:
            say(f"Analyzed through {at:%H:%M} UTC.")
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
