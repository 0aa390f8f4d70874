"""The methods this vCenter answers, by their name on the wire. What is not here is MethodNotFound."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyVmomi import vim, vmodl

from gavel_lab.vcenter import host_options, io_filters, tasks
from gavel_lab.vcenter.retrieval import continue_page, retrieve_all, retrieve_page
from gavel_lab.vcenter.services import permissions
from gavel_lab.vcenter.sessions import Session
from gavel_lab.vcenter.soap import Call, FaultError
from gavel_lab.vcenter.tree import ROOT_FOLDER, Node, moref_of
from gavel_lab.vcenter.views import ContainerView, ListView
from gavel_lab.vcenter.watching import LONGEST_WAIT_S, Collector, Filter, wait_for_updates
from gavel_lab.vcenter.world import World, content

_FOREVER = LONGEST_WAIT_S


@dataclass(frozen=True)
class Request:
    """One call with everything it needs: the receiving object, decoded arguments, and the session."""

    world: World
    session: Session
    call: Call
    node: Node
    arguments: Mapping[str, Any]


Method = Callable[[Request], Any]


# --- ServiceInstance, SessionManager, options -----------------------------------------------------------------------


def _current_time(request: Request) -> Any:
    return request.world.site.now()


def _session_is_active(request: Request) -> Any:
    key, user = request.arguments["sessionID"], request.arguments["userName"]
    return any(one.key == key and one.user == user for one in request.world.sessions.listed())


def _has_privileges(request: Request) -> Any:
    """The lab's account may read everything, unless it was left without a privilege on purpose."""
    fault = request.world.refused(request.call)
    lacked = fault.parameters["privilege"] if fault else None
    return [privilege != lacked for privilege in request.arguments["privId"]]


def _entity_permissions(request: Request) -> Any:
    world, entity = request.world, request.arguments["entity"]
    root = world.site.reference(ROOT_FOLDER)
    node = world.require(request.session, entity)
    own = world.site.reference(node.moref)
    return permissions(world.site.vcenter, root, own, inherited=bool(request.arguments["inherited"]))


def _query_options(request: Request) -> Any:
    host = request.node.record
    options = host_options.vcenter_options()
    if host is not None:
        options = host_options.advanced_options(request.world.site, host)
    return host_options.query(options, request.arguments["name"])


def _query_date_time(request: Request) -> Any:
    return request.world.site.host_now(request.node.record)


def _find_by_uuid(request: Request) -> Any:
    site, wanted = request.world.site, request.arguments["uuid"].lower()
    if not request.arguments["vmSearch"]:
        found = next((host.moref for host in site.tree.hosts if host.uuid.lower() == wanted), None)
    else:
        by_instance = bool(request.arguments["instanceUuid"])
        found = next(
            (vm.moref for vm in site.tree.vms if (vm.instance_uuid if by_instance else vm.bios_uuid).lower() == wanted),
            None,
        )
    return site.reference(found) if found else None


def _query_events(request: Request) -> Any:
    """vMotions of the last hour, as the events they leave."""
    site = request.world.site
    now = site.lab_now()
    moves = (
        (at, vm, source, target)
        for vm in site.tree.vms
        for at, source, target in site.lab.placement.moves(vm.index, now - 3600.0, now)
    )
    return [_migrated(request, number, *move) for number, move in enumerate(sorted(moves, key=lambda move: move[0]))]


def _migrated(request: Request, number: int, at: float, vm: Any, source: int, target: int) -> Any:
    site = request.world.site

    def host(index: int) -> Any:
        record = site.environment.hosts[index]
        return vim.event.HostEventArgument(name=record.name, host=site.reference(record.moref))

    return vim.event.VmMigratedEvent(
        key=number + 1,
        chainId=number + 1,
        createdTime=site.at(at),
        userName="VSPHERE.LOCAL\\vpxd-extension",
        vm=vim.event.VmEventArgument(name=site.name_of(vm), vm=site.reference(vm.moref)),
        host=host(target),
        sourceHost=host(source),
        template=False,
        fullFormattedMessage=f"Migrated virtual machine {site.name_of(vm)} to {site.environment.hosts[target].name}",
    )


# --- TaskManager ----------------------------------------------------------------------------------------------------


def _collect_tasks(request: Request) -> Any:
    held = [node for node in request.session.objects.values() if node.type is vim.TaskHistoryCollector]
    if len(held) >= tasks.MOST_COLLECTORS:
        raise FaultError(
            vmodl.fault.SystemError(reason="too many collectors"), "The session holds too many collectors."
        )
    pages = tasks.open_pages(request.world.site, request.arguments["filter"])
    node = request.session.add(vim.TaskHistoryCollector, pages)
    return node.type(node.moref)


# --- IoFilterManager ------------------------------------------------------------------------------------------------


def _io_filters(request: Request) -> Any:
    cluster = request.world.require(request.session, request.arguments["compRes"])
    return io_filters.of_cluster(request.world.site, cluster.record)


# --- views ----------------------------------------------------------------------------------------------------------


def _create_container_view(request: Request) -> Any:
    container = request.world.require(request.session, request.arguments["container"])
    record = ContainerView(container, tuple(request.arguments["type"]), bool(request.arguments["recursive"]))
    node = request.session.add(vim.view.ContainerView, record)
    return node.type(node.moref)


def _create_list_view(request: Request) -> Any:
    members = tuple(request.world.require(request.session, one) for one in request.arguments["obj"])
    node = request.session.add(vim.view.ListView, ListView(members))
    return node.type(node.moref)


def _reset_list_view(request: Request) -> Any:
    return _fill(request, (), request.arguments["obj"])


