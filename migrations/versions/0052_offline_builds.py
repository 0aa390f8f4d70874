"""Offline environments that are being made from uploaded files."""

import sqlalchemy as sa
from alembic import op

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "offline_build",
        sa.Column("id", sa.Integer, sa.Identity(always=True), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("step", sa.Text),
        sa.Column("error", sa.Text),
        sa.Column("makers_begun", sa.Integer, nullable=False, server_default=sa.text("0")),
        sa.PrimaryKeyConstraint("id", name="pk_offline_build"),
        sa.UniqueConstraint("name", name="uq_offline_build_name"),
    )
    op.create_table(
        "offline_build_file",
        sa.Column("build_id", sa.Integer, nullable=False),
        sa.Column("import_id", sa.Integer, nullable=False),
        sa.Column("is_upload", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("build_id", "import_id", name="pk_offline_build_file"),
        sa.ForeignKeyConstraint(
            ["build_id"], ["offline_build.id"], name="fk_offline_build_file_build_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["import_id"], ["file_import.id"], name="fk_offline_build_file_import_id", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_offline_build_file_import_id", "offline_build_file", ["import_id"])


def downgrade() -> None:
    for table in ("offline_build_file", "offline_build"):
        op.drop_table(table)
