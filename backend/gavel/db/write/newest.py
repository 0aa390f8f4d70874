"""Whose newest samples of a stream are stored whole: by what is remembered of its last reads."""

from dataclasses import dataclass

import numpy as np

from gavel.db.engine import Connection
from gavel.db.write.entities import owners
from gavel.db.write.recent import recent_rows
from gavel.domain.samples import Int64Array
from gavel.domain.source import GRAIN_S, Stream


@dataclass(frozen=True, slots=True)
class NewestWhole:
    """ended_us: (n,) end of the newest whole sample by owner, in µs, 0 where nothing is known. names: (n,) of the owners; empty where each
    entity is its own."""

    ended_us: Int64Array
    names: tuple[str, ...]


def newest_whole(connection: Connection, source_id: int, stream: Stream, *, by_owner: bool) -> NewestWhole:
    """by_owner: what belongs to one host or VM goes together. Raises NotFoundError when the source is gone."""
    known, recent = owners(connection, source_id, stream), recent_rows(connection, source_id, stream)
    entity = recent.rows["entity"]
    interval_us = GRAIN_S[stream] * 1_000_000
    if by_owner:
        return NewestWhole(recent.newest_whole_us(known.of(entity), len(known.names), interval_us), known.names)
    own, position = np.unique(entity, return_inverse=True)
    return NewestWhole(recent.newest_whole_us(position.astype(np.int64), len(own), interval_us), ())
