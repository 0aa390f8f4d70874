"""Queue settings that only a host's esxcli reports: DSNRO, HBA module parameters, path policy settings, path groups.

The way through a vCenter is an unpublished method, so all of it is optional: what cannot be read stays None.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final
from xml.sax.saxutils import escape

from lxml import etree

from gavel.collectors.hosts.vcenter.asking import XML, answer_to
from gavel.collectors.hosts.vcenter.client import VcenterClient
from gavel.collectors.hosts.vcenter.faults import of_esxcli
from gavel.collectors.hosts.vcenter.soap import has_doctype
from gavel.domain.hba_modules import DEPTH_PARAMETERS
from gavel.domain.inventory import Hba, HostDevice, Path

_DEFAULT: Final = re.compile(r"default\s*(?:value)?\s*(?:is|[=:])?\s*(\d+)", re.IGNORECASE)
_GROUP: Final = re.compile(r"(?:TPG|ANA_GRP)_state=(\w+)")

Row = Mapping[str, str]
"""One object of an answer: field name → text."""


class EsxcliError(Exception):
    """esxcli refused a command; its own words. `is_unknown`: the host has no such command, whatever the account may do."""

    def __init__(self, message: str, *, is_unknown: bool = False) -> None:
        super().__init__(message)
        self.is_unknown = is_unknown


@dataclass(frozen=True, slots=True)
class HostQueueSettings:
    """What one host's esxcli reported. Keys: canonical device names, module names, runtime names of paths."""

    dsnro: Mapping[str, int] = field(default_factory=dict)
    device_depth: Mapping[str, int] = field(default_factory=dict)
    module_depth: Mapping[str, int] = field(default_factory=dict)
    policy: Mapping[str, str] = field(default_factory=dict)
    optimized: Mapping[str, bool] = field(default_factory=dict)
    uids: Mapping[str, str] = field(default_factory=dict)
    full_samples: Mapping[str, int] = field(default_factory=dict)
    full_threshold: Mapping[str, int] = field(default_factory=dict)

    def of_device(self, device: HostDevice) -> HostDevice:
        name = device.canonical_name
        return replace(
            device,
            dsnro=self.dsnro.get(name),
            queue_depth=device.queue_depth or self.device_depth.get(name),
            path_policy=self.policy.get(name, device.path_policy),
            queue_full_sample_size=self.full_samples.get(name),
            queue_full_threshold=self.full_threshold.get(name),
        )

    def of_hba(self, hba: Hba) -> Hba:
        return replace(hba, queue_depth=self.module_depth.get(hba.driver or ""))

    def of_path(self, path: Path) -> Path:
        return replace(path, is_optimized=self.optimized.get(path.name))


class Esxcli:
    """esxcli of one host."""

    def __init__(self, client: VcenterClient, host: str) -> None:
        self._client = client
        executer = self._call(f'<_this type="HostSystem">{escape(host)}</_this>', "RetrieveManagedMethodExecuter")
        if executer is None or not executer.text:
            raise EsxcliError("the host offers no method executer")
        self._this = f'<_this type="{escape(executer.get("type", ""))}">{escape(executer.text)}</_this>'

    def rows(self, namespace: str, **arguments: str) -> list[Row]:
        """`esxcli <namespace> list`, namespace with dots. Raises EsxcliError when it is refused, else SourceErrors."""
        passed = "".join(
            f"<argument><name>{name}</name><val>{escape(f'<{name}>{escape(value)}</{name}>')}</val></argument>"
            for name, value in arguments.items()
        )
        result = self._call(
            f"{self._this}<moid>ha-cli-handler-{namespace.replace('.', '-')}</moid><version>urn:vim25/5.0</version>"
            f"<method>vim.EsxCLI.{namespace}.list</method>{passed}",
            "ExecuteSoap",
        )
        if result is None:
            return []
        if (fault := result.find("{*}fault")) is not None:
            raise _refusal(fault)
        return rows(result.findtext("{*}response") or "")

    def _call(self, arguments: str, method: str) -> Any:
        return answer_to(self._client, method, arguments).find(".//{urn:vim25}returnval")


def _refusal(fault: Any) -> EsxcliError:
    kind, words = of_esxcli(fault.findtext("{*}faultMsg") or "", fault.findtext("{*}faultDetail") or "")
    return EsxcliError(words, is_unknown=kind == "NotFound")


