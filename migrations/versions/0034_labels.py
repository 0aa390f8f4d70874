"""What people search by: addresses, DNS name, folder and pool of VMs, and labels of all objects in ranges of time."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

_VM_COLUMNS = ("bios_uuid", "dns_name", "tools_state", "folder", "resource_pool")
_OPEN = sa.text("valid_to IS NULL")
# As `gavel.domain.labels` bounds them.
_KEEP = """
    INSERT INTO label (source_id, subject_table, subject_id, kind, name, value, valid_from)
    SELECT DISTINCT t.source_id, '{table}', t.id, '{kind}', left(e.key, 256), left(e.value, 380), t.last_seen_at
    FROM {table} t, jsonb_each_text(t.tags) e WHERE t.present AND btrim(e.key) <> '' AND btrim(e.value) <> ''
"""
_BACK = """
    UPDATE {table} t SET tags = l.tags FROM (
        SELECT subject_id, jsonb_object_agg(name, value) AS tags FROM label
        WHERE subject_table = '{table}' AND kind = '{kind}' AND valid_to IS NULL GROUP BY 1) l WHERE l.subject_id = t.id
"""
_KINDS = {"vm": "attribute", "volume": "tag"}


def upgrade() -> None:
    _labels()
    op.create_table(
        "label_meaning",
        sa.Column("meaning", sa.Text(), nullable=False),
        sa.Column("label_name", sa.Text(), nullable=False),
        sa.CheckConstraint("meaning IN ('owner', 'application')", name=op.f("ck_label_meaning_meaning")),
        sa.PrimaryKeyConstraint("meaning", name=op.f("pk_label_meaning")),
    )
    for name in _VM_COLUMNS:
        op.add_column("vm", sa.Column(name, sa.Text(), nullable=True))
    op.add_column(
        "vm", sa.Column("ip_addresses", postgresql.ARRAY(sa.Text()), server_default=sa.text("'{}'"), nullable=False)
    )
    for table, kind in _KINDS.items():
        op.execute(_KEEP.format(table=table, kind=kind))
        op.execute(f"ALTER TABLE {table} DROP COLUMN tags")


def _labels() -> None:
    op.create_table(
        "label",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("subject_table", sa.Text(), nullable=False),
        sa.Column("subject_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("valid_from", sa.DateTime(timezone=True), nullable=False),
        sa.Column("valid_to", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("kind IN ('attribute', 'tag')", name=op.f("ck_label_kind")),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name=op.f("fk_label_source_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_label")),
    )
    op.create_index("ix_label_source_id", "label", ["source_id"])
    op.create_index(
        "ix_label_name_value", "label", [sa.text("lower(name)"), sa.text("lower(value)")], postgresql_where=_OPEN
    )
    op.create_index(
        "uq_label_open",
        "label",
        ["subject_table", "subject_id", "kind", "name", "value"],
        unique=True,
        postgresql_where=_OPEN,
    )


def downgrade() -> None:
    for table, kind in _KINDS.items():
        op.add_column(table, sa.Column("tags", postgresql.JSONB(), server_default=sa.text("'{}'"), nullable=False))
        op.execute(_BACK.format(table=table, kind=kind))
        op.alter_column(table, "tags", server_default=None)
    op.drop_column("vm", "ip_addresses")
    for name in _VM_COLUMNS:
        op.drop_column("vm", name)
    op.drop_table("label_meaning")
    op.drop_table("label")
