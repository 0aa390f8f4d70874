"""Tokens of guests, by their hashes, and the lines that came with them and were not used."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, insert, select, update
from sqlalchemy.exc import IntegrityError

from gavel.db.engine import Connection
from gavel.db.errors import NameTakenError, NotFoundError
from gavel.db.schema.guests import guest, guest_disk, guest_refusal, guest_token
from gavel.domain.guests import RefusalReason


@dataclass(frozen=True, slots=True)
class GuestToken:
    """vm_names: the only guests it may write for, in lower case; None: any."""

    id: int
    name: str
    vm_names: tuple[str, ...] | None
    created_at: datetime
    used_at: datetime | None


@dataclass(frozen=True, slots=True)
class RefusedLines:
    """`lines` of one reason that were not used since the token was made; `detail`: of the newest."""

    reason: RefusalReason
    lines: int
    detail: str
    last_at: datetime


@dataclass(frozen=True, slots=True)
class TokenUse:
    """guests, disks: that came with the token so far."""

    token: GuestToken
    guests: int
    disks: int
    refused: tuple[RefusedLines, ...]


_COLUMNS = (
    guest_token.c.id,
    guest_token.c.name,
    guest_token.c.vm_names,
    guest_token.c.created_at,
    guest_token.c.used_at,
)
_GOOD = guest_token.c.revoked_at.is_(None)


def add_guest_token(
    connection: Connection, name: str, token_hash: bytes, vm_names: Sequence[str] | None, now: datetime
) -> GuestToken:
    """Raises NameTakenError."""
    values = {"name": name, "token_hash": token_hash, "vm_names": vm_names, "created_at": now}
    try:
        with connection.begin_nested():
            row = connection.execute(insert(guest_token).values(values).returning(*_COLUMNS)).one()
    except IntegrityError as error:
        raise NameTakenError(f"Another token of guests is named {name!r}. Choose another name.") from error
    return _token(*row)


def guest_token_by_hash(connection: Connection, token_hash: bytes) -> GuestToken | None:
    row = connection.execute(select(*_COLUMNS).where(guest_token.c.token_hash == token_hash, _GOOD)).one_or_none()
    return None if row is None else _token(*row)


def guest_token_hashes(connection: Connection) -> frozenset[bytes]:
    """Of every valid token."""
    return frozenset(connection.scalars(select(guest_token.c.token_hash).where(_GOOD)))


def is_guest_token_revoked(connection: Connection, name: str) -> bool:
    """Whether there were tokens of this name, and none is good."""
    query = select(func.count(), func.count().filter(_GOOD)).where(guest_token.c.name == name)
    every, good = connection.execute(query).one()
    return every > 0 and good == 0


def revoke_guest_token(connection: Connection, name: str, now: datetime) -> None:
    """What it wrote stays. Raises NotFoundError."""
    mine = update(guest_token).where(guest_token.c.name == name, _GOOD)
    if connection.execute(mine.values(revoked_at=now)).rowcount == 0:
        raise NotFoundError(f"There is no token of guests named {name!r}.")


def revoke_guest_token_id(connection: Connection, token_id: int, now: datetime) -> None:
    """Raises NotFoundError."""
    mine = update(guest_token).where(guest_token.c.id == token_id, _GOOD)
    if connection.execute(mine.values(revoked_at=now)).rowcount == 0:
        raise NotFoundError(f"There is no token {token_id} of guests.")


def token_uses(connection: Connection) -> tuple[TokenUse, ...]:
    """Of every token that is good, by name."""
    query = (
        select(*_COLUMNS, func.count(guest.c.id.distinct()), func.count(guest_disk.c.id))
        .select_from(guest_token)
        .outerjoin(guest, guest.c.token_id == guest_token.c.id)
        .outerjoin(guest_disk, guest_disk.c.guest_id == guest.c.id)
        .where(_GOOD)
        .group_by(guest_token.c.id)
        .order_by(guest_token.c.name)
    )
    refused = _refused(connection)
    return tuple(
        TokenUse(_token(*row[:-2]), row[-2], row[-1], refused.get(row.id, ())) for row in connection.execute(query)
    )


def _refused(connection: Connection) -> dict[int, tuple[RefusedLines, ...]]:
    """By token, most first."""
    found: dict[int, tuple[RefusedLines, ...]] = {}
    for row in connection.execute(select(guest_refusal).order_by(guest_refusal.c.lines.desc())):
        lines = RefusedLines(RefusalReason(row.reason), row.lines, row.detail, row.last_at)
        found[row.token_id] = (*found.get(row.token_id, ()), lines)
    return found


def _token(
    token_id: int, name: str, vm_names: list[str] | None, created_at: datetime, used_at: datetime | None
) -> GuestToken:
    return GuestToken(token_id, name, None if vm_names is None else tuple(vm_names), created_at, used_at)
