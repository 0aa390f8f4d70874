"""What exists on the arrays."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "array_host",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("present", sa.Boolean(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("personality", sa.Text(), nullable=True),
        sa.Column("is_local", sa.Boolean(), nullable=False),
        sa.Column("wwns", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("iqns", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("nqns", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("preferred_arrays", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("port_health", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name=op.f("fk_array_host_source_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_array_host")),
        sa.UniqueConstraint("source_id", "key", name=op.f("uq_array_host_source_id_key")),
    )
    op.create_table(
        "array_port",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("present", sa.Boolean(), nullable=False),
        sa.Column("wwn", sa.Text(), nullable=True),
        sa.Column("iqn", sa.Text(), nullable=True),
        sa.Column("nqn", sa.Text(), nullable=True),
        sa.Column("portal", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name=op.f("fk_array_port_source_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_array_port")),
        sa.UniqueConstraint("source_id", "key", name=op.f("uq_array_port_source_id_key")),
    )
    op.create_table(
        "directory_export",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("present", sa.Boolean(), nullable=False),
        sa.Column("export_name", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=True),
        sa.Column("directory", sa.Text(), nullable=True),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["source_id"], ["source.id"], name=op.f("fk_directory_export_source_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_directory_export")),
        sa.UniqueConstraint("source_id", "key", name=op.f("uq_directory_export_source_id_key")),
    )
    op.create_table(
        "pod",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("present", sa.Boolean(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("array_count", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name=op.f("fk_pod_source_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pod")),
        sa.UniqueConstraint("source_id", "key", name=op.f("uq_pod_source_id_key")),
    )
    op.create_table(
        "storage_array",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("present", sa.Boolean(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("purity_version", sa.Text(), nullable=False),
        sa.Column("rest_version", sa.Text(), nullable=False),
        sa.Column("usec_includes_queue", sa.Boolean(), nullable=False),
        sa.Column("file_addresses", sa.ARRAY(sa.Text()), nullable=False),
        sa.ForeignKeyConstraint(
            ["source_id"], ["source.id"], name=op.f("fk_storage_array_source_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_storage_array")),
        sa.UniqueConstraint("source_id", "key", name=op.f("uq_storage_array_source_id_key")),
    )
    op.create_table(
        "pod_array",
        sa.Column("pod_id", sa.Integer(), nullable=False),
        sa.Column("array_key", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["pod_id"], ["pod.id"], name=op.f("fk_pod_array_pod_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("pod_id", "array_key", name=op.f("pk_pod_array")),
    )
    op.create_index(op.f("ix_pod_array_pod_id"), "pod_array", ["pod_id"], unique=False)
    op.create_table(
        "volume",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("present", sa.Boolean(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("serial", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=True),
        sa.Column("pod_id", sa.Integer(), nullable=True),
        sa.Column("volume_group", sa.Text(), nullable=True),
        sa.Column("is_protocol_endpoint", sa.Boolean(), nullable=False),
        sa.Column("qos_iops_limit", sa.BigInteger(), nullable=True),
        sa.Column("qos_bytes_per_s_limit", sa.BigInteger(), nullable=True),
        sa.Column("vvol_id", sa.Text(), nullable=True),
        sa.Column("tags", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.ForeignKeyConstraint(["pod_id"], ["pod.id"], name=op.f("fk_volume_pod_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name=op.f("fk_volume_source_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_volume")),
        sa.UniqueConstraint("source_id", "key", name=op.f("uq_volume_source_id_key")),
    )
    op.create_index(op.f("ix_volume_pod_id"), "volume", ["pod_id"], unique=False)
    op.create_index("ix_volume_serial", "volume", ["serial"], unique=False)
    op.create_index("ix_volume_vvol_id", "volume", ["vvol_id"], unique=False)
    op.create_table(
        "connection",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("present", sa.Boolean(), nullable=False),
        sa.Column("array_host_id", sa.Integer(), nullable=True),
        sa.Column("host_group", sa.Text(), nullable=True),
        sa.Column("volume_key", sa.Text(), nullable=False),
        sa.Column("volume_id", sa.Integer(), nullable=True),
        sa.Column("lun", sa.BigInteger(), nullable=True),
        sa.Column("nsid", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["array_host_id"], ["array_host.id"], name=op.f("fk_connection_array_host_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name=op.f("fk_connection_source_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["volume_id"], ["volume.id"], name=op.f("fk_connection_volume_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_connection")),
        sa.UniqueConstraint("source_id", "key", name=op.f("uq_connection_source_id_key")),
    )
    op.create_index(op.f("ix_connection_array_host_id"), "connection", ["array_host_id"], unique=False)
    op.create_index(op.f("ix_connection_volume_id"), "connection", ["volume_id"], unique=False)


def downgrade() -> None:
    op.drop_table("connection")
    op.drop_table("volume")
    op.drop_table("pod_array")
    op.drop_table("storage_array")
    op.drop_table("pod")
    op.drop_table("directory_export")
    op.drop_table("array_port")
    op.drop_table("array_host")
