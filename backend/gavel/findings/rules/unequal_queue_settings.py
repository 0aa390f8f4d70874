"""Queue depth, DSNRO or path policy that differ among the hosts of one volume."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from gavel.domain.io_path import Confidence, Severity
from gavel.findings.commands import dsnro_command, module_depth_command, path_policy_command
from gavel.findings.evidence import HostSetting, SharedDevice, SharedSettings
from gavel.findings.model import (
    Advice,
    AdviceCommand,
    AdviceKind,
    EvidenceRow,
    EvidenceTable,
    Finding,
    FindingEvidence,
    FindingReference,
    FindingRule,
    ObjectRef,
)
from gavel.findings.texts import counted, listed

# Drivers that keep slots for themselves differ by less, and that is nothing to repair.
_SMALL_RATIO = 1.25
_WIDE_RATIO = 2.0
_NAMES: Mapping[str, str] = {
    "queue_depth": "Queue depth (DQLEN)",
    "dsnro": "DSNRO",
    "path_policy": "Path policy",
}
_PROPERTIES: Mapping[str, str] = {
    "queue_depth": "scsiLun.queueDepth; esxcli storage core device list: Device Max Queue Depth",
    "dsnro": "esxcli storage core device list: No of outstanding IOs with competing worlds",
    "path_policy": "esxcli storage nmp device list: Path Selection Policy Device Config",
}
_MOST_ROWS = 60
_EQUAL = "Hosts that share a volume have to queue alike, or the deeper queue crowds out the others."
_WHOLE_LINE = (
    "The command replaces all parameters of the driver: repeat those that are set, as the first command shows them."
)


def evaluate(evidence: SharedSettings) -> Finding | None:
    """None where the hosts of each device agree as far as they were read."""
    differing = [device for device in evidence.devices if len(_values(device, evidence.name)) > 1]
    if not differing:
        return None
    every = Counter(value for device in differing for value in _settings(device, evidence.name))
    usual = min(every, key=lambda value: (-every[value], value))
    odd = {host.host for device in differing for host in device.hosts if _is_odd(host, evidence.name, usual)}
    ratio = _widest(differing, evidence.name)
    objects = _objects(differing)
    name = _NAMES[evidence.name]
    values = "/".join(str(value) for value in sorted(every, reverse=True))
    return Finding(
        source_id=evidence.source_id,
        object=evidence.object,
        part=evidence.name,
        severity=Severity.NORMAL if 1 < ratio < _WIDE_RATIO else Severity.ELEVATED,
        confidence=Confidence.CONFIRMED,
        title=f"{name} {values} among the hosts of {listed(one.name for one in objects)}",
        cause=_cause(evidence, differing, len(odd)),
        evidence=_numbers(evidence, every, len(objects)),
        tables=(_table(differing, evidence.name, usual),),
        advice=tuple(_advice(evidence, differing, usual, ratio)),
        affected=(*objects, *sorted(_hosts(differing), key=lambda host: host.name)),
        affected_text=f"{counted(len(objects), 'shared object')} on {counted(len(_hosts(differing)), 'host')}",
        magnitude=ratio * len(objects),
    )


def _settings(device: SharedDevice, name: str) -> list[int | str]:
    return [value for host in device.hosts if (value := getattr(host, name)) is not None]


def _values(device: SharedDevice, name: str) -> set[int | str]:
    return set(_settings(device, name))


def _is_odd(host: HostSetting, name: str, usual: int | str) -> bool:
    value = getattr(host, name)
    return value is not None and value != usual


def _hosts(devices: Sequence[SharedDevice]) -> set[ObjectRef]:
    return {host.host for device in devices for host in device.hosts}


def _objects(devices: Sequence[SharedDevice]) -> list[ObjectRef]:
    return sorted({device.object for device in devices}, key=lambda ref: (ref.name, ref.id))


def _widest(devices: Sequence[SharedDevice], name: str) -> float:
    """Largest ÷ smallest value of one device; 0 for what is no number."""
    ratios = [0.0]
    for device in devices:
        numbers = [value for value in _settings(device, name) if isinstance(value, int) and value > 0]
        if numbers:
            ratios.append(max(numbers) / min(numbers))
    return max(ratios)


def _cause(evidence: SharedSettings, differing: Sequence[SharedDevice], odd: int) -> str:
    modules = {host.module for device in differing for host in device.hosts if host.module}
    if evidence.name == "queue_depth" and len(modules) > 1:
        return (
            f"The hosts have different adapters ({listed(sorted(modules))}), each with its own default depth. "
            "Under load the host with the deeper queue takes the larger part of the volume."
        )
    if evidence.name == "path_policy":
        return f"{counted(odd, 'host')} chose another path policy, by a claim rule, a host profile or by hand."
    return (
        f"{counted(odd, 'host')} differ from the others: set by hand on single hosts, or after a replacement of a host."
    )


def _numbers(evidence: SharedSettings, every: Counter[int | str], objects: int) -> tuple[FindingEvidence, ...]:
    counter = _PROPERTIES[evidence.name]
    rows = [
        FindingEvidence(
            label=f"{_NAMES[evidence.name]} {value}",
            value=float(count),
            unit="devices of hosts",
            to_at=evidence.read_at,
            counter=counter,
        )
        for value, count in sorted(every.items(), key=lambda pair: (-pair[1], str(pair[0])))
    ]
    total = FindingEvidence(
        label="Datastores or volumes with differing hosts",
        value=float(objects),
        unit="objects",
        to_at=evidence.read_at,
        counter=counter,
    )
    return (total, *rows)


def _table(differing: Sequence[SharedDevice], name: str, usual: int | str) -> EvidenceTable:
    columns = (
        ("Host", ""),
        ("Device", ""),
        ("DQLEN configured", "I/Os"),
        ("DSNRO", "I/Os"),
        ("Path policy", ""),
        ("Driver", ""),
        ("Driver depth", "I/Os"),
    )
    rows = [
        EvidenceRow(
            device.object,
            (
                host.host.name,
                device.canonical_name,
                host.queue_depth,
                host.dsnro,
                host.path_policy,
                host.module,
                host.module_depth,
            ),
            is_odd=_is_odd(host, name, usual),
        )
        for device in differing
        for host in device.hosts
    ]
    return EvidenceTable("Settings by host", columns, tuple(rows[:_MOST_ROWS]))


def _advice(
    evidence: SharedSettings, differing: Sequence[SharedDevice], usual: int | str, ratio: float
) -> Iterator[Advice]:
    if evidence.name != "path_policy":
        small = 1 < ratio < _SMALL_RATIO
        yield Advice(
            kind=AdviceKind.LEAVE,
            text="Leave it alone: a driver that reserves some slots is no cause of latency"
            if small
            else "Leave it alone as long as no device queue on these hosts is full",
            why="A depth matters only while I/Os wait for a slot. ESXi's defaults are made for fairness among hosts and VMs.",
        )
        if small:
            return
    yield Advice(
        kind=AdviceKind.SETTING,
        text=f"Set {_NAMES[evidence.name]} {usual} on every host that shares these volumes",
        why=_EQUAL if evidence.name != "queue_depth" else f"{_EQUAL} {_WHOLE_LINE}",
        commands=tuple(_commands(evidence.name, differing, usual)),
        takes_effect="reboot" if evidence.name == "queue_depth" else "live",
        agree=("storage", "virtualization"),
        next_limit="DSNRO, once several VMs do I/O on a device" if evidence.name == "queue_depth" else "",
    )


def _commands(name: str, differing: Sequence[SharedDevice], usual: int | str) -> Iterator[AdviceCommand]:
    """One for each host that differs; of an adapter's driver one for all its devices."""
    by_host: dict[HostSetting, list[str]] = defaultdict(list)
    for device in differing:
        for host in device.hosts:
            if _is_odd(host, name, usual):
                by_host[host].append(device.canonical_name)
    for host, devices in sorted(by_host.items(), key=lambda pair: pair[0].host.name):
        command = _command(name, host, devices, usual)
        if command is not None:
            yield command


def _command(name: str, host: HostSetting, devices: Sequence[str], usual: int | str) -> AdviceCommand | None:
    if name == "queue_depth":
        if host.module is None:
            return None
        return module_depth_command(host.host, host.module, host.module_depth, int(usual))
    if name == "dsnro":
        return dsnro_command(host.host, devices, host.dsnro, int(usual))
    return path_policy_command(host.host, devices, host.path_policy or "", str(usual))


RULE = FindingRule(
    id="unequal-queue-settings",
    title="Unequal queue settings",
    evidence=SharedSettings,
    evaluate=evaluate,
    raised_when="queue depth, DSNRO or path policy of a device differ among hosts that share it",
    cleared_when="the next inventory shows the same setting on all hosts",
    blind_spots=(
        "DSNRO, module parameters and options of a policy are read by esxcli only: without that privilege they are not compared",
        "A setting that is read no longer counts as equal",
        "Hosts of another vCenter that share the volume",
        "Settings of devices that no two hosts share",
    ),
    references=(
        FindingReference(
            "Broadcom KB 323119: Changing the queue depth for QLogic, Emulex and Brocade HBAs",
            "https://knowledge.broadcom.com/external/article/323119",
        ),
    ),
)
