"""Each minute of the ledger knows by which version of the rules and which proofs it was written; those there are have the first version."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

# Every minute has a row of the environment, of key 9 << 27. Where only roll-ups are left, their buckets stand for their minutes.
_WRITTEN = """
    INSERT INTO ledger_minute (minute, rules)
    SELECT at, 1 FROM (
        SELECT ts AS at FROM ledger_1m WHERE entity_id = 1207959552
        UNION SELECT bucket FROM ledger_5m WHERE entity_id = 1207959552
        UNION SELECT bucket FROM ledger_1h WHERE entity_id = 1207959552) written
"""


def upgrade() -> None:
    op.create_table(
        "counter_proof",
        sa.Column("id", sa.Integer(), sa.Identity(), nullable=False),
        sa.Column("proofs", postgresql.JSONB(), nullable=False),
        sa.Column("noted_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_counter_proof")),
    )
    op.create_table(
        "ledger_minute",
        sa.Column("minute", sa.DateTime(timezone=True), nullable=False),
        sa.Column("rules", sa.SmallInteger(), nullable=False),
        sa.Column("proof_id", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("minute", name=op.f("pk_ledger_minute")),
        sa.ForeignKeyConstraint(["proof_id"], ["counter_proof.id"], name=op.f("fk_ledger_minute_proof_id")),
    )
    op.execute(_WRITTEN)
    op.add_column("correlated", sa.Column("rules", sa.SmallInteger(), server_default=sa.text("1"), nullable=False))


def downgrade() -> None:
    op.drop_column("correlated", "rules")
    op.drop_table("ledger_minute")
    op.drop_table("counter_proof")
