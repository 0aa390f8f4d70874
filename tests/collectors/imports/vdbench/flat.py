"""flatfile.html and totals.html as vdbench writes them, made from their grammar."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

COLUMNS: Final = (
    *(
        "tod",
        "Run",
        "Interval",
        "reqrate",
        "rate",
        "MB/sec",
        "bytes/io",
        "read%",
        "resp",
        "read_resp",
        "write_resp",
        "resp_max",
    ),
    *(
        "resp_std",
        "xfersize",
        "threads",
        "rdpct",
        "rhpct",
        "whpct",
        "seekpct",
        "lunsize",
        "version",
        "compratio",
        "dedupratio",
    ),
    *("queue_depth", "cpu_used", "cpu_user", "cpu_kernel", "cpu_wait", "cpu_idle"),
)
START = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)
_MIB = 2**20


@dataclass(frozen=True)
class Interval:
    """rate: I/Os per second. Responses in ms; read_share: of its I/Os."""

    rate: float = 2000.0
    read_ms: float = 0.4
    write_ms: float = 0.8
    read_share: float = 0.75
    slowest_ms: float = 9.0

    @property
    def response_ms(self) -> float:
        return self.read_share * self.read_ms + (1 - self.read_share) * self.write_ms


def cells(
    label: str, one: Interval, ended: datetime, *, run: str = "rd1", threads: str = "32.0000", **changed: str
) -> list[str]:
    values = {
        "tod": f"{ended:%H:%M:%S}.{ended.microsecond // 1000:03d}",
        "timestamp": f"{ended:%m/%d/%Y-%H:%M:%S}-UTC",
        "Run": run,
        "Interval": label,
        "reqrate": "9999988.0000",
        "rate": f"{one.rate:.4f}",
        "MB/sec": f"{one.rate * 4096 / _MIB:.4f}",
        "bytes/io": "4096",
        "read%": f"{one.read_share * 100:.4f}",
        "resp": f"{one.response_ms:.4f}",
        "read_resp": f"{one.read_ms:.4f}",
        "write_resp": f"{one.write_ms:.4f}",
        "resp_max": f"{one.slowest_ms:.4f}",
        "xfersize": "4096",
        "threads": threads,
        "version": "50406",
    }
    return [(values | changed).get(name, "n/a") for name in COLUMNS]


def average(intervals: Sequence[Interval]) -> Interval:
    """As vdbench makes its row of means."""
    rate = sum(one.rate for one in intervals) / len(intervals)
    reads = sum(one.rate * one.read_share for one in intervals)
    writes = sum(one.rate * (1 - one.read_share) for one in intervals)
    return Interval(
        rate=rate,
        read_ms=sum(one.rate * one.read_share * one.read_ms for one in intervals) / reads if reads else 0.0,
        write_ms=sum(one.rate * (1 - one.read_share) * one.write_ms for one in intervals) / writes if writes else 0.0,
        read_share=reads / (reads + writes),
        slowest_ms=max(one.slowest_ms for one in intervals),
    )


def rows(
    intervals: Sequence[Interval],
    *,
    run: str = "rd1",
    start: datetime = START,
    step_s: float = 1.0,
    first: int = 2,
    is_whole: bool = True,
    threads: str = "32.0000",
    **changed: str,
) -> list[list[str]]:
    """Of one run: an interval's tod is its end, and its means follow with the last."""
    ends = [start + timedelta(seconds=step_s * number) for number in range(1, len(intervals) + 1)]
    of = {"run": run, "threads": threads, **changed}
    found = [
        cells(str(number), one, end, **of) for number, (one, end) in enumerate(zip(intervals, ends, strict=True), 1)
    ]
    if is_whole:
        mean = average(intervals[first - 1 :])
        found += [cells(f"{kind}_{first}-{len(intervals)}", mean, ends[-1], **of) for kind in ("avg", "std", "max")]
    return found


def flatfile(*runs: Sequence[Sequence[str]], stamps: bool = True, left_out: Sequence[str] = ()) -> str:
    """stamps: with the column timestamp that newer versions have."""
    legend = [
        "<title>vdbench output/flatfile.html</title><pre>",
        "*",
        "* Run   : Name of run from RD=",
        "* 'n/a' : Not available",
    ]
    kept = [position for position, name in enumerate(COLUMNS) if name not in left_out]
    every = (COLUMNS, *(row for run in runs for row in run))
    lines = [[each[position] for position in kept if position < len(each)] for each in every]
    if stamps:
        for line in lines:
            line.insert(1, "timestamp" if line[0] == "tod" else f"{START:%m/%d/%Y}-{line[0][:8]}-UTC")
    return "\n".join([*legend, *(" ".join(f"{cell:>10}" for cell in line) for line in lines)]) + "\n"


HEAD_50406 = (
    "Mar 14, 2026  interval        i/o   MB/sec   bytes   read     resp     read    write     resp     resp queue  cpu%  cpu%\n"
    "                             rate  1024**2     i/o    pct     time     resp     resp      max   stddev depth sys+u   sys\n"
)
HEAD_50407 = (
    "Mar 14, 2026  interval        i/o   MB/sec   bytes   read     resp     read    write     read    write     resp  queue  cpu%  cpu%\n"
    "                             rate  1024**2     i/o    pct     time     resp     resp      max      max   stddev  depth sys+u   sys\n"
)


def started(run: str, *, elapsed: int = 60, more: str = "", at: str = "09:30:00.013") -> str:
    return f'<a name="_1"></a><i><b>{at} Starting RD={run}; I/O rate: 2000; elapsed={elapsed};{more} For loops: threads=32</b></i>\n\n'