def _modify_list_view(request: Request) -> Any:
    gone = {moref_of(one) for one in request.arguments["remove"]}
    kept = (node for node in request.node.record.nodes if node.moref not in gone)
    return _fill(request, kept, request.arguments["add"])


def _fill(request: Request, kept: Iterable[Node], more: Sequence[Any]) -> list[Any]:
    """The list view holds those that are kept and more; returns references to what does not exist."""
    ids = {moref_of(one): one for one in more}
    found = {moref: request.world.find(request.session, moref) for moref in ids}
    nodes = {node.moref: node for node in (*kept, *found.values()) if node is not None}
    request.session.change(request.node, ListView(tuple(nodes.values())))
    return [one for moref, one in ids.items() if found[moref] is None]


def _destroy(request: Request) -> Any:
    request.session.remove(request.node.moref)


# --- PropertyCollector ----------------------------------------------------------------------------------------------


def _collector(request: Request) -> Collector:
    """The state behind a collector: each session has its own behind the well-known one too."""
    record = request.node.record
    if isinstance(record, Collector):
        return record
    with request.session.lock:
        if request.session.default_collector is None:
            request.session.default_collector = Collector()
        collector: Collector = request.session.default_collector
    return collector


def _create_collector(request: Request) -> Any:
    node = request.session.add(vmodl.query.PropertyCollector, Collector())
    return node.type(node.moref)


def _destroy_collector(request: Request) -> Any:
    collector = _collector(request)
    collector.cancel.set()
    for moref in list(collector.filters):
        request.session.remove(moref)
    request.session.remove(request.node.moref)


def _create_filter(request: Request) -> Any:
    collector = _collector(request)
    with collector.lock:
        node = request.session.add(vmodl.query.PropertyCollector.Filter, collector)
        collector.filters[node.moref] = Filter(node.moref, request.arguments["spec"])
    return node.type(node.moref)


def _destroy_filter(request: Request) -> Any:
    collector = request.node.record
    with collector.lock:
        collector.filters.pop(request.node.moref, None)
    request.session.remove(request.node.moref)


def _retrieve_properties(request: Request) -> Any:
    return retrieve_all(request.world, request.session, request.arguments["specSet"], request.call.version)


def _retrieve_properties_ex(request: Request) -> Any:
    limit = request.arguments["options"].maxObjects
    pages = _collector(request).pages
    return retrieve_page(
        request.world, request.session, pages, request.arguments["specSet"], limit, request.call.version
    )


def _continue_retrieve(request: Request) -> Any:
    pages = _collector(request).pages
    return continue_page(request.world, request.session, pages, request.arguments["token"], request.call.version)


def _cancel_retrieve(request: Request) -> Any:
    _collector(request).pages.take(request.arguments["token"])


def _wait(request: Request, wait_s: float, limit: int | None) -> Any:
    return wait_for_updates(
        request.world,
        request.session,
        _collector(request),
        request.arguments["version"] or "",
        wait_s=wait_s,
        limit=limit,
        version=request.call.version,
    )


def _wait_for_updates_ex(request: Request) -> Any:
    options = request.arguments["options"]
    wait_s = options.maxWaitSeconds if options is not None else None
    limit = options.maxObjectUpdates if options is not None else None
    return _wait(request, _FOREVER if wait_s is None else float(wait_s), limit)


def _cancel_wait(request: Request) -> Any:
    _collector(request).cancel.set()


# --- PerformanceManager ---------------------------------------------------------------------------------------------


def _available(request: Request) -> Any:
    node = request.world.require(request.session, request.arguments["entity"])
    return request.world.performance.available(node, request.arguments["intervalId"])


def _provider_summary(request: Request) -> Any:
    node = request.world.require(request.session, request.arguments["entity"])
    return request.world.performance.provider_summary(node)


METHODS: Mapping[str, Method] = {
    "RetrieveServiceContent": lambda request: content(request.world.site),
    "CurrentTime": _current_time,
    "SessionIsActive": _session_is_active,
    "HasPrivilegeOnEntity": _has_privileges,
    "RetrieveEntityPermissions": _entity_permissions,
    "QueryOptions": _query_options,
    "QueryDateTime": _query_date_time,
    "FindByUuid": _find_by_uuid,
    "QueryEvents": _query_events,
    "CreateCollectorForTasks": _collect_tasks,
    "RewindCollector": lambda request: request.node.record.rewind(),
    "ReadNextTasks": lambda request: request.node.record.next_page(request.arguments["maxCount"]),
    "DestroyCollector": _destroy,
    "QueryIoFilterInfo": _io_filters,
    "CreateContainerView": _create_container_view,
    "CreateListView": _create_list_view,
    "ResetListView": _reset_list_view,
    "ModifyListView": _modify_list_view,
    "DestroyView": _destroy,
    "CreatePropertyCollector": _create_collector,
    "DestroyPropertyCollector": _destroy_collector,
    "CreateFilter": _create_filter,
    "DestroyPropertyFilter": _destroy_filter,
    "RetrieveProperties": _retrieve_properties,
    "RetrievePropertiesEx": _retrieve_properties_ex,
    "ContinueRetrievePropertiesEx": _continue_retrieve,
    "CancelRetrievePropertiesEx": _cancel_retrieve,
    "WaitForUpdatesEx": _wait_for_updates_ex,
    "WaitForUpdates": lambda request: _wait(request, _FOREVER, None),
    "CheckForUpdates": lambda request: _wait(request, 0.0, None),
    "CancelWaitForUpdates": _cancel_wait,
    "QueryPerfCounter": lambda request: request.world.performance.counters(request.arguments["counterId"]),
    "QueryPerfProviderSummary": _provider_summary,
    "QueryAvailablePerfMetric": _available,
}
