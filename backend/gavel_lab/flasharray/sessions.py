"""Management sessions of one array: opened by API token, ended by logout, idleness or an act of the fault store."""

from __future__ import annotations

import secrets
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace

from gavel_lab.flasharray.errors import ApiError, invalid_session

MAX_SESSIONS = 1_000


@dataclass(frozen=True)
class Session:
    """One session. `used_at` is monotonic seconds."""

    username: str
    generation: int
    used_at: float


class Sessions:
    """The open sessions of an array. Thread-safe.

    generation: rises when every session opened before is to be forgotten. idle_timeout_s: 0 never ends an idle session.
    """

    def __init__(
        self,
        api_token: str,
        username: str,
        idle_timeout_s: float,
        generation: Callable[[], int],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._api_token = api_token
        self._username = username
        self._idle_timeout_s = idle_timeout_s
        self._generation = generation
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._open: dict[str, Session] = {}

    def login(self, api_token: str) -> tuple[str, str]:
        """(session token, username) for the right API token; 401 for any other."""
        if not secrets.compare_digest(api_token.encode(), self._api_token.encode()):
            raise ApiError(401, "Invalid API token.")
        token = str(uuid.uuid4())
        with self._lock:
            self._forget_ended()
            if len(self._open) >= MAX_SESSIONS:
                raise ApiError(503, f"Too many sessions: {MAX_SESSIONS} are open.")
            self._open[token] = Session(self._username, self._generation(), self._monotonic())
        return token, self._username

    def check(self, token: str | None) -> None:
        """401 unless the token names a living session; using a session keeps it alive."""
        with self._lock:
            self._forget_ended()
            session = self._open.get(token or "")
            if token is None or session is None:
                raise invalid_session()
            self._open[token] = replace(session, used_at=self._monotonic())

    def logout(self, token: str | None) -> None:
        self.check(token)
        with self._lock:
            self._open.pop(token or "", None)

    def _forget_ended(self) -> None:
        now, generation = self._monotonic(), self._generation()
        self._open = {
            token: session
            for token, session in self._open.items()
            if session.generation == generation
            and (not self._idle_timeout_s or now - session.used_at <= self._idle_timeout_s)
        }
