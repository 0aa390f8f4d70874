"""Who is logged in, and what each session has created: views, property collectors, filters."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock
from time import monotonic
from typing import Any
from uuid import uuid4

from pyVmomi import vim

from gavel_lab.vcenter.soap import FaultError
from gavel_lab.vcenter.tree import Node

IDLE_TIMEOUT_S = 1800
MAX_SESSIONS = 256
MAX_OBJECTS_PER_SESSION = 500


@dataclass
class Session:
    """One login. `objects` are the managed objects that live as long as it does."""

    key: str
    user: str
    login_at: datetime
    last_active_at: datetime
    generation: int
    used_at: float
    calls: int = 0
    closed: bool = False
    user_agent: str = ""
    objects: dict[str, Node] = field(default_factory=dict)
    revision: int = 0  # counts what became of objects after they were made
    default_collector: Any = None  # what stands behind the well-known PropertyCollector for this session
    lock: Lock = field(default_factory=Lock)

    def add(self, kind: Any, record: Any, name: str = "") -> Node:
        """Create a managed object of this session. Raises FaultError when it has too many."""
        with self.lock:
            if len(self.objects) >= MAX_OBJECTS_PER_SESSION:
                raise FaultError(
                    vim.fault.LimitExceeded(property=None, limit=MAX_OBJECTS_PER_SESSION),
                    f"The session holds {MAX_OBJECTS_PER_SESSION} views, collectors and filters; destroy some.",
                )
            node = Node(kind, name or f"session[{self.key}]{uuid4()}", record)
            self.objects[node.moref] = node
            return node

    def change(self, node: Node, record: Any) -> None:
        """The same object with another record."""
        with self.lock:
            self.objects[node.moref] = Node(node.type, node.moref, record)
            self.revision += 1

    def remove(self, moref: str) -> None:
        with self.lock:
            self.objects.pop(moref, None)


def user_session(session: Session) -> Any:
    """The session as the API shows it."""
    return vim.UserSession(
        key=session.key,
        userName=session.user,
        fullName=session.user.split("@", 1)[0],
        loginTime=session.login_at,
        lastActiveTime=session.last_active_at,
        locale="en",
        messageLocale="en",
        extensionSession=False,
        ipAddress="127.0.0.1",
        userAgent=session.user_agent,
        callCount=session.calls,
    )


class Sessions:
    """All sessions of one vCenter, by the secret in their cookie. Thread-safe."""

    def __init__(self, generation: Callable[[], int], now: Callable[[], datetime]) -> None:
        self._generation = generation
        self._now = now
        self._by_cookie: dict[str, Session] = {}
        self._lock = Lock()

    def open(self, user: str, user_agent: str) -> tuple[str, Session]:
        """Log in: the cookie value and the session."""
        cookie = secrets.token_hex(20)
        session = Session(
            key=str(uuid4()),
            user=user,
            login_at=self._now(),
            last_active_at=self._now(),
            generation=self._generation(),
            used_at=monotonic(),
            user_agent=user_agent,
        )
        with self._lock:
            self._make_room()
            self._by_cookie[cookie] = session
        return cookie, session

    def _make_room(self) -> None:
        """Drop the dead; if all live, the one idle for longest."""
        for cookie in [cookie for cookie, session in self._by_cookie.items() if not self.is_alive(session)]:
            del self._by_cookie[cookie]
        while len(self._by_cookie) >= MAX_SESSIONS:
            del self._by_cookie[min(self._by_cookie, key=lambda cookie: self._by_cookie[cookie].used_at)]

    def is_alive(self, session: Session) -> bool:
        idle_s = monotonic() - session.used_at
        return not session.closed and session.generation == self._generation() and idle_s < IDLE_TIMEOUT_S

    def find(self, cookie: str | None) -> Session | None:
        """The session of a cookie, marked as used now; None when there is none or it has expired."""
        if not cookie:
            return None
        with self._lock:
            session = self._by_cookie.get(cookie)
            if session is None:
                return None
            if not self.is_alive(session):
                del self._by_cookie[cookie]
                return None
            session.used_at = monotonic()
            session.last_active_at = self._now()
            session.calls += 1
            return session

    def close(self, cookie: str | None) -> None:
        with self._lock:
            session = self._by_cookie.pop(cookie or "", None)
            if session is not None:
                session.closed = True

    def listed(self) -> list[Session]:
        with self._lock:
            return [session for session in self._by_cookie.values() if self.is_alive(session)]


def not_authenticated(target: Any) -> FaultError:
    return FaultError(
        vim.fault.NotAuthenticated(object=target, privilegeId="System.View"), "The session is not authenticated."
    )
