"""What sqlio prints, made from its grammar."""

PERCENTS = (0, 10, 50, 30, 6, 2, 1, 1, *(0,) * 17)


def printed(
    *,
    way: str = "reading",
    iops: str = "2000.00",
    average_ms: str | None = "2",
    percents: tuple[int, ...] = PERCENTS,
    buffering: str = "not use file nor disk caches (as is SQL Server)",
    target: str = "E:\\testfile.dat",
) -> str:
    latency = ""
    if average_ms is not None:
        latency = (
            f"latency metrics:\nMin_Latency(ms): 0\nAvg_Latency(ms): {average_ms}\nMax_Latency(ms): 99\nhistogram:\n"
            "ms: 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24+\n"
            f"%:{''.join(f'{percent:>3}' for percent in percents)}\n"
        )
    preposition = "from" if way == "reading" else "to"
    return (
        f"sqlio v1.5.SG\nusing system counter for latency timings, 10000000 counts per second\n"
        f"4 threads {way} for 60 secs {preposition} file {target}\n\tusing 8KB random IOs\n"
        f"\tenabling multiple I/Os per thread with 8 outstanding\n\tbuffering set to {buffering}\n"
        f"using current size: 10240 MB for file: {target}\ninitialization done\nCUMULATIVE DATA:\nthroughput metrics:\n"
        f"IOs/sec: {iops:>9}\nMBs/sec:    15.62\n{latency}\n"
    )
