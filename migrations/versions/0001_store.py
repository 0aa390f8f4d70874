"""Sources, the account of their collection, and what the store knows of itself; decides the storage mode."""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from gavel.db.series import modes

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "access_token",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("kind IN ('setup', 'admin', 'wall')", name=op.f("ck_access_token_kind")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_access_token")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_access_token_token_hash")),
    )
    op.create_table(
        "dirty_window",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("lo", sa.DateTime(timezone=True), nullable=False),
        sa.Column("hi", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_dirty_window")),
    )
    op.create_index(op.f("ix_dirty_window_task"), "dirty_window", ["task"], unique=False)
    op.create_table(
        "ordered_partition",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("ordered_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_ordered_partition")),
    )
    op.create_table(
        "source",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column(
            "settings", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'::jsonb"), nullable=False
        ),
        sa.Column("secrets_encrypted", sa.LargeBinary(), nullable=True),
        sa.Column("secrets_key_id", sa.Text(), nullable=True),
        sa.Column("enabled", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("identity", sa.Text(), nullable=True),
        sa.Column("inventory_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("inventory_revision", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_source")),
        sa.UniqueConstraint("name", name=op.f("uq_source_name")),
    )
    op.create_table(
        "storage_mode",
        sa.Column("singleton", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("mode IN ('plain', 'timescale')", name=op.f("ck_storage_mode_mode")),
        sa.CheckConstraint("singleton", name=op.f("ck_storage_mode_one_row")),
        sa.PrimaryKeyConstraint("singleton", name=op.f("pk_storage_mode")),
    )
    op.create_table(
        "clock_offset",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=True),
        sa.Column("read_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("offset_s", sa.Double(), nullable=False),
        sa.Column("error_s", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["source_id"], ["source.id"], name=op.f("fk_clock_offset_source_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_clock_offset")),
    )
    op.create_index(
        "ix_clock_offset_source_subject_read",
        "clock_offset",
        ["source_id", "subject", sa.literal_column("read_at DESC")],
        unique=False,
    )
    op.create_table(
        "collection_run",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("stream", sa.Text(), nullable=False),
        sa.Column("queue", sa.Text(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("duration_s", sa.Double(), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("bytes_received", sa.BigInteger(), nullable=False),
        sa.Column("samples", sa.Integer(), nullable=False),
        sa.Column("new_samples", sa.Integer(), nullable=False),
        sa.Column("strangers", sa.Integer(), nullable=False),
        sa.Column("conflicting", sa.Integer(), nullable=False),
        sa.Column("lag_s", sa.Double(), nullable=True),
        sa.Column("clock_offset_s", sa.Double(), nullable=True),
        sa.Column("error_kind", sa.Text(), nullable=True),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["source_id"], ["source.id"], name=op.f("fk_collection_run_source_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_collection_run")),
    )
    op.create_index(
        "ix_collection_run_source_stream_started",
        "collection_run",
        ["source_id", "stream", sa.literal_column("started_at DESC")],
        unique=False,
    )
    op.create_index("ix_collection_run_started", "collection_run", ["started_at"], unique=False)
    op.create_table(
        "event",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("happened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject_table", sa.Text(), nullable=False),
        sa.Column("subject_id", sa.Integer(), nullable=False),
        sa.Column("subject_name", sa.Text(), nullable=False),
        sa.Column("before", sa.Text(), nullable=True),
        sa.Column("after", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name=op.f("fk_event_source_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event")),
    )
    op.create_index("ix_event_happened", "event", ["happened_at"], unique=False)
    op.create_index("ix_event_subject", "event", ["subject_table", "subject_id", "happened_at"], unique=False)
    op.create_table(
        "gap",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("stream", sa.Text(), nullable=False),
        sa.Column("entity_key", sa.Text(), nullable=True),
        sa.Column("from_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("to_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("noticed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("resolved_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("state IN ('pending_backfill', 'explained', 'recovered')", name=op.f("ck_gap_state")),
        sa.CheckConstraint("to_at > from_at", name=op.f("ck_gap_order")),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name=op.f("fk_gap_source_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gap")),
        sa.UniqueConstraint(
            "source_id",
            "stream",
            "entity_key",
            "from_at",
            "to_at",
            name=op.f("uq_gap_source_id_stream_entity_key_from_at_to_at"),
            postgresql_nulls_not_distinct=True,
        ),
    )
    op.create_table(
        "watermark",
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("stream", sa.Text(), nullable=False),
        sa.Column("until_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name=op.f("fk_watermark_source_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("source_id", "stream", name=op.f("pk_watermark")),
    )
    modes.decide(op.get_bind(), datetime.now(UTC))


def downgrade() -> None:
    op.drop_table("watermark")
    op.drop_table("gap")
    op.drop_table("event")
    op.drop_table("collection_run")
    op.drop_table("clock_offset")
    op.drop_table("storage_mode")
    op.drop_table("source")
    op.drop_table("ordered_partition")
    op.drop_table("dirty_window")
    op.drop_table("access_token")
