"""Who may write: one admin token, bought with a setup token that works once; and a wall token that may only read."""

import hashlib
import os
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from gavel.db.engine import Engine, reading, transaction
from gavel.db.queries.tokens import TokenKind, add_token, revoke_session, revoke_tokens, token, tokens, use_token
from gavel.domain.errors import GavelError, SettingsError

# So that a leaked token is recognised by scanners.
_PREFIX = "gvl_"
SESSION_LENGTH = timedelta(hours=12)
# As long as browsers keep a cookie at most: nobody stands before a wall screen to sign in.
_WALL_LENGTH = timedelta(days=400)


class TokenRefusedError(GavelError):
    """The token is unknown, expired or already used."""


@dataclass(frozen=True, slots=True)
class SignedIn:
    """`session` goes into the cookie for `length`; `admin_token` is set when a setup token was spent, and shown this once."""

    kind: TokenKind
    session: str
    length: timedelta
    admin_token: str | None = None


def ensure_setup_token(engine: Engine, file: Path, now: datetime) -> str | None:
    """The setup token while nobody has used it, kept in `file` for the owner's eyes; None once there is an admin."""
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


def sign_in(engine: Engine, given: str, file: Path, now: datetime) -> SignedIn:
    """A session for a setup, admin or wall token. Raises TokenRefusedError."""
    digest = _hash(given.strip())
    with transaction(engine) as connection:
        admin_token = None
        if use_token(connection, digest, TokenKind.SETUP, now):
            admin_token = _new_token()
            add_token(connection, TokenKind.ADMIN, _hash(admin_token), now)
        elif (known := token(connection, digest, now)) is None or known.kind is TokenKind.SETUP:
            raise TokenRefusedError(
                "This token is not known here, has expired, or was used already. The setup token works once."
            )
        elif known.kind is TokenKind.WALL:
            # The token itself: a new wall token ends the sessions of the old one.
            return SignedIn(TokenKind.WALL, given.strip(), _WALL_LENGTH)
        session = _new_token()
        add_token(connection, TokenKind.ADMIN, _hash(session), now, expires_at=now + SESSION_LENGTH)
    if admin_token:
        file.unlink(missing_ok=True)
    return SignedIn(TokenKind.ADMIN, session, SESSION_LENGTH, admin_token)


def sign_out(engine: Engine, session: str) -> None:
    """The session is good for nobody any more. Tokens that are no sessions stay: they were not made by signing in."""
    with transaction(engine) as connection:
        revoke_session(connection, _hash(session))


def role_of(engine: Engine, given: str, now: datetime) -> TokenKind | None:
    """What a token may do now; None for a stranger's."""
    with reading(engine) as connection:
        known = token(connection, _hash(given), now)
    return known.kind if known and known.kind is not TokenKind.SETUP else None


def has_admin(engine: Engine) -> bool:
    with reading(engine) as connection:
        return bool(tokens(connection, TokenKind.ADMIN))


def needs_admin(host: str, setup_token_file: Path) -> str:
    """Why a Gavel that nobody has signed in to does not listen beyond its own machine, and what to do."""
    return (
        f"Gavel does not listen on {host} before it has an admin. Start it on 127.0.0.1, open the printed address, "
        f"sign in with the setup token from {setup_token_file}, then start it on {host} again."
    )


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
    return hashlib.sha256(given.encode()).digest()


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
