"""Watching properties: filters of a PropertyCollector and WaitForUpdatesEx with versions, deltas and truncation."""

import hashlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Event, RLock
from time import monotonic
from typing import Any
from xml.sax.saxutils import escape

from pyVmomi import vim, vmodl

from gavel_lab.vcenter import tasks
from gavel_lab.vcenter.retrieval import PAGE_BYTES, PAGE_OBJECTS, Pages, missing_set, object_tag, properties, unreadable
from gavel_lab.vcenter.selection import Selected, select
from gavel_lab.vcenter.sessions import Session, not_authenticated
from gavel_lab.vcenter.soap import FaultError, Markup
from gavel_lab.vcenter.tree import Node
from gavel_lab.vcenter.world import World

LOOK_EVERY_S = 0.5
LONGEST_WAIT_S = 600.0


@dataclass
class Filter:
    """One filter and what its owner has been told: object → property → digest of the value."""

    moref: str
    spec: Any
    told: dict[str, tuple[Node, dict[str, bytes]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Update:
    """One object of one filter that appeared, changed or went."""

    filter: str
    body: bytes


@dataclass
class Collector:
    """State of one PropertyCollector. One waiter at a time; `cancel` lets it go.

    `coming`: the rest of a round that did not fit one answer, worked out page by page: a first round may be a whole environment.
    """

    pages: Pages = field(default_factory=Pages)
    filters: dict[str, Filter] = field(default_factory=dict)
    version: int = 0
    coming: Iterator[Update] | None = None
    last: tuple[str, Markup] | None = None  # (version asked with, answer): for a client that lost the answer
    lock: RLock = field(default_factory=RLock)
    cancel: Event = field(default_factory=Event)


def _digest(value: bytes) -> bytes:
    return hashlib.blake2b(value, digest_size=12).digest()


def _changes(world: World, session: Session, watched: Filter, version: str) -> Iterator[Update]:
    """Updates since the owner was last told; tells it."""
    selected = {one.node.moref: one for one in select(world, session, watched.spec)}
    for moref in [moref for moref in watched.told if moref not in selected]:
        node, _ = watched.told.pop(moref)
        yield Update(watched.moref, b"<kind>leave</kind>" + object_tag("obj", node))
    for one in selected.values():
        update = _change(world, session, watched, one, version)
        if update is not None:
            yield Update(watched.moref, update)


def _change(world: World, session: Session, watched: Filter, one: Selected, version: str) -> bytes | None:
    values = dict(properties(world, session, one, version))
    refused = unreadable(world, one)
    now = {path: _digest(value) for path, value in values.items()} | {path: _digest(b"") for path in refused}
    known = watched.told.get(one.node.moref)
    if known is not None and known[1] == now:
        return None
    before = known[1] if known is not None else {}
    watched.told[one.node.moref] = (one.node, now)
    sets = [
        b"".join((b"<changeSet><name>", path.encode(), b"</name><op>assign</op>", value, b"</changeSet>"))
        for path, value in values.items()
        if before.get(path) != now[path]
    ]
    gone = [
        f"<changeSet><name>{escape(path)}</name><op>assign</op></changeSet>".encode()
        for path in before
        if path not in now
    ]
    kind = b"<kind>modify</kind>" if known is not None else b"<kind>enter</kind>"
    return kind + object_tag("obj", one.node) + b"".join(sets + gone) + missing_set(one.node, refused)


def wait_for_updates(
    world: World, session: Session, collector: Collector, since: str, *, wait_s: float, limit: int | None, version: str
) -> Markup:
    """The next update set, or nothing when there is none within `wait_s`.

    `since` is "" (tell everything) or the version of the last answer; the one before it gets that answer again.
    """
    with collector.lock:
        if since == "":
            _start_over(collector)
        elif collector.last is not None and since == collector.last[0] and since != str(collector.version):
            return collector.last[1]
        elif since != str(collector.version):
            raise FaultError(vmodl.query.InvalidCollectorVersion(), "The version is not one of this collector's.")
    collector.cancel.clear()
    deadline = monotonic() + min(wait_s, LONGEST_WAIT_S)
    seen: object = None
    while True:
        inventory = world.change_stamp()
        with collector.lock:
            stamp = inventory, session.revision, _tasks(world, collector)
            if stamp != seen or collector.coming:
                seen = stamp
                found = _collect(world, session, collector, since, limit, version)
                if found is not None:
                    return found
        _pause(world, session, collector, deadline)
        if monotonic() >= deadline:
            return Markup(b"")


def _tasks(world: World, collector: Collector) -> object:
    """Of tasks where any are watched, which begin, go on and end by themselves."""
    watched = {node.type for one in collector.filters.values() for node, _ in one.told.values()}
    return None if watched.isdisjoint((vim.Task, vim.TaskManager)) else tasks.change_stamp(world.site)


def _start_over(collector: Collector) -> None:
    collector.coming = None
    collector.last = None
    for watched in collector.filters.values():
        watched.told.clear()


def _pause(world: World, session: Session, collector: Collector, deadline: float) -> None:
    if collector.cancel.wait(max(0.0, min(LOOK_EVERY_S, deadline - monotonic()))):
        raise FaultError(vmodl.fault.RequestCanceled(), "The task was canceled by a user.")
    if not world.sessions.is_alive(session):
        raise not_authenticated(vim.SessionManager("SessionManager"))


def _collect(
    world: World, session: Session, collector: Collector, since: str, limit: int | None, version: str
) -> Markup | None:
    page = _page(collector.coming or _round(world, session, collector, version), collector, limit)
    if not page:
        return None
    collector.version += 1
    answer = _update_set(collector, page)
    collector.last = (since, answer)
    return answer


def _round(world: World, session: Session, collector: Collector, version: str) -> Iterator[Update]:
    """Everything there is to tell now."""
    for watched in list(collector.filters.values()):
        yield from _changes(world, session, watched, version)


def _page(updates: Iterator[Update], collector: Collector, limit: int | None) -> list[Update]:
    """As many updates as asked for, within the server's own limits, at least one; the rest stays in `coming`."""
    most = min(limit, PAGE_OBJECTS) if limit and limit > 0 else PAGE_OBJECTS
    page: list[Update] = []
    size = 0
    for update in updates:
        if update.filter not in collector.filters:  # destroyed meanwhile
            continue
        size += len(update.body)
        if page and (len(page) == most or size > PAGE_BYTES):
            collector.coming = itertools.chain((update,), updates)
            return page
        page.append(update)
    collector.coming = None
    return page


def _update_set(collector: Collector, page: list[Update]) -> Markup:
    pieces = [f"<returnval><version>{collector.version}</version>".encode()]
    for moref in dict.fromkeys(update.filter for update in page):
        pieces.append(f'<filterSet><filter type="PropertyFilter">{escape(moref)}</filter>'.encode())
        pieces += [b"<objectSet>" + one.body + b"</objectSet>" for one in page if one.filter == moref]
        pieces.append(b"</filterSet>")
    if collector.coming:
        pieces.append(b"<truncated>true</truncated>")
    pieces.append(b"</returnval>")
    return Markup(b"".join(pieces))
