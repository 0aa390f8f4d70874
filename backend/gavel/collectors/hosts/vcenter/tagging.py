"""Tags of a vCenter, which its SOAP interface does not have: read by REST, in a session of their own.

Nothing here costs the inventory more than its time: what cannot be read is a sentence, and tags that were read before stay. There is no
call that lists tags with their names; each is asked for once, then again in turn, as many as fit into a read.
"""

import base64
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, TypeVar
from urllib.parse import quote

import msgspec

from gavel.collectors.hosts.vcenter.settings import VcenterSettings
from gavel.collectors.hosts.vcenter.wire import Wire
from gavel.collectors.net import only_source_errors
from gavel.domain.errors import (
    AuthenticationError,
    PermissionMissingError,
    ProtocolError,
    SourceError,
)
from gavel.domain.labels import MOST_LABELS, Label, LabelKind, plain_labels
from gavel.domain.source import Usage
from gavel.egress.network import LOGOUT_S, parse_address, total_deadline
from gavel.egress.tls import ssl_context

_SESSION: Final = "/api/session"
_TAGGING: Final = "/api/cis/tagging"
_TOKEN: Final = re.compile(r"[\x21-\x7e]{1,4096}")
# All of a read, and within it the names of tags: the rest of them come with the next reads.
_READ_S: Final = 20.0
_NAMES_S: Final = 10.0
_OBJECTS_PER_CALL: Final = 500
_LARGEST_ANSWER: Final = 8 * 1024 * 1024
# vSphere allows 10,000 tags.
_MOST_TAGS: Final = 20_000
_STALE_S: Final = 3600.0

T = TypeVar("T")


class _ObjectId(msgspec.Struct):
    id: str
    type: str


class _Attached(msgspec.Struct):
    object_id: _ObjectId
    tag_ids: list[str]


class _Tag(msgspec.Struct):
    name: str
    category_id: str


class _Category(msgspec.Struct):
    name: str


class _RefusedError(ProtocolError):
    """The answer has a status that is none of success. `status`: HTTP's."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class TagsRead:
    """`labels`: by the object's id, of those that have tags. `is_complete`: nothing else has one. `withheld`: sentences."""

    labels: Mapping[str, tuple[Label, ...]]
    is_complete: bool
    withheld: tuple[str, ...] = ()


@dataclass(slots=True)
class _Names:
    """What tags are called, by id: (category, name), and when that was read, in monotonic seconds. None: it may not be read, or is gone."""

    tags: dict[str, tuple[str, str] | None] = field(default_factory=dict)
    read_at: dict[str, float] = field(default_factory=dict)

    def due(self, ids: Iterable[str], now: float) -> list[str]:
        """Those to be read: new ones first, then the oldest."""
        wanted = (tag for tag in ids if now - self.read_at.get(tag, -_STALE_S) >= _STALE_S)
        return sorted(wanted, key=lambda tag: (self.read_at.get(tag, 0.0), tag))

    def keep_only(self, ids: Iterable[str]) -> None:
        kept = set(ids)
        self.tags = {tag: name for tag, name in self.tags.items() if tag in kept}
        self.read_at = {tag: at for tag, at in self.read_at.items() if tag in kept}


