"""What comes again as it was is known by its digest, and streams remember how far they are complete."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

_COLUMNS = ("complete_until", "looked_back_at")


def upgrade() -> None:
    for name in _COLUMNS:
        op.add_column("watermark", sa.Column(name, sa.DateTime(timezone=True)))
    op.create_table(
        "recent_samples",
        sa.Column("source_id", sa.Integer, nullable=False),
        sa.Column("stream", sa.Text, nullable=False),
        sa.Column("packed", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("source_id", "stream", name="pk_recent_samples"),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name="fk_recent_samples_source_id", ondelete="CASCADE"),
        prefixes=["UNLOGGED"],
    )
    # Digests do not compress; trying costs more than writing them.
    op.execute("ALTER TABLE recent_samples ALTER COLUMN packed SET STORAGE EXTERNAL")


def downgrade() -> None:
    op.drop_table("recent_samples")
    for name in _COLUMNS:
        op.drop_column("watermark", name)
