"""What a person gives to add a FlashArray."""

from pydantic import ConfigDict, Field, SecretStr, field_validator

from gavel.collectors.baselines import ArrayBaselines
from gavel.egress.network import bare_address, parse_address
from gavel.egress.tls import ADVANCED, DESTINATION


class FlashArraySettings(ArrayBaselines):
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
