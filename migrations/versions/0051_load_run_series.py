"""Latency of load tools over time, and results that have it without rates."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE load_run_direction ALTER COLUMN ops_per_s DROP NOT NULL")
    op.execute("ALTER TABLE load_run_direction ALTER COLUMN bytes_per_s DROP NOT NULL")
    op.create_table(
        "load_run_series",
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column("direction", sa.Text, nullable=False),
        sa.Column("phase", sa.Text, nullable=False),
        sa.Column("starts_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("step_s", sa.Integer, nullable=False),
        sa.Column("grain_s", sa.Double),
        sa.Column("ops", ARRAY(sa.BigInteger)),
        sa.Column("mean_us", ARRAY(sa.Double), nullable=False),
        sa.Column("lowest_us", ARRAY(sa.Double)),
        sa.Column("highest_us", ARRAY(sa.Double)),
        sa.Column("max_us", ARRAY(sa.Double), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "direction", "phase", name="pk_load_run_series"),
        sa.ForeignKeyConstraint(["run_id"], ["load_run.id"], name="fk_load_run_series_run_id", ondelete="CASCADE"),
    )


def downgrade() -> None:
    op.drop_table("load_run_series")
    op.execute("UPDATE load_run_direction SET ops_per_s = 0 WHERE ops_per_s IS NULL")
    op.execute("UPDATE load_run_direction SET bytes_per_s = 0 WHERE bytes_per_s IS NULL")
    op.execute("ALTER TABLE load_run_direction ALTER COLUMN ops_per_s SET NOT NULL")
    op.execute("ALTER TABLE load_run_direction ALTER COLUMN bytes_per_s SET NOT NULL")
