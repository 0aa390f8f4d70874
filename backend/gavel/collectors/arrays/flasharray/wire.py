"""The bodies a FlashArray sends, as far as Gavel reads them. Every field may be absent or null; unknown ones are ignored."""

from datetime import timedelta
from typing import Generic, TypeVar

import msgspec

# The finest grain in which an array answers.
RESOLUTION = timedelta(seconds=30)
# So many of the newest samples are asked for again with every read: the array may still be adding to them.
REVISED = 1

Number = int | float | None
Item = TypeVar("Item")


class Reference(msgspec.Struct):
    id: str | None = None
    name: str | None = None


class VersionList(msgspec.Struct):
    version: list[str]


class ErrorItem(msgspec.Struct):
    context: str | None = None
    message: str | None = None


class ErrorBody(msgspec.Struct):
    errors: list[ErrorItem] = []


class PageBody(msgspec.Struct, Generic[Item]):
    """The envelope of every list."""

    items: list[Item] | None = None
    continuation_token: str | None = None
    more_items_remaining: bool | None = None


class ArrayItem(msgspec.Struct):
    id: str
    name: str
    version: str
    os: str | None = None


class ControllerItem(msgspec.Struct):
    name: str | None = None
    model: str | None = None
    type: str | None = None


class Qos(msgspec.Struct):
    bandwidth_limit: int | None = None
    iops_limit: int | None = None


class VolumeItem(msgspec.Struct):
    id: str
    name: str
    serial: str
    provisioned: int | None = None
    subtype: str | None = None
    pod: Reference | None = None
    volume_group: Reference | None = None
    qos: Qos | None = None


class PodItem(msgspec.Struct):
    id: str
    name: str
    arrays: list[Reference] | None = None
    array_count: int | None = None


class VolumeGroupItem(msgspec.Struct):
    id: str
    name: str
    qos: Qos | None = None


class PortConnectivity(msgspec.Struct):
    status: str | None = None
    details: str | None = None


class HostItem(msgspec.Struct):
    name: str
    is_local: bool | None = None
    personality: str | None = None
    wwns: list[str] | None = None
    iqns: list[str] | None = None
    nqns: list[str] | None = None
    preferred_arrays: list[Reference] | None = None
    port_connectivity: PortConnectivity | None = None


class ConnectionItem(msgspec.Struct):
    volume: Reference | None = None
    host: Reference | None = None
    host_group: Reference | None = None
    lun: int | None = None
    nsid: int | None = None


class PortItem(msgspec.Struct):
    name: str
    wwn: str | None = None
    iqn: str | None = None
    nqn: str | None = None
    portal: str | None = None


class DirectoryItem(msgspec.Struct):
    id: str
    name: str
    path: str | None = None


class ExportItem(msgspec.Struct):
    export_name: str | None = None
    path: str | None = None
    directory: Reference | None = None
    enabled: bool | None = None


class Ethernet(msgspec.Struct):
    address: str | None = None


class InterfaceItem(msgspec.Struct):
    name: str
    enabled: bool | None = None
    services: list[str] | None = None
    eth: Ethernet | None = None
    interface_type: str | None = None
    speed: int | None = None


class TagItem(msgspec.Struct):
    key: str
    value: str | None = None
    resource: Reference | None = None


class VolumePerformance(msgspec.Struct, gc=False):
    """Averages over one sample of one volume, or of all I/O of the array: rates per second, times in µs per operation, `time` in ms since
    1970. Decoded by `parse`; which field becomes which column: `domain.streams`."""

    id: str
    time: int
    name: str | None = None
    reads_per_sec: Number = None
    writes_per_sec: Number = None
    mirrored_writes_per_sec: Number = None
    read_bytes_per_sec: Number = None
    write_bytes_per_sec: Number = None
    mirrored_write_bytes_per_sec: Number = None
    service_usec_per_read_op: Number = None
    service_usec_per_write_op: Number = None
    service_usec_per_mirrored_write_op: Number = None
    queue_usec_per_read_op: Number = None
    queue_usec_per_write_op: Number = None
    queue_usec_per_mirrored_write_op: Number = None
    qos_rate_limit_usec_per_read_op: Number = None
    qos_rate_limit_usec_per_write_op: Number = None
    qos_rate_limit_usec_per_mirrored_write_op: Number = None
    qos_scheduling_usec_per_read_op: Number = None
    qos_scheduling_usec_per_write_op: Number = None
    qos_scheduling_usec_per_mirrored_write_op: Number = None
    san_usec_per_read_op: Number = None
    san_usec_per_write_op: Number = None
    san_usec_per_mirrored_write_op: Number = None
    usec_per_read_op: Number = None
    usec_per_write_op: Number = None
    usec_per_mirrored_write_op: Number = None


class DirectoryPerformance(msgspec.Struct, gc=False):
    """Averages over one sample of one managed directory, which has one time per operation and no parts of it."""

    id: str
    time: int
    reads_per_sec: Number = None
    writes_per_sec: Number = None
    read_bytes_per_sec: Number = None
    write_bytes_per_sec: Number = None
    usec_per_read_op: Number = None
    usec_per_write_op: Number = None


class InterfaceTraffic(msgspec.Struct, gc=False):
    """Of one kind of interface; the other kind's are empty."""

    received_bytes_per_sec: Number = None
    transmitted_bytes_per_sec: Number = None
    received_crc_errors_per_sec: Number = None
    total_errors_per_sec: Number = None


class InterfacePerformance(msgspec.Struct, gc=False):
    """Averages over one sample of one network interface, Fibre Channel or Ethernet. It has no id."""

    name: str
    time: int
    fc: InterfaceTraffic | None = None
    eth: InterfaceTraffic | None = None


class PortPerformance(InterfaceTraffic, kw_only=True, gc=False):
    """The same of a target port. id: the port's name."""

    id: str
    time: int
