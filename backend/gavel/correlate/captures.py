"""Captures of hosts: which host and clock each is of, and that the minutes which it covers are written again."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import numpy as np

from gavel.analysis.capture_offset import (
    LEAST_CORRELATION,
    LEAST_SAMPLES,
    CapturedCounts,
    OffsetProposal,
    StoredCounts,
    measure_agreement,
    propose_offset,
)
from gavel.analysis.captured import LONGEST_ROW_S, are_fine_rows
from gavel.db.engine import Connection, Engine, transaction
from gavel.db.errors import ConflictError
from gavel.db.queries import imports as ask
from gavel.db.queries.correlation import note_change
from gavel.db.queries.offline_builds import build_of_upload
from gavel.db.series import modes
from gavel.db.write.imports import drop_chunks, remove_import, tie_capture
from gavel.domain.errors import SettingsError
from gavel.domain.imports import ImportState, OffsetOrigin
from gavel.domain.samples import NOT_MEASURED

_US = 1_000_000
_BUSIEST = 8
_MOST_HOSTS = 64
# A zone that was taken for another, and a clock that nobody keeps.
_LOOKED_BESIDE = timedelta(hours=15)
_NEAR = timedelta(minutes=20)
# Where another host fits nearly as well, only a person can say which it is.
_CLEARLY_BETTER = 0.05
# Samples at the edges of a capture, and those beside them, have a say in minutes that it touches.
_BESIDE = timedelta(minutes=2)
# Retention drops whole partitions: what lies so near to its end may be gone in part.
_BEFORE_RETENTION = timedelta(hours=3)
_WAYS = ("read", "write")


@dataclass(frozen=True, slots=True)
class HostProposal:
    """A host that a capture may be of, and how its clock fits; None where nothing stored overlaps, or nothing varies."""

    host: ask.HostSource
    offset: OffsetProposal | None


def tie_import(
    engine: Engine, import_id: int, now: datetime, *, host_id: int | None = None, offset_s: float | None = None
) -> None:
    """Find out which host and clock a capture is of, or take what is given, and have its minutes written again.

    Raises NotFoundError, and SettingsError for what is no capture that was read.
    """
    with transaction(engine) as connection:
        imported = ask.load_import(connection, import_id)
        if imported.options.ties:
            raise SettingsError(f"Import {import_id} holds test runs of a VM, no capture of a host.")
        if imported.state is not ImportState.READY or imported.starts_at is None or imported.ends_at is None:
            raise SettingsError(f"Import {import_id} is not read yet: {imported.state}.")
        _note_minutes(connection, imported, now)
        devices = ask.captured_devices(connection, import_id)
        proposal = _proposal(connection, imported, devices, host_id, offset_s)
        tied = _Tied.of(connection, imported, devices, proposal, offset_s, now)
        tie_capture(
            connection,
            import_id,
            host_id=tied.host_id,
            offset_s=tied.offset_s,
            offset_error_s=tied.offset_error_s,
            offset_by=tied.offset_by,
            correlation=tied.correlation,
            narrows=tied.narrows,
            note=tied.note,
        )
        _note_minutes(connection, ask.load_import(connection, import_id), now)


def forget_import(engine: Engine, import_id: int, now: datetime) -> None:
    """Remove it and have its minutes written again without it. Raises NotFoundError, and ConflictError for a file of an environment."""
    with transaction(engine) as connection:
        if (build := build_of_upload(connection, import_id)) is not None:
            raise ConflictError(f"The file belongs to the offline environment {build!r}: remove that.")
        # Committed by itself: its reader is ended by that, and lets go of the rows that it may be storing.
        drop_chunks(connection, import_id)
    with transaction(engine) as connection:
        _note_minutes(connection, ask.load_import(connection, import_id), now)
        remove_import(connection, import_id)


def proposed_hosts(connection: Connection, import_id: int) -> list[HostProposal]:
    """Hosts that a capture may be of, the one that fits best first. Raises NotFoundError."""
    imported = ask.load_import(connection, import_id)
    devices = ask.captured_devices(connection, import_id)
    hosts = ask.hosts_of_capture(connection, import_id)[:_MOST_HOSTS]
    found = [_proposed(connection, imported, devices, ask.host_by_id(connection, each.id), _NEAR) for each in hosts]
    return sorted(found, key=lambda each: each.offset.correlation if each.offset else -1.0, reverse=True)


def whole_samples_since(connection: Connection, now: datetime) -> datetime:
    """Samples and minutes from then on are all there still."""
    return modes.storage(connection).whole_since(now) + _BEFORE_RETENTION


def is_apart(imported: ask.FileImport, oldest: datetime) -> bool:
    """Whether a capture that was read can be looked at as an environment of its own only: no host of the inventory is its, or samples of
    its time, those from `oldest` on, are no longer kept."""
    if imported.format != "esxtop" or imported.state is not ImportState.READY or imported.ends_at is None:
        return False
    return imported.host_id is None or imported.ends_at - timedelta(seconds=imported.offset_s or 0.0) <= oldest


def _note_minutes(connection: Connection, imported: ask.FileImport, now: datetime) -> None:
    """The minutes that a capture has a say in, as far as their samples are still there."""
    if not imported.narrows or imported.host_id is None or imported.starts_at is None or imported.ends_at is None:
        return
    ahead = timedelta(seconds=imported.offset_s or 0.0)
    lo = max(imported.starts_at - ahead - _BESIDE, whole_samples_since(connection, now))
    hi = min(imported.ends_at - ahead + _BESIDE, now)
    if lo < hi:
        note_change(connection, ask.host_by_id(connection, imported.host_id).source_id, lo, hi)


def _proposal(
    connection: Connection,
    imported: ask.FileImport,
    devices: Sequence[ask.CapturedDevice],
    host_id: int | None,
    offset_s: float | None,
) -> HostProposal | None:
    """The host that was given, that has the capture's name, or whose I/Os fit clearly best; None where nothing says which."""
    if host_id is not None:
        return _proposed(connection, imported, devices, ask.host_by_id(connection, host_id), _LOOKED_BESIDE, offset_s)
    hosts = ask.hosts_of_capture(connection, imported.id)[:_MOST_HOSTS]
    named = [each for each in hosts if _is_called(each.name, imported.host_name or "")]
    if len(named) == 1:
        host = ask.host_by_id(connection, named[0].id)
        return _proposed(connection, imported, devices, host, _LOOKED_BESIDE, offset_s)
    fits = [_proposed(connection, imported, devices, ask.host_by_id(connection, each.id), _NEAR) for each in hosts]
    usable = sorted(
        (each for each in fits if each.offset is not None and each.offset.is_usable),
        key=lambda each: each.offset.correlation if each.offset else 0.0,
        reverse=True,
    )
    scores = [each.offset.correlation for each in usable if each.offset]
    if not scores or (len(scores) > 1 and scores[0] - scores[1] < _CLEARLY_BETTER):
        return None
    return usable[0]


