"""A table of its own for when a source is polled next.

Every poll moved it in the row of the source, to which rows of other tables refer: a snapshot from before could not refer to it any more.
"""

from alembic import op

revision = "0058"
down_revision = "0057"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
        CREATE TABLE poll_plan (
          source_id INTEGER NOT NULL,
          settings_after_run BIGINT NOT NULL,
          next_poll_at TIMESTAMPTZ NOT NULL,
          CONSTRAINT pk_poll_plan PRIMARY KEY (source_id),
          CONSTRAINT fk_poll_plan_source_id FOREIGN KEY (source_id) REFERENCES source (id) ON DELETE CASCADE
        )
    """)
    op.execute("""
        INSERT INTO poll_plan (source_id, settings_after_run, next_poll_at)
        SELECT id, settings_after_run, next_poll_at FROM source WHERE next_poll_at IS NOT NULL
    """)
    # Nothing else runs while a schema is raised.
    op.execute("""
        -- squawk-ignore ban-drop-column
        ALTER TABLE source DROP COLUMN next_poll_at
    """)
