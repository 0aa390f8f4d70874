"""What a ledger row is about: a virtual disk, a host's device, or one of the things that they add up to."""

from enum import IntEnum

_ID_BITS = 27


class ScopeKind(IntEnum):
    """Leaves (a virtual disk; a device of a host) are measured; the others are sums of leaves."""

    VM_DISK = 1
    HOST_DEVICE = 2
    VM = 3
    DATASTORE = 4
    HOST = 5
    CLUSTER = 6
    VOLUME = 7
    ARRAY = 8
    ENVIRONMENT = 9


LEAVES = frozenset({ScopeKind.VM_DISK, ScopeKind.HOST_DEVICE})
# The one row of the whole environment has this id.
ENVIRONMENT_ID = 0


def scope_key(kind: ScopeKind, thing_id: int) -> int:
    """The ledger's `entity_id`: ids of different tables in one integer column, kinds apart. ValueError when it does not fit."""
    if not 0 <= thing_id < 1 << _ID_BITS:
        raise ValueError(f"id {thing_id} of a {kind.name.lower()} does not fit the ledger's key")
    return kind << _ID_BITS | thing_id


def scope_of(key: int) -> tuple[ScopeKind, int]:
    """The other way round."""
    return ScopeKind(key >> _ID_BITS), key & ((1 << _ID_BITS) - 1)
