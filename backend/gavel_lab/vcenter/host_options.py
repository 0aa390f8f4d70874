"""Advanced options: of ESXi hosts (Disk.*) and of the vCenter itself."""

from typing import Any

from pyVmomi import VmomiSupport, vim

from gavel_lab.vcenter.soap import FaultError

_HOST_OPTIONS: dict[str, int] = {
    "Disk.DiskMaxIOSize": 32767,
    "Disk.MaxLUN": 1024,
    "Disk.PathEvalTime": 300,
    "Disk.QFullSampleSize": 0,
    "Disk.QFullThreshold": 8,
    "Disk.SchedNumReqOutstanding": 32,
    "Disk.SchedQuantum": 8,
}
_VCENTER_OPTIONS: dict[str, str] = {
    "config.vpxd.stats.maxQueryMetrics": "256",
    "config.vpxd.sso.default.domain": "vsphere.local",
}
MAX_QUERY_METRICS = int(_VCENTER_OPTIONS["config.vpxd.stats.maxQueryMetrics"])


def advanced_options() -> list[Any]:
    """Of every host."""
    return [vim.option.OptionValue(key=key, value=VmomiSupport.long(value)) for key, value in _HOST_OPTIONS.items()]


def vcenter_options() -> list[Any]:
    return [vim.option.OptionValue(key=key, value=value) for key, value in _VCENTER_OPTIONS.items()]


def query(options: list[Any], name: str | None) -> list[Any]:
    """QueryOptions: one option, a whole branch ("Disk."), or all of them. Raises FaultError (InvalidName) for no match."""
    if not name:
        return options
    found = [one for one in options if one.key == name or one.key.startswith(f"{name.rstrip('.')}.")]
    if not found:
        raise FaultError(vim.fault.InvalidName(name=name), f"The name '{name}' is not valid.")
    return found
