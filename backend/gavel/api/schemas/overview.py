"""The environment: latency by layer, and objects ranked by severity and excess outstanding I/O."""

from pydantic import AwareDatetime

from gavel.api.schemas.causes import ShortCauseOut
from gavel.api.schemas.common import Out, Ref
from gavel.api.schemas.diagnoses import (
    BaselineFromName,
    ConfidenceName,
    LayerOut,
    OccupancyLayerOut,
    QualityName,
    SeverityName,
    StateName,
)
from gavel.api.schemas.labels import OwnerOut
from gavel.api.schemas.sentences import HeadOut


class StandingOut(Out):
    """A diagnosis over the window, reads and writes together. `sentence`: its head alone. `layers` as in a waterfall.

    `severity`: null without a diagnosis. `seen_only`: as in a diagnosis. `limited_counters`: normal only since the counters are too
    coarse to show the excess. `confidence`: null where no layer is named.
    `until_at`: over at most 10 minutes, the end of the last one that named what is named, once two minutes after it do not; else null.
    """

    state: StateName
    severity: SeverityName | None
    seen_only: bool
    limited_counters: bool
    confidence: ConfidenceName | None
    layer: str | None
    layer_label: str | None
    other: str | None
    other_label: str | None
    share: float | None
    sentence: HeadOut
    until_at: AwareDatetime | None
    excess_outstanding: float | None
    total_us: float | None
    baseline_us: float | None
    baseline_from: BaselineFromName | None
    excess_us: float | None
    iops: float | None
    bytes_per_s: float | None
    quality: QualityName | None
    layers: list[LayerOut]


class OverviewRow(StandingOut):
    """One object. Without a minute of the window in the ledger its state is `no_data`. `arrays`: those it is on; of a stretched pod two.

    `cause`: null where no layer is named, where nothing is known of disks, devices and volumes, and over windows of more than an hour.
    """

    subject: Ref
    owner: OwnerOut | None
    arrays: list[Ref]
    cause: ShortCauseOut | None


class EnvironmentOut(StandingOut):
    """The whole environment, and the outstanding I/Os by layer. `excess_outstanding`: sum over all datastores, whatever the filters.

    `occupancy`: I/Os of datastores whose diagnosis is inconclusive are not in its two layers but in a separate one, "kernel_or_san".
    """

    occupancy: list[OccupancyLayerOut]


class TotalsOut(Out):
    """Sums over all rows that match, not only this page's; `by_severity` counts those with a diagnosis that holds, `ended` those that have
    an `until_at`; `by_confidence` those that name a layer, `by_state` all.

    `total_us`, `excess_us`: of all their I/Os together, weighted by operations.
    """

    iops: float
    total_us: float | None
    excess_us: float | None
    excess_outstanding: float
    by_severity: dict[str, int]
    by_confidence: dict[str, int]
    by_state: dict[str, int]
    ended: int


class OverviewOut(Out):
    """`ledger_until_at`: minutes before it have been attributed; null before the first one."""

    from_at: AwareDatetime
    to_at: AwareDatetime
    ledger_until_at: AwareDatetime | None
    environment: EnvironmentOut
    totals: TotalsOut
    items: list[OverviewRow]
    total: int
    limit: int
    offset: int