def rows(response: str) -> list[Row]:
    """The objects in an esxcli answer, which is XML in a text of its own; a field that repeats is joined by commas."""
    if not response.strip():
        return []
    if has_doctype(response.encode()):
        raise EsxcliError("the answer declares a document type, which no host does")
    try:
        root = etree.fromstring(response.encode(), XML)
    except etree.XMLSyntaxError as error:
        raise EsxcliError(f"the answer is not XML ({error})") from error
    found: list[Row] = []
    for element in root:
        row: dict[str, str] = {}
        for part in element:
            name, text = etree.QName(part).localname, (part.text or "").strip()
            row[name] = f"{row[name]},{text}" if name in row else text
        found.append(row)
    return found


def queue_settings(esxcli: Esxcli, modules: set[str]) -> HostQueueSettings:
    """Everything a host reports. Raises EsxcliError when even the list of devices is refused."""
    devices = esxcli.rows("storage.core.device")
    return HostQueueSettings(
        dsnro=_numbers(devices, "Device", "NoofoutstandingIOswithcompetingworlds"),
        device_depth=_numbers(devices, "Device", "DeviceMaxQueueDepth"),
        module_depth=_module_depths(esxcli, modules),
        policy=_policies(_optional(esxcli, "storage.nmp.device")),
        optimized=_optimized(_optional(esxcli, "storage.nmp.path"), "StorageArrayTypePathConfig", "GroupState")
        | _optimized(_optional(esxcli, "storage.hpp.path"), "PathConfig", "PathState"),
        uids=_uids(_optional(esxcli, "storage.core.path")),
        full_samples=_numbers(devices, "Device", "QueueFullSampleSize"),
        full_threshold=_numbers(devices, "Device", "QueueFullThreshold"),
    )


def _optional(esxcli: Esxcli, namespace: str, **arguments: str) -> list[Row]:
    """A command that a host may not have, such as NMP's on a host that uses only HPP."""
    try:
        return esxcli.rows(namespace, **arguments)
    except EsxcliError:
        return []


def _numbers(rows: list[Row], key: str, name: str) -> dict[str, int]:
    return {row[key]: int(row[name]) for row in rows if key in row and row.get(name, "").isdigit()}


def _module_depths(esxcli: Esxcli, modules: set[str]) -> dict[str, int]:
    depths: dict[str, int] = {}
    for module in sorted(modules & DEPTH_PARAMETERS.keys()):
        parameters = {row.get("Name", ""): row for row in _optional(esxcli, "system.module.parameters", module=module)}
        found = [_depth(parameters[name]) for name in DEPTH_PARAMETERS[module] if name in parameters]
        if found and found[0] is not None:
            depths[module] = found[0]
    return depths


def _depth(parameter: Row) -> int | None:
    """The value that was set, or the default that the parameter's own description names."""
    value = parameter.get("Value", "")
    if value.isdigit():
        return int(value)
    default = _DEFAULT.search(parameter.get("Description", ""))
    return int(default[1]) if default else None


def _policies(rows: list[Row]) -> dict[str, str]:
    """ "VMW_PSP_RR policy=iops,iops=1": the policy and, where it has any, the settings in front of its path state."""
    policies: dict[str, str] = {}
    for row in rows:
        settings = re.match(r"\{([^;{}]+)", row.get("PathSelectionPolicyDeviceConfig", ""))
        name = row.get("PathSelectionPolicy", "")
        if name and "Device" in row:
            policies[row["Device"]] = f"{name} {settings[1].strip()}" if settings else name
    return policies


def _optimized(rows: list[Row], config: str, state: str) -> dict[str, bool]:
    groups = ((row.get("RuntimeName"), _is_optimized(row.get(config, ""), row.get(state, ""))) for row in rows)
    return {name: optimized for name, optimized in groups if name and optimized is not None}


def _is_optimized(config: str, state: str) -> bool | None:
    """By the path's ALUA or ANA group, which is still known while the path is down; without one by its state."""
    if group := _GROUP.search(config):
        return {"AO": True, "ANO": False}.get(group[1])
    return "unoptimized" not in state if state.startswith("active") else None


def _uids(rows: list[Row]) -> dict[str, str]:
    return {row["RuntimeName"]: row["UID"] for row in rows if row.get("RuntimeName") and row.get("UID")}
