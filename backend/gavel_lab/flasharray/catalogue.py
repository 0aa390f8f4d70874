"""Which endpoints, parameters and fields each REST version has. Values are the version something first appeared in.

Fields are dotted paths of one item; objects inside lists are written the same way. A test compares all of it with the
vendor's descriptions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gavel_lab.flasharray.gates import (
    CONTEXT,
    CONTEXT_ASKED,
    ETHERNET,
    FIBRE_CHANNEL,
    FILE_CONTEXT,
    HISTORY,
    HOST_PERFORMANCE,
    IDENTIFIED,
    INITIATOR,
    INVENTORY,
    LATE_HISTORY,
    LATE_TOKEN,
    NAMED,
    OBJECTS,
    OF_ARRAY,
    PAGED,
    PERFORMANCE,
    PERFORMANCE_FIELDS,
    POD_PERFORMANCE,
    PORT,
    PRIORITY,
    PROTOCOL,
    QOS,
    REFERENCE,
    SPACE,
    TOKEN,
    TYPED,
    WORKLOAD,
    WORKLOADS,
    Since,
    from_minor,
    under,
)
from gavel_lab.flasharray.versions import Version


@dataclass(frozen=True)
class Endpoint:
    """One GET endpoint. `has_total`: bodies carry aggregated rows under `total` as well."""

    path: str
    since: Version
    parameters: Since
    fields: Since
    has_total: bool = False

    def parameters_of(self, version: Version) -> frozenset[str]:
        return frozenset(name for name, since in self.parameters.items() if since <= version)

    def fields_of(self, version: Version) -> tuple[str, ...]:
        return tuple(path for path, since in self.fields.items() if since <= version)


_ENDPOINTS = (
    Endpoint(
        "volumes",
        (2, 0),
        INVENTORY,
        {
            **from_minor(
                0,
                "id name connection_count created destroyed host_encryption_key_status provisioned serial subtype"
                " time_remaining pod.id pod.name source.id source.name volume_group.id volume_group.name",
            ),
            **QOS,
            **SPACE,
            **from_minor(2, "promotion_status requested_promotion_state"),
            **from_minor(9, "snapshots_effective total_effective unique_effective", "space."),
            **from_minor(10, "priority"),
            **PRIORITY,
            **from_minor(33, "protocol_endpoint.container_version"),
            **from_minor(40, WORKLOAD),
            **CONTEXT,
        },
        has_total=True,
    ),
    Endpoint("volumes/performance", (2, 0), PERFORMANCE, IDENTIFIED, has_total=True),
    Endpoint("volumes/performance/by-array", (2, 0), PERFORMANCE, {**IDENTIFIED, **OF_ARRAY}, has_total=True),
    Endpoint(
        "volumes/tags",
        (2, 2),
        {
            **PAGED,
            **from_minor(0, "resource_destroyed resource_ids resource_names"),
            **from_minor(3, "continuation_token namespaces"),
            **CONTEXT_ASKED,
        },
        {**from_minor(0, "copyable key namespace value resource.id resource.name"), **CONTEXT},
    ),
    Endpoint(
        "hosts",
        (2, 0),
        {**PAGED, **NAMED, **TOKEN, **from_minor(36, "destroyed"), **CONTEXT_ASKED},
        {
            **from_minor(
                0,
                "name chap.host_password chap.host_user chap.target_password chap.target_user connection_count"
                " host_group.name iqns nqns wwns personality port_connectivity.details port_connectivity.status"
                " preferred_arrays.id preferred_arrays.name",
            ),
            **SPACE,
            **from_minor(1, "is_local"),
            **from_minor(16, "vlan"),
            **from_minor(36, "destroyed time_remaining"),
            **from_minor(50, QOS),
            **from_minor(52, "nvme_stretch"),
            **CONTEXT,
        },
    ),
    Endpoint(
        "hosts/performance",
        (2, 0),
        {**PAGED, **NAMED, **from_minor(0, "total_only"), **LATE_HISTORY, **LATE_TOKEN, **CONTEXT_ASKED},
        HOST_PERFORMANCE,
        has_total=True,
    ),
    Endpoint(
        "hosts/performance/by-array",
        (2, 0),
        {**PAGED, **NAMED, **from_minor(0, "total_only"), **LATE_HISTORY, **LATE_TOKEN, **CONTEXT_ASKED},
        {**HOST_PERFORMANCE, **OF_ARRAY},
        has_total=True,
    ),
    Endpoint(
        "hosts/performance/balance",
        (2, 4),
        {**PAGED, **NAMED, **LATE_TOKEN, **CONTEXT_ASKED},
        {
            **from_minor(0, "name fraction_relative_to_max op_count time"),
            **under("initiator", INITIATOR),
            **under("target", PORT),
            **CONTEXT,
        },
    ),
    Endpoint(
        "host-groups",
        (2, 0),
        {**PAGED, **NAMED, **TOKEN, **from_minor(36, "destroyed"), **CONTEXT_ASKED},
        {
            **from_minor(0, "name connection_count host_count is_local"),
            **SPACE,
            **from_minor(36, "destroyed time_remaining"),
            **from_minor(50, QOS),
            **CONTEXT,
        },
    ),
    Endpoint(
        "host-groups/hosts",
        (2, 0),
        {**PAGED, **from_minor(0, "group_names member_names"), **TOKEN, **CONTEXT_ASKED},
        {**from_minor(0, "group.name member.name"), **CONTEXT},
    ),
    Endpoint(
        "pods",
        (2, 1),
        INVENTORY,
        {
            **from_minor(
                0,
                "id name arrays.id arrays.name arrays.frozen_at arrays.mediator_status arrays.pre_elected"
                " arrays.progress arrays.status destroyed failover_preferences.id failover_preferences.name footprint"
                " mediator mediator_version source.id source.name time_remaining",
            ),
            **SPACE,
            **from_minor(2, "replication", "space."),
            **from_minor(2, "link_source_count link_target_count promotion_status requested_promotion_state"),
            **from_minor(3, "array_count"),
            **from_minor(13, "eradication_config.manual_eradication"),
            **from_minor(23, "quota_limit space.replication_effective space.shared_effective"),
            **from_minor(36, [f"{place}.{part}" for place in ("arrays.member", "members") for part in TYPED]),
            **CONTEXT,
        },
        has_total=True,
    ),
    Endpoint(
        "pods/performance",
        (2, 1),
        {**PERFORMANCE, **from_minor(13, PROTOCOL)},
        POD_PERFORMANCE,
        has_total=True,
    ),
    Endpoint(
        "pods/performance/by-array",
        (2, 1),
        {**PERFORMANCE, **from_minor(13, PROTOCOL)},
        {**POD_PERFORMANCE, **OF_ARRAY, **from_minor(50, TYPED, "member.")},
        has_total=True,
    ),
    Endpoint(
        "volume-groups",
        (2, 1),
        INVENTORY,
        {
            **from_minor(0, "id name destroyed time_remaining volume_count"),
            **QOS,
            **SPACE,
            **PRIORITY,
            **from_minor(20, "pod.id pod.name"),
            **from_minor(40, WORKLOAD),
            **CONTEXT,
        },
        has_total=True,
    ),
    Endpoint("volume-groups/performance", (2, 1), PERFORMANCE, IDENTIFIED, has_total=True),
    Endpoint(
        "volume-groups/volumes",
        (2, 1),
        {**PAGED, **from_minor(0, "group_ids group_names member_ids member_names"), **TOKEN, **CONTEXT_ASKED},
        {**from_minor(0, "group.id group.name member.id member.name"), **CONTEXT},
    ),
    Endpoint(
        "arrays",
        (2, 2),
        {**PAGED, **LATE_TOKEN, **CONTEXT_ASKED},
        {
            **from_minor(
                0,
                "id name banner capacity console_lock_enabled idle_timeout ntp_servers os parity scsi_timeout version",
            ),
            **SPACE,
            **from_minor(2, "replication", "space."),
            **from_minor(
                6,
                "encryption.data_at_rest.algorithm encryption.data_at_rest.enabled encryption.module_version"
                " eradication_config.eradication_delay",
            ),
            **from_minor(9, "shared_effective snapshots_effective total_effective unique_effective", "space."),
            **from_minor(10, "eradication_config.manual_eradication"),
            **from_minor(
                26,
                "_as_of eradication_config.disabled_delay eradication_config.enabled_delay ntp_symmetric_key time_zone",
            ),
            **from_minor(52, TYPED, "network_access_policy."),
            **CONTEXT,
        },
    ),
    Endpoint(
        "arrays/performance",
        (2, 2),
        {**PAGED, **HISTORY, **PROTOCOL},
        {
            **PERFORMANCE_FIELDS,
            **REFERENCE,
            **from_minor(2, "local_queue_usec_per_op others_per_sec queue_depth usec_per_other_op"),
        },
    ),
    Endpoint(
        "directories",
        (2, 3),
        {
            **OBJECTS,
            **TOKEN,
            **from_minor(0, "file_system_ids file_system_names"),
            **FILE_CONTEXT,
            **WORKLOADS,
        },
        {
            **from_minor(
                0,
                "id name created destroyed directory_name file_system.id file_system.name path time_remaining",
            ),
            **SPACE,
            **from_minor(7, [f"limited_by.{what}.{part}" for what in ("member", "policy") for part in TYPED]),
            **from_minor(51, WORKLOAD),
            **{path: max(since, (2, 42)) for path, since in CONTEXT.items()},
        },
        has_total=True,
    ),
    Endpoint(
        "directories/performance",
        (2, 3),
        {**OBJECTS, **HISTORY, **PROTOCOL, **from_minor(42, "continuation_token"), **FILE_CONTEXT},
        {
            **from_minor(
                0,
                "id name time bytes_per_op bytes_per_read bytes_per_write others_per_sec read_bytes_per_sec"
                " reads_per_sec usec_per_other_op usec_per_read_op usec_per_write_op write_bytes_per_sec"
                " writes_per_sec",
            ),
            **{path: max(since, (2, 42)) for path, since in CONTEXT.items()},
        },
        has_total=True,
    ),
    Endpoint(
        "directory-exports",
        (2, 3),
        {
            **PAGED,
            **TOKEN,
            **from_minor(0, "destroyed directory_ids directory_names export_names policy_ids policy_names"),
            **from_minor(44, "names"),
            **FILE_CONTEXT,
            **WORKLOADS,
        },
        {
            **from_minor(0, "destroyed enabled export_name path"),
            **from_minor(0, [f"{what}.{part}" for what in ("directory", "policy") for part in TYPED]),
            **from_minor(32, "status"),
            **from_minor(44, "name server.id server.name server.resource_type"),
            **from_minor(51, WORKLOAD),
            **{path: max(since, (2, 42)) for path, since in CONTEXT.items()},
        },
    ),
    Endpoint(
        "network-interfaces",
        (2, 4),
        {**PAGED, **NAMED, **TOKEN, **from_minor(48, "context_names allow_errors")},
        {
            **from_minor(
                4,
                "name enabled eth.address eth.gateway eth.mac_address eth.mtu eth.netmask eth.subinterfaces.name"
                " eth.subnet.name eth.subtype eth.vlan fc.wwn interface_type services speed",
            ),
            **from_minor(44, TYPED, "attached_servers."),
            **from_minor(50, TYPED, "server."),
            **{path: max(since, (2, 48)) for path, since in CONTEXT.items()},
        },
    ),
    Endpoint(
        "network-interfaces/performance",
        (2, 4),
        {**PAGED, **NAMED, **from_minor(0, "total_only"), **HISTORY},
        {**from_minor(4, "name interface_type time"), **under("eth", ETHERNET), **under("fc", FIBRE_CHANNEL)},
        has_total=True,
    ),
    Endpoint(
        "connections",
        (2, 0),
        {
            **PAGED,
            **from_minor(0, "host_group_names host_names protocol_endpoint_names volume_names"),
            **TOKEN,
            **from_minor(9, "protocol_endpoint_ids volume_ids"),
            **CONTEXT_ASKED,
        },
        {
            **from_minor(0, "host.name host_group.name lun protocol_endpoint.id protocol_endpoint.name"),
            **from_minor(0, "volume.id volume.name"),
            **from_minor(27, "nsid"),
            **CONTEXT,
        },
    ),
    Endpoint(
        "ports",
        (2, 2),
        {**PAGED, **NAMED, **LATE_TOKEN, **CONTEXT_ASKED},
        {**PORT, **CONTEXT},
    ),
    Endpoint(
        "ports/initiators",
        (2, 2),
        {**PAGED, **NAMED, **LATE_TOKEN, **CONTEXT_ASKED},
        {
            **under("initiator", INITIATOR),
            **under("target", PORT),
            **from_minor(49, "encryption.enabled encryption.mode"),
            **CONTEXT,
        },
    ),
    Endpoint(
        "controllers",
        (2, 2),
        {**PAGED, **NAMED, **TOKEN},
        {**from_minor(0, "name mode model status type version"), **from_minor(30, "mode_since")},
    ),
)
ENDPOINTS: Mapping[str, Endpoint] = {endpoint.path: endpoint for endpoint in _ENDPOINTS}
