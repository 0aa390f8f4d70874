"""Every managed object a request may address and its properties: inventory, services, things of the session."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pyVmomi import VmomiSupport, vim, vmodl

from gavel_lab.environment import EsxiHost, VCenter
from gavel_lab.faults import Fault, FaultKind
from gavel_lab.vcenter import hosts, services, tasks
from gavel_lab.vcenter.custom_fields import fields
from gavel_lab.vcenter.host_options import advanced_options, option_definitions, vcenter_options
from gavel_lab.vcenter.host_storage import storage_device
from gavel_lab.vcenter.performance import COUNTER_INFOS, Performance, historical_intervals
from gavel_lab.vcenter.properties import Properties, declared_type, descend, typed
from gavel_lab.vcenter.sessions import Session, Sessions, user_session
from gavel_lab.vcenter.site import Site
from gavel_lab.vcenter.soap import Call, markup, not_found
from gavel_lab.vcenter.tree import ROOT_FOLDER, Node, moref_of, reference
from gavel_lab.vcenter.volumes import file_system_volumes

SERVICES: Mapping[str, Any] = {
    "ServiceInstance": vim.ServiceInstance,
    "propertyCollector": vmodl.query.PropertyCollector,
    "ViewManager": vim.view.ViewManager,
    "SessionManager": vim.SessionManager,
    "AuthorizationManager": vim.AuthorizationManager,
    "PerfMgr": vim.PerformanceManager,
    "VpxSettings": vim.option.OptionManager,
    "CustomFieldsManager": vim.CustomFieldsManager,
    "EventManager": vim.event.EventManager,
    "SearchIndex": vim.SearchIndex,
    "TaskManager": vim.TaskManager,
    "IoFilterManager": vim.IoFilterManager,
    "LicenseManager": vim.LicenseManager,
    "DiagMgr": vim.DiagnosticManager,
    "StorageResourceManager": vim.StorageResourceManager,
}


def about(vcenter: VCenter) -> Any:
    return vim.AboutInfo(
        name="VMware vCenter Server",
        fullName=f"VMware vCenter Server {vcenter.version} build-{vcenter.build}",
        vendor="VMware, Inc.",
        version=vcenter.version,
        build=vcenter.build,
        localeVersion="INTL",
        localeBuild="000",
        osType="linux-x64",
        productLineId="vpx",
        apiType="VirtualCenter",
        apiVersion=vcenter.api_version,
        instanceUuid=vcenter.instance_uuid,
        licenseProductName="VMware VirtualCenter Server",
        licenseProductVersion=f"{vcenter.version.split('.', 1)[0]}.0",
    )


def content(site: Site) -> Any:
    """ServiceContent: where every client starts."""
    return vim.ServiceInstanceContent(
        rootFolder=vim.Folder(ROOT_FOLDER),
        propertyCollector=vmodl.query.PropertyCollector("propertyCollector"),
        viewManager=vim.view.ViewManager("ViewManager"),
        about=about(site.vcenter),
        setting=vim.option.OptionManager("VpxSettings"),
        sessionManager=vim.SessionManager("SessionManager"),
        authorizationManager=vim.AuthorizationManager("AuthorizationManager"),
        perfManager=vim.PerformanceManager("PerfMgr"),
        eventManager=vim.event.EventManager("EventManager"),
        customFieldsManager=vim.CustomFieldsManager("CustomFieldsManager"),
        searchIndex=vim.SearchIndex("SearchIndex"),
        taskManager=vim.TaskManager("TaskManager"),
        ioFilterManager=vim.IoFilterManager("IoFilterManager"),
        licenseManager=vim.LicenseManager("LicenseManager"),
        diagnosticManager=vim.DiagnosticManager("DiagMgr"),
        storageResourceManager=vim.StorageResourceManager("StorageResourceManager"),
    )


def _host_services(host: EsxiHost) -> Iterator[Node]:
    yield Node(vim.host.StorageSystem, hosts.storage_system(host), host)
    yield Node(vim.host.DateTimeSystem, hosts.date_time_system(host), host)
    yield Node(vim.option.OptionManager, hosts.option_manager(host), host)
    yield Node(vim.host.ServiceSystem, hosts.service_system(host), host)


class World:
    """One vCenter with all its moving parts."""

    def __init__(self, site: Site) -> None:
        faults, name = site.lab.faults, site.vcenter.name
        self.site = site
        self.sessions = Sessions(lambda: faults.session_generation(name), site.now)
        self.performance = Performance(site)
        self._properties = Properties(site)
        self._services = {name: Node(kind, name, None) for name, kind in SERVICES.items()}
        self._services.update((node.moref, node) for host in site.tree.hosts for node in _host_services(host))

    def refused(self, call: Call) -> Fault | None:
        """The fault that leaves the account without a privilege for this call."""
        return self.site.lab.faults.active(self.site.vcenter.name, FaultKind.REFUSE, call.text)

    def find(self, session: Session | None, moref: str) -> Node | None:
        """The managed object of that id, as this session sees it."""
        node = self.site.node(moref) or self._services.get(moref)
        if node is None and session is not None:
            node = session.objects.get(moref)
        return node or tasks.node(self.site, moref)

    def require(self, session: Session | None, reference: Any) -> Node:
        """The object a reference means. Raises FaultError (ManagedObjectNotFound)."""
        moref = moref_of(reference)
        node = self.find(session, moref)
        if node is None:
            raise not_found(VmomiSupport.GetWsdlName(type(reference)), moref)
        return node

    def names(self, node: Node) -> list[str]:
        """Top-level properties there are values for."""
        if node.moref in self.site.tree.nodes:
            return self._properties.names(node)
        return list(_SERVICE_PROPERTIES.get(node.type, {}))

    def value(self, session: Session | None, node: Node, path: str) -> Any:
        """A property's value; None when unset. Raises FaultError (InvalidProperty)."""
        if node.moref in self.site.tree.nodes:
            return self._properties.value(node, path)
        declared = declared_type(node.type, path)
        head, *rest = path.split(".")
        provider = _SERVICE_PROPERTIES.get(node.type, {}).get(head)
        return None if provider is None else typed(descend(provider(self, session, node), rest), declared)

    def markup(self, session: Session | None, node: Node, path: str, version: str) -> bytes:
        """A property's value as a `<val>` element; empty when unset."""
        if node.moref in self.site.tree.nodes:
            return self._properties.markup(node, path, version)
        if node.moref == "PerfMgr" and path == "perfCounter":
            return self.performance.counters_markup("val", object, version)
        return markup("val", self.value(session, node, path), object, version)

    def fetch(self, session: Session | None, node: Node, path: str, version: str) -> bytes:
        """A property as a returnval of its declared type: pyVmomi's `Fetch`."""
        if node.moref == "PerfMgr" and path == "perfCounter":
            return self.performance.counters_markup("returnval", COUNTER_INFOS, version)
        return markup("returnval", self.value(session, node, path), declared_type(node.type, path), version)

    def change_stamp(self) -> object:
        """Equal as long as no property of the inventory can have changed."""
        site = self.site
        asked_for = site.lab.placement.version(site.lab_now()), site.lab.faults.vm_names_given()
        return (
            asked_for,
            site.lab.administration.version,
            tuple(site.host_of(vm).index for vm in site.tree.vms),
            tuple(self._properties.storage_state(host) for host in site.tree.hosts),
        )


