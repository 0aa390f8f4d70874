"""Runs of several VMs at once, summed up to those of their datastore: rates add up, latency is weighted by I/Os."""

from collections.abc import Sequence

from gavel.collectors.load_figures import LoadWay, together
from gavel.collectors.load_window import RunWindow, unplaced
from gavel.domain.io_path import DirectionName
from gavel.domain.load_runs import LoadFigures, LoadRun, LoadWarning

_DIRECTIONS: tuple[DirectionName, ...] = ("read", "write", "all")
# Ramps and starts differ by seconds; more, and the rates were not there at once.
_LEAST_SHARE = 0.9


def sums_of(vms: Sequence[Sequence[LoadRun]], broken: int) -> list[LoadRun]:
    """The n-th runs of all VMs together, as every VM does the same jobs in turn. broken: files of VMs that cannot be read."""
    most = max(map(len, vms))
    return [_sum([runs[position] for runs in vms if position < len(runs)], broken) for position in range(most)]


def _sum(runs: Sequence[LoadRun], broken: int) -> LoadRun:
    first, window = runs[0], _window(runs)
    limits = [run.outstanding_limit for run in runs if run.outstanding_limit is not None]
    versions = sorted({f"{run.tool} {run.tool_version}".strip() for run in runs})
    return LoadRun(
        name=f"{first.name}, {len(runs)} {'VM' if len(runs) == 1 else 'VMs'}",
        tool="hcibench",
        tool_version=", ".join(versions),
        starts_at=window.starts_at,
        ends_at=window.ends_at,
        outstanding_limit=sum(limits) if len(limits) == len(runs) else None,
        block_size=first.block_size if len({run.block_size for run in runs}) == 1 else None,
        is_direct=first.is_direct if len({run.is_direct for run in runs}) == 1 else None,
        figures=[_figures(direction, own) for direction in _DIRECTIONS if (own := _ways(runs, direction))],
        warnings=_warnings(runs, window, broken),
    )


def _ways(runs: Sequence[LoadRun], direction: DirectionName) -> list[LoadFigures]:
    return [each for run in runs for each in run.figures if each.direction == direction]


def _figures(direction: DirectionName, own: Sequence[LoadFigures]) -> LoadFigures:
    """Percentiles do not add up, and are not measured."""
    counted = all(each.ops is not None for each in own)
    ways = [
        LoadWay(
            ops=each.ops,
            timed=each.ops if counted else each.ops_per_s,
            ops_per_s=each.ops_per_s,
            bytes_per_s=each.bytes_per_s,
            mean_us=each.mean_us,
            max_us=each.max_us,
        )
        for each in own
    ]
    return together(direction, ways)


def _window(runs: Sequence[LoadRun]) -> RunWindow:
    """What all runs have in common."""
    starts = [run.starts_at for run in runs if run.starts_at is not None]
    ends = [run.ends_at for run in runs if run.ends_at is not None]
    if len(starts) < len(runs) or len(ends) < len(runs):
        return unplaced("Of some VMs it is not known when they ran: the minutes of this run are not known.")
    if max(starts) >= min(ends):
        return unplaced(
            "The VMs did not run at once: the minutes of this run are not known, and its rates are too high."
        )
    return RunWindow(max(starts), min(ends))


def _warnings(runs: Sequence[LoadRun], window: RunWindow, broken: int) -> list[LoadWarning]:
    """Those of each VM once, and what limits the sum."""
    found = {each.code: each for run in runs for each in run.warnings if each.code != "window_unknown"}
    if window.warning is not None:
        found[window.warning.code] = window.warning
    lengths = [(run.ends_at - run.starts_at).total_seconds() for run in runs if run.starts_at and run.ends_at]
    if window.starts_at and window.ends_at:
        common_s = (window.ends_at - window.starts_at).total_seconds()
        if common_s < _LEAST_SHARE * max(lengths):
            text = (
                f"All VMs ran at once for {common_s:.0f} s of {max(lengths):.0f} s: the sum of their rates is too high."
            )
            found["not_at_once"] = LoadWarning("not_at_once", text)
    if broken:
        text = f"{broken} {'file' if broken == 1 else 'files'} of the test could not be read: what these VMs did is missing."
        found["incomplete"] = LoadWarning("incomplete", text)
    return list(found.values())
