"""Access tokens, by their hashes. The tokens themselves are never here."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ColumnElement, Row, delete, insert, or_, select, update

from gavel.db.engine import Connection
from gavel.db.schema.bookkeeping import access_token


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

    @property
    def is_session(self) -> bool:
        """Made by signing in: it expires by itself."""
        return self.expires_at is not None


_TOKEN = (
    access_token.c.id,
    access_token.c.kind,
    access_token.c.created_at,
    access_token.c.expires_at,
    access_token.c.used_at,
)


def add_token(
    connection: Connection, kind: TokenKind, token_hash: bytes, now: datetime, *, expires_at: datetime | None = None
) -> int:
    row = insert(access_token).values(kind=kind, token_hash=token_hash, created_at=now, expires_at=expires_at)
    token_id: int = connection.execute(row.returning(access_token.c.id)).scalar_one()
    return token_id


def token(connection: Connection, token_hash: bytes, now: datetime) -> Token | None:
    """The token with this hash, unless it has expired."""
    row = connection.execute(select(*_TOKEN).where(access_token.c.token_hash == token_hash, _valid(now))).one_or_none()
    return None if row is None else _token(row)


def token_hashes(connection: Connection) -> frozenset[bytes]:
    """Of every row, of whatever kind."""
    return frozenset(connection.scalars(select(access_token.c.token_hash)))


def use_token(connection: Connection, token_hash: bytes, kind: TokenKind, now: datetime) -> bool:
    """Spend a token that works once; False when there is none, it has expired, or somebody was faster."""
    unused = update(access_token).where(
        access_token.c.token_hash == token_hash,
        access_token.c.kind == kind,
        access_token.c.used_at.is_(None),
        _valid(now),
    )
    return connection.execute(unused.values(used_at=now)).rowcount == 1


def tokens(connection: Connection, kind: TokenKind) -> tuple[Token, ...]:
    of_kind = select(*_TOKEN).where(access_token.c.kind == kind).order_by(access_token.c.id)
    return tuple(_token(row) for row in connection.execute(of_kind))


def revoke_tokens(connection: Connection, kind: TokenKind) -> int:
    """All of a kind; how many."""
    return connection.execute(delete(access_token).where(access_token.c.kind == kind)).rowcount


def revoke_session(connection: Connection, token_hash: bytes) -> None:
    """Only what expires by itself is a session."""
    connection.execute(
        delete(access_token).where(access_token.c.token_hash == token_hash, access_token.c.expires_at.is_not(None))
    )


def revoke_sessions(connection: Connection) -> int:
    """Everybody's; how many."""
    return connection.execute(delete(access_token).where(access_token.c.expires_at.is_not(None))).rowcount


def drop_expired(connection: Connection, now: datetime) -> None:
    """Rows that open nothing any more."""
    connection.execute(delete(access_token).where(access_token.c.expires_at <= now))


def note_use(connection: Connection, token_id: int, now: datetime) -> None:
    """When somebody last came with it."""
    connection.execute(update(access_token).where(access_token.c.id == token_id).values(used_at=now))


def _valid(now: datetime) -> ColumnElement[bool]:
    return or_(access_token.c.expires_at.is_(None), access_token.c.expires_at > now)


def _token(row: Row[int, str, datetime, datetime | None, datetime | None]) -> Token:
    token_id, kind, created_at, expires_at, used_at = row
    return Token(token_id, TokenKind(kind), created_at, expires_at, used_at)
