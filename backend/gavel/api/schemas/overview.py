"""The whole estate at a glance: by layer, and who loses most."""

from pydantic import AwareDatetime

from gavel.api.schemas.common import Out, Ref
from gavel.api.schemas.verdicts import (
    CertaintyName,
    ExpectedFromName,
    GradeName,
    LayerOut,
    OccupancyLayerOut,
    StateName,
)


class StandingOut(Out):
    """A verdict over the window, reads and writes together. `sentence`: its head alone. `layers` as in a waterfall.

    `until_at`: over at most 10 minutes, the end of the last one that named what is named, once two minutes after it do not; else null.
    """

    state: StateName
    certainty: CertaintyName
    layer: str | None
    layer_label: str | None
    other: str | None
    other_label: str | None
    share: float | None
    sentence: str
    until_at: AwareDatetime | None
    impact: float | None
    total_us: float | None
    expected_us: float | None
    expected_from: ExpectedFromName | None
    excess_us: float | None
    iops: float | None
    bytes_per_s: float | None
    grade: GradeName | None
    layers: list[LayerOut]


class OverviewRow(StandingOut):
    """One thing. What the ledger does not have in the window has state `no_data`. `arrays`: that it is on; of a stretched pod two."""

    subject: Ref
    arrays: list[Ref]


class EstateOut(StandingOut):
    """Everything together, and the I/Os inside each layer. `impact`: of all datastores added up, whatever was asked for.

    `occupancy`: I/Os of datastores whose verdict is undetermined are not in its two layers but in one of their own, "kernel_or_san".
    """

    occupancy: list[OccupancyLayerOut]


class TotalsOut(Out):
    """Sums over all rows that match, not only this page's; `by_certainty` counts the judged ones, `by_state` all.

    `ended`: those of them that have an `until_at`.
    """

    iops: float
    impact: float
    by_certainty: dict[str, int]
    by_state: dict[str, int]
    ended: int


class OverviewOut(Out):
    """`ledger_until_at`: minutes before it have been attributed; null before the first one."""

    from_at: AwareDatetime
    to_at: AwareDatetime
    ledger_until_at: AwareDatetime | None
    estate: EstateOut
    totals: TotalsOut
    items: list[OverviewRow]
    total: int
    limit: int
    offset: int
