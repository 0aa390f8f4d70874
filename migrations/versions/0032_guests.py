"""What guests push: tokens, guests, their disks, lines that are not used, and the samples."""

from pathlib import Path

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from gavel.db.series import modes
from gavel.db.series.sql import from_script

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

_TABLES = ("guest_refusal", "guest_disk", "guest", "guest_token")


def upgrade() -> None:
    _tokens()
    _guests()
    _disks()
    script = Path(__file__).with_name(f"0032_guests.{modes.stored(op.get_bind())}.sql")
    for statement in from_script(script.read_text()):
        op.execute(statement)


def _tokens() -> None:
    op.create_table(
        "guest_token",
        _id(),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("vm_names", postgresql.ARRAY(sa.Text())),
        _at("created_at"),
        _at("used_at", nullable=True),
        _at("revoked_at", nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_guest_token"),
        sa.UniqueConstraint("token_hash", name="uq_guest_token_token_hash"),
    )
    op.create_index(
        "uq_guest_token_name", "guest_token", ["name"], unique=True, postgresql_where=sa.text("revoked_at IS NULL")
    )
    op.create_table(
        "guest_refusal",
        sa.Column("token_id", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("lines", sa.BigInteger(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        _at("last_at"),
        sa.PrimaryKeyConstraint("token_id", "reason", name="pk_guest_refusal"),
        _refers("guest_refusal", "token_id", "guest_token", "CASCADE"),
    )


def _guests() -> None:
    op.create_table(
        "guest",
        _id(),
        sa.Column("token_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("host_name", sa.Text(), nullable=False),
        sa.Column("bios_uuid", sa.Text()),
        sa.Column("addresses", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("peer", sa.Text(), nullable=False),
        _at("first_seen_at"),
        _at("last_seen_at"),
        sa.Column("offset_us", sa.BigInteger()),
        sa.Column("window_from_us", sa.BigInteger()),
        sa.Column("window_offset_us", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name="pk_guest"),
        sa.UniqueConstraint("token_id", "key", name="uq_guest_token_id_key"),
        _refers("guest", "token_id", "guest_token", "CASCADE"),
    )
    op.create_index("ix_guest_token_id", "guest", ["token_id"])
    op.create_index("ix_guest_last_seen_at", "guest", ["last_seen_at"])


def _disks() -> None:
    op.create_table(
        "guest_disk",
        _id(),
        sa.Column("guest_id", sa.Integer(), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("agent", "kind", "disk")),
        *(sa.Column(name, sa.Text()) for name in ("serial", "tools_name", "scsi_address")),
        sa.Column("capacity_bytes", sa.BigInteger()),
        _at("first_seen_at"),
        _at("last_seen_at"),
        sa.Column("raw_at_us", sa.BigInteger()),
        sa.Column("ended_at_us", sa.BigInteger(), nullable=False),
        sa.Column("received_us", sa.BigInteger(), nullable=False),
        sa.Column("counters", postgresql.JSONB()),
        sa.Column("intervals", sa.BigInteger(), nullable=False, server_default=sa.text("0")),
        sa.Column("vm_disk_id", sa.Integer()),
        sa.Column("matched_by", sa.Text()),
        sa.Column("unmatched_reason", sa.Text()),
        sa.Column("suggested_id", sa.Integer()),
        sa.PrimaryKeyConstraint("id", name="pk_guest_disk"),
        sa.UniqueConstraint("guest_id", "agent", "kind", "disk", name="uq_guest_disk_guest_id_agent_kind_disk"),
        _refers("guest_disk", "guest_id", "guest", "CASCADE"),
        _refers("guest_disk", "vm_disk_id", "vm_disk", "SET NULL"),
        _refers("guest_disk", "suggested_id", "vm_disk", "SET NULL"),
    )
    op.create_index("ix_guest_disk_vm_disk_id", "guest_disk", ["vm_disk_id"])
    op.create_index("ix_guest_disk_suggested_id", "guest_disk", ["suggested_id"])


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False)


def _at(name: str, *, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def _refers(table: str, column: str, target: str, ondelete: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=f"fk_{table}_{column}", ondelete=ondelete)


def downgrade() -> None:
    op.execute("DROP TABLE guest_disk_sample")
    op.execute(
        "DELETE FROM dirty_window WHERE task LIKE '%guest_disk%' OR task IN ('correlate guests', 'correlate late guests')"
    )
    for table in _TABLES:
        op.drop_table(table)
