"""What guests push: their tokens, the guests, their disks with the newest reading of each, and lines that are not used.

The samples themselves are in the series `guest_disk_sample`, whose `entity_id` is `guest_disk.id`.
"""

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, LargeBinary, Table, Text, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from gavel.db.schema.base import identity, instant, metadata, reference

# Only hashes. vm_names: the only guests it may write for, in lower case; null: any. A revoked token stays, for what it wrote.
guest_token = Table(
    "guest_token",
    metadata,
    identity(),
    Column("name", Text, nullable=False),
    Column("token_hash", LargeBinary, nullable=False, unique=True),
    Column("vm_names", ARRAY(Text)),
    instant("created_at"),
    instant("used_at", nullable=True),
    instant("revoked_at", nullable=True),
    Index("uq_guest_token_name", "name", unique=True, postgresql_where=text("revoked_at IS NULL")),
)

# An operating system, by `domain.guests.GuestIdentity.key`. offset_us: our clock − its own, as `guest_intervals.GuestClock` has it.
guest = Table(
    "guest",
    metadata,
    identity(),
    reference("token_id", "guest_token"),
    Column("key", Text, nullable=False),
    Column("host_name", Text, nullable=False),
    Column("bios_uuid", Text),
    Column("addresses", ARRAY(Text), nullable=False),
    Column("peer", Text, nullable=False),
    instant("first_seen_at"),
    instant("last_seen_at"),
    Column("offset_us", BigInteger),
    Column("window_from_us", BigInteger),
    Column("window_offset_us", BigInteger),
    UniqueConstraint("token_id", "key"),
    Index("ix_guest_last_seen_at", "last_seen_at"),
)

# A disk of a guest as one agent calls it. raw_at_us … counters: its newest reading (`guest_intervals.LastReading`), so that a start
# of the listener loses no interval. vm_disk_id: the virtual disk that it is; matched_by: how that is known; unmatched_reason: why it is
# not. suggested_id: what it may be, for a person to confirm. vm_id: the VM that the guest is, also of what is no whole disk; matching
# finds it anew, so it refers to no row.
guest_disk = Table(
    "guest_disk",
    metadata,
    identity(),
    Column("guest_id", Integer, ForeignKey("guest.id", ondelete="CASCADE"), nullable=False),
    Column("agent", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("disk", Text, nullable=False),
    Column("serial", Text),
    Column("tools_name", Text),
    Column("scsi_address", Text),
    Column("capacity_bytes", BigInteger),
    Column("drives", Text),
    Column("path", Text),
    instant("first_seen_at"),
    instant("last_seen_at"),
    Column("raw_at_us", BigInteger),
    Column("ended_at_us", BigInteger, nullable=False),
    Column("received_us", BigInteger, nullable=False),
    Column("counters", JSONB),
    Column("intervals", BigInteger, nullable=False, server_default=text("0")),
    Column("vm_disk_id", Integer, ForeignKey("vm_disk.id", ondelete="SET NULL"), index=True),
    Column("matched_by", Text),
    Column("unmatched_reason", Text),
    Column("suggested_id", Integer, ForeignKey("vm_disk.id", ondelete="SET NULL"), index=True),
    Column("vm_id", Integer, index=True),
    UniqueConstraint("guest_id", "agent", "kind", "disk"),
)

# Lines (or the intervals that end with them) that were not used, by token and reason.
guest_refusal = Table(
    "guest_refusal",
    metadata,
    Column("token_id", Integer, ForeignKey("guest_token.id", ondelete="CASCADE"), primary_key=True),
    Column("reason", Text, primary_key=True),
    Column("lines", BigInteger, nullable=False),
    Column("detail", Text, nullable=False),
    instant("last_at"),
)
