"""Findings: what rules report about objects, each change of their state, and how far they are evaluated."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _findings()
    _events()
    op.create_table(
        "finding_evaluation",
        sa.Column("singleton", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("evaluated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ledger_until_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("singleton", name=op.f("ck_finding_evaluation_one_row")),
        sa.PrimaryKeyConstraint("singleton", name=op.f("pk_finding_evaluation")),
    )


def _findings() -> None:
    op.create_table(
        "finding",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("object_kind", sa.Text(), nullable=False),
        sa.Column("object_id", sa.Integer(), nullable=False),
        sa.Column("part", sa.Text(), nullable=False),
        sa.Column("object_name", sa.Text(), nullable=False),
        sa.Column("objects", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("severity", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("document", postgresql.JSONB(), nullable=False),
        sa.Column("magnitude", sa.Double(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("raised_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("cleared_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("accepted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("accepted_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("accepted_by", sa.Text(), nullable=True),
        sa.Column("accepted_why", sa.Text(), nullable=True),
        sa.Column("accepted_magnitude", sa.Double(), nullable=True),
        sa.CheckConstraint("state IN ('open', 'accepted', 'cleared')", name=op.f("ck_finding_state")),
        sa.CheckConstraint("(state = 'accepted') = (accepted_at IS NOT NULL)", name=op.f("ck_finding_acceptance")),
        sa.CheckConstraint("(state = 'cleared') = (cleared_at IS NOT NULL)", name=op.f("ck_finding_clearing")),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name=op.f("fk_finding_source_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_finding")),
        sa.UniqueConstraint(
            "rule", "object_kind", "object_id", "part", name=op.f("uq_finding_rule_object_kind_object_id_part")
        ),
    )
    op.create_index("ix_finding_objects", "finding", ["objects"], postgresql_using="gin")
    op.create_index("ix_finding_source_id", "finding", ["source_id"])


def _events() -> None:
    op.create_table(
        "finding_event",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("finding_id", sa.Integer(), nullable=False),
        sa.Column("happened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("before", sa.Text(), nullable=True),
        sa.Column("after", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.ForeignKeyConstraint(
            ["finding_id"], ["finding.id"], name=op.f("fk_finding_event_finding_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_finding_event")),
    )
    op.create_index("ix_finding_event_finding_id", "finding_event", ["finding_id", "id"])
    op.create_index("ix_finding_event_happened_at", "finding_event", ["happened_at"])


def downgrade() -> None:
    op.drop_table("finding_evaluation")
    op.drop_table("finding_event")
    op.drop_table("finding")
