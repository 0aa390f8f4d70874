"""esxcli through vCenter: RetrieveManagedMethodExecuter and ExecuteSoap, which the published API leaves out.

A command is a managed object on the host (`ha-cli-handler-storage-core-device`) with one method per verb
(`vim.EsxCLI.storage.core.device.list`); the answer is typed XML inside one string.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

from lxml import etree

from gavel_lab.environment import EsxiHost, Hba, HostDevice
from gavel_lab.vcenter.host_storage import display_name, path_state
from gavel_lab.vcenter.site import Site
from gavel_lab.vcenter.soap import Call, Markup, invalid_request, local_name, text_of

_EXECUTER, _TYPE_MANAGER = "ManagedMethodExecuter", "DynamicTypeManager"
_XSD, _XSI = "http://www.w3.org/2001/XMLSchema", "http://www.w3.org/2001/XMLSchema-instance"

Row = Mapping[str, str | int | bool | Sequence[str]]
Command = Callable[[Site, EsxiHost, Mapping[str, str]], Iterator[Row]]


class CommandError(Exception):
    """esxcli refuses: the text it prints."""

    kind = "VimEsxCLICLIFault"
    message = "EsxCLI.CLIFault.summary"

    @property
    def printed(self) -> tuple[str, ...]:
        return (str(self),)


class UnknownCommandError(CommandError):
    """There is no such command on the host: the fault of vSphere itself, without anything printed."""

    kind = "NotFound"
    message = "The object or item referred to could not be found."
    printed = ()


# --- commands -------------------------------------------------------------------------------------------------------


def _devices(site: Site, host: EsxiHost, given: Mapping[str, str]) -> list[HostDevice]:
    devices = [site.environment.devices[index] for index in host.devices]
    wanted = given.get("device")
    if wanted is None:
        return devices
    found = [device for device in devices if device.name == wanted]
    if not found:
        raise CommandError(f"Unknown device: {wanted}")
    return found


def _core_devices(site: Site, host: EsxiHost, given: Mapping[str, str]) -> Iterator[Row]:
    for device in _devices(site, host, given):
        volume = site.environment.volumes[device.volume]
        nvme = device.transport == "nvme-tcp"
        yield {
            "AttachedFilters": "",
            "DevfsPath": f"/vmfs/devices/disks/{device.name}",
            "Device": device.name,
            "DeviceMaxQueueDepth": site.lab.model.max_queue_depth(device.index, site.lab_now()),
            "DeviceType": "Direct-Access",
            "DisplayName": display_name(device),
            "HasSettableDisplayName": True,
            "IsLocal": False,
            "IsOffline": False,
            "IsPerenniallyReserved": False,
            "IsRDMCapable": not nvme,
            "IsSSD": True,
            "IsSharedClusterwide": True,
            "IsVVOLPE": device.is_protocol_endpoint,
            "Model": "Pure Storage Fla" if nvme else "FlashArray",
            "MultipathPlugin": device.plugin,
            "NoofoutstandingIOswithcompetingworlds": device.dsnro,
            "OtherUIDs": [f"vml.{device.uuid}"],
            "QueueFullSampleSize": 0,
            "QueueFullThreshold": 0,
            "Revision": "8888",
            "SCSILevel": 7 if nvme else 6,
            "Size": volume.size_bytes // (1 << 20),
            "Status": "on",
            "ThinProvisioningStatus": "yes",
            "VAAIStatus": "supported",
            "Vendor": "NVMe" if nvme else "PURE",
        }


def _nmp_devices(site: Site, host: EsxiHost, given: Mapping[str, str]) -> Iterator[Row]:
    """Devices claimed by NMP: those of HPP are not among them."""
    for device in _devices(site, host, given):
        if device.plugin != "NMP":
            continue
        paths = [site.environment.paths[index] for index in device.paths]
        working = [path.name for path in paths if path.optimized and path_state(site, path) == "active"]
        yield {
            "Device": device.name,
            "DeviceDisplayName": display_name(device),
            "IsUSB": False,
            "PathSelectionPolicy": device.policy,
            "PathSelectionPolicyDeviceConfig": "{policy=iops,iops=1,bytes=10485760,useANO=0; lastPathIndex=0: "
            "NumIOsPending=0,numBytesPending=0}",
            "PathSelectionPolicyDeviceCustomConfig": "",
            "StorageArrayType": device.storage_array_type,
            "StorageArrayTypeDeviceConfig": "{implicit_support=on; explicit_support=off; explicit_allow=on; "
            "alua_followover=on; action_OnRetryErrors=off; {TPG_id=1,TPG_state=AO}}",
            "WorkingPaths": working,
        }


def _nmp_paths(site: Site, host: EsxiHost, given: Mapping[str, str]) -> Iterator[Row]:
    """Paths claimed by NMP with their ALUA group: that of a path which is down is still known."""
    for device in _devices(site, host, given):
        if device.plugin != "NMP":
            continue
        for path in (site.environment.paths[index] for index in device.paths):
            is_up = path_state(site, path) == "active"
            up_state = "active" if path.optimized else "active unoptimized"
            group = f"TPG_id={path.array + 1},TPG_state={'AO' if path.optimized else 'ANO'}"
            yield {
                "ArrayPriority": 0,
                "Device": device.name,
                "DeviceDisplayName": display_name(device),
                "GroupState": up_state if is_up else "dead",
                "PathSelectionPolicyPathConfig": "{current path; rank: 0}" if is_up and path.optimized else "{rank: 0}",
                "RuntimeName": path.name,
                "StorageArrayTypePathConfig": f"{{{group},RTP_id={path.port + 1},RTP_health={'UP' if is_up else 'DOWN'}}}",
                "UID": path.uid,
            }


def _hpp_paths(site: Site, host: EsxiHost, given: Mapping[str, str]) -> Iterator[Row]:
    for device in _devices(site, host, given):
        if device.plugin != "HPP":
            continue
        for path in (site.environment.paths[index] for index in device.paths):
            is_up = path_state(site, path) == "active"
            up_state = "active" if path.optimized else "active unoptimized"
            yield {
                "Device": device.name,
                "DeviceDisplayName": display_name(device),
                "PathConfig": f"{{ANA_GRP_id={path.array + 1},ANA_GRP_state={'AO' if path.optimized else 'ANO'},"
                f"health={'UP' if is_up else 'DOWN'}}}",
                "PathState": up_state if is_up else "dead",
                "RuntimeName": path.name,
            }


def _core_paths(site: Site, host: EsxiHost, given: Mapping[str, str]) -> Iterator[Row]:
    """Every path whatever claims it, with the name that its counters have: its UID."""
    for device in _devices(site, host, given):
        for path in (site.environment.paths[index] for index in device.paths):
            adapter, channel, target, lun = path.name.split(":")
            near, _, far = path.uid.removesuffix(f"-{device.name}").partition(
                "-fc." if device.transport == "fc" else ","
            )
            yield {
                "Adapter": adapter,
                "AdapterIdentifier": near,
                "Channel": int(channel[1:]),
                "Device": device.name,
                "DeviceDisplayName": display_name(device),
                "LUN": int(lun[1:]),
                "MaximumIOSize": 33553920,
                "Plugin": device.plugin,
                "RuntimeName": path.name,
                "State": path_state(site, path),
                "Target": int(target[1:]),
                "TargetIdentifier": f"fc.{far}" if device.transport == "fc" else far,
                "Transport": {"nvme-tcp": "tcp"}.get(device.transport, device.transport),
                "UID": path.uid,
            }


def _hpp_devices(site: Site, host: EsxiHost, given: Mapping[str, str]) -> Iterator[Row]:
    for device in _devices(site, host, given):
        if device.plugin == "HPP":
            yield {
                "Device": device.name,
                "DeviceDisplayName": display_name(device),
                "PathSelectionScheme": device.policy,
                "PathSelectionSchemeConfig": "{iops=1000,bytes=10485760;}",
                "IsSSD": True,
            }


def _hbas(site: Site, host: EsxiHost) -> list[Hba]:
    return [site.environment.hbas[index] for index in host.hbas]


def _adapters(site: Site, host: EsxiHost, _given: Mapping[str, str]) -> Iterator[Row]:
    for hba in _hbas(site, host):
        yield {
            "Capabilities": "",
            "Description": f"({hba.pci}) {hba.model}",
            "Driver": hba.driver,
            "HBAName": hba.name,
            "LinkState": "link-up" if hba.transport != "iscsi" else "online",
            "UID": _adapter_uid(hba),
        }


def _adapter_uid(hba: Hba) -> str:
    if hba.transport == "fc":
        return f"fc.{hba.wwnn}:{hba.wwpn}".lower()
    return str(hba.iqn if hba.transport == "iscsi" else hba.nqn)


def _module_parameters(site: Site, host: EsxiHost, given: Mapping[str, str]) -> Iterator[Row]:
    module = given.get("module")
    if not module:
        raise CommandError("Missing required parameter -m|--module")
    adapters = [hba for hba in _hbas(site, host) if hba.driver == module]
    if not adapters:
        raise CommandError(f"Invalid Module name: {module}")
    for parameter, hba in {hba.parameter: hba for hba in adapters if hba.parameter}.items():
        yield {
            "Name": str(parameter),
            "Type": "int",
            "Value": hba.parameter_value,
            "Description": f"Maximum outstanding commands per device: default {hba.lun_queue_depth}"
            if not hba.parameter_value
            else "Maximum outstanding commands per device",
        }


def _version(_site: Site, host: EsxiHost, _given: Mapping[str, str]) -> Iterator[Row]:
    yield {
        "Build": f"Releasebuild-{host.build}",
        "Patch": "0",
        "Product": "VMware ESXi",
        "Update": host.version.rpartition(".")[2],
        "Version": host.version,
    }


# namespace.verb: (type of a row, command)
_COMMANDS: Mapping[str, tuple[str, Command]] = {
    "storage.core.device.list": ("ScsiDevice", _core_devices),
    "storage.core.path.list": ("ScsiPath", _core_paths),
    "storage.core.adapter.list": ("ScsiInterface", _adapters),
    "storage.nmp.device.list": ("NmpDevice", _nmp_devices),
    "storage.nmp.path.list": ("NmpPath", _nmp_paths),
    "storage.hpp.device.list": ("HppDevice", _hpp_devices),
    "storage.hpp.path.list": ("HppPath", _hpp_paths),
    "system.module.parameters.list": ("ModuleParameters", _module_parameters),
    "system.version.get": ("VersionDetails", _version),
}
_PARAMETERS: Mapping[str, Sequence[tuple[str, str]]] = {
    "storage.core.device.list": (("device", "-d"),),
    "storage.core.path.list": (("device", "-d"),),
    "storage.nmp.device.list": (("device", "-d"),),
    "storage.nmp.path.list": (("device", "-d"),),
    "storage.hpp.device.list": (("device", "-d"),),
    "storage.hpp.path.list": (("device", "-d"),),
    "system.module.parameters.list": (("module", "-m"),),
}


# --- calls ----------------------------------------------------------------------------------------------------------


def _host(site: Site, moref: str) -> EsxiHost:
    node = site.node(moref)
    if node is None or not isinstance(node.record, EsxiHost):
        raise invalid_request(f"\n'{moref}' is no host")
    return node.record


def _retrieve_executer(site: Site, call: Call) -> Markup:
    _host(site, call.receiver)
    return Markup(f'<returnval type="{_EXECUTER}">{_EXECUTER}-{escape(call.receiver)}</returnval>'.encode())


def _retrieve_type_manager(site: Site, call: Call) -> Markup:
    _host(site, call.receiver)
    return Markup(f'<returnval type="{_TYPE_MANAGER}">{_TYPE_MANAGER}-{escape(call.receiver)}</returnval>'.encode())


def _execute(site: Site, call: Call) -> Markup:
    host = _host(site, call.receiver.removeprefix(f"{_EXECUTER}-"))
    method = text_of(call.element, "method")
    given = _arguments(call.element)
    try:
        answered = _cli_info(given) if method == "vim.CLIInfo.FetchCLIInfo" else _run(site, host, method, given)
    except CommandError as error:
        return Markup(_fault(error))
    return Markup(f"<returnval><response>{escape(answered)}</response></returnval>".encode())


def _run(site: Site, host: EsxiHost, method: str, given: Mapping[str, str]) -> str:
    name = method.removeprefix("vim.EsxCLI.")
    if name not in _COMMANDS:
        raise UnknownCommandError(method)
    kind, command = _COMMANDS[name]
    prefix = method[:1].upper() + method[1:].replace(".", "")
    if name.endswith(".get"):
        return _typed(f"{prefix}{kind}", "".join(field for row in command(site, host, given) for field in _fields(row)))
    rows = "".join(
        f'<DataObject xsi:type="{prefix}{kind}">{"".join(_fields(row))}</DataObject>'
        for row in command(site, host, given)
    )
    return _typed("ArrayOfDataObject", rows)


def _fields(row: Row) -> Iterator[str]:
    for name, value in row.items():
        values = [str(value).lower() if isinstance(value, bool) else str(value)]
        if isinstance(value, (list, tuple)):
            values = [str(one) for one in value]
        yield from (f"<{name}>{escape(one)}</{name}>" for one in values)


def _typed(kind: str, inner: str) -> str:
    return (
        f'<obj xmlns="urn:vim25" xmlns:xsd="{_XSD}" xmlns:xsi="{_XSI}" versionId="5.0" xsi:type="{kind}">{inner}</obj>'
    )


def _arguments(element: Any) -> dict[str, str]:
    """Arguments by name. Each is XML inside text: `<module>lpfc</module>`."""
    given = {}
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    for argument in element:
        if local_name(argument) != "argument":
            continue
        try:
            value = etree.fromstring(text_of(argument, "val").encode(), parser)
        except etree.XMLSyntaxError as error:
            raise invalid_request(f"\nargument {text_of(argument, 'name')}: {error}") from error
        given[text_of(argument, "name")] = (value.text or "").strip()
    return given


def _cli_info(given: Mapping[str, str]) -> str:
    """What a namespace offers, for clients that ask before they call (govc)."""
    namespace = given.get("typeName", "").removeprefix("vim.EsxCLI.")
    verbs = [name for name in _COMMANDS if name.rsplit(".", 1)[0] == namespace]
    if not verbs:
        raise UnknownCommandError(namespace)
    methods = "".join(_method_info(name) for name in verbs)
    word = namespace.rsplit(".", 1)[-1]
    return _typed("VimCLIInfo", f"<name>{namespace}</name><displayName>{word}</displayName><help></help>{methods}")


def _method_info(name: str) -> str:
    parameters = "".join(
        f"<param><name>{parameter}</name><displayName>{parameter}</displayName><help></help>"
        f"<aliases>{short}</aliases><aliases>--{parameter}</aliases><flag>false</flag></param>"
        for parameter, short in _PARAMETERS.get(name, ())
    )
    verb = name.rsplit(".", 1)[-1]
    hints = "<hints><key>formatter</key><value>simple</value></hints>"
    return f"<method><name>{verb}</name><displayName>{verb}</displayName><help></help>{parameters}{hints}</method>"


def _fault(error: CommandError) -> bytes:
    """A LocalizedMethodFault as XML inside a text, as hosts send it."""
    inner = "".join(f"<errMsg>{escape(line)}</errMsg>" for line in error.printed)
    detail = (
        f'<LocalizedMethodFault xmlns="urn:vim25" xmlns:xsi="{_XSI}"><fault xsi:type="{error.kind}">{inner}</fault>'
        f"<localizedMessage>{escape(error.message)}</localizedMessage></LocalizedMethodFault>"
    )
    return (
        f"<returnval><fault><faultMsg>{escape(error.message)}</faultMsg>"
        f"<faultDetail>{escape(detail)}</faultDetail></fault></returnval>"
    ).encode()


ESXCLI_METHODS: Mapping[str, Callable[[Site, Call], Markup]] = {
    "RetrieveManagedMethodExecuter": _retrieve_executer,
    "RetrieveDynamicTypeManager": _retrieve_type_manager,
    "ExecuteSoap": _execute,
}
