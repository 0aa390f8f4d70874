"""Advanced options: of ESXi hosts (Disk.*) and of the vCenter itself."""

from typing import Any

from pyVmomi import VmomiSupport, vim

from gavel_lab.administration import HOST_OPTIONS
from gavel_lab.building.storage import DSNRO
from gavel_lab.environment import EsxiHost
from gavel_lab.vcenter.site import Site
from gavel_lab.vcenter.soap import FaultError

_OLD_DSNRO = "Disk.SchedNumReqOutstanding"

_VCENTER_OPTIONS: dict[str, str] = {
    "config.vpxd.stats.maxQueryMetrics": "256",
    "config.vpxd.sso.default.domain": "vsphere.local",
}
MAX_QUERY_METRICS = int(_VCENTER_OPTIONS["config.vpxd.stats.maxQueryMetrics"])


def advanced_options(site: Site, host: EsxiHost) -> list[Any]:
    """Of one host. DSNRO is of each device since ESXi 5.5; the old global option is still listed."""
    administration = site.lab.administration
    values = {name: administration.option(host.index, name) for name in HOST_OPTIONS}
    values[_OLD_DSNRO] = DSNRO
    return [vim.option.OptionValue(key=key, value=VmomiSupport.long(values[key])) for key in sorted(values)]


def option_definitions() -> list[Any]:
    """Range and default of every option of a host."""
    return [
        vim.option.OptionDef(
            key=name,
            label=name.partition(".")[2],
            summary=name,
            optionType=vim.option.LongOption(valueIsReadonly=False, min=least, max=most, defaultValue=usual),
        )
        for name, (least, most, usual) in HOST_OPTIONS.items()
    ]


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
