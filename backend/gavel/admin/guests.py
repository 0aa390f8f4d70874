"""Tokens with which guests may write their disk counters, and nothing else."""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from gavel.db.engine import Engine, reading, transaction
from gavel.db.queries.guest_tokens import (
    GuestToken,
    add_guest_token,
    guest_token_by_hash,
    guest_token_hashes,
    is_guest_token_revoked,
    revoke_guest_token,
    revoke_guest_token_id,
)
from gavel.domain.errors import SettingsError
from gavel.domain.guests import LONGEST_NAME
from gavel.domain.text import clean_text

# So that a leaked token is recognized by scanners.
_PREFIX = "gvg_"
_MOST_VMS = 10_000


@dataclass(frozen=True, slots=True)
class NewGuestToken:
    """`text` is shown this once."""

    token: GuestToken
    text: str


def make_guest_token(engine: Engine, name: str, vm_names: Sequence[str], now: datetime) -> NewGuestToken:
    """vm_names: host names of the only guests that it may write for; empty: any. Raises SettingsError, NameTakenError."""
    names = sorted({_named(each, "name of a VM").lower() for each in vm_names})
    if len(names) > _MOST_VMS:
        raise SettingsError(f"{len(names)} VMs; a token is limited to at most {_MOST_VMS}. Make several tokens.")
    text = _PREFIX + secrets.token_urlsafe(32)
    with transaction(engine) as connection:
        made = add_guest_token(connection, _named(name, "name"), hash_of(text), names or None, now)
    return NewGuestToken(made, text)


def revoke(engine: Engine, name: str, now: datetime) -> None:
    """From then on nothing is taken with it. Raises NotFoundError."""
    with transaction(engine) as connection:
        revoke_guest_token(connection, name, now)


def revoke_by_id(engine: Engine, token_id: int, now: datetime) -> None:
    """Raises NotFoundError."""
    with transaction(engine) as connection:
        revoke_guest_token_id(connection, token_id, now)


def is_revoked(engine: Engine, name: str) -> bool:
    """Whether there were tokens of this name, and none is good."""
    with reading(engine) as connection:
        return is_guest_token_revoked(connection, name)


def guest_token(engine: Engine, given: str) -> GuestToken | None:
    """None for a token that is unknown or revoked."""
    with reading(engine) as connection:
        return guest_token_by_hash(connection, hash_of(given))


def hashes_of_guest_tokens(engine: Engine) -> frozenset[bytes]:
    """Of every valid token."""
    with reading(engine) as connection:
        return guest_token_hashes(connection)


def hash_of(text: str) -> bytes:
    """Tokens are 256 random bits, so a plain hash cannot be searched for."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).digest()


def _named(given: str, what: str) -> str:
    name = given.strip()
    if not name or len(name) > LONGEST_NAME or clean_text(name) != name:
        raise SettingsError(f"The {what} has to be a text of 1 to {LONGEST_NAME} letters without control characters.")
    return name
