"""What exists on the arrays."""

from sqlalchemy import ARRAY, BigInteger, Boolean, Column, Index, Integer, PrimaryKeyConstraint, Table, Text, text
from sqlalchemy.dialects.postgresql import JSONB

from gavel.db.schema.base import inventory_table, metadata, reference

storage_array = inventory_table(
    "storage_array",
    Column("name", Text, nullable=False),
    Column("model", Text),
    Column("version", Text, nullable=False),
    # [{label, value}], in the vendor's words.
    Column("facts", JSONB, nullable=False, server_default=text("'[]'::jsonb")),
    Column("file_addresses", ARRAY(Text), nullable=False),
)

pod = inventory_table(
    "pod",
    Column("name", Text, nullable=False),
    Column("array_count", Integer, nullable=False),
)

# `array_key` is the array's own id, since the partner of a stretched pod need not be a source of Gavel.
pod_array = Table(
    "pod_array",
    metadata,
    reference("pod_id", "pod"),
    Column("array_key", Text, nullable=False),
    PrimaryKeyConstraint("pod_id", "array_key"),
)

volume = inventory_table(
    "volume",
    Column("name", Text, nullable=False),
    Column("serial", Text, nullable=False),  # 24 upper-case hex digits
    Column("size_bytes", BigInteger),
    reference("pod_id", "pod", nullable=True),
    Column("volume_group", Text),
    Column("is_protocol_endpoint", Boolean, nullable=False),
    Column("qos_iops_limit", BigInteger),
    Column("qos_bytes_per_s_limit", BigInteger),
    Column("vvol_id", Text),
    Index("ix_volume_serial", "serial"),
    Index("ix_volume_vvol_id", "vvol_id"),
)

# `volume.volume_group` is its name.
volume_group = inventory_table(
    "volume_group",
    Column("name", Text, nullable=False),
    Column("qos_iops_limit", BigInteger),
    Column("qos_bytes_per_s_limit", BigInteger),
    Index("ix_volume_group_name", "source_id", "name"),
)

array_host = inventory_table(
    "array_host",
    Column("name", Text, nullable=False),
    Column("personality", Text),
    Column("is_local", Boolean, nullable=False),
    Column("wwns", ARRAY(Text), nullable=False),
    Column("iqns", ARRAY(Text), nullable=False),
    Column("nqns", ARRAY(Text), nullable=False),
    Column("preferred_arrays", ARRAY(Text), nullable=False),
    Column("port_health", Text),
    Column("port_health_detail", Text),
    Column("managed_by", Text),
)

# `volume_key` may name a volume that the array did not list; then `volume_id` is null.
connection = inventory_table(
    "connection",
    reference("array_host_id", "array_host", nullable=True),
    Column("host_group", Text),
    Column("volume_key", Text, nullable=False),
    reference("volume_id", "volume", nullable=True),
    Column("lun", BigInteger),
    Column("nsid", BigInteger),
)

array_port = inventory_table(
    "array_port",
    Column("wwn", Text),
    Column("iqn", Text),
    Column("nqn", Text),
    Column("portal", Text),
    # One way; NULL where the array does not say how fast the link is.
    Column("line_rate_bytes_per_s", BigInteger),
)

array_directory = inventory_table(
    "array_directory",
    Column("name", Text, nullable=False),
    Column("path", Text),
)

# `directory` is the name of the managed directory that is exported.
directory_export = inventory_table(
    "directory_export",
    Column("export_name", Text, nullable=False),
    Column("path", Text),
    Column("directory", Text),
    Column("enabled", Boolean, nullable=False),
)
