"""What routes are given: the database, the vault, the time, and who is asking."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

from fastapi import Depends, HTTPException, Request, Security
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer

from gavel.api.broadcast import Broadcast
from gavel.db.engine import Engine
from gavel.pipeline.access import role_of
from gavel.pipeline.outside import Outside
from gavel.pipeline.secrets import Vault

COOKIE = "gavel_session"
Role = Literal["viewer", "wall", "admin"]


@dataclass(frozen=True, slots=True)
class House:
    """What the process opened at start. `open_reading`: bound to loopback, so that reading needs no token. `database_dir`: of the
    embedded database; None where it is somebody else's."""

    engine: Engine
    vault: Vault
    outside: Outside
    broadcast: Broadcast
    setup_file: Path
    open_reading: bool
    secure_cookies: bool
    database_dir: Path | None


def house(request: Request) -> House:
    found: House = request.app.state.house
    return found


def now() -> datetime:
    return datetime.now(UTC)


HouseDep = Annotated[House, Depends(house)]
NowDep = Annotated[datetime, Depends(now)]


_Bearer = HTTPBearer(
    scheme_name="token",
    description="An admin token, or a wall token, which only reads. On its own machine Gavel is read without either.",
    auto_error=False,
)
_Session = APIKeyCookie(
    name=COOKIE,
    scheme_name="session",
    description="What signing in (POST /session) sets, for the pages.",
    auto_error=False,
)


def asking(
    request: Request,
    here: HouseDep,
    at: NowDep,
    bearer: Annotated[HTTPAuthorizationCredentials | None, Security(_Bearer)],
    session: Annotated[str | None, Security(_Session)],
) -> Role | None:
    """The role of whoever asks, from a bearer token or the session cookie; None for a stranger. 401 for a bearer that is no good."""
    given = bearer.credentials if bearer else session
    known = role_of(here.engine, given, at) if given else None
    if known is None and request.headers.get("authorization"):
        raise HTTPException(401, "The bearer token is not known here or has expired.")
    if known is not None:
        return "admin" if known == "admin" else "wall"
    return "viewer" if here.open_reading else None


def role(known: Annotated[Role | None, Depends(asking)]) -> Role:
    if known is None:
        raise HTTPException(
            401, "Sign in with an admin token or a wall token: this Gavel listens beyond its own machine."
        )
    return known


def admin(known: Annotated[Role, Depends(role)]) -> None:
    if known != "admin":
        raise HTTPException(
            403, "This changes something and needs the admin. Sign in with the setup token or an admin token."
        )


ReaderOnly = Depends(role)
AdminOnly = Depends(admin)