ServiceProvider = Callable[[World, Session | None, Node], Any]


def _options(world: World, _session: Session | None, node: Node) -> Any:
    return vcenter_options() if node.record is None else advanced_options(world.site, node.record)


def _host_services_running(world: World, _session: Session | None, node: Node) -> Any:
    return services.service_info(is_ntp_running=world.site.lab.administration.is_ntp_running(node.record.index))


def _view(world: World, session: Session | None, node: Node) -> Any:
    """Of what it was given those that are still there."""
    members = node.record.members(world.site)
    return [reference(member) for member in members if world.find(session, member.moref)]


_VIEW_TYPES: tuple[Any, ...] = (vim.view.ContainerView, vim.view.ListView)
_VIEW: Mapping[str, ServiceProvider] = {"view": _view}
_SERVICE_PROPERTIES: Mapping[Any, Mapping[str, ServiceProvider]] = {
    vim.ServiceInstance: {
        "content": lambda world, _session, _node: content(world.site),
        "serverClock": lambda world, _session, _node: world.site.now(),
    },
    vim.SessionManager: {
        "currentSession": lambda _world, session, _node: user_session(session) if session else None,
        "sessionList": lambda world, _session, _node: [user_session(one) for one in world.sessions.listed()],
        "defaultLocale": lambda _world, _session, _node: "en",
    },
    vim.PerformanceManager: {
        "perfCounter": lambda world, _session, _node: world.performance.catalogue.infos,
        "historicalInterval": lambda _world, _session, _node: historical_intervals(),
    },
    vim.CustomFieldsManager: {"field": lambda _world, _session, _node: fields()},
    vim.option.OptionManager: {
        "setting": _options,
        "supportedOption": lambda _world, _session, node: [] if node.record is None else option_definitions(),
    },
    vim.AuthorizationManager: {"roleList": lambda _world, _session, _node: services.roles()},
    vim.TaskManager: {
        "recentTask": lambda world, _session, _node: tasks.recent(world.site),
        "maxCollector": lambda _world, _session, _node: tasks.MOST_COLLECTORS,
    },
    vim.Task: {"info": lambda world, _session, node: tasks.task_info(world.site, node.record)},
    vim.host.ServiceSystem: {"serviceInfo": _host_services_running},
    vim.event.EventManager: {"maxCollector": lambda _world, _session, _node: 1000},
    vim.view.ContainerView: {
        **_VIEW,
        "container": lambda world, _session, node: world.site.reference(node.record.container.moref),
        "recursive": lambda _world, _session, node: node.record.recursive,
        "type": lambda _world, _session, node: list(node.record.types),
    },
    vim.view.ListView: _VIEW,
    vim.view.ViewManager: {
        "viewList": lambda _world, session, _node: [
            one.type(one.moref) for one in (session.objects.values() if session else ()) if one.type in _VIEW_TYPES
        ]
    },
    vmodl.query.PropertyCollector: {
        "filter": lambda _world, _session, node: [
            vmodl.query.PropertyCollector.Filter(moref) for moref in (node.record.filters if node.record else ())
        ]
    },
    vim.host.StorageSystem: {
        "storageDeviceInfo": lambda world, _session, node: storage_device(world.site, node.record),
        "fileSystemVolumeInfo": lambda world, _session, node: file_system_volumes(world.site, node.record),
    },
    vim.host.DateTimeSystem: {
        "dateTimeInfo": lambda world, _session, node: hosts.date_time(world.site, node.record),
    },
}
