"""What is kept of each kind of thing in an inventory: its table, what makes it another thing, and which changes are events."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import Table

from gavel.db.tables import array_side, host_side


@dataclass(frozen=True, slots=True)
class Watched:
    """A change of `column` is an event of this kind. `names`: the table whose `name` is shown instead of an id."""

    column: str
    event: str
    names: Table | None = None


@dataclass(frozen=True, slots=True)
class Kind:
    """One inventory table.

    identity: columns of which a different value under the same key means another thing. references: id column → table; the
    staged row holds the parent's key there. required: references without which a row cannot be stored. label: what it is called.
    """

    table: Table
    identity: tuple[str, ...] = ()
    references: Mapping[str, Table] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    watched: tuple[Watched, ...] = ()
    label: str = "name"

    @property
    def columns(self) -> tuple[str, ...]:
        """Of a thing itself, besides the bookkeeping ones that every inventory table has."""
        own = {"id", "source_id", "key", "first_seen_at", "last_seen_at", "present"}
        return tuple(column.name for column in self.table.c if column.name not in own)


_RENAMED = Watched("name", "renamed")
_a, _h = array_side, host_side

STORAGE_ARRAY = Kind(_a.storage_array, watched=(_RENAMED, Watched("purity_version", "upgraded")))
POD = Kind(_a.pod, watched=(_RENAMED, Watched("array_count", "pod_arrays")))
VOLUME = Kind(
    _a.volume,
    identity=("serial",),
    references={"pod_id": _a.pod},
    watched=(_RENAMED, Watched("qos_iops_limit", "qos_limit"), Watched("qos_bytes_per_s_limit", "qos_limit")),
)
ARRAY_HOST = Kind(_a.array_host, watched=(Watched("port_health", "port_health"),))
CONNECTION = Kind(_a.connection, references={"array_host_id": _a.array_host, "volume_id": _a.volume}, label="key")
ARRAY_PORT = Kind(_a.array_port, label="key")
ARRAY_DIRECTORY = Kind(_a.array_directory, watched=(_RENAMED,))
DIRECTORY_EXPORT = Kind(_a.directory_export, label="export_name")

VCENTER = Kind(_h.vcenter, watched=(_RENAMED, Watched("build", "upgraded")))
CLUSTER = Kind(_h.cluster, watched=(_RENAMED,))
ESXI_HOST = Kind(
    _h.esxi_host,
    identity=("hardware_uuid",),
    references={"cluster_id": _h.cluster},
    watched=(
        _RENAMED,
        Watched("build", "upgraded"),
        Watched("connection_state", "connection_state"),
        Watched("in_maintenance", "maintenance"),
        Watched("cluster_id", "moved", _h.cluster),
    ),
)
# Whatever belongs to a host goes with it: another host under the same key has other HBAs, devices and paths.
HBA = Kind(
    _h.hba,
    identity=("host_id",),
    references={"host_id": _h.esxi_host},
    required=("host_id",),
    watched=(Watched("queue_depth", "queue_depth"), Watched("driver", "driver")),
    label="device",
)
HOST_DEVICE = Kind(
    _h.host_device,
    identity=("host_id",),
    references={"host_id": _h.esxi_host},
    required=("host_id",),
    watched=(
        Watched("queue_depth", "queue_depth"),
        Watched("dsnro", "dsnro"),
        Watched("path_policy", "path_policy"),
    ),
    label="canonical_name",
)
PATH = Kind(
    _h.path,
    identity=("host_device_id",),
    references={"host_device_id": _h.host_device, "hba_id": _h.hba},
    required=("host_device_id",),
    watched=(Watched("state", "path_state"), Watched("is_optimized", "path_optimized")),
    label="key",
)
DATASTORE = Kind(_h.datastore, identity=("uuid",), watched=(_RENAMED,))
VM = Kind(
    _h.vm,
    identity=("instance_uuid",),
    references={"host_id": _h.esxi_host},
    watched=(_RENAMED, Watched("power_state", "power_state"), Watched("host_id", "moved", _h.esxi_host)),
)
VM_DISK = Kind(
    _h.vm_disk,
    identity=("vm_id",),
    references={"vm_id": _h.vm, "datastore_id": _h.datastore},
    required=("vm_id",),
    watched=(
        Watched("datastore_id", "moved", _h.datastore),
        Watched("snapshot_depth", "snapshot_depth"),
        Watched("iops_limit", "iops_limit"),
        Watched("controller_type", "controller"),
    ),
    label="label",
)

# Parents before what refers to them.
ARRAY_KINDS = (STORAGE_ARRAY, POD, VOLUME, ARRAY_HOST, CONNECTION, ARRAY_PORT, ARRAY_DIRECTORY, DIRECTORY_EXPORT)
HOST_KINDS = (VCENTER, CLUSTER, ESXI_HOST, HBA, HOST_DEVICE, PATH, DATASTORE, VM, VM_DISK)
