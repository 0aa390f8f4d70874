"""Health of Gavel itself, the session, and the live stream's messages."""

from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from gavel.api.inputs import Text
from gavel.api.schemas.common import Out


class Health(Out):
    """`status`: ok, degraded (runs, with something that the parts name) or failed."""

    status: Literal["ok", "degraded", "failed"]
    version: str
    now: AwareDatetime
    storage_mode: Literal["plain", "timescale"] | None
    parts: list["HealthPart"]


class HealthPart(Out):
    name: str
    status: Literal["ok", "degraded", "failed"]
    detail: str


class Session(Out):
    """Role of the request. `viewer` may read; `wall` may read with a token for screens; `admin` may write; a `stranger`
    is not signed in and has to sign in to read. `setup_pending`: the setup token is still unused."""

    role: Literal["stranger", "viewer", "wall", "admin"]
    setup_pending: bool


class TokenIn(BaseModel):
    """A setup token (works once), an admin token or a wall token."""

    model_config = ConfigDict(extra="forbid")

    token: Text = Field(min_length=16, max_length=200)


class SignedIn(Session):
    """After a setup token was spent: `admin_token` is shown this once, for scripts (`Authorization: Bearer …`). Else null."""

    admin_token: str | None


class LiveUpdate(Out):
    """One event of the live stream: which subjects have newer data than before, and until when."""

    revision: int
    at: AwareDatetime
    sources: list[int]
    streams: list[str]
    until_at: AwareDatetime | None


class WallToken(Out):
    token: str
