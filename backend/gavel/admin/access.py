"""Who may write: whoever has the admin token, which a setup token buys once, or a session made with it; a wall token may only read."""

import hashlib
import os
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import structlog

from gavel.db.engine import Engine, reading, transaction
from gavel.db.errors import StorageError
from gavel.db.queries.tokens import (
    Token,
    TokenKind,
    add_token,
    drop_expired,
    note_use,
    revoke_session,
    revoke_sessions,
    revoke_tokens,
    token,
    token_hashes,
    tokens,
    use_token,
)
from gavel.domain.errors import GavelError, SettingsError

# So that a leaked token is recognised by scanners.
_PREFIX = "gvl_"
SESSION_LENGTH = timedelta(hours=12)
# A session that nobody used for so long is over. A page that is open asks every few minutes by itself.
IDLE_LIMIT = timedelta(hours=2)
# How exactly the last use is known: written so seldom, since every look at a page would write.
_USE_NOTED_EVERY = timedelta(minutes=1)
# As long as browsers keep a cookie at most: nobody stands before a wall screen to sign in.
_WALL_LENGTH = timedelta(days=400)


log = structlog.get_logger(__name__)


class TokenRefusedError(GavelError):
    """The token is unknown, expired or already used."""


@dataclass(frozen=True, slots=True)
class NewSession:
    """`session` goes into the cookie for `length`; `admin_token` is set when a setup token was spent, and shown this once."""

    kind: TokenKind
    session: str
    length: timedelta
    admin_token: str | None = None


def ensure_setup_token(engine: Engine, file: Path, now: datetime) -> str | None:
    """The setup token until its first use, kept in `file` readable by the owner only; None once there is an admin."""
    with transaction(engine) as connection:
        if tokens(connection, TokenKind.ADMIN):
            return None
        known = _read(file)
        if known and token(connection, _hash(known), now):
            return known
        revoke_tokens(connection, TokenKind.SETUP)
        made = _new_token()
        _write(file, made)
        add_token(connection, TokenKind.SETUP, _hash(made), now)
    return made


def sign_in(engine: Engine, given: str, file: Path, now: datetime) -> NewSession:
    """A session for a setup, admin or wall token. Raises TokenRefusedError."""
    digest = _hash(given.strip())
    with transaction(engine) as connection:
        admin_token = None
        if use_token(connection, digest, TokenKind.SETUP, now):
            admin_token = _new_token()
            add_token(connection, TokenKind.ADMIN, _hash(admin_token), now)
        elif (known := token(connection, digest, now)) is None or known.kind is TokenKind.SETUP or known.is_session:
            # A session makes no further ones: else a stolen cookie would be good for ever.
            raise TokenRefusedError(
                "This token is unknown, has expired, or was used already. The setup token works once; the cookie of a session is no token."
            )
        elif known.kind is TokenKind.WALL:
            # The token itself: a new wall token ends the sessions of the old one.
            return NewSession(TokenKind.WALL, given.strip(), _WALL_LENGTH)
        drop_expired(connection, now)
        session = _new_token()
        add_token(connection, TokenKind.ADMIN, _hash(session), now, expires_at=now + SESSION_LENGTH)
    if admin_token:
        file.unlink(missing_ok=True)
    return NewSession(TokenKind.ADMIN, session, SESSION_LENGTH, admin_token)


def sign_out(engine: Engine, session: str) -> None:
    """Ends the session. Tokens that are not sessions stay: they were not made by signing in."""
    with transaction(engine) as connection:
        revoke_session(connection, _hash(session))


def role_of(engine: Engine, given: str, now: datetime) -> TokenKind | None:
    """What a token may do now; None for a stranger's. A session's use is noted."""
    with reading(engine) as connection:
        known = token(connection, _hash(given), now)
    if known is None or known.kind is TokenKind.SETUP or _is_idle(known, now):
        return None
    if known.is_session and now - _last_used(known) >= _USE_NOTED_EVERY:
        _note_use(engine, known, now)
    return known.kind


def hashes_of_tokens(engine: Engine) -> frozenset[bytes]:
    """Of every token, session and setup token that is stored."""
    with reading(engine) as connection:
        return token_hashes(connection)


def is_still(engine: Engine, given: str, kind: TokenKind, now: datetime) -> bool:
    """Whether a token may still do what it might. Whoever only goes on listening does not use it."""
    with reading(engine) as connection:
        known = token(connection, _hash(given), now)
    return known is not None and known.kind is kind and not _is_idle(known, now)


def _is_idle(token: Token, now: datetime) -> bool:
    return token.is_session and now - _last_used(token) >= IDLE_LIMIT


def _last_used(token: Token) -> datetime:
    return token.used_at or token.created_at


def _note_use(engine: Engine, token: Token, now: datetime) -> None:
    try:
        with transaction(engine) as connection:
            note_use(connection, token.id, now)
    except StorageError as error:  # a full disk; what was asked for can be read all the same
        log.warning("use of a session not noted", error=str(error))


def sign_out_everywhere(engine: Engine) -> int:
    """Ends every session; how many there were. Tokens stay good."""
    with transaction(engine) as connection:
        return revoke_sessions(connection)


def renew_admin_token(engine: Engine, now: datetime) -> str:
    """A new admin token; the ones before it stop working, and so do all sessions."""
    made = _new_token()
    with transaction(engine) as connection:
        revoke_tokens(connection, TokenKind.ADMIN)
        add_token(connection, TokenKind.ADMIN, _hash(made), now)
    return made


def revoke_all(engine: Engine) -> int:
    """Ends every token and session of every kind; how many there were. There is no admin then."""
    with transaction(engine) as connection:
        return sum(revoke_tokens(connection, kind) for kind in TokenKind)


def all_tokens(engine: Engine, now: datetime) -> tuple[Token, ...]:
    """Those that are good for something, oldest first."""
    with reading(engine) as connection:
        known = [one for kind in TokenKind for one in tokens(connection, kind)]
    return tuple(sorted((one for one in known if _is_good(one, now)), key=lambda item: item.id))


def _is_good(token: Token, now: datetime) -> bool:
    if token.kind is TokenKind.SETUP and token.used_at is not None:
        return False
    return (token.expires_at is None or token.expires_at > now) and not _is_idle(token, now)


def has_admin(engine: Engine) -> bool:
    with reading(engine) as connection:
        return bool(tokens(connection, TokenKind.ADMIN))


def new_wall_token(engine: Engine, now: datetime) -> str:
    """A token that may only read; the ones before it stop working."""
    made = _new_token()
    with transaction(engine) as connection:
        revoke_tokens(connection, TokenKind.WALL)
        add_token(connection, TokenKind.WALL, _hash(made), now)
    return made


def _new_token() -> str:
    return _PREFIX + secrets.token_urlsafe(32)


def _hash(given: str) -> bytes:
    """Tokens are 256 random bits, so a plain hash cannot be searched for."""
    return hashlib.sha256(given.encode(errors="surrogatepass")).digest()


def _read(file: Path) -> str | None:
    try:
        return file.read_text().strip() or None
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SettingsError(f"{file}: the setup token cannot be read ({error.strerror}).") from error


def _write(file: Path, made: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w") as out:
            out.write(made + "\n")
    except OSError as error:
        raise SettingsError(f"{file}: the setup token cannot be written ({error.strerror}).") from error
