"""A copy of chosen properties of the inventory that the vCenter keeps current: read once, then only what changed.

A private property collector per watch; its pages are as small as the properties are heavy.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from pyVmomi import vim, vmodl

from gavel.collectors.hosts.vcenter.client import VcenterClient
from gavel.collectors.hosts.vcenter.faults import in_words
from gavel.collectors.hosts.vcenter.parse import moid
from gavel.domain.errors import ProtocolError

Properties = Mapping[str, Any]
# Five hosts to a page, and vSphere's own limits of 2,500 hosts and 45,000 registered VMs per vCenter, with room to spare.
_MOST_PAGES: Final = 10_000
_MOST_OBJECTS: Final = 200_000
_PC = vmodl.query.PropertyCollector


class PropertyWatch:
    """Objects of some types with some properties, by managed object id. `unreadable`: property → objects whose it is refused, with why.
    `revision`: another one after every change."""

    def __init__(
        self,
        client: VcenterClient,
        wanted: Mapping[type, Sequence[str]],
        *,
        page: int,
        essence: Mapping[str, Callable[[Any], Any]] | None = None,
    ) -> None:
        """`page`: most objects in one answer. `essence`: property → what of its value is worth remembering."""
        self._client = client
        self._essence = essence or {}
        self._wanted = wanted
        self._page = page
        self._session = -1
        self._collector: Any = None
        self._version = ""
        self._objects: dict[str, tuple[type, dict[str, Any]]] = {}
        self.revision = 0
        self.unreadable: dict[str, dict[str, str]] = {}

    def update(self) -> Mapping[str, tuple[type, Properties]]:
        """Everything there is now: id → (type, properties). A property that is unset or unreadable is missing."""
        return self._client.ask(self._update)

    def _update(self) -> Mapping[str, tuple[type, Properties]]:
        try:
            self._catch_up()
        except (vmodl.fault.ManagedObjectNotFound, vmodl.query.InvalidCollectorVersion):
            self._session = -1  # the vCenter dropped the collector: begin again
            self._catch_up()
        return self._objects

    def _catch_up(self) -> None:
        if self._session != self._client.session:
            self._open()
        options = _PC.WaitOptions(maxWaitSeconds=0, maxObjectUpdates=self._page)
        for _ in range(_MOST_PAGES):
            news = self._collector.WaitForUpdatesEx(self._version, options)
            if news is None:
                return
            changed = [update for part in news.filterSet for update in part.objectSet]
            for update in changed:
                self._apply(update)
            if news.truncated and (not changed or news.version == self._version):
                raise ProtocolError(f"{self._client.address}: its inventory announces more and brings nothing new.")
            self._version = news.version
            if not news.truncated:
                return
            if len(self._objects) > _MOST_OBJECTS:
                break
        raise ProtocolError(f"{self._client.address}: its inventory is larger than any vCenter's; given up.")

    def _open(self) -> None:
        content = self._client.content
        self._objects, self._version, self.unreadable = {}, "", {}
        self.revision += 1
        self._collector = content.propertyCollector.CreatePropertyCollector()
        for kind, paths in self._wanted.items():
            self._collector.CreateFilter(all_of(content, {kind: paths}), False)
        self._session = self._client.session

    def _apply(self, update: Any) -> None:
        key = moid(update.obj)
        self.revision += 1
        if update.kind == "leave":
            self._objects.pop(key, None)
            self._readable(key, self.unreadable)
            return
        kind, properties = self._objects.setdefault(key, (type(update.obj), {}))
        self._readable(key, [change.name for change in update.changeSet])
        for missing in update.missingSet:
            self.unreadable.setdefault(missing.path, {})[key] = in_words(missing.fault)
        for change in update.changeSet:
            if change.name not in self._paths(kind):
                self._reread(update.obj, kind, properties)
            elif change.op in {"assign", "add"} and change.val is not None:
                self._remember(properties, change)
            else:
                properties.pop(change.name, None)

    def _readable(self, key: str, paths: Iterable[str]) -> None:
        """An object may be read after all in these properties, or is gone."""
        for path in paths:
            self.unreadable.get(path, {}).pop(key, None)

    def _paths(self, kind: type) -> Sequence[str]:
        return next((paths for wanted, paths in self._wanted.items() if issubclass(kind, wanted)), ())

    def _reread(self, obj: Any, kind: type, properties: dict[str, Any]) -> None:
        """For a server that reports a part of a property although whole ones were requested."""
        properties.clear()
        spec = _PC.FilterSpec(
            objectSet=[_PC.ObjectSpec(obj=obj)],
            propSet=[_PC.PropertySpec(type=kind, pathSet=list(self._paths(kind)))],
        )
        for found in retrieve(self._client.content, spec, page=1):
            for prop in found.propSet:
                self._remember(properties, prop)

    def _remember(self, properties: dict[str, Any], prop: Any) -> None:
        essence = self._essence.get(prop.name)
        properties[prop.name] = essence(prop.val) if essence else prop.val


def all_of(content: Any, wanted: Mapping[type, Sequence[str]]) -> Any:
    """FilterSpec for the given properties of all objects of these types, through a container view of the root."""
    view = content.viewManager.CreateContainerView(content.rootFolder, list(wanted), True)
    through_view = _PC.TraversalSpec(name="view", type=vim.view.ContainerView, path="view", skip=False)
    return _PC.FilterSpec(
        objectSet=[_PC.ObjectSpec(obj=view, skip=True, selectSet=[through_view])],
        propSet=[_PC.PropertySpec(type=kind, pathSet=list(paths)) for kind, paths in wanted.items()],
    )


def retrieve(content: Any, spec: Any, *, page: int) -> list[Any]:
    """All vim.ObjectContent a filter selects, in pages of at most `page`; the server may choose smaller ones."""
    collector = content.propertyCollector
    result = collector.RetrievePropertiesEx([spec], _PC.RetrieveOptions(maxObjects=page))
    found: dict[str, Any] = {}
    for _ in range(_MOST_PAGES):
        before = len(found)
        found |= {} if result is None else {moid(one.obj): one for one in result.objects}
        if result is None or not result.token:
            return list(found.values())
        if len(found) == before or before > _MOST_OBJECTS:
            break
        result = collector.ContinueRetrievePropertiesEx(result.token)
    raise ProtocolError(f"a list of objects announces more after {len(found):,} and brings nothing new, or has no end.")
