"""Work that waits is typed: its kind, and the series or the source it is for, instead of one text."""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None

_KINDS = "'order', 'roll', 'correlate', 'correlate_guests', 'correlate_late_guests'"
_TYPED = """
    UPDATE dirty_window SET
        kind = CASE task WHEN 'correlate guests' THEN 'correlate_guests' WHEN 'correlate late guests' THEN 'correlate_late_guests'
            ELSE split_part(task, ' ', 1) END,
        series = CASE WHEN task LIKE 'order %' OR task LIKE 'roll %' THEN split_part(task, ' ', 2) END,
        source_id = CASE WHEN task ~ '^correlate [0-9]+$' THEN split_part(task, ' ', 2)::int END
"""
# Of a source that is removed, nothing is to be written.
_REMOVED = "DELETE FROM dirty_window w WHERE source_id IS NOT NULL AND NOT EXISTS (SELECT FROM source s WHERE s.id = w.source_id)"
_AS_TEXT = """
    UPDATE dirty_window SET task = CASE kind WHEN 'correlate_guests' THEN 'correlate guests'
        WHEN 'correlate_late_guests' THEN 'correlate late guests' ELSE kind || ' ' || coalesce(series, source_id::text) END
"""


def upgrade() -> None:
    op.add_column("dirty_window", sa.Column("kind", sa.Text(), nullable=False, server_default="order"))
    op.add_column("dirty_window", sa.Column("series", sa.Text()))
    op.add_column("dirty_window", sa.Column("source_id", sa.Integer()))
    op.execute(_TYPED)
    op.execute(_REMOVED)
    op.alter_column("dirty_window", "kind", server_default=None)
    op.drop_column("dirty_window", "task")
    op.create_index("ix_dirty_window_kind_series", "dirty_window", ["kind", "series"])
    op.create_foreign_key(
        "fk_dirty_window_source_id", "dirty_window", "source", ["source_id"], ["id"], ondelete="CASCADE"
    )
    op.create_check_constraint(op.f("ck_dirty_window_kind"), "dirty_window", f"kind IN ({_KINDS})")
    of_series = "(series IS NOT NULL) = (kind IN ('order', 'roll'))"
    op.create_check_constraint(op.f("ck_dirty_window_series"), "dirty_window", of_series)
    of_source = "(source_id IS NOT NULL) = (kind = 'correlate')"
    op.create_check_constraint(op.f("ck_dirty_window_source"), "dirty_window", of_source)


def downgrade() -> None:
    for name in ("kind", "series", "source"):
        op.drop_constraint(op.f(f"ck_dirty_window_{name}"), "dirty_window", type_="check")
    op.drop_constraint("fk_dirty_window_source_id", "dirty_window", type_="foreignkey")
    op.add_column("dirty_window", sa.Column("task", sa.Text()))
    op.execute(_AS_TEXT)
    op.alter_column("dirty_window", "task", nullable=False)
    op.drop_index("ix_dirty_window_kind_series", "dirty_window")
    for name in ("kind", "series", "source_id"):
        op.drop_column("dirty_window", name)
    op.create_index("ix_dirty_window_task", "dirty_window", ["task"])
