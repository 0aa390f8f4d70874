"""Results of diskspd as XML and as text, made from its grammar: one machine, one target."""

from dataclasses import dataclass

RAN_AT = "2026/03/14 09:30:00 UTC"


@dataclass(frozen=True)
class Span:
    """Counts of the whole; latencies in ms, None without -L."""

    reads: int = 90_000
    writes: int = 30_000
    read_ms: float | None = 0.4
    write_ms: float | None = 0.8
    block: int = 8192
    length_s: float = 60.0
    asked_s: int = 60
    warmup_s: int = 5
    threads: int = 4
    depth: int = 8
    is_direct: bool = True

    @property
    def mean_ms(self) -> float | None:
        if self.read_ms is None or self.write_ms is None:
            return None
        return (self.reads * self.read_ms + self.writes * self.write_ms) / (self.reads + self.writes)


_PERCENTS = (
    ("50", "50th", 0.9),
    ("95", "95th", 2.0),
    ("99", "99th", 3.0),
    ("99.9", "3-nines", 5.0),
    ("100", "max", 20.0),
)


def as_xml(*spans: Span, ran_at: str = RAN_AT) -> str:
    settings = "".join(_setting(span) for span in spans)
    results = "".join(_result(span) for span in spans)
    system = f"<ComputerName>sql-01</ComputerName><Tool><Version>2.1</Version></Tool><RunTime>{ran_at}</RunTime>"
    return f"<Results>\n<System>{system}</System>\n<Profile><TimeSpans>{settings}</TimeSpans></Profile>\n{results}</Results>"


def _setting(span: Span) -> str:
    target = (
        f"<Path>D:\\test.dat</Path><BlockSize>{span.block}</BlockSize>"
        f"<DisableOSCache>{str(span.is_direct).lower()}</DisableOSCache>"
        f"<RequestCount>{span.depth}</RequestCount><ThreadsPerFile>{span.threads}</ThreadsPerFile>"
    )
    return (
        f"<TimeSpan><Duration>{span.asked_s}</Duration><Warmup>{span.warmup_s}</Warmup><Cooldown>0</Cooldown>"
        f"<ThreadCount>0</ThreadCount><RequestCount>0</RequestCount><Targets><Target>{target}</Target></Targets></TimeSpan>\n"
    )


def _result(span: Span) -> str:
    half = [
        f"<Thread><Id>{number}</Id>\n<Target><Path>D:\\test.dat</Path>\n"
        f"<ReadBytes>{span.reads // 2 * span.block}</ReadBytes><ReadCount>{span.reads // 2}</ReadCount>"
        f"<WriteBytes>{span.writes // 2 * span.block}</WriteBytes><WriteCount>{span.writes // 2}</WriteCount></Target></Thread>\n"
        for number in (0, 1)
    ]
    return f"<TimeSpan>\n<TestTimeSeconds>{span.length_s:.2f}</TestTimeSeconds>\n{_latency(span)}{''.join(half)}</TimeSpan>\n"


def _latency(span: Span) -> str:
    if span.mean_ms is None or span.read_ms is None or span.write_ms is None:
        return ""
    buckets = "".join(
        f"<Bucket><Percentile>{percent}</Percentile><ReadMilliseconds>{span.read_ms * factor:.3f}</ReadMilliseconds>"
        f"<WriteMilliseconds>{span.write_ms * factor:.3f}</WriteMilliseconds>"
        f"<TotalMilliseconds>{span.mean_ms * factor:.3f}</TotalMilliseconds></Bucket>\n"
        for percent, _, factor in _PERCENTS
    )
    return (
        f"<Latency><AverageReadMilliseconds>{span.read_ms:.3f}</AverageReadMilliseconds>"
        f"<AverageWriteMilliseconds>{span.write_ms:.3f}</AverageWriteMilliseconds>"
        f"<AverageTotalMilliseconds>{span.mean_ms:.3f}</AverageTotalMilliseconds>\n{buckets}</Latency>\n"
    )


def as_text(*spans: Span, ran_at: str | None = RAN_AT, topology: bool = False) -> str:
    system = "" if ran_at is None else f"System information:\n\n\tcomputer name: sql-01\n\tstart time: {ran_at}\n"
    settings = "".join(_text_setting(span, number) for number, span in enumerate(spans, 1))
    results = "".join(_text_result(span, number, topology=topology) for number, span in enumerate(spans, 1))
    end = (
        "\ntotal test time:\t120.00s\n\nTotal IO\nthread |       bytes     |     I/Os\ntotal:  1 | 1\n"
        if len(spans) > 1
        else ""
    )
    return f"\nCommand Line: diskspd.exe -L D:\\test.dat\n\nInput parameters:\n\n{settings}{system}\n{results}{end}"


def _text_setting(span: Span, number: int) -> str:
    cache = "software cache disabled" if span.is_direct else "using software cache"
    return (
        f"\ttimespan:   {number}\n\t-------------\n\tduration: {span.asked_s}s\n\twarm up time: {span.warmup_s}s\n\tcool down time: 0s\n"
        f"\tpath: 'D:\\test.dat'\n\t\tthink time: 0ms\n\t\t{cache}\n\t\tblock size: {span.block // 1024}KiB\n"
        f"\t\tnumber of outstanding I/O operations per thread: {span.depth}\n\t\tthreads per file: {span.threads}\n\n"
    )


def _text_result(span: Span, number: int, *, topology: bool) -> str:
    tables = (
        ("Total IO", span.reads + span.writes, span.mean_ms),
        ("Read IO", span.reads, span.read_ms),
        ("Write IO", span.writes, span.write_ms),
    )
    head = "Core | CPU |  Usage |" if topology else "CPU |  Usage |"
    idle = "8.53%|   0.72%|    7.81%|  91.47%"
    cpu = f"{head}  User  |  Kernel |  Idle\n-------\n   0|   {idle}\navg.|   {idle}\n\n"
    return (
        f"Results for timespan {number}:\n****\n\nactual test time:\t{span.length_s:.2f}s\nthread count:\t\t{span.threads}\n\n{cpu}"
        + "".join(_table(title, ops, mean_ms, span) for title, ops, mean_ms in tables)
        + _percentiles(span)
    )


def _table(title: str, ops: int, mean_ms: float | None, span: Span) -> str:
    rate, size = ops / span.length_s, ops * span.block
    has_latency = span.read_ms is not None
    latency = "" if not has_latency else f" |{'N/A' if not ops or mean_ms is None else f'{mean_ms:.3f}':>9} |     0.100"
    cells = f"{size:>16} | {ops:>12} | {size / span.length_s / 2**20:>10.2f} | {rate:>10.2f}{latency}"
    head = "thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |" + (
        "  AvgLat  | LatStdDev |" if has_latency else ""
    )
    return f"{title}\n{head}  file\n-----\n     0 | {cells} | D:\\test.dat (10GiB)\n-----\ntotal: {cells}\n\n"


def _percentiles(span: Span) -> str:
    if span.mean_ms is None or span.read_ms is None or span.write_ms is None:
        return ""

    def cell(ms: float, ops: int, factor: float) -> str:
        return "N/A" if not ops else f"{ms * factor:.3f}"

    rows = "".join(
        f"{name:>7} | {cell(span.read_ms, span.reads, factor):>10} | {cell(span.write_ms, span.writes, factor):>10} |"
        f" {cell(span.mean_ms, 1, factor):>10}\n"
        for _, name, factor in (("0", "min", 0.1), *_PERCENTS)
    )
    return f"\ntotal:\n  %-ile |  Read (ms) | Write (ms) | Total (ms)\n------\n{rows}\n"
