"""Runs of load tools as they are imported: what the tool itself measured, in one record for all tools."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from gavel.domain.io_path import DirectionName

# A file with more runs is a sweep that nobody reads run by run.
MOST_RUNS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadFigures:
    """What the tool measured of one direction; `all` is reads and writes together. Latency from submission to completion; null: not in the
    file. A warning of the run says where percentiles leave something out."""

    direction: DirectionName
    ops: int | None
    ops_per_s: float
    bytes_per_s: float
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
class LoadRun:
    """starts_at, ends_at: of the measurement without its warm-up, by the clock of the machine that ran the tool; both None where the file
    does not say. tool_version: empty where it is not in it. outstanding_limit: I/Os that the run may have outstanding at once; block_size:
    as people write it (4k); None: not in it.
    figures: of the directions that had I/O, `all` last.
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


@dataclass(frozen=True, slots=True)
class ImportedRuns:
    """What one file of a load tool holds, in its order; at least one run."""

    runs: Sequence[LoadRun]
