"""Commands that advice offers to copy. Gavel runs none of them; values come from the host, only names of parameters are known here."""

import re
import shlex
from collections.abc import Sequence

from gavel.domain.hba_modules import DEPTH_PARAMETERS
from gavel.findings.model import AdviceCommand, ObjectRef

ESXI_SHELL = "ESXi Shell or SSH"
POWERCLI = "PowerCLI"
_QUOTES = re.compile("(['\u2018\u2019\u201a\u201b])")
# A line that names more devices than this is no line to read before it is run.
_MOST_DEVICES = 50


def module_depth_command(host: ObjectRef, module: str, current: int | None, target: int) -> AdviceCommand | None:
    """The HBA driver's depth per device; None for a driver without such a parameter. `-p` replaces every parameter of the module."""
    names = DEPTH_PARAMETERS.get(module)
    if names is None:
        return None
    name = names[0]
    before = "" if current is None else f'esxcli system module parameters set -m {module} -p "{name}={current}"'
    return AdviceCommand(
        where=ESXI_SHELL,
        on=host,
        shows=f"esxcli system module parameters list -m {module}",
        change=f'esxcli system module parameters set -m {module} -p "{name}={target}"',
        undo=before,
        current="not read" if current is None else str(current),
        target=str(target),
    )


def dsnro_command(host: ObjectRef, devices: Sequence[str], current: int | None, target: int) -> AdviceCommand:
    """No of outstanding IOs with competing worlds."""
    return AdviceCommand(
        where=ESXI_SHELL,
        on=host,
        shows=f"esxcli storage core device list --device={shlex.quote(devices[0])}",
        change=_for_each(devices, f"esxcli storage core device set --device={{}} --sched-num-req-outstanding={target}"),
        undo=""
        if current is None
        else _for_each(devices, f"esxcli storage core device set --device={{}} --sched-num-req-outstanding={current}"),
        current="not read" if current is None else str(current),
        target=str(target),
    )


def host_option_command(host: ObjectRef, option: str, current: int | None, target: int) -> AdviceCommand:
    """An advanced option such as "Disk.QFullSampleSize"."""
    path = "/" + option.replace(".", "/")
    change = f"esxcli system settings advanced set --option={path} --int-value"
    return AdviceCommand(
        where=ESXI_SHELL,
        on=host,
        shows=f"esxcli system settings advanced list --option={path}",
        change=f"{change}={target}",
        undo="" if current is None else f"{change}={current}",
        current="not read" if current is None else str(current),
        target=str(target),
    )


def device_queue_full_command(host: ObjectRef, devices: Sequence[str]) -> AdviceCommand:
    """Takes adaptive queue depth off the devices themselves; the host's options then apply."""
    change = "esxcli storage core device set --device={} --queue-full-sample-size=0 --queue-full-threshold=0"
    return AdviceCommand(
        where=ESXI_SHELL,
        on=host,
        shows=f"esxcli storage core device list --device={shlex.quote(devices[0])}",
        change=_for_each(devices, change),
        current="set on the device",
        target="by the host's options",
    )


def sioc_command(datastore: ObjectRef, threshold_ms: int | None) -> AdviceCommand:
    """Storage I/O Control off; back on with the threshold that was read."""
    chosen = f"Get-Datastore -Name {_quoted(datastore.name)}"
    threshold = "" if threshold_ms is None else f" -CongestionThresholdMillisecond {threshold_ms}"
    return AdviceCommand(
        where=POWERCLI,
        on=datastore,
        shows=f"{chosen} | Select-Object Name, StorageIOControlEnabled, CongestionThresholdMillisecond",
        change=f"{chosen} | Set-Datastore -StorageIOControlEnabled $false",
        undo=f"{chosen} | Set-Datastore -StorageIOControlEnabled $true{threshold}",
        current="on",
        target="off",
    )


def disk_limit_command(vm: ObjectRef, disk: ObjectRef, current: int) -> AdviceCommand:
    """Removes a virtual disk's IOPS limit; back to `current`."""
    chosen = f"$vm = Get-VM -Name {_quoted(vm.name)}; $disk = Get-HardDisk -VM $vm -Name {_quoted(disk.name)}"
    change = (
        f"{chosen}; Get-VMResourceConfiguration -VM $vm | Set-VMResourceConfiguration -Disk $disk -DiskLimitIOPerSecond"
    )
    return AdviceCommand(
        where=POWERCLI,
        on=vm,
        shows=f"(Get-VMResourceConfiguration -VM (Get-VM -Name {_quoted(vm.name)})).DiskResourceConfiguration",
        change=f"{change} -1",
        undo=f"{change} {current}",
        current=f"{current:,} IOPS",
        target="no limit",
    )


def _quoted(name: str) -> str:
    """A literal of PowerShell, to which curly quotes are quotes as well: each inside is doubled. Names come from the source."""
    return "'" + _QUOTES.sub(r"\1\1", name) + "'"


def path_policy_command(host: ObjectRef, devices: Sequence[str], current: str, target: str) -> AdviceCommand:
    """How ESXi chooses among the paths, as `PathPolicy` writes it: from `current` to `target`, both of one plug-in family."""
    shows = "hpp" if _is_hpp(current) else "nmp"
    return AdviceCommand(
        where=ESXI_SHELL,
        on=host,
        shows=f"esxcli storage {shows} device list --device={shlex.quote(devices[0])}",
        change=_for_each(devices, _choosing(target, before=current)),
        undo=_for_each(devices, _choosing(current, before=target)),
        current=current,
        target=target,
    )


def _choosing(policy: str, *, before: str) -> str:
    plugin, former = policy.partition(" ")[0], before.partition(" ")[0]
    if _is_hpp(policy):
        return f"esxcli storage hpp device set --device={{}} --pss={shlex.quote(plugin)}"
    steps = [] if plugin == former else [f"esxcli storage nmp device set --device={{}} --psp={shlex.quote(plugin)}"]
    if plugin == "VMW_PSP_RR":
        steps.append(f"esxcli storage nmp psp roundrobin deviceconfig set --device={{}} {_switching(policy)}")
    return " && ".join(steps)


def _is_hpp(policy: str) -> bool:
    """The high-performance plug-in names its schemes LB-RR, LB-IOPS, LB-BYTES, LB-Latency and FIXED."""
    return policy.startswith("LB-") or policy.partition(" ")[0] == "FIXED"


def _switching(policy: str) -> str:
    """The options that bring a round robin policy back to what `policy` says."""
    settings = dict(pair.split("=", 1) for pair in policy.partition(" ")[2].split(",") if "=" in pair)
    if settings.get("policy") == "latency":
        given = {"--num-sampling-cycles": "samplingCycles", "--latency-eval-time": "latencyEvalTime"}
        options = (f" {name}={settings[key]}" for name, key in given.items() if settings.get(key, "").isdigit())
        return "--type=latency" + "".join(options)
    if settings.get("policy") == "iops" and settings.get("iops", "").isdigit():
        return f"--type=iops --iops={settings['iops']}"
    return "--type=default"


def _for_each(devices: Sequence[str], command: str) -> str:
    """The command once, or in a loop over the devices, whose names are quoted: they come from the source."""
    if len(devices) == 1:
        return command.replace("{}", shlex.quote(devices[0]))
    names = " ".join(map(shlex.quote, devices[:_MOST_DEVICES]))
    more = f"  # and {len(devices) - _MOST_DEVICES} more devices" if len(devices) > _MOST_DEVICES else ""
    return f"for device in {names}; do {command.replace('{}', '$device')}; done{more}"
