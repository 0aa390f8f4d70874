"""The stored report of a capture as the API answers it."""

from collections.abc import Mapping
from typing import Any

from gavel.api.schemas.imports import (
    CapturedDeviceOut,
    CapturedWorldOut,
    FileWarningOut,
    ImportReportOut,
    RefusedRowOut,
)

_DEVICES = 200


def report_out(report: Mapping[str, Any]) -> ImportReportOut:
    """The busiest devices first, as they are stored."""
    return ImportReportOut(
        rows=report["rows"],
        rows_with_rates=report["rows_with_rates"],
        refused_rows=report["refused_rows"],
        interval_s=report["interval_s"],
        latency_half_us=report["latency_half_us"],
        is_consistent=report["consistent"],
        warnings=[FileWarningOut.model_validate(each) for each in report["warnings"]],
        refused=[RefusedRowOut.model_validate(each) for each in report["refused"]],
        devices=[_device(each) for each in report["devices"][:_DEVICES]],
    )


def _device(device: Mapping[str, Any]) -> CapturedDeviceOut:
    latency, instants = device["latency"]["all"], device["instants"]
    return CapturedDeviceOut(
        name=device["name"],
        reads_per_s=device.get("reads_per_s"),
        writes_per_s=device.get("writes_per_s"),
        gavg_us=_mean(latency["guest"]),
        davg_us=_mean(latency["driver"]),
        kavg_us=_mean(latency["kernel"]),
        qavg_us=_mean(latency["queue"]),
        queue_depth=_of(instants, "device_queue_depth", "max"),
        active=_of(instants, "active", "mean"),
        queued=_of(instants, "queued", "mean"),
        queued_max=_of(instants, "queued", "max"),
        load=_of(instants, "load_ratio", "mean"),
        worlds=[CapturedWorldOut.model_validate(each) for each in device["worlds"]],
    )


def _mean(latency: Mapping[str, Any] | None) -> float | None:
    return None if latency is None else latency["mean_us"]


def _of(instants: Mapping[str, Any], name: str, what: str) -> float | None:
    found: Mapping[str, float] | None = instants.get(name)
    return None if found is None else found[what]
