"""What a person may say of any array about the latency to expect of it: read by diagnoses, whatever the vendor."""

from pydantic import Field

from gavel.egress.tls import ADVANCED, TlsTrust


class ArrayBaselines(TlsTrust):
    """Empty fields: Gavel's own, until the array's history is known."""

    baseline_san_us: int | None = Field(
        default=None,
        title="SAN baseline (µs)",
        description="What one round trip to this array may take before its own history is known. Empty: 100.",
        ge=0,
        le=1_000_000,
        json_schema_extra=ADVANCED,
    )
    baseline_array_us: int | None = Field(
        default=None,
        title="Array baseline (µs)",
        description="What this array may take for one I/O before its own history is known. Empty: 500.",
        ge=0,
        le=1_000_000,
        json_schema_extra=ADVANCED,
    )
    san_cap_us: int | None = Field(
        default=None,
        title="Highest SAN baseline (µs)",
        description="The learned SAN baseline never exceeds this. Empty: 300.",
        ge=0,
        le=1_000_000,
        json_schema_extra=ADVANCED,
    )
    array_cap_us: int | None = Field(
        default=None,
        title="Highest array baseline (µs)",
        description="The learned array baseline never exceeds this. Empty: 1,000.",
        ge=0,
        le=1_000_000,
        json_schema_extra=ADVANCED,
    )
    san_payload_mb_per_s: int | None = Field(
        default=None,
        title="SAN payload rate (MB/s)",
        description="Of the slowest link between the hosts and this array: 100 per Gbit/s of Fibre Channel, 115 per Gbit/s of Ethernet."
        " The transfer of an I/O at this rate is expected on top of a round trip. Empty: 1,600.",
        ge=1,
        le=1_000_000,
        json_schema_extra=ADVANCED,
    )
    pod_round_trip_us: int | None = Field(
        default=None,
        title="Round trip between pod arrays (µs)",
        description="From this array to its ActiveCluster partner and back: every write of a stretched volume waits for it. Empty: 0.",
        ge=0,
        le=1_000_000,
        json_schema_extra=ADVANCED,
    )
