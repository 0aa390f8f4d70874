"""What a person gives to add a FlashArray."""

from pydantic import ConfigDict, Field, SecretStr, field_validator

from gavel.collectors.network import parse_address
from gavel.collectors.trust import TlsTrust


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
        description="Token of a user with the role readonly: Settings › Users › API tokens, or 'pureadmin create --api-token'.",
        min_length=8,
        max_length=200,
    )
    poll_interval_s: int = Field(
        default=30,
        title="Poll interval (s)",
        description="Seconds between two reads. The array keeps 30 s samples, so 60 loses nothing and halves the load on big sites.",
        ge=30,
        le=60,
    )

    @field_validator("address")
    @classmethod
    def _usable_address(cls, value: str) -> str:
        parse_address(value)
        return value.strip()
