"""What exists under the vCenters, and where VMs and disks have been."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "cluster",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("present", sa.Boolean(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name=op.f("fk_cluster_source_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_cluster")),
        sa.UniqueConstraint("source_id", "key", name=op.f("uq_cluster_source_id_key")),
    )
    op.create_table(
        "datastore",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("present", sa.Boolean(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("uuid", sa.Text(), nullable=True),
        sa.Column("capacity_bytes", sa.BigInteger(), nullable=True),
        sa.Column("nfs_host", sa.Text(), nullable=True),
        sa.Column("nfs_path", sa.Text(), nullable=True),
        sa.Column("vvol_container_id", sa.Text(), nullable=True),
        sa.Column("vvol_array_ids", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name=op.f("fk_datastore_source_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_datastore")),
        sa.UniqueConstraint("source_id", "key", name=op.f("uq_datastore_source_id_key")),
    )
    op.create_table(
        "vcenter",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("present", sa.Boolean(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("build", sa.Text(), nullable=False),
        sa.Column("api_version", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name=op.f("fk_vcenter_source_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_vcenter")),
        sa.UniqueConstraint("source_id", "key", name=op.f("uq_vcenter_source_id_key")),
    )
    op.create_table(
        "datastore_extent",
        sa.Column("datastore_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("canonical_name", sa.Text(), nullable=False),
        sa.Column("volume_serial", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["datastore_id"], ["datastore.id"], name=op.f("fk_datastore_extent_datastore_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("datastore_id", "position", name=op.f("pk_datastore_extent")),
    )
    op.create_index("ix_datastore_extent_canonical_name", "datastore_extent", ["canonical_name"], unique=False)
    op.create_index(op.f("ix_datastore_extent_datastore_id"), "datastore_extent", ["datastore_id"], unique=False)
    op.create_index("ix_datastore_extent_volume_serial", "datastore_extent", ["volume_serial"], unique=False)
    op.create_table(
        "esxi_host",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("present", sa.Boolean(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("hardware_uuid", sa.Text(), nullable=True),
        sa.Column("cluster_id", sa.Integer(), nullable=True),
        sa.Column("version", sa.Text(), nullable=True),
        sa.Column("build", sa.Text(), nullable=True),
        sa.Column("connection_state", sa.Text(), nullable=False),
        sa.Column("in_maintenance", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["cluster_id"], ["cluster.id"], name=op.f("fk_esxi_host_cluster_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name=op.f("fk_esxi_host_source_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_esxi_host")),
        sa.UniqueConstraint("source_id", "key", name=op.f("uq_esxi_host_source_id_key")),
    )
    op.create_index(op.f("ix_esxi_host_cluster_id"), "esxi_host", ["cluster_id"], unique=False)
    op.create_table(
        "datastore_host",
        sa.Column("datastore_id", sa.Integer(), nullable=False),
        sa.Column("host_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["datastore_id"], ["datastore.id"], name=op.f("fk_datastore_host_datastore_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["host_id"], ["esxi_host.id"], name=op.f("fk_datastore_host_host_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("datastore_id", "host_id", name=op.f("pk_datastore_host")),
    )
    op.create_index(op.f("ix_datastore_host_datastore_id"), "datastore_host", ["datastore_id"], unique=False)
    op.create_index(op.f("ix_datastore_host_host_id"), "datastore_host", ["host_id"], unique=False)
    op.create_table(
        "hba",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("present", sa.Boolean(), nullable=False),
        sa.Column("host_id", sa.Integer(), nullable=False),
        sa.Column("device", sa.Text(), nullable=False),
        sa.Column("driver", sa.Text(), nullable=True),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("protocol", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=True),
        sa.Column("queue_depth", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["host_id"], ["esxi_host.id"], name=op.f("fk_hba_host_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name=op.f("fk_hba_source_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_hba")),
        sa.UniqueConstraint("source_id", "key", name=op.f("uq_hba_source_id_key")),
    )
    op.create_index(op.f("ix_hba_host_id"), "hba", ["host_id"], unique=False)
    op.create_table(
        "host_device",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("present", sa.Boolean(), nullable=False),
        sa.Column("host_id", sa.Integer(), nullable=False),
        sa.Column("canonical_name", sa.Text(), nullable=False),
        sa.Column("volume_serial", sa.Text(), nullable=True),
        sa.Column("vendor", sa.Text(), nullable=True),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("queue_depth", sa.Integer(), nullable=True),
        sa.Column("dsnro", sa.Integer(), nullable=True),
        sa.Column("path_policy", sa.Text(), nullable=True),
        sa.Column("is_protocol_endpoint", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["host_id"], ["esxi_host.id"], name=op.f("fk_host_device_host_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["source_id"], ["source.id"], name=op.f("fk_host_device_source_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_host_device")),
        sa.UniqueConstraint("source_id", "key", name=op.f("uq_host_device_source_id_key")),
    )
    op.create_index("ix_host_device_canonical_name", "host_device", ["source_id", "canonical_name"], unique=False)
    op.create_index(op.f("ix_host_device_host_id"), "host_device", ["host_id"], unique=False)
    op.create_index("ix_host_device_volume_serial", "host_device", ["volume_serial"], unique=False)
    op.create_table(
        "vm",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("present", sa.Boolean(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("instance_uuid", sa.Text(), nullable=True),
        sa.Column("power_state", sa.Text(), nullable=False),
        sa.Column("host_id", sa.Integer(), nullable=True),
        sa.Column("tags", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.ForeignKeyConstraint(["host_id"], ["esxi_host.id"], name=op.f("fk_vm_host_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name=op.f("fk_vm_source_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_vm")),
        sa.UniqueConstraint("source_id", "key", name=op.f("uq_vm_source_id_key")),
    )
    op.create_index(op.f("ix_vm_host_id"), "vm", ["host_id"], unique=False)
    op.create_table(
        "path",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("present", sa.Boolean(), nullable=False),
        sa.Column("host_device_id", sa.Integer(), nullable=False),
        sa.Column("hba_id", sa.Integer(), nullable=True),
        sa.Column("target", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("is_working", sa.Boolean(), nullable=True),
        sa.Column("is_optimized", sa.Boolean(), nullable=True),
        sa.ForeignKeyConstraint(["hba_id"], ["hba.id"], name=op.f("fk_path_hba_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["host_device_id"], ["host_device.id"], name=op.f("fk_path_host_device_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name=op.f("fk_path_source_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_path")),
        sa.UniqueConstraint("source_id", "key", name=op.f("uq_path_source_id_key")),
    )
    op.create_index(op.f("ix_path_hba_id"), "path", ["hba_id"], unique=False)
    op.create_index(op.f("ix_path_host_device_id"), "path", ["host_device_id"], unique=False)
    op.create_table(
        "vm_disk",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("present", sa.Boolean(), nullable=False),
        sa.Column("vm_id", sa.Integer(), nullable=False),
        sa.Column("instance", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("controller_type", sa.Text(), nullable=False),
        sa.Column("capacity_bytes", sa.BigInteger(), nullable=True),
        sa.Column("datastore_id", sa.Integer(), nullable=True),
        sa.Column("backing_path", sa.Text(), nullable=True),
        sa.Column("backing_uuid", sa.Text(), nullable=True),
        sa.Column("device_name", sa.Text(), nullable=True),
        sa.Column("volume_serial", sa.Text(), nullable=True),
        sa.Column("vvol_id", sa.Text(), nullable=True),
        sa.Column("iops_limit", sa.BigInteger(), nullable=True),
        sa.Column("snapshot_depth", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["datastore_id"], ["datastore.id"], name=op.f("fk_vm_disk_datastore_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name=op.f("fk_vm_disk_source_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["vm_id"], ["vm.id"], name=op.f("fk_vm_disk_vm_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_vm_disk")),
        sa.UniqueConstraint("source_id", "key", name=op.f("uq_vm_disk_source_id_key")),
    )
    op.create_index(op.f("ix_vm_disk_datastore_id"), "vm_disk", ["datastore_id"], unique=False)
    op.create_index(op.f("ix_vm_disk_vm_id"), "vm_disk", ["vm_id"], unique=False)
    op.create_index("ix_vm_disk_volume_serial", "vm_disk", ["volume_serial"], unique=False)
    op.create_index("ix_vm_disk_vvol_id", "vm_disk", ["vvol_id"], unique=False)
    op.create_table(
        "vm_placement",
        sa.Column("vm_id", sa.Integer(), nullable=False),
        sa.Column("host_id", sa.Integer(), nullable=False),
        sa.Column("valid_from", sa.DateTime(timezone=True), nullable=False),
        sa.Column("valid_to", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["host_id"], ["esxi_host.id"], name=op.f("fk_vm_placement_host_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["vm_id"], ["vm.id"], name=op.f("fk_vm_placement_vm_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("vm_id", "valid_from", name=op.f("pk_vm_placement")),
    )
    op.create_index(op.f("ix_vm_placement_host_id"), "vm_placement", ["host_id"], unique=False)
    op.create_index(op.f("ix_vm_placement_vm_id"), "vm_placement", ["vm_id"], unique=False)
    op.create_index(
        "uq_vm_placement_open", "vm_placement", ["vm_id"], unique=True, postgresql_where=sa.text("valid_to IS NULL")
    )
    op.create_table(
        "vm_disk_placement",
        sa.Column("vm_disk_id", sa.Integer(), nullable=False),
        sa.Column("datastore_id", sa.Integer(), nullable=False),
        sa.Column("valid_from", sa.DateTime(timezone=True), nullable=False),
        sa.Column("valid_to", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["datastore_id"], ["datastore.id"], name=op.f("fk_vm_disk_placement_datastore_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["vm_disk_id"], ["vm_disk.id"], name=op.f("fk_vm_disk_placement_vm_disk_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("vm_disk_id", "valid_from", name=op.f("pk_vm_disk_placement")),
    )
    op.create_index(op.f("ix_vm_disk_placement_datastore_id"), "vm_disk_placement", ["datastore_id"], unique=False)
    op.create_index(op.f("ix_vm_disk_placement_vm_disk_id"), "vm_disk_placement", ["vm_disk_id"], unique=False)
    op.create_index(
        "uq_vm_disk_placement_open",
        "vm_disk_placement",
        ["vm_disk_id"],
        unique=True,
        postgresql_where=sa.text("valid_to IS NULL"),
    )


def downgrade() -> None:
    op.drop_table("vm_disk_placement")
    op.drop_table("vm_placement")
    op.drop_table("vm_disk")
    op.drop_table("path")
    op.drop_table("vm")
    op.drop_table("host_device")
    op.drop_table("hba")
    op.drop_table("datastore_host")
    op.drop_table("esxi_host")
    op.drop_table("datastore_extent")
    op.drop_table("vcenter")
    op.drop_table("datastore")
    op.drop_table("cluster")
