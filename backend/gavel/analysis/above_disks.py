"""What guests have above their virtual disks, as part of a place: of the disks that were measured in their guests, and of no other."""

from dataclasses import fields, replace

import numpy as np

from gavel.analysis.counted_leaves import Fed, counted_of, over_counts
from gavel.analysis.intervals import Bools
from gavel.analysis.ledger import GUEST
from gavel.analysis.parent_notes import RollupPairs, present, rolled
from gavel.analysis.sides import GriddedLeaves, GriddedSides
from gavel.domain.io_path import Segment
from gavel.domain.ledger import LedgerRows


def above_disks(
    grids: GriddedSides, disks: GriddedLeaves, pairs: RollupPairs, measured: Bools, size: int
) -> LedgerRows:
    """(size,) time in the guests of disks that stand above devices of a place, and nothing else.

    measured: (size,) places whose devices were read; above others nothing can be stacked.
    """
    there = present(disks, pairs)
    kept = measured[there.parent] & (disks.rows.span_ops[there.leaf, :, GUEST] > 0).any(axis=1)
    there = RollupPairs(leaf=there.leaf[kept], parent=there.parent[kept], weight=there.weight[kept])
    own = _guests_only(disks.rows)
    total = over_counts(rolled(own, there, size), [Fed(own, counted_of(grids.parts), there)])
    # Their I/Os are counted at the devices.
    return replace(total, ops=np.zeros_like(total.ops))


def _guests_only(rows: LedgerRows) -> LedgerRows:
    """Rows of disks with the time above them alone; their outermost boundary is no more than that."""
    empty = LedgerRows(**{field.name: np.zeros_like(getattr(rows, field.name)) for field in fields(LedgerRows)})
    for part in ("time", "lower", "upper", "ops"):
        getattr(empty, f"span_{part}")[..., GUEST] = getattr(rows, f"span_{part}")[..., GUEST]
        name = f"segment_{part}"
        getattr(empty, name)[..., Segment.GUEST_QUEUE] = getattr(rows, name)[..., Segment.GUEST_QUEUE]
    return replace(empty, ops=rows.span_ops[..., GUEST].copy(), outermost_lower=rows.span_lower[..., GUEST].copy())
