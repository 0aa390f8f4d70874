"""What a person gives to add a FlashArray."""

from pydantic import ConfigDict, Field, SecretStr, field_validator

from gavel.network import bare_address, parse_address
from gavel.trust import ADVANCED, TlsTrust


class FlashArraySettings(TlsTrust):
    """Settings of a FlashArray source. A read-only API user's token is enough."""

    model_config = ConfigDict(extra="forbid", title="FlashArray")

    address: str = Field(
        title="Management address",
        description="Host name or IP address of the array's management port, with :port if it is not 443.",
        max_length=300,
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
    expected_san_us: int | None = Field(
        default=None,
        title="Expected SAN time (µs)",
        description="What one round trip to this array may take before its own history is known. Empty: 100.",
        ge=0,
        le=1_000_000,
        json_schema_extra=ADVANCED,
    )
    expected_array_us: int | None = Field(
        default=None,
        title="Expected array time (µs)",
        description="What this array may take for one I/O before its own history is known. Empty: 500.",
        ge=0,
        le=1_000_000,
        json_schema_extra=ADVANCED,
    )
    san_cap_us: int | None = Field(
        default=None,
        title="Most expected SAN time (µs)",
        description="History never makes a slower SAN expected than this. Empty: 300.",
        ge=0,
        le=1_000_000,
        json_schema_extra=ADVANCED,
    )
    array_cap_us: int | None = Field(
        default=None,
        title="Most expected array time (µs)",
        description="History never makes a slower array expected than this. Empty: 1,000.",
        ge=0,
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

    @field_validator("address")
    @classmethod
    def _usable_address(cls, value: str) -> str:
        parse_address(value)
        return bare_address(value)