class TagReader:
    """Reads the tags of objects. Raises nothing but what is no fault of the other side. A refused password is never sent again."""

    def __init__(self, settings: VcenterSettings) -> None:
        self._settings = settings
        self._address = parse_address(settings.address)
        self._wire = Wire(self._address, ssl_context(settings))
        self._token: str | None = None
        self._refused: AuthenticationError | None = None
        self._names = _Names()
        self._categories: dict[str, tuple[str, float]] = {}

    @property
    def usage(self) -> Usage:
        return self._wire.usage

    def read(self, objects: Mapping[str, str]) -> TagsRead:
        """`objects`: id → type name, such as "vm-12" → "VirtualMachine"."""
        try:
            with only_source_errors(self._address), total_deadline(_READ_S):
                return self._read(objects)
        except SourceError as error:
            return TagsRead({}, is_complete=False, withheld=(_not_readable(error),))

    def close(self) -> None:
        """Logs out; a vCenter that is away will end the session by itself."""
        try:
            if self._token is not None:
                with only_source_errors(self._address), total_deadline(LOGOUT_S):
                    self._send("DELETE", _SESSION, None)
        except SourceError:
            pass
        finally:
            self._token = None
            self._wire.disconnect()

    def _read(self, objects: Mapping[str, str]) -> TagsRead:
        attached = self._attached(objects)
        wanted = {tag for tags in attached.values() for tag in tags}
        if len(wanted) > _MOST_TAGS:
            raise ProtocolError(f"{self._address}: more than {_MOST_TAGS:,} tags, which no vCenter has.")
        self._names.keep_only(wanted)
        self._read_names(wanted)
        return _labels(attached, self._names)

    def _attached(self, objects: Mapping[str, str]) -> dict[str, list[str]]:
        """Ids of tags by object, of those that have any."""
        found: dict[str, list[str]] = {}
        for part in _parts(sorted(objects.items()), _OBJECTS_PER_CALL):
            body = msgspec.json.encode({"object_ids": [{"id": key, "type": kind} for key, kind in part]})
            path = f"{_TAGGING}/tag-association?action=list-attached-tags-on-objects"
            for one in self._ask("POST", path, list[_Attached], body):
                if one.object_id.id in objects and one.tag_ids:
                    found[one.object_id.id] = one.tag_ids
        return found

    def _read_names(self, wanted: Iterable[str]) -> None:
        started = time.monotonic()
        for tag in self._names.due(wanted, started):
            if time.monotonic() - started > _NAMES_S:
                return
            self._names.tags[tag] = self._name_of(tag)
            self._names.read_at[tag] = started

    def _name_of(self, tag: str) -> tuple[str, str] | None:
        """Category and name; None for what is gone by now, or may not be read by itself."""
        try:
            found = self._ask("GET", f"{_TAGGING}/tag/{quote(tag, safe=':')}", _Tag)
            return self._category(found.category_id), found.name
        except PermissionMissingError:
            return None
        except _RefusedError as error:
            if error.status == 404:
                return None
            raise

    def _category(self, category: str) -> str:
        name, read_at = self._categories.get(category, ("", -_STALE_S))
        if time.monotonic() - read_at >= _STALE_S:
            name = self._ask("GET", f"{_TAGGING}/category/{quote(category, safe=':')}", _Category).name
            self._categories[category] = name, time.monotonic()
        return name

    def _ask(self, method: str, path: str, kind: type[T], body: bytes | None = None) -> T:
        """One answer, logged in; logged in once more where the session has expired."""
        if self._token is None:
            self._log_in()
        status, content = self._send(method, path, body)
        if status == 401:
            self._log_in()
            status, content = self._send(method, path, body)
        if status != 200:
            raise _refusal(f"{self._address}", path, status)
        return self._decoded(content, kind, path)

    def _log_in(self) -> None:
        if self._refused:
            raise self._refused
        account = f"{self._settings.username}:{self._settings.password.get_secret_value()}".encode()
        basic = {"Authorization": f"Basic {base64.b64encode(account).decode()}"}
        self._token = None
        status, content = self._send("POST", _SESSION, b"", basic)
        if status == 401:
            self._refused = AuthenticationError(
                f"{self._address}: the login to its REST interface is refused; it is not tried again until the source is changed"
            )
            raise self._refused
        if status not in {200, 201}:
            raise _refusal(f"{self._address}", _SESSION, status)
        token = self._decoded(content, str, _SESSION)
        if not _TOKEN.fullmatch(token):
            raise ProtocolError(f"{self._address}: the answer to {_SESSION} is no session.")
        self._token = token

    def _send(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, bytes]:
        session = {"vmware-api-session-id": self._token} if self._token else {}
        typed = {"Content-Type": "application/json"} if body is not None else {}
        sent = {"Accept": "application/json", **typed, **session, **(headers or {})}
        with self._wire.exchange(method, path, body, sent) as reply:
            found = bytearray()
            for chunk in reply.chunks():
                found += chunk
                if len(found) > _LARGEST_ANSWER:
                    raise ProtocolError(
                        f"{self._address}: the answer to {path} has more than {_LARGEST_ANSWER >> 20} MiB."
                    )
            return reply.status, bytes(found)

    def _decoded(self, content: bytes, kind: type[T], path: str) -> T:
        try:
            return msgspec.json.decode(content, type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise ProtocolError(f"{self._address}: the answer to {path} is not what it should be ({error}).") from error


def _labels(attached: Mapping[str, Sequence[str]], names: _Names) -> TagsRead:
    unread = sum(tag not in names.tags for tag in {tag for tags in attached.values() for tag in tags})
    most = max(map(len, attached.values()), default=0)
    withheld = []
    if unread:
        withheld.append(f"{unread:,} tags of the vCenter are not read yet: their names come with the next inventories.")
    if most > MOST_LABELS:
        withheld.append(f"An object has {most:,} tags: {MOST_LABELS} of one object are kept.")
    labels = {
        key: plain_labels(LabelKind.TAG, filter(None, (names.tags.get(tag) for tag in tags)))
        for key, tags in attached.items()
    }
    return TagsRead(labels, is_complete=not unread, withheld=tuple(withheld))


def _refusal(address: str, path: str, status: int) -> SourceError:
    bare = path.partition("?")[0]
    match status:
        case 403:
            return PermissionMissingError(f"{address}: {bare} is refused (HTTP 403)", privilege="System.Read")
        case 404 if bare == _SESSION:
            return _RefusedError(f"{address}: it has no {bare} (HTTP 404), which came with vSphere 7.0 U2", status)
        case _:
            return _RefusedError(f"{address}: {bare} answers HTTP {status}", status)


def _not_readable(error: SourceError) -> str:
    reason = str(error).rstrip(".")
    return f"The tags of the vCenter are not readable ({reason}): filters and owners by tag use what was read before."


def _parts(items: Sequence[tuple[str, str]], size: int) -> Iterator[list[tuple[str, str]]]:
    rest: Any = iter(items)
    while part := list(islice(rest, size)):
        yield part
