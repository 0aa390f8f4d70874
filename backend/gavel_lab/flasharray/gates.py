"""Groups of parameters and fields that several endpoints share, each with the REST version it first appeared in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gavel_lab.flasharray.versions import Version

Since = Mapping[str, Version]


def from_minor(minor: int, names: str | Iterable[str], prefix: str = "") -> dict[str, Version]:
    """Names (blank-separated, or a list) that REST 2.<minor> introduced; 0 also means: as old as what holds them."""
    words = names.split() if isinstance(names, str) else names
    return {prefix + word: (2, minor) for word in words}


def under(prefix: str, fields: Since) -> dict[str, Version]:
    """The same fields one level deeper."""
    return {f"{prefix}.{path}": since for path, since in fields.items()}


# --- parameters -------------------------------------------------------------------------------------------------------

PAGED = from_minor(0, "filter limit offset sort total_item_count")
TOKEN = from_minor(1, "continuation_token")
LATE_TOKEN = from_minor(38, "continuation_token")
CONTEXT_ASKED = from_minor(38, "context_names allow_errors")
NAMED = from_minor(0, "names")
OBJECTS = {**PAGED, **NAMED, **from_minor(0, "ids destroyed total_only")}
HISTORY = from_minor(0, "start_time end_time resolution")
LATE_HISTORY = from_minor(16, "start_time end_time resolution")
PROTOCOL = from_minor(0, "protocol protocol_group")
INVENTORY = {**OBJECTS, **TOKEN, **CONTEXT_ASKED}
PERFORMANCE = {**OBJECTS, **HISTORY, **LATE_TOKEN, **CONTEXT_ASKED}
FILE_CONTEXT = from_minor(42, "context_names allow_errors")
WORKLOADS = from_minor(51, "workload_ids workload_names")

# --- fields -----------------------------------------------------------------------------------------------------------

REFERENCE = from_minor(0, "id name")
CONTEXT = {**from_minor(38, "context.id context.name"), **from_minor(47, "context.resource_type")}
TYPED = from_minor(0, "id name resource_type")
SPACE = under(
    "space",
    {
        **from_minor(
            0,
            "data_reduction shared snapshots system thin_provisioning total_physical total_provisioned total_reduction"
            " unique virtual",
        ),
        **from_minor(23, "used_provisioned"),
        **from_minor(26, "total_used"),
        **from_minor(34, "footprint"),
    },
)
QOS = from_minor(0, "qos.bandwidth_limit qos.iops_limit")
WORKLOAD = from_minor(0, "workload.id workload.name workload.resource_type workload.configuration")
PRIORITY = from_minor(
    10, "priority_adjustment.priority_adjustment_operator priority_adjustment.priority_adjustment_value"
)

DIRECTIONS = ("read", "write", "mirrored_write")


def _per_direction(pattern: str) -> list[str]:
    return [pattern.format(direction) for direction in DIRECTIONS]


PERFORMANCE_FIELDS: Since = {
    **from_minor(0, "name time"),
    **from_minor(0, _per_direction("{}s_per_sec")),
    **from_minor(0, _per_direction("{}_bytes_per_sec")),
    **from_minor(0, _per_direction("usec_per_{}_op")),
    **from_minor(0, _per_direction("san_usec_per_{}_op")),
    **from_minor(0, _per_direction("queue_usec_per_{}_op")),
    **from_minor(0, _per_direction("qos_rate_limit_usec_per_{}_op")),
    **from_minor(0, _per_direction("service_usec_per_{}_op")),
    **from_minor(0, _per_direction("bytes_per_{}")),
    **from_minor(0, "bytes_per_op"),
    **from_minor(4, "service_usec_per_read_op_cache_reduction"),
    **from_minor(49, _per_direction("qos_scheduling_usec_per_{}_op")),
    **from_minor(
        51,
        "cached_read_bytes_per_sec cached_reads_per_sec non_cached_read_bytes_per_sec non_cached_reads_per_sec"
        " read_cache_hit_ratio service_usec_per_read_op_cached service_usec_per_read_op_non_cached",
    ),
    **from_minor(52, "mirrored_others_per_sec others_per_sec usec_per_mirrored_other_op usec_per_other_op"),
}
IDENTIFIED = {**PERFORMANCE_FIELDS, **from_minor(0, "id"), **CONTEXT}
HOST_PERFORMANCE = {**PERFORMANCE_FIELDS, **CONTEXT}
POD_PERFORMANCE = {**IDENTIFIED, **from_minor(13, "others_per_sec usec_per_other_op")}
OF_ARRAY = from_minor(0, "array.id array.name")

ETHERNET = {
    **from_minor(
        4,
        "other_errors_per_sec received_bytes_per_sec received_crc_errors_per_sec received_frame_errors_per_sec"
        " received_packets_per_sec total_errors_per_sec transmitted_bytes_per_sec transmitted_carrier_errors_per_sec"
        " transmitted_dropped_errors_per_sec transmitted_packets_per_sec",
    ),
    **from_minor(
        36,
        [
            f"flow_control_{direction}_{what}"
            for direction in ("received", "transmitted")
            for what in (
                "congestion_packets_per_sec",
                "discarded_packets_per_sec",
                "lossless_bytes_per_sec",
                "pause_frames_per_sec",
            )
        ],
    ),
    **from_minor(
        36,
        "rdma_received_req_cqe_errors_per_sec rdma_received_sequence_errors_per_sec"
        " rdma_transmitted_local_ack_timeout_errors_per_sec",
    ),
}
FIBRE_CHANNEL = from_minor(
    4,
    "received_bytes_per_sec received_crc_errors_per_sec received_frames_per_sec received_link_failures_per_sec"
    " received_loss_of_signal_per_sec received_loss_of_sync_per_sec total_errors_per_sec transmitted_bytes_per_sec"
    " transmitted_frames_per_sec transmitted_invalid_words_per_sec",
)
PORT = from_minor(0, "name iqn nqn portal wwn failover")
INITIATOR = from_minor(0, "iqn nqn portal wwn")
