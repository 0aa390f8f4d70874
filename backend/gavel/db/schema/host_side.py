"""What exists under the vCenters, and since when each VM and disk is where it is.

`volume_serial` is derived from a device's canonical name (`domain.device_names`), null when the name is not a FlashArray's.
"""

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, PrimaryKeyConstraint, Table, Text, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from gavel.db.schema.base import instant, inventory_table, metadata, reference, source_id

vcenter = inventory_table(
    "vcenter",
    Column("name", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("build", Text, nullable=False),
    Column("api_version", Text, nullable=False),
)

cluster = inventory_table("cluster", Column("name", Text, nullable=False))

esxi_host = inventory_table(
    "esxi_host",
    Column("name", Text, nullable=False),
    Column("hardware_uuid", Text),
    reference("cluster_id", "cluster", nullable=True),
    Column("version", Text),
    Column("build", Text),
    Column("connection_state", Text, nullable=False),
    Column("in_maintenance", Boolean, nullable=False),
    Column("ntp_running", Boolean),
    # {name: {value, least, most, usual}} of the options that rules read.
    Column("options", JSONB, nullable=False, server_default=text("'{}'::jsonb")),
)

hba = inventory_table(
    "hba",
    reference("host_id", "esxi_host"),
    Column("device", Text, nullable=False),
    Column("driver", Text),
    Column("model", Text),
    Column("protocol", Text, nullable=False),
    Column("address", Text),
    Column("queue_depth", Integer),
)

host_device = inventory_table(
    "host_device",
    reference("host_id", "esxi_host"),
    Column("canonical_name", Text, nullable=False),
    Column("volume_serial", Text),
    Column("vendor", Text),
    Column("model", Text),
    Column("queue_depth", Integer),
    Column("dsnro", Integer),
    Column("path_policy", Text),
    Column("is_protocol_endpoint", Boolean, nullable=False),
    Column("is_flash", Boolean),
    Column("queue_full_sample_size", Integer),
    Column("queue_full_threshold", Integer),
    Index("ix_host_device_volume_serial", "volume_serial"),
    Index("ix_host_device_canonical_name", "source_id", "canonical_name"),
)

path = inventory_table(
    "path",
    reference("host_device_id", "host_device"),
    reference("hba_id", "hba", nullable=True),
    Column("target", Text),
    Column("state", Text, nullable=False),
    Column("is_optimized", Boolean),
    Column("name", Text, nullable=False, server_default=text("''")),
    Column("counter", Text),
)

# Counters of paths that fit no path of the inventory.
unknown_path = inventory_table(
    "unknown_path",
    reference("host_id", "esxi_host"),
    Column("counter", Text, nullable=False),
    Column("path_names", ARRAY(Text), nullable=False),
)

datastore = inventory_table(
    "datastore",
    Column("name", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("uuid", Text),
    Column("capacity_bytes", BigInteger),
    Column("nfs_host", Text),
    Column("nfs_path", Text),
    Column("vvol_container_id", Text),
    Column("vvol_array_ids", ARRAY(Text), nullable=False),
    Column("sioc_enabled", Boolean),
    Column("sioc_threshold_ms", Integer),
)

datastore_extent = Table(
    "datastore_extent",
    metadata,
    reference("datastore_id", "datastore"),
    Column("position", Integer, nullable=False),
    Column("canonical_name", Text, nullable=False),
    Column("volume_serial", Text),
    PrimaryKeyConstraint("datastore_id", "position"),
    Index("ix_datastore_extent_canonical_name", "canonical_name"),
    Index("ix_datastore_extent_volume_serial", "volume_serial"),
)

datastore_host = Table(
    "datastore_host",
    metadata,
    reference("datastore_id", "datastore"),
    reference("host_id", "esxi_host"),
    PrimaryKeyConstraint("datastore_id", "host_id"),
)

vm = inventory_table(
    "vm",
    Column("name", Text, nullable=False),
    Column("instance_uuid", Text),
    Column("power_state", Text, nullable=False),
    reference("host_id", "esxi_host", nullable=True),
    Column("bios_uuid", Text),
    Column("dns_name", Text),
    Column("ip_addresses", ARRAY(Text), nullable=False, server_default=text("'{}'")),
    Column("tools_state", Text),
    Column("folder", Text),
    Column("resource_pool", Text),
)

vm_disk = inventory_table(
    "vm_disk",
    reference("vm_id", "vm"),
    Column("instance", Text, nullable=False),
    Column("label", Text, nullable=False),
    Column("controller_type", Text, nullable=False),
    Column("capacity_bytes", BigInteger),
    reference("datastore_id", "datastore", nullable=True),
    Column("backing_path", Text),
    Column("backing_uuid", Text),
    Column("device_name", Text),
    Column("volume_serial", Text),
    Column("vvol_id", Text),
    Column("iops_limit", BigInteger),
    Column("snapshot_depth", Integer),
    Column("io_filters", ARRAY(Text), nullable=False, server_default=text("'{}'")),
    Index("ix_vm_disk_volume_serial", "volume_serial"),
    Index("ix_vm_disk_vvol_id", "vvol_id"),
)


def _placement(name: str, thing: str, target: str, place_column: str) -> Table:
    """Where a thing was in [valid_from, valid_to), by Gavel's clock; at most one range is open (valid_to null) per thing."""
    thing_column = f"{thing}_id"
    return Table(
        name,
        metadata,
        reference(thing_column, thing),
        reference(place_column, target),
        instant("valid_from"),
        instant("valid_to", nullable=True),
        PrimaryKeyConstraint(thing_column, "valid_from"),
        Index(f"uq_{name}_open", thing_column, unique=True, postgresql_where=text("valid_to IS NULL")),
    )


vm_placement = _placement("vm_placement", "vm", "esxi_host", "host_id")
vm_disk_placement = _placement("vm_disk_placement", "vm_disk", "datastore", "datastore_id")

# Times by the vCenter's clock. `seen_at`: the inventory that listed it last; one that has no end and is not listed any more ended then.
vm_task = Table(
    "vm_task",
    metadata,
    source_id(),
    Column("key", Text, nullable=False),
    Column("kind", Text, nullable=False),
    reference("vm_id", "vm"),
    instant("started_at"),
    instant("ended_at", nullable=True),
    Column("started_by", Text),
    instant("seen_at"),
    PrimaryKeyConstraint("source_id", "key"),
    Index("ix_vm_task_started_at", "started_at"),
)
