"""What is kept of each kind of thing in an inventory: its table, what makes it another thing, and which changes are events."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import Table

from gavel.db.schema import array_side, host_side


@dataclass(frozen=True, slots=True)
class EventColumn:
    """A change of `column` is an event of this kind. `names`: the table whose `name` is shown instead of an id."""

    column: str
    event: str
    names: Table | None = None


@dataclass(frozen=True, slots=True)
class InventoryTable:
    """One inventory table.

    identity: columns of which a different value under the same key means another thing. references: id column → table; the
    staged row holds the parent's key there. required: references without which a row cannot be stored. label: what it is called.
    """

    table: Table
    identity: tuple[str, ...] = ()
    references: Mapping[str, Table] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    watched: tuple[EventColumn, ...] = ()
    label: str = "name"

    @property
    def columns(self) -> tuple[str, ...]:
        """Of a thing itself, besides the bookkeeping ones that every inventory table has."""
        own = {"id", "source_id", "key", "first_seen_at", "last_seen_at", "present"}
        return tuple(column.name for column in self.table.c if column.name not in own)


_RENAMED = EventColumn("name", "renamed")
_a, _h = array_side, host_side

STORAGE_ARRAY = InventoryTable(_a.storage_array, watched=(_RENAMED, EventColumn("version", "upgraded")))
POD = InventoryTable(_a.pod, watched=(_RENAMED, EventColumn("array_count", "pod_arrays")))
VOLUME = InventoryTable(
    _a.volume,
    identity=("serial",),
    references={"pod_id": _a.pod},
    watched=(_RENAMED, EventColumn("qos_iops_limit", "qos_limit"), EventColumn("qos_bytes_per_s_limit", "qos_limit")),
)
VOLUME_GROUP = InventoryTable(
    _a.volume_group,
    watched=(_RENAMED, EventColumn("qos_iops_limit", "qos_limit"), EventColumn("qos_bytes_per_s_limit", "qos_limit")),
)
ARRAY_HOST = InventoryTable(_a.array_host, watched=(EventColumn("port_health", "port_health"),))
CONNECTION = InventoryTable(
    _a.connection, references={"array_host_id": _a.array_host, "volume_id": _a.volume}, label="key"
)
ARRAY_PORT = InventoryTable(_a.array_port, label="key")
ARRAY_DIRECTORY = InventoryTable(_a.array_directory, watched=(_RENAMED,))
DIRECTORY_EXPORT = InventoryTable(_a.directory_export, label="export_name")

VCENTER = InventoryTable(_h.vcenter, watched=(_RENAMED, EventColumn("build", "upgraded")))
CLUSTER = InventoryTable(_h.cluster, watched=(_RENAMED,))
ESXI_HOST = InventoryTable(
    _h.esxi_host,
    identity=("hardware_uuid",),
    references={"cluster_id": _h.cluster},
    watched=(
        _RENAMED,
        EventColumn("build", "upgraded"),
        EventColumn("connection_state", "connection_state"),
        EventColumn("in_maintenance", "maintenance"),
        EventColumn("cluster_id", "moved", _h.cluster),
        EventColumn("ntp_running", "ntp"),
    ),
)
# Whatever belongs to a host goes with it: another host under the same key has other HBAs, devices and paths.
HBA = InventoryTable(
    _h.hba,
    identity=("host_id",),
    references={"host_id": _h.esxi_host},
    required=("host_id",),
    watched=(EventColumn("queue_depth", "queue_depth"), EventColumn("driver", "driver")),
    label="device",
)
HOST_DEVICE = InventoryTable(
    _h.host_device,
    identity=("host_id",),
    references={"host_id": _h.esxi_host},
    required=("host_id",),
    watched=(
        EventColumn("queue_depth", "queue_depth"),
        EventColumn("dsnro", "dsnro"),
        EventColumn("path_policy", "path_policy"),
    ),
    label="canonical_name",
)
PATH = InventoryTable(
    _h.path,
    identity=("host_device_id",),
    references={"host_device_id": _h.host_device, "hba_id": _h.hba},
    required=("host_device_id",),
    watched=(EventColumn("state", "path_state"), EventColumn("is_optimized", "path_optimized")),
    label="key",
)
UNKNOWN_PATH = InventoryTable(
    _h.unknown_path,
    identity=("host_id",),
    references={"host_id": _h.esxi_host},
    required=("host_id",),
    label="counter",
)
DATASTORE = InventoryTable(
    _h.datastore,
    identity=("uuid",),
    watched=(_RENAMED, EventColumn("sioc_enabled", "sioc"), EventColumn("sioc_threshold_ms", "sioc")),
)
VM = InventoryTable(
    _h.vm,
    identity=("instance_uuid",),
    references={"host_id": _h.esxi_host},
    watched=(_RENAMED, EventColumn("power_state", "power_state"), EventColumn("host_id", "moved", _h.esxi_host)),
)
VM_DISK = InventoryTable(
    _h.vm_disk,
    identity=("vm_id",),
    references={"vm_id": _h.vm, "datastore_id": _h.datastore},
    required=("vm_id",),
    watched=(
        EventColumn("datastore_id", "moved", _h.datastore),
        EventColumn("snapshot_depth", "snapshot_depth"),
        EventColumn("iops_limit", "iops_limit"),
        EventColumn("controller_type", "controller"),
    ),
    label="label",
)

# Parents before what refers to them.
ARRAY_KINDS = (
    STORAGE_ARRAY,
    POD,
    VOLUME_GROUP,
    VOLUME,
    ARRAY_HOST,
    CONNECTION,
    ARRAY_PORT,
    ARRAY_DIRECTORY,
    DIRECTORY_EXPORT,
)
HOST_KINDS = (VCENTER, CLUSTER, ESXI_HOST, HBA, HOST_DEVICE, PATH, UNKNOWN_PATH, DATASTORE, VM, VM_DISK)
