"""A capture and its summary for programs: units in the names, instants as ISO 8601 in UTC, null for what is not measured."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from gavel.collectors.imports.esxtop.capture import EsxtopCapture
from gavel.collectors.imports.esxtop.checks import SelfCheck, is_consistent
from gavel.collectors.imports.esxtop.columns import ObjectKind
from gavel.collectors.imports.esxtop.summary import MinuteSummary, ObjectSummary
from gavel.collectors.imports.esxtop.weighted import LatencyMean

_LISTS = {
    ObjectKind.DEVICE: "devices",
    ObjectKind.NFS_VOLUME: "nfs_volumes",
    ObjectKind.VIRTUAL_DISK: "virtual_disks",
    ObjectKind.ADAPTER: "adapters",
}


def capture_json(
    capture: EsxtopCapture, checks: Sequence[SelfCheck], summaries: Sequence[ObjectSummary]
) -> dict[str, Any]:
    return {
        "file": capture.file,
        "host": capture.host,
        "time_zone": {"name": capture.zone.name, "utc_minus_local_minutes": capture.zone.bias_minutes},
        "rows": capture.rows,
        "rows_with_rates": int(capture.has_rates.sum()),
        "refused_rows": capture.refused_rows,
        "first_at": iso_at(float(capture.ended_at_s.min())),
        "last_at": iso_at(float(capture.ended_at_s.max())),
        "interval_s": round(float(capture.step_s[capture.has_rates].mean()), 3),
        "latency_half_us": capture.latency_half_us,
        "segments": [
            {"header_line": each.header_line, "rows": each.rows, **asdict(each.report)} for each in capture.segments
        ],
        "warnings": [asdict(each) for each in capture.warnings],
        "refused": [asdict(each) for each in capture.refused],
        "consistent": is_consistent(list(checks)),
        "self_checks": [asdict(each) for each in checks],
        **{name: [_object(each) for each in summaries if each.kind is kind] for kind, name in _LISTS.items()},
    }


def iso_at(at_s: float) -> str:
    return datetime.fromtimestamp(at_s, UTC).isoformat()


def _object(summary: ObjectSummary) -> dict[str, Any]:
    return {
        "name": summary.name,
        **({"vm": summary.vm, "disk": summary.disk} if summary.vm is not None else {}),
        **{name: round(rate, 3) for name, rate in summary.rates.items()},
        "other_commands_share": _rounded(summary.other_share),
        "latency": {
            direction: {boundary: _latency(each) for boundary, each in by_boundary.items()}
            for direction, by_boundary in summary.latency.items()
        },
        "all_is_per_command": summary.per_command,
        "instants": {
            name: {key: _rounded(value) for key, value in asdict(each).items()}
            for name, each in summary.instants.items()
        },
        "time_parts": {
            direction: [{key: _rounded(value) for key, value in asdict(part).items()} for part in parts]
            for direction, parts in summary.time_parts.items()
        },
        "worst_minutes": [_minute(each) for each in summary.worst_minutes],
        "worlds": [{key: _rounded(value) for key, value in asdict(each).items()} for each in summary.worlds],
    }


def _latency(latency: LatencyMean | None) -> dict[str, Any] | None:
    if latency is None:
        return None
    return {
        "mean_us": _rounded(latency.mean_us),
        "lower_us": _rounded(latency.lower_us),
        "upper_us": _rounded(latency.upper_us),
        "max_us": _rounded(latency.max_us),
        "max_at": iso_at(latency.max_at_s),
        "ios": _rounded(latency.ios),
    }


def _minute(minute: MinuteSummary) -> dict[str, Any]:
    return {
        "started_at": iso_at(minute.started_at_s),
        "ios": _rounded(minute.ios),
        **{f"{boundary}_us": _rounded(value) for boundary, value in minute.layer_us.items()},
        "queued_max": minute.queued_max,
    }


def _rounded(value: Any) -> Any:
    return round(value, 3) if isinstance(value, float) else value
