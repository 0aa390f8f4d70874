"""Arrays say what they are in facts of their own, and a host's port health is a state and a detail, not one text."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0028"
down_revision = "0025"
branch_labels = None
depends_on = None

_FACTS = """
    UPDATE storage_array SET facts = jsonb_build_array(
        jsonb_build_object('label', 'Purity', 'value', version),
        jsonb_build_object('label', 'REST API', 'value', rest_version),
        jsonb_build_object('label', 'Reported latency',
            'value', CASE WHEN usec_includes_queue THEN 'includes' ELSE 'excludes' END || ' queue time'))
"""
# "critical: No ports: 0 of 2"; of "unknown: Unknown." the detail says the same twice. Hosts of a pod's other array are named
# "flasharray-2:esx-01".
_HEALTH = """
    UPDATE array_host SET port_health = split_part(port_health, ': ', 1),
        port_health_detail = nullif(substr(port_health, length(split_part(port_health, ': ', 1)) + 3), '')
"""
_SAID_TWICE = """
    UPDATE array_host SET port_health_detail = NULL WHERE lower(rtrim(port_health_detail, '.')) = lower(port_health)
"""
_OWNERS = """
    UPDATE array_host SET managed_by = split_part(name, ':', 1) WHERE NOT is_local AND name LIKE '_%:%'
"""
_BACK = """
    UPDATE storage_array SET
        rest_version = coalesce(
            (SELECT f ->> 'value' FROM jsonb_array_elements(facts) f WHERE f ->> 'label' = 'REST API'), ''),
        usec_includes_queue = EXISTS (
            SELECT FROM jsonb_array_elements(facts) f
            WHERE f ->> 'label' = 'Reported latency' AND f ->> 'value' LIKE 'includes%')
"""


def upgrade() -> None:
    op.alter_column("storage_array", "purity_version", new_column_name="version")
    op.add_column("storage_array", sa.Column("facts", JSONB(), nullable=False, server_default=sa.text("'[]'::jsonb")))
    op.execute(_FACTS)
    op.drop_column("storage_array", "rest_version")
    op.drop_column("storage_array", "usec_includes_queue")
    op.add_column("array_host", sa.Column("port_health_detail", sa.Text(), nullable=True))
    op.add_column("array_host", sa.Column("managed_by", sa.Text(), nullable=True))
    for statement in (_HEALTH, _SAID_TWICE, _OWNERS):
        op.execute(statement)


def downgrade() -> None:
    op.execute(
        "UPDATE array_host SET port_health = concat_ws(': ', port_health, port_health_detail) WHERE port_health IS NOT NULL"
    )
    op.drop_column("array_host", "managed_by")
    op.drop_column("array_host", "port_health_detail")
    op.add_column("storage_array", sa.Column("rest_version", sa.Text(), nullable=False, server_default=""))
    op.add_column(
        "storage_array", sa.Column("usec_includes_queue", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    op.execute(_BACK)
    op.alter_column("storage_array", "rest_version", server_default=None)
    op.alter_column("storage_array", "usec_includes_queue", server_default=None)
    op.drop_column("storage_array", "facts")
    op.alter_column("storage_array", "version", new_column_name="purity_version")
