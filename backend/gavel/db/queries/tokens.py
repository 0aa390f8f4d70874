"""Access tokens, by their hashes. The tokens themselves are never here."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from gavel.db.engine import Connection


class TokenKind(StrEnum):
    SETUP = "setup"
    ADMIN = "admin"
    WALL = "wall"


@dataclass(frozen=True, slots=True)
class Token:
    id: int
    kind: TokenKind
    created_at: datetime
    expires_at: datetime | None
    used_at: datetime | None


def add_token(
    connection: Connection, kind: TokenKind, token_hash: bytes, now: datetime, *, expires_at: datetime | None = None
) -> int:
    raise NotImplementedError


def token(connection: Connection, token_hash: bytes, now: datetime) -> Token | None:
    """The token with this hash, unless it has expired."""
    raise NotImplementedError


def use_token(connection: Connection, token_hash: bytes, kind: TokenKind, now: datetime) -> bool:
    """Spend a token that works once; False when there is none, it has expired, or somebody was faster."""
    raise NotImplementedError


def tokens(connection: Connection, kind: TokenKind) -> tuple[Token, ...]:
    raise NotImplementedError


def revoke_tokens(connection: Connection, kind: TokenKind) -> int:
    """All of a kind; how many."""
    raise NotImplementedError
