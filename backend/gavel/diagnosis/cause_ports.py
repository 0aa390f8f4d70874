"""A target port as a cause: I/Os wait in the SAN while the link that carries them is at its line rate, and was not before. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gavel.db.queries.causes import DeviceLoad
from gavel.db.queries.port_use import BusyLink, PortPaths
from gavel.db.queries.refs import EntityRef
from gavel.diagnosis.cause import Candidate, CauseEvidence, CauseKind, CauseLimit, CauseObject, TwinTest
from gavel.diagnosis.cause_inputs import CauseInputs, twin_test
from gavel.diagnosis.cause_words import count, counted, counter_time, percent
from gavel.diagnosis.sentences import duration
from gavel.findings.binding import LEAST_PATH_SPREAD_US, is_path_slow, is_port_full
from gavel.findings.minutes import mean


@dataclass(frozen=True, slots=True)
class _Port:
    link: BusyLink
    twin: TwinTest
    iops: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _PortShare:
    """I/O of the devices behind full ports: through these, and through all others. us: NaN where no path with I/O was timed."""

    devices: Sequence[DeviceLoad]
    share: float
    iops: float | None
    us: float
    other_us: float
    step_us: float

    @property
    def is_slower(self) -> bool:
        return bool(is_path_slow(self.us, self.other_us, self.step_us))

    @property
    def is_contradicted(self) -> bool:
        """Paths to other ports take as long, for sure: then it is not this port's link that the I/Os wait for."""
        return bool(self.us + 1.5 * self.step_us - self.other_us < LEAST_PATH_SPREAD_US)


def port_candidates(inputs: CauseInputs) -> Iterator[Candidate]:
    """All ports whose link binds are one cause."""
    reached = {path.port_id for path in inputs.port_paths}
    ports = [_port(inputs, link) for link in inputs.links if link.id in reached]
    nearest = sorted((one for one in ports if one.twin.binding_minutes), key=lambda item: (-item.iops, item.link.name))
    binding = [one for one in nearest if one.twin.is_passed]
    chosen = binding or nearest[:1]
    if chosen:
        yield _candidate(inputs, chosen, is_passed=bool(binding))


def _port(inputs: CauseInputs, link: BusyLink) -> _Port:
    elevated, normal = (link.used(stamps) for stamps in (inputs.episode.elevated, inputs.episode.normal))
    # Ports are read every few minutes: the newest minutes are not there yet, and say nothing.
    measured = np.flatnonzero(~np.isnan(elevated))
    read = elevated[: measured[-1] + 1] if len(measured) else elevated[:0]
    twin = twin_test(is_port_full(read), is_port_full(normal), ~np.isnan(normal))
    return _Port(link, twin, sum(path.iops or 0.0 for path in inputs.port_paths if path.port_id == link.id))


def _port_share(inputs: CauseInputs, ports: Sequence[_Port]) -> _PortShare:
    ids = {one.link.id for one in ports}
    devices = {path.device_id for path in inputs.port_paths if path.port_id in ids}
    paths = [path for path in inputs.port_paths if path.device_id in devices]
    own, others = ([path for path in paths if (path.port_id in ids) is mine] for mine in (True, False))
    carried, other = (sum(path.iops or 0.0 for path in part) for part in (own, others))
    step = max((path.precision_us or 0.0 for path in paths), default=0.0)
    is_counted = carried + other > 0
    # Without counters of paths, I/O is taken to be on all of them alike.
    share = (
        carried / (carried + other)
        if is_counted
        else sum(path.paths for path in own) / sum(path.paths for path in paths)
    )
    return _PortShare(
        devices=[load for load in inputs.devices if load.device.id in devices],
        share=share,
        iops=carried if is_counted else None,
        us=_us(own),
        other_us=_us(others),
        # A counter in µs has no steps that matter.
        step_us=step if step > 1.0 else 0.0,
    )


def _us(paths: Sequence[PortPaths]) -> float:
    """Mean over I/Os; NaN where no path with I/O was timed."""
    timed = [(path.us, path.iops) for path in paths if path.us is not None and path.iops]
    whole = sum(iops for _, iops in timed)
    return sum(us * iops for us, iops in timed) / whole if whole > 0 else float("nan")


def _candidate(inputs: CauseInputs, ports: Sequence[_Port], *, is_passed: bool) -> Candidate:
    """ports: the one with most I/O of the object first."""
    first, portion = ports[0], _port_share(inputs, ports)
    link = first.link
    whole = max((load.san_whole for load in portion.devices), default=0.0)
    time = sum(load.san_time for load in portion.devices)
    # Paths to other ports are fast: the wait is that of these alone. Else they have what they carry of it.
    weight = min(time * (1.0 if portion.is_slower else portion.share) / whole, 1.0) if whole > 0 else 0.0
    received, transmitted = (mean(one) or 0.0 for one in link.one_way(inputs.episode.elevated))
    carried, way = (transmitted, "transmitted") if transmitted >= received else (received, "received")
    used = mean(link.used(inputs.episode.elevated)) or 0.0
    before = mean(link.used(inputs.episode.normal))
    hosts = _hosts(portion.devices)
    more = "" if len(ports) == 1 else f", and {counted(len(ports) - 1, 'more port')} at its own"
    times = (
        f"; its paths take {duration(portion.us)}, those to other ports {counter_time(portion.other_us, portion.step_us)}"
        if portion.is_slower
        else ""
    )
    rates = f"{count(carried / 1e6)} of {count(link.line_rate / 1e6)} MB/s {way}"
    return Candidate(
        kind=CauseKind.TARGET_PORT,
        object=CauseObject(f"target port {link.name} of {link.array.name}", (link.array,)),
        object_count=len(ports),
        on=CauseObject(hosts[0].name if len(hosts) == 1 else counted(len(hosts), "host"), hosts),
        weight=weight,
        share=portion.share,
        share_of="I/O of these devices",
        iops=portion.iops,
        limit=CauseLimit(name="Line rate", value=link.line_rate, used=carried, unit="bytes/s"),
        twin=first.twin,
        binds=is_passed and not portion.is_contradicted,
        is_new=first.twin.is_new,
        # That the link is full is counted by the array; that I/Os wait for it shows where paths to other ports are faster.
        is_counted=portion.is_slower,
        evidence=tuple(_evidence(portion, used, before)),
        headline=f"Target port {link.name} at {percent(used)} of its link speed",
        text=(
            f"target port {link.name} of {link.array.name} is at {percent(used)} of its link speed ({rates}){more}; "
            f"{percent(portion.share)} of the I/O goes through {'it' if len(ports) == 1 else 'them'}{times}"
        ),
        needs="latency of the paths to other ports, or with less traffic on this one",
    )


def _evidence(portion: _PortShare, used: float, before: float | None) -> Iterator[CauseEvidence]:
    yield CauseEvidence(label="Link speed used", value=100 * used, unit="%")
    if before is not None:
        yield CauseEvidence(label="Link speed used before", value=100 * before, unit="%")
    for label, us in (("Latency through this port", portion.us), ("Latency through other ports", portion.other_us)):
        if not np.isnan(us):
            step = portion.step_us
            # In steps: as rounded or as cut off, which of them is not known.
            lower, upper = (max(us - step / 2, 0.0), us + step) if step else (None, None)
            yield CauseEvidence(label=label, value=us, unit="µs", lower=lower, upper=upper)


def _hosts(devices: Sequence[DeviceLoad]) -> tuple[EntityRef, ...]:
    return tuple(sorted({one.host for one in devices}, key=lambda host: (host.name, host.id)))
