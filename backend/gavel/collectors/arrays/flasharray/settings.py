"""What a person gives to add a FlashArray."""

from pydantic import ConfigDict, Field, SecretStr, field_validator

from gavel.egress.network import bare_address, parse_address
from gavel.egress.tls import ADVANCED, DESTINATION, TlsTrust


class FlashArraySettings(TlsTrust):
    """Settings of a FlashArray source. A read-only API user's token is enough."""

    model_config = ConfigDict(extra="forbid", title="FlashArray")

    address: str = Field(
        title="Management address",
        description="Host name or IP address of the array's management port, with :port if it is not 443.",
        max_length=300,
        json_schema_extra=DESTINATION,
    )
    api_token: SecretStr = Field(
        title="API token",
        description="Of a user with the role readonly. Stored encrypted, never shown again.",
        min_length=8,
        max_length=200,
    )
    poll_interval_s: int = Field(
        default=30,
        title="Poll interval (s)",
        description="Seconds between two reads. The array keeps 30 s samples, so 60 loses nothing and halves the load on big sites.",
        ge=30,
        le=60,
        json_schema_extra=ADVANCED,
    )
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

    @field_validator("api_token")
    @classmethod
    def _sendable_token(cls, value: SecretStr) -> SecretStr:
        # It travels in an HTTP header. The text is not repeated: it is a secret.
        if not all("!" <= sign <= "~" for sign in value.get_secret_value()):
            raise ValueError("an API token has visible ASCII characters only; copy it again, without blanks")
        return value

    @field_validator("address")
    @classmethod
    def _usable_address(cls, value: str) -> str:
        parse_address(value)
        return bare_address(value)
