"""Runs of load tools as they are imported: what the tool itself measured, in one record for all tools."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from gavel.domain.io_path import DirectionName

# lat: from submission to completion; slat: until it was submitted; clat: from then on.
PhaseName = Literal["lat", "clat", "slat"]
# What a run is of: the VM that the tool ran in, or the datastore or array volume that it wrote to, from several VMs or from outside.
TieKind = Literal["vm", "datastore", "volume"]
TIE_KINDS: Final[tuple[TieKind, ...]] = ("vm", "datastore", "volume")
# A file with more runs is a sweep that nobody reads run by run.
MOST_RUNS = 500


@dataclass(frozen=True, slots=True)
class RunTie:
    """The object whose layers stand beside a run."""

    kind: TieKind
    id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadFigures:
    """What the tool measured of one direction; `all` is reads and writes together. Latency from submission to completion; null: not in the
    file, as rates are not in a log of averages. A warning of the run says where percentiles leave something out."""

    direction: DirectionName
    ops: int | None
    ops_per_s: float | None
    bytes_per_s: float | None
    mean_us: float | None
    max_us: float | None
    p50_us: float | None
    p95_us: float | None
    p99_us: float | None
    p999_us: float | None


@dataclass(frozen=True, slots=True)
class LoadWarning:
    """What limits the use of a run, and what to do about it. `code` is for programs, and stable."""

    code: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedLatency:
    """What the tool logged of one direction over time, a value per bucket, null where nothing was logged.

    `phase`: lat from submission to completion, slat until submitted, clat from then on. `grain_s`: of the averages in its log; null where
    the log has every I/O, and then alone `ops` is counted. `mean_us`: of all I/Os of the bucket; of averages their mean over time, between
    the lowest and the highest of them that touch the bucket (`lowest_us`, `highest_us`; null where the log has every I/O). `max_us`: the
    slowest I/O, where it is logged.
    """

    direction: DirectionName
    phase: PhaseName
    grain_s: float | None
    ops: Sequence[int] | None
    mean_us: Sequence[float | None]
    lowest_us: Sequence[float | None] | None
    highest_us: Sequence[float | None] | None
    max_us: Sequence[float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadSeries(LoggedLatency):
    """In buckets of `step_s` from `starts_at` on, which all series of a run share."""

    starts_at: datetime
    step_s: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadRun:
    """starts_at, ends_at: of the measurement without its warm-up, by the clock of the machine that ran the tool; both None where the file
    does not say. tool_version: empty where it is not in it. outstanding_limit: I/Os that the run may have outstanding at once; block_size:
    as people write it (4k); None: not in it.
    figures: of the directions that had I/O, `all` last. series: where the tool logged its latency over time. vm_name: the VM that it ran
    in, where the file holds runs of several; None: it is of what the file is tied to.
    """

    name: str
    tool: str
    tool_version: str
    starts_at: datetime | None
    ends_at: datetime | None
    outstanding_limit: int | None
    block_size: str | None
    is_direct: bool | None
    figures: Sequence[LoadFigures]
    warnings: Sequence[LoadWarning]
    series: Sequence[LoadSeries] = ()
    vm_name: str | None = None


@dataclass(frozen=True, slots=True)
class PlacedRun:
    """A run with what it is tied to."""

    run: LoadRun
    tie: RunTie


@dataclass(frozen=True, slots=True)
class LeftOutFile:
    """A file of a bundle that became no run, and why."""

    file: str
    reason: str


@dataclass(frozen=True, slots=True)
class ImportedRuns:
    """What one file of a load tool holds, in its order; at least one run. left_out: of a bundle."""

    runs: Sequence[LoadRun]
    left_out: Sequence[LeftOutFile] = ()
