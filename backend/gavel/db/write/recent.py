"""What the newest reads of a stream brought, remembered beside it: rows that come again as they were need not reach their table.

Most of what looking back brings is known. Comparing it in the database takes three quarters of the work of storing; a digest of each
row of the last few samples, kept in one value per stream, tells as much. The value is read and written under the lock and in the
transaction of the samples, so it never says more than what is stored; after a crash of the database it is empty, and rows are compared.
A process keeps the value that it wrote or read last, and reads it again only where it is another one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Engine, String, case, literal_column, select
from sqlalchemy.dialects.postgresql import insert

from gavel.db.schema.bookkeeping import recent_samples
from gavel.domain.samples import LOOK_BACK_SAMPLES, NOT_MEASURED, Int64Array
from gavel.domain.source import Stream

Columns = Mapping[str, Int64Array]
_Mask = npt.NDArray[np.bool_]
_KEY = ("ts", "entity_id")
# `after_us`: µs after the base, which stands before the rows. Measured: how many values of the row are there.
_ROW = np.dtype([("entity", "<u4"), ("after_us", "<u4"), ("digest", "<u4"), ("measured", "<u2")])
_BASE = np.dtype("<i8")
_KEPT_INTERVALS = LOOK_BACK_SAMPLES + 1
# Of splitmix64: every bit of a number moves every bit of the result.
_STEP, _FIRST, _SECOND = (np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


@dataclass(frozen=True, slots=True)
class RecentRows:
    """Rows of the last samples of a stream, in order of entity and stamp, each once; stamps in `base_us` + (0, 2³²) µs."""

    base_us: int
    rows: npt.NDArray[np.void]

    @classmethod
    def of(cls, columns: Columns, digest: npt.NDArray[np.uint32]) -> Self:
        """Rows of the last samples among `columns`, which are in order of entity and stamp, each key once; with their digests."""
        stamps = columns["ts"]
        base_us = int(stamps.max()) - _KEPT_INTERVALS * int(columns["interval_s"].max()) * 1_000_000
        recent = np.flatnonzero(stamps > base_us)
        rows = np.empty(len(recent), dtype=_ROW)
        rows["entity"], rows["after_us"] = columns["entity_id"][recent], stamps[recent] - base_us
        rows["digest"] = digest[recent]
        rows["measured"] = sum(column[recent] != NOT_MEASURED for name, column in columns.items() if name not in _KEY)
        return cls(base_us, rows)

    @classmethod
    def none(cls) -> Self:
        return cls(0, np.empty(0, dtype=_ROW))

    def holds(self, columns: Columns, digest: npt.NDArray[np.uint32]) -> _Mask:
        """(n,) whether each of these rows, of these digests, is known as it is."""
        after_us = columns["ts"] - self.base_us
        inside = (after_us > 0) & (after_us < 2**32)
        keys = _keys(columns["entity_id"], np.where(inside, after_us, 0))
        mine = self._keys()
        if not len(mine):
            return np.zeros(len(keys), dtype=np.bool_)
        place = np.minimum(np.searchsorted(mine, keys), len(mine) - 1)
        same: _Mask = inside & (mine[place] == keys) & (self.rows["digest"][place] == digest)
        return same

    def followed_by(self, newer: "RecentRows") -> "RecentRows":
        """Both, as far as they are of the last samples; of two rows of one key the newer one."""
        base_us = max(self.base_us, newer.base_us)
        parts = [one.since(base_us) for one in (self, newer)]
        older, later = (_keys(part["entity"], part["after_us"]) for part in parts)
        rows = np.concatenate([parts[0][~np.isin(older, later, assume_unique=True)], parts[1]])
        return RecentRows(base_us, rows[np.argsort(_keys(rows["entity"], rows["after_us"]), kind="stable")])

    def complete_until_us(self, interval_us: int) -> int | None:
        """Everything that was to be expected up to here is there: each entity's newest sample no more than an interval behind the newest
        of all, none left out between two others, each with as many values as the entity's fullest. None when nothing is known.
        """
        if not len(self.rows):
            return None
        after_us = self.rows["after_us"].astype(np.int64)
        firsts = np.flatnonzero(np.diff(self.rows["entity"], prepend=-1))
        newest = np.maximum.reduceat(after_us, firsts)
        fullest = np.maximum.reduceat(self.rows["measured"], firsts)
        half = self.rows["measured"] < np.repeat(fullest, np.diff(firsts, append=len(self.rows)))
        late = newest[newest <= newest.max() - interval_us]
        steps = np.diff(after_us)
        steps[firsts[1:] - 1] = 0  # from one entity to the next
        before_holes = after_us[:-1][steps > interval_us * 3 // 2]
        ends = [newest.max(), *late, *before_holes, *(after_us[half] - interval_us)]
        return self.base_us + int(min(ends))

    def newest_whole_us(self, owner: Int64Array, owners: int, interval_us: int) -> Int64Array:
        """(owners,) end of each owner's newest sample that came whole, 0 where nothing is known. A sample is not whole while a row of it
        has fewer values than the entity's fullest; then it is taken to be the one before.

        owner: (rows,) whose entity each row is of, -1 for nobody's.
        """
        found = np.zeros(owners, dtype=np.int64)
        if not len(self.rows):
            return found
        stamps = self.base_us + self.rows["after_us"].astype(np.int64)
        firsts = np.flatnonzero(np.diff(self.rows["entity"], prepend=-1))
        fullest = np.maximum.reduceat(self.rows["measured"], firsts)
        half = self.rows["measured"] < np.repeat(fullest, np.diff(firsts, append=len(self.rows)))
        known = owner >= 0
        np.maximum.at(found, owner[known], stamps[known])
        behind = known & half & (stamps == found[owner])
        found[np.unique(owner[behind])] -= interval_us
        return found

    def packed(self) -> bytes:
        return np.array(self.base_us, dtype=_BASE).tobytes() + self.rows.tobytes()

    @classmethod
    def unpacked(cls, packed: bytes) -> Self:
        return cls(
            int(np.frombuffer(packed, dtype=_BASE, count=1)[0]),
            np.frombuffer(packed, dtype=_ROW, offset=_BASE.itemsize),
        )

    def since(self, base_us: int) -> npt.NDArray[np.void]:
        behind = base_us - self.base_us
        after_us = self.rows["after_us"].astype(np.int64) - behind
        rows = self.rows[after_us > 0].copy()
        rows["after_us"] = after_us[after_us > 0]
        return rows

    def _keys(self) -> npt.NDArray[np.uint64]:
        return _keys(self.rows["entity"], self.rows["after_us"])


# Which row it is that was written last: no two of them are of one transaction and at one place.
_MARK = literal_column("recent_samples.xmin::text || recent_samples.ctid::text", String)
_kept: WeakKeyDictionary[Engine, dict[tuple[int, Stream], tuple[str, RecentRows]]] = WeakKeyDictionary()


def recent_rows(connection: Connection, source_id: int, stream: Stream) -> RecentRows:
    """What is remembered; read it under the lock of the stream's samples."""
    kept = _kept.setdefault(connection.engine, {})
    known_mark, known = kept.get((source_id, stream), ("", RecentRows.none()))
    mine = recent_samples.c.source_id == source_id, recent_samples.c.stream == stream
    packed = case((_MARK.is_distinct_from(known_mark), recent_samples.c.packed))
    row = connection.execute(select(_MARK, packed).where(*mine)).one_or_none()
    if row is None:
        return RecentRows.none()
    mark, news = row
    if news is None:
        return known
    found = RecentRows.unpacked(bytes(news))
    kept[source_id, stream] = mark, found
    return found


