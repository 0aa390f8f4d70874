"""What routes are given: the database, the vault, the time, and who is asking."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from math import ceil
from pathlib import Path
from typing import Annotated, Literal

from fastapi import Depends, HTTPException, Request, Security
from fastapi.requests import HTTPConnection
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer

from gavel import clock
from gavel.admin.access import hashes_of_tokens, is_still, role_of
from gavel.api.broadcast import Broadcast
from gavel.api.guard import is_forwarded
from gavel.api.kept import KeptAnswers
from gavel.api.slots import AnswerSlots
from gavel.api.throttle import Throttle
from gavel.db import live
from gavel.db.engine import Engine, transaction
from gavel.db.queries.tokens import TokenKind
from gavel.egress.policy import OutboundPolicy
from gavel.vault import Vault

Role = Literal["viewer", "wall", "admin"]


@dataclass(frozen=True, slots=True)
class AppState:
    """What the process opened at start. `open_reading`: only this machine reaches it, so that reading needs no token. `cookie`: the name
    of this installation's session cookie, `cookie_path`: where browsers send it. `database_dir`: of the embedded database; None where it is
    somebody else's. `ingest_port`: where guests push; None while that is off. `health_engine`, `health_threads`: never taken by pages.
    `rankings`: slots of lists and sums; `overviews`: those of the kept overview, never taken by lists."""

    engine: Engine
    health_engine: Engine
    vault: Vault
    outside: OutboundPolicy
    broadcast: Broadcast
    setup_file: Path
    open_reading: bool
    secure_cookies: bool
    cookie: str
    cookie_path: str
    database_dir: Path | None
    ingest_port: int | None
    ingest_is_tls: bool
    throttle: Throttle = field(default_factory=Throttle)
    kept: KeptAnswers = field(default_factory=KeptAnswers)
    rankings: AnswerSlots = field(default_factory=lambda: AnswerSlots(3))
    overviews: AnswerSlots = field(default_factory=lambda: AnswerSlots(2))
    health_threads: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(2, "health"))


def cookie_name(vault: Vault, *, is_https: bool, path: str = "") -> str:
    """Cookies know no ports: two installations on one machine would overwrite each other's. `__Host-` keeps other hosts from setting it;
    below a path, which that prefix rules out, `__Secure-` keeps plain http from it."""
    prefix = "" if not is_https else "__Secure-" if path else "__Host-"
    return f"{prefix}gavel_session_{vault.derived('session cookie').hex()[:8]}"


def app_state(connection: HTTPConnection) -> AppState:
    found: AppState = connection.app.state.house
    return found


def now() -> datetime:
    """The instant of a request. A held environment overrides it."""
    return clock.now()


AppDep = Annotated[AppState, Depends(app_state)]
NowDep = Annotated[datetime, Depends(now)]


class _SessionCookie(APIKeyCookie):
    """Read by the name that this installation gave it, which is known once the installation is open."""

    async def __call__(self, request: HTTPConnection) -> str | None:
        return request.cookies.get(app_state(request).cookie)


_Bearer = HTTPBearer(
    scheme_name="token",
    description="An admin token, or a wall token, which is read-only. On the machine of Gavel itself, reading needs neither.",
    auto_error=False,
)
_Session = _SessionCookie(
    name="gavel_session",
    scheme_name="session",
    description="Set by signing in (POST /session), for the pages. The end of its name is unique to the installation.",
    auto_error=False,
)
BearerDep = Annotated[HTTPAuthorizationCredentials | None, Security(_Bearer)]
SessionDep = Annotated[str | None, Security(_Session)]


@dataclass(frozen=True, slots=True)
class Asker:
    """role: None for a stranger. token: what the role stands on, to be looked up again while a stream is open; None: on nothing."""

    role: Role | None
    kind: TokenKind | None = None
    token: str | None = None

    def is_still_good(self, app: AppState, at: datetime) -> bool:
        """Whether its role would be given to it now, too."""
        return self.token is None or self.kind is None or is_still(app.engine, self.token, self.kind, at)


def address_of(request: Request) -> str:
    """Who asks, as far as it is known; behind a proxy that says so, the proxy's client."""
    return request.client.host if request.client else ""


def too_often(wait_s: float) -> HTTPException:
    return HTTPException(
        429, "Too many wrong tokens. Try again after the time in Retry-After.", {"Retry-After": str(ceil(wait_s))}
    )


def asker(request: Request, app: AppDep, at: NowDep, bearer: BearerDep, session: SessionDep) -> Asker:
    """Whoever asks, from a bearer token or the session cookie. 401 for a bearer that is no good, 429 for too many of them."""
    given = bearer.credentials if bearer else session
    kind = _looked_up(app, address_of(request), given, at, is_bearer=bearer is not None) if given else None
    if kind is not None:
        return Asker("admin" if kind is TokenKind.ADMIN else "wall", kind, given)
    if request.headers.get("authorization"):
        raise HTTPException(401, "The bearer token is unknown or has expired.")
    is_viewer = app.open_reading and not is_forwarded(request.headers)
    return Asker("viewer" if is_viewer else None)


def _looked_up(app: AppState, address: str, given: str, at: datetime, *, is_bearer: bool) -> TokenKind | None:
    if not is_stored(app, given):
        if app.throttle.is_wrong(given):
            return None
        if (wait_s := app.throttle.wait_s(address)) > 0:
            if is_bearer:
                raise too_often(wait_s)
            return None  # an old cookie: its page is a stranger's and may sign in
    kind = role_of(app.engine, given, at)
    if kind is None:
        app.throttle.failed(address, given)
    else:
        app.throttle.succeeded(given)
    return kind


def is_stored(app: AppState, given: str) -> bool:
    """Whether the database has a token: one that it has is looked up however many others are guessed."""
    return app.throttle.is_stored(given, lambda: hashes_of_tokens(app.engine))


AskerDep = Annotated[Asker, Depends(asker)]


def role(asking: AskerDep) -> Role:
    if asking.role is None:
        raise HTTPException(
            401, "Sign in with an admin token or a wall token: this Gavel is reached from beyond its own machine."
        )
    return asking.role


def admin(granted: Annotated[Role, Depends(role)]) -> None:
    if granted != "admin":
        raise HTTPException(
            403, "This changes something and needs the admin. Sign in with the setup token or an admin token."
        )


def announce_alerts(app: AppDep) -> Iterator[None]:
    """Once a command about alerts has been carried out, every open page hears of it; one that is refused is no news."""
    yield
    with transaction(app.engine) as connection:
        live.announce(connection, live.News(None, live.ALERTS, None))


# Who may call a route: whoever may read, or the admin.
ReaderOnly = Depends(role)
AdminOnly = Depends(admin)
# Of commands that change what pages about alerts show.
AnnouncesAlerts = Depends(announce_alerts)
