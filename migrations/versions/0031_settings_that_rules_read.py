"""Settings that rules read: options and NTP of hosts, adaptive queue depth of devices, Storage I/O Control of datastores."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

_COLUMNS = (
    ("esxi_host", "ntp_running", sa.Boolean),
    ("host_device", "is_flash", sa.Boolean),
    ("host_device", "queue_full_sample_size", sa.Integer),
    ("host_device", "queue_full_threshold", sa.Integer),
    ("datastore", "sioc_enabled", sa.Boolean),
    ("datastore", "sioc_threshold_ms", sa.Integer),
)


def upgrade() -> None:
    for table, name, kind in _COLUMNS:
        op.add_column(table, sa.Column(name, kind))
    op.add_column("esxi_host", sa.Column("options", JSONB, nullable=False, server_default=sa.text("'{}'::jsonb")))


def downgrade() -> None:
    op.drop_column("esxi_host", "options")
    for table, name, _ in _COLUMNS:
        op.drop_column(table, name)
