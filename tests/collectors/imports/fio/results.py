"""Results as fio writes them, made from its grammar: fio 3 in ns, fio 2 in µs, with bins as json+ has them."""

import json
from typing import Any

START_MS = 1_773_480_600_000  # 2026-03-14 09:30:00 UTC


def way(
    ops: int = 120_000,
    *,
    mean_us: float = 400.0,
    runtime_ms: int = 60_000,
    percentile: dict[str, int] | None = None,
    bins: dict[str, int] | None = None,
    whole: bool = False,
    block: int = 4096,
) -> dict[str, Any]:
    """One direction. A tenth of its latency is submission; percentiles and bins are of completion unless `whole`."""

    def latency(us: float, count: int) -> dict[str, Any]:
        return {
            "min": round(us * 500),
            "max": round(us * 20_000),
            "mean": us * 1000,
            "stddev": us * 100,
            "N": count,
        }

    found: dict[str, Any] = {
        "io_bytes": ops * block,
        "io_kbytes": ops * block // 1024,
        "bw_bytes": round(ops * block / runtime_ms * 1000),
        "bw": round(ops * block / runtime_ms * 1000 / 1024),
        "iops": ops / runtime_ms * 1000,
        "runtime": runtime_ms,
        "total_ios": ops,
        "short_ios": 0,
        "drop_ios": 0,
        "slat_ns": latency(mean_us * 0.1, ops),
        "clat_ns": latency(mean_us * 0.9, ops),
        "lat_ns": latency(mean_us, ops),
    }
    holder = found["lat_ns" if whole else "clat_ns"]
    if percentile is not None:
        holder["percentile"] = percentile
    if bins is not None:
        holder["bins"] = bins
    return found


def idle() -> dict[str, Any]:
    nothing = {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0}
    rates = {"io_bytes": 0, "bw_bytes": 0, "bw": 0, "iops": 0.0, "runtime": 0, "total_ios": 0}
    return rates | {"slat_ns": dict(nothing), "clat_ns": dict(nothing), "lat_ns": dict(nothing)}


def job(
    name: str = "oltp",
    *,
    group: int = 0,
    read: dict[str, Any] | None = None,
    write: dict[str, Any] | None = None,
    options: dict[str, str] | None = None,
    **more: Any,
) -> dict[str, Any]:
    usual = {"name": name, "rw": "randrw", "bs": "4k", "ioengine": "libaio", "iodepth": "32", "direct": "1"}
    return {
        "jobname": name,
        "groupid": group,
        "error": 0,
        "eta": 0,
        "elapsed": 61,
        "job options": usual if options is None else options,
        "read": read or idle(),
        "write": write or idle(),
        "trim": idle(),
        "sync": {"total_ios": 0, "lat_ns": {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0}},
        "job_runtime": 60_000,
        **more,
    }


def result(*jobs: dict[str, Any], ended_ms: int = START_MS + 60_000, **more: Any) -> dict[str, Any]:
    return {
        "fio version": "fio-3.35",
        "timestamp": ended_ms // 1000,
        "timestamp_ms": ended_ms,
        "time": "Sat Mar 14 10:31:00 2026",
        "jobs": list(jobs),
        "disk_util": [{"name": "sda", "read_ios": 1, "write_ios": 1, "util": 99.0}],
        **more,
    }


def written(*documents: dict[str, Any]) -> str:
    """As fio indents them: each starts and ends its own line."""
    return "".join(json.dumps(document, indent=2) + "\n" for document in documents)


def of_fio_2(document: dict[str, Any]) -> dict[str, Any]:
    """The same in the words of fio 2: µs, no `_ns`, no totals, no bytes per second."""
    found: dict[str, Any] = json.loads(json.dumps(document)) | {"fio version": "fio-2.16"}
    del found["timestamp_ms"]
    for each in found["jobs"]:
        for name in ("read", "write", "trim"):
            one = each[name]
            for kind in ("slat", "clat", "lat"):
                latency = one.pop(f"{kind}_ns")
                latency.pop("N")
                one[kind] = {key: value / 1000 for key, value in latency.items() if not isinstance(value, dict)}
                if "percentile" in latency:
                    one[kind]["percentile"] = {key: value // 1000 for key, value in latency["percentile"].items()}
            one["io_bytes"] //= 1024
            for name_of_3 in ("total_ios", "bw_bytes", "io_kbytes", "short_ios", "drop_ios"):
                one.pop(name_of_3, None)
    return found