def _is_called(name: str, captured: str) -> bool:
    """`localhost` is what a host is called that was given no name."""
    if not captured or captured.lower().split(".")[0] == "localhost":
        return False
    return name.lower() == captured.lower() or name.lower().split(".")[0] == captured.lower().split(".")[0]


def _proposed(
    connection: Connection,
    imported: ask.FileImport,
    devices: Sequence[ask.CapturedDevice],
    host: ask.HostSource,
    beside: timedelta,
    offset_s: float | None = None,
) -> HostProposal:
    pairs = _pairs(connection, imported, devices, host.id, beside)
    if offset_s is None:
        return HostProposal(host, propose_offset(pairs))
    return HostProposal(host, measure_agreement(pairs, offset_s))


def _pairs(
    connection: Connection,
    imported: ask.FileImport,
    devices: Sequence[ask.CapturedDevice],
    host_id: int,
    beside: timedelta,
) -> list[tuple[StoredCounts, CapturedCounts]]:
    """The busiest devices that both sides have."""
    if imported.starts_at is None or imported.ends_at is None:
        return []
    ids = ask.devices_by_name(connection, host_id, [each.name for each in devices])
    rated = [(each, rates) for each in devices if each.name in ids and (rates := _rates(each)) is not None]
    busiest = sorted(rated, key=lambda pair: -float(np.nansum(pair[1])))[:_BUSIEST]
    wanted = [ids[each.name] for each, _ in busiest]
    counts = ask.stored_counts(connection, wanted, imported.starts_at - beside, imported.ends_at + beside)
    ops = np.where(
        (counts["read_ops"] == NOT_MEASURED) | (counts["write_ops"] == NOT_MEASURED),
        np.nan,
        (counts["read_ops"] + counts["write_ops"]).astype(np.float64),
    )
    pairs = []
    for (each, rates), device in zip(busiest, wanted, strict=True):
        of = counts["entity_id"] == device
        stored = StoredCounts(end_us=counts["ts"][of], length_us=counts["interval_s"][of] * _US, ops=ops[of])
        captured = CapturedCounts(end_us=each.ended_us, length_us=each.length_us, ops=rates * each.length_us / _US)
        pairs.append((stored, captured))
    return pairs


