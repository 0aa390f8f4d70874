"""The ledger and its roll-ups, and what the correlate step knows of counters, pods and expected values."""

from pathlib import Path

import sqlalchemy as sa
from alembic import op

from gavel.db.series import modes
from gavel.db.series.sql import from_script

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

TABLES = ("correlated", "counter_evidence", "expectation", "pod_mirroring")


def upgrade() -> None:
    op.create_table(
        "correlated",
        sa.Column("singleton", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("until_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("singleton", name=op.f("ck_correlated_one_row")),
        sa.PrimaryKeyConstraint("singleton", name=op.f("pk_correlated")),
    )
    op.create_table(
        "counter_evidence",
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("build", sa.Text(), nullable=False),
        sa.Column("counter", sa.Text(), nullable=False),
        sa.Column("rounds_or_mean", sa.BigInteger(), nullable=False),
        sa.Column("truncates_or_instant", sa.BigInteger(), nullable=False),
        sa.Column("noted_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["source_id"], ["source.id"], name=op.f("fk_counter_evidence_source_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("source_id", "build", "counter", name=op.f("pk_counter_evidence")),
    )
    op.create_table(
        "expectation",
        sa.Column("entity_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("hour", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("san_us", sa.REAL(), nullable=True),
        sa.Column("array_us", sa.REAL(), nullable=True),
        sa.Column("days", sa.SmallInteger(), nullable=False),
        sa.Column("computed_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("hour BETWEEN 0 AND 23", name=op.f("ck_expectation_hour")),
        sa.PrimaryKeyConstraint("entity_id", "hour", name=op.f("pk_expectation")),
    )
    op.create_table(
        "pod_mirroring",
        sa.Column("pod_key", sa.Text(), nullable=False),
        sa.Column("counted_on_both", sa.Boolean(), nullable=False),
        sa.Column("ratio", sa.REAL(), nullable=False),
        sa.Column("ops", sa.REAL(), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("pod_key", name=op.f("pk_pod_mirroring")),
    )
    script = Path(__file__).with_name(f"0006_ledger.{modes.stored(op.get_bind())}.sql")
    for statement in from_script(script.read_text()):
        op.execute(statement)


def downgrade() -> None:
    rollup = "MATERIALIZED VIEW" if modes.stored(op.get_bind()) is modes.Mode.TIMESCALE else "TABLE"
    op.execute(f"DROP {rollup} ledger_1h")
    op.execute(f"DROP {rollup} ledger_5m")
    op.execute("DROP TABLE ledger_1m")
    op.execute("DROP TABLE ledger_leaf_1m")
    for table in TABLES:
        op.drop_table(table)
