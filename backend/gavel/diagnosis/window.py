"""The ledger of one scope over one window, summed and diagnosed: the start of every response about a window."""

from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict

import numpy as np

from gavel.analysis.diagnosis import Case, case_of
from gavel.db.engine import Connection
from gavel.db.queries.ledger import LedgerSeries, ledger
from gavel.db.queries.ledger_objects import ledger_object
from gavel.db.queries.ledger_pieces import Resolution
from gavel.db.queries.refs import EntityRef, RefKind
from gavel.db.queries.scopes import SCOPES
from gavel.db.series.modes import Storage
from gavel.diagnosis.baselines import Usual, hours_of, usual_of
from gavel.diagnosis.diagnose import (
    NOW_WIDTH,
    DiagnosedRows,
    DiagnosisState,
    bytes_per_op,
    diagnose_rows,
    none_if_nan,
    write_share,
)
from gavel.domain.io_path import Direction, Layer
from gavel.domain.scope import ScopeKind, scope_key

EVERY_LAYER = tuple(layer.key for layer in Layer)


class WindowFields(TypedDict):
    subject: EntityRef
    from_at: datetime
    to_at: datetime
    minutes: int
    ledger_until_at: datetime | None
    resolution: Resolution


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosisWindow:
    """What was asked about and over what. `minutes`: how many minutes of [from_at, to_at) are in the ledger.

    `ledger_until_at`: minutes before it have been attributed; null before the first one. Its age is the age of the diagnoses.
    """

    subject: EntityRef
    from_at: datetime
    to_at: datetime
    minutes: int
    ledger_until_at: datetime | None
    resolution: Resolution

    @property
    def fields(self) -> WindowFields:
        """For an answer that is this and more."""
        return {
            "subject": self.subject,
            "from_at": self.from_at,
            "to_at": self.to_at,
            "minutes": self.minutes,
            "ledger_until_at": self.ledger_until_at,
            "resolution": self.resolution,
        }


@dataclass(frozen=True, slots=True)
class WindowSum:
    """One scope and window. `series` and `diagnosed` have one row, or none where the ledger has no minute of the window.

    storage: what retention depends on, for whoever reads more of the window.
    """

    window: DiagnosisWindow
    kind: RefKind
    scope: ScopeKind
    series: LedgerSeries
    usual: Usual
    diagnosed: DiagnosedRows
    storage: Storage

    @property
    def is_empty(self) -> bool:
        return len(self.series) == 0

    @property
    def state(self) -> DiagnosisState:
        return DiagnosisState.NO_DATA if self.is_empty else self.diagnosed.states[0]

    @property
    def outstanding(self) -> float | None:
        """I/Os in the virtual disks on average, as they counted them; None where they did not, or there is no row."""
        if self.is_empty:
            return None
        return none_if_nan(self.series.outstanding_ios[0])

    def case(self, direction: Direction) -> Case:
        """One direction against what is expected of it: only writes wait for the other array of a pod. There has to be a row."""
        alone = {Direction.READ: np.zeros(1), Direction.WRITE: np.ones(1)}
        writes = alone[direction] if direction in alone else write_share(self.series.rows)
        hours = hours_of(self.window.from_at, self.window.to_at)[None, :]
        size = bytes_per_op(self.series.rows, direction)
        expected, _ = self.usual.at(np.zeros(1, dtype=np.int64), hours, writes, size)
        return case_of(self.series.rows, direction, expected, np.zeros(1, dtype=np.int64))


def asked_window(
    from_at: datetime | None, to_at: datetime | None, until_at: datetime | None, now: datetime
) -> tuple[datetime, datetime]:
    """As asked, or the last five minutes that have been attributed (before `until_at`); before the first one, those before `now`."""
    if from_at is not None and to_at is not None:
        return from_at, to_at
    end = until_at or now.replace(second=0, microsecond=0)
    return end - NOW_WIDTH, end


def summed(
    connection: Connection,
    kind: RefKind,
    thing_id: int,
    from_at: datetime | None,
    to_at: datetime | None,
    *,
    disk_id: int | None = None,
) -> WindowSum:
    """Without a range: of the last five minutes that have been attributed. disk_id: I/Os of this virtual disk of it alone, against what is
    expected of the whole. Raises NotFoundError, and ValueError for an empty range."""
    known = ledger_object(connection, kind, thing_id)
    scope, storage = SCOPES[kind], known.storage
    begin, end = asked_window(from_at, to_at, known.until_at, storage.now)
    key = scope_key(scope, thing_id) if disk_id is None else scope_key(ScopeKind.VM_DISK, disk_id)
    found = ledger(connection, [key], begin, end, None, storage=storage)
    expected = usual_of(connection, scope, [thing_id], known.history, known.array_settings)
    hours = np.tile(hours_of(found.from_at, found.to_at), (len(found), 1))
    ruled = diagnose_rows(found, scope, np.zeros(len(found), dtype=np.int64), expected, hours)
    window = DiagnosisWindow(
        subject=known.subject,
        from_at=found.from_at,
        to_at=found.to_at,
        minutes=int(found.minutes.sum()),
        ledger_until_at=known.until_at,
        resolution=found.resolution,
    )
    return WindowSum(window, kind, scope, found, expected, ruled, storage)
