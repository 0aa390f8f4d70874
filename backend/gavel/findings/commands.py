"""Every command that advice offers to copy. Gavel runs none of them.

Values come from arrays and vCenters, so each passes `shlex.quote` or `_quoted`. No other module builds an `AdviceCommand`, and one test
runs what these functions return in a shell with hostile names.
"""

import re
import shlex
from collections.abc import Callable, Sequence

from gavel.domain.hba_modules import DEPTH_PARAMETERS
from gavel.findings.model import AdviceCommand, ObjectRef

ESXI_SHELL = "ESXi Shell or SSH"
POWERCLI = "PowerCLI"
# Names with these are patterns to cmdlets: a VM named * would be all VMs.
_WILDCARDS = frozenset("*?[]`")
_QUOTES = re.compile("(['\u2018\u2019\u201a\u201b])")
# A line that names more devices than this is no line to read before it is run.
_MOST_DEVICES = 50


def module_depth_command(host: ObjectRef, module: str, current: int | None, target: int) -> AdviceCommand | None:
    """The HBA driver's depth per device; None for a driver without such a parameter. `-p` replaces every parameter of the module."""
    names = DEPTH_PARAMETERS.get(module)
    if names is None:
        return None
    name, module = names[0], shlex.quote(module)
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
        change=_for_each(
            devices,
            lambda device: f"esxcli storage core device set --device={device} --sched-num-req-outstanding={target}",
        ),
        undo=""
        if current is None
        else _for_each(
            devices,
            lambda device: f"esxcli storage core device set --device={device} --sched-num-req-outstanding={current}",
        ),
        current="not read" if current is None else str(current),
        target=str(target),
    )


def host_option_command(host: ObjectRef, option: str, current: int | None, target: int) -> AdviceCommand:
    """An advanced option such as "Disk.QFullSampleSize"."""
    path = shlex.quote("/" + option.replace(".", "/"))
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
    return AdviceCommand(
        where=ESXI_SHELL,
        on=host,
        shows=f"esxcli storage core device list --device={shlex.quote(devices[0])}",
        change=_for_each(
            devices,
            lambda device: (
                f"esxcli storage core device set --device={device} --queue-full-sample-size=0 --queue-full-threshold=0"
            ),
        ),
        current="set on the device",
        target="by the host's options",
    )


def sioc_command(datastore: ObjectRef, threshold_ms: int | None) -> AdviceCommand:
    """Storage I/O Control off; back on with the threshold that was read."""
    chosen = _chosen("Get-Datastore", datastore.name)
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
    chosen = f"$vm = {_chosen('Get-VM', vm.name)}; $disk = {_chosen('Get-HardDisk -VM $vm', disk.name)}"
    change = (
        f"{chosen}; Get-VMResourceConfiguration -VM $vm | Set-VMResourceConfiguration -Disk $disk -DiskLimitIOPerSecond"
    )
    return AdviceCommand(
        where=POWERCLI,
        on=vm,
        shows=f"(Get-VMResourceConfiguration -VM ({_chosen('Get-VM', vm.name)})).DiskResourceConfiguration",
        change=f"{change} -1",
        undo=f"{change} {current}",
        current=f"{current:,} IOPS",
        target="no limit",
    )


def _chosen(cmdlet: str, name: str) -> str:
    """Chooses the object of exactly this name."""
    if _WILDCARDS.isdisjoint(name):
        return f"{cmdlet} -Name {_quoted(name)}"
    return f"{cmdlet} | Where-Object Name -CEQ {_quoted(name)}"


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


def _choosing(policy: str, *, before: str) -> Callable[[str], str]:
    plugin, former = policy.partition(" ")[0], before.partition(" ")[0]
    if _is_hpp(policy):
        return lambda device: f"esxcli storage hpp device set --device={device} --pss={shlex.quote(plugin)}"

    def steps(device: str) -> str:
        chosen = [f"esxcli storage nmp device set --device={device} --psp={shlex.quote(plugin)}"]
        switched = [f"esxcli storage nmp psp roundrobin deviceconfig set --device={device} {_switching(policy)}"]
        return " && ".join((chosen if plugin != former else []) + (switched if plugin == "VMW_PSP_RR" else []))

    return steps


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


def path_rescan_command(
    host: ObjectRef, *, adapter: str | None, device: str | None, current: str, target: str
) -> AdviceCommand:
    """Rescans one adapter or all. device: whose paths are listed; None: those of every device."""
    rescanned = f"--adapter={shlex.quote(adapter)}" if adapter else "--all"
    shown = f" --device={shlex.quote(device)}" if device is not None else ""
    return AdviceCommand(
        where=ESXI_SHELL,
        on=host,
        shows=f"esxcli storage core path list{shown}",
        change=f"esxcli storage core adapter rescan {rescanned}",
        current=current,
        target=target,
    )


def round_robin_options_command(host: ObjectRef, device: str, path_policy: str) -> AdviceCommand:
    """Reads only: the value is the vendor's, and given by the finding about the policy."""
    return AdviceCommand(
        where=ESXI_SHELL,
        on=host,
        change=f"esxcli storage nmp psp roundrobin deviceconfig get --device={shlex.quote(device)}",
        current=path_policy,
    )


def capture_command(host: ObjectRef) -> AdviceCommand:
    """Ten minutes of esxtop in batch mode; it changes nothing, so that there is nothing to undo."""
    return AdviceCommand(
        where=ESXI_SHELL,
        on=host,
        change="esxtop -b -a -d 5 -n 120 | gzip > /tmp/esxtop.csv.gz",
        target="a file of 10 minutes",
    )


def _for_each(devices: Sequence[str], command: Callable[[str], str]) -> str:
    """The command once, or in a loop over the devices, whose names are quoted: they come from the source."""
    if len(devices) == 1:
        return command(shlex.quote(devices[0]))
    looped = command('"$device"')
    names = " ".join(map(shlex.quote, devices[:_MOST_DEVICES]))
    more = f"  # and {len(devices) - _MOST_DEVICES} more devices" if len(devices) > _MOST_DEVICES else ""
    return f"for device in {names}; do {looped}; done{more}"