def _rates(device: ask.CapturedDevice) -> np.ndarray | None:
    """(r,) reads and writes per second; None where the file does not have them."""
    reads, writes = device.columns.get("reads_per_s"), device.columns.get("writes_per_s")
    return None if reads is None or writes is None else reads + writes


@dataclass(frozen=True, slots=True)
class _Tied:
    host_id: int | None = None
    offset_s: float | None = None
    offset_error_s: float | None = None
    offset_by: OffsetOrigin | None = None
    correlation: float | None = None
    narrows: bool = False
    note: str | None = None

    @classmethod
    def of(
        cls,
        connection: Connection,
        imported: ask.FileImport,
        devices: Sequence[ask.CapturedDevice],
        proposal: HostProposal | None,
        given_s: float | None,
        now: datetime,
    ) -> "_Tied":
        if proposal is None:
            called = repr(imported.host_name) if imported.host_name else "nothing"
            return cls(
                note=f"The file calls its host {called}, and no host of the inventory fits clearly. Choose the host."
            )
        host, offset = proposal.host, proposal.offset
        if given_s is None and (offset is None or not offset.is_usable):
            return cls(host_id=host.id, correlation=offset.correlation if offset else None, note=_why_not(offset))
        if offset is None:
            return cls(host_id=host.id, note="No devices of this host are in the capture.")
        tied = cls(
            host_id=host.id,
            offset_s=offset.offset_s,
            offset_error_s=offset.error_s,
            offset_by=OffsetOrigin.CORRELATION if given_s is None else OffsetOrigin.GIVEN,
            correlation=offset.correlation,
        )
        refusal = _refusal(connection, imported, devices, offset, now)
        return replace(tied, narrows=refusal is None, note=refusal or _partly(connection, imported, now))


def _why_not(offset: OffsetProposal | None) -> str:
    if offset is None or offset.samples < LEAST_SAMPLES:
        return (
            f"Fewer than {LEAST_SAMPLES} samples of this host overlap with the capture, or its load does not vary: "
            "the clocks cannot be compared. Give the offset, or look at the capture alone."
        )
    return (
        f"The I/Os of capture and host do not go together (correlation {offset.correlation:.2f}, at least "
        f"{LEAST_CORRELATION} is needed). Is it another host or another time? Otherwise give the offset."
    )


def _refusal(
    connection: Connection,
    imported: ask.FileImport,
    devices: Sequence[ask.CapturedDevice],
    offset: OffsetProposal,
    now: datetime,
) -> str | None:
    """Why a capture whose host and clock are clear has no say in the ledger."""
    if not offset.is_same_load:
        return (
            f"At this offset the capture counts other I/Os than the samples of the host (correlation {offset.correlation:.2f}, "
            f"{offset.equal_share:.0%} of the samples equal)."
        )
    report = ask.load_report(connection, imported.id) or {}
    if not report.get("consistent", False):
        return "Counters of the capture contradict each other: nothing is concluded from it."
    if not any(f"{way}_guest_us" in each.columns for each in devices for way in _WAYS):
        return "Captured without -a: latency is not split into reads and writes, as bounds of minutes are."
    lengths = np.concatenate([each.length_us for each in devices])
    if not are_fine_rows(lengths):
        return (
            f"The capture has a row every {np.median(lengths) / _US:.0f} s. Rows of more than {LONGEST_ROW_S:g} s are too coarse for "
            "samples of 20 s: they narrow no bounds. Capture with -d 5 or less."
        )
    if imported.ends_at is None or imported.ends_at - timedelta(seconds=offset.offset_s) <= whole_samples_since(
        connection, now
    ):
        return (
            "Samples of that time are no longer kept: its minutes cannot be written again. To look at them, make the file an offline"
            " environment: gavel offline add NAME FILE."
        )
    return None


def _partly(connection: Connection, imported: ask.FileImport, now: datetime) -> str | None:
    oldest = whole_samples_since(connection, now)
    if imported.starts_at is not None and imported.starts_at < oldest:
        return f"Samples before {oldest:%Y-%m-%d %H:%M} UTC are no longer kept: minutes before stay as they were."
    return None