def remember(connection: Connection, source_id: int, stream: Stream, recent: RecentRows) -> None:
    row = insert(recent_samples).values(source_id=source_id, stream=stream, packed=recent.packed())
    newest = row.on_conflict_do_update(index_elements=["source_id", "stream"], set_={"packed": row.excluded.packed})
    # Should the transaction fail, no row has this mark.
    mark: str = connection.execute(newest.returning(_MARK)).scalar_one()
    _kept.setdefault(connection.engine, {})[source_id, stream] = mark, recent


def digests(columns: Columns) -> npt.NDArray[np.uint32]:
    """(n,) of every row's length and values. That a changed row has the digest it had is one in four thousand million."""
    mixed = np.zeros(len(columns["ts"]), dtype=np.uint64)
    for name in sorted(columns.keys() - set(_KEY)):
        mixed = _mixed((mixed + _STEP) ^ columns[name].astype(np.int64).view(np.uint64))
    return (mixed >> np.uint64(32)).astype(np.uint32)


def _mixed(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    numbers = (numbers ^ (numbers >> np.uint64(30))) * _FIRST
    numbers = (numbers ^ (numbers >> np.uint64(27))) * _SECOND
    return numbers ^ (numbers >> np.uint64(31))


def _keys(entity: npt.NDArray[np.integer], after_us: npt.NDArray[np.integer]) -> npt.NDArray[np.uint64]:
    return (entity.astype(np.uint64) << np.uint64(32)) | after_us.astype(np.uint64)
