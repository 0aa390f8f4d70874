"""Which objects and properties a PropertyFilterSpec selects: traversal from the starting objects outwards."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyVmomi import VmomiSupport, vmodl

from gavel_lab.vcenter.properties import declared_type
from gavel_lab.vcenter.sessions import Session
from gavel_lab.vcenter.soap import FaultError
from gavel_lab.vcenter.tree import Node
from gavel_lab.vcenter.world import World

_COLLECTOR = vmodl.query.PropertyCollector
MAX_VISITS = 1_000_000


@dataclass
class Selected:
    """One selected object with the property paths wanted of it, in order."""

    node: Node
    paths: dict[str, None] = field(default_factory=dict)


def select(world: World, session: Session, spec: Any) -> list[Selected]:
    """Everything a filter spec selects. Raises FaultError for unknown objects, paths or selection names."""
    found: dict[str, Selected] = {}
    wanted = _Wanted(world, spec.propSet)
    for start in spec.objectSet:
        node = world.require(session, start.obj)
        for reached in _Walk(world, session, start.selectSet).reach(node, skip=bool(start.skip)):
            paths = wanted.paths(reached)
            if paths:
                found.setdefault(reached.moref, Selected(reached)).paths.update(dict.fromkeys(paths))
    return list(found.values())


class _Wanted:
    """The property sets of a spec, resolved once per object type."""

    def __init__(self, world: World, property_sets: Sequence[Any]) -> None:
        self._world = world
        self._sets = property_sets
        self._by_type: dict[Any, list[str] | None] = {}

    def paths(self, node: Node) -> list[str] | None:
        if node.type not in self._by_type:
            self._by_type[node.type] = self._resolve(node)
        return self._by_type[node.type]

    def _resolve(self, node: Node) -> list[str] | None:
        """None when no set is about this type; an object selected without paths still counts, with its name only."""
        matching = [one for one in self._sets if issubclass(node.type, one.type)]
        if not matching:
            return None
        paths: dict[str, None] = {}
        for one in matching:
            if one.all:
                paths.update(dict.fromkeys(self._world.names(node)))
            for path in one.pathSet:
                declared_type(one.type, path)
                paths[path] = None
        return list(paths) or [NO_PROPERTIES]


NO_PROPERTIES = ""  # an object listed without any property


class _Walk:
    """Follows the traversal specs of one starting object."""

    def __init__(self, world: World, session: Session, select_set: Sequence[Any]) -> None:
        self._world = world
        self._session = session
        self._start = tuple(select_set)
        self._named: Mapping[str, Any] = dict(_named(select_set))

    def reach(self, node: Node, *, skip: bool) -> Iterator[Node]:
        """The start (unless skipped) and everything the traversals lead to; an object may come more than once."""
        if not skip:
            yield node
        seen: set[tuple[str, int]] = set()
        stack = [(node, self._start)]
        while stack:
            here, selections = stack.pop()
            for selection in selections:
                traversal = self._resolve(selection)
                if (here.moref, id(traversal)) in seen or not issubclass(here.type, traversal.type):
                    continue
                seen.add((here.moref, id(traversal)))
                if len(seen) > MAX_VISITS:
                    raise FaultError(vmodl.fault.InvalidRequest(), "The traversal visits too many objects.")
                for child in self._children(here, traversal):
                    if not traversal.skip:
                        yield child
                    stack.append((child, tuple(traversal.selectSet)))

    def _resolve(self, selection: Any) -> Any:
        if isinstance(selection, _COLLECTOR.TraversalSpec):
            return selection
        try:
            return self._named[selection.name]
        except KeyError as error:
            raise FaultError(
                vmodl.fault.InvalidArgument(invalidProperty="specSet.objectSet.selectSet.name"),
                f"A specified parameter was not correct: no TraversalSpec is named {selection.name!r}",
            ) from error

    def _children(self, node: Node, traversal: Any) -> Iterator[Node]:
        declared_type(traversal.type, traversal.path)
        value = self._world.value(self._session, node, traversal.path)
        for reference in value if isinstance(value, list) else [value]:
            if isinstance(reference, VmomiSupport.ManagedObject):
                yield self._world.require(self._session, reference)


def _named(selections: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    for selection in selections:
        if isinstance(selection, _COLLECTOR.TraversalSpec):
            if selection.name:
                yield selection.name, selection
            yield from _named(selection.selectSet)
