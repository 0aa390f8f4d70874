"""What a person has to say to connect a vCenter. The form in the UI is made from this model's JSON Schema."""

from typing import Literal

from pydantic import Field, SecretStr, field_validator

from gavel.egress.network import bare_address, parse_address
from gavel.egress.tls import ADVANCED, DESTINATION, TlsTrust


class VcenterSettings(TlsTrust):
    address: str = Field(
        title="Address",
        description="Host name or IP address of the vCenter Server, with :port unless it is 443. Not of an ESXi host.",
        examples=["vcenter.example.org"],
        max_length=300,
        json_schema_extra=DESTINATION,
    )
    username: str = Field(
        title="User name",
        description="A user with the built-in role Read-only on the vCenter's root, propagated to children.",
        examples=["gavel@vsphere.local"],
        min_length=1,
        max_length=300,
    )
    password: SecretStr = Field(title="Password", description="Stored encrypted, never shown again.", min_length=1)
    poll_interval_s: Literal[20, 60] = Field(
        default=20,
        title="Poll interval (s)",
        description="How often samples are fetched. The grain is 20 s either way; 60 costs less at big sites.",
        json_schema_extra=ADVANCED,
    )
    read_esxcli: bool = Field(
        default=True,
        title="Read queue settings of the hosts",
        description="Reads DSNRO, HBA queue depths and path policies through esxcli; without the privilege, it is left out.",
        json_schema_extra=ADVANCED,
    )

    read_tags: bool = Field(
        default=True,
        title="Read tags",
        description="Reads tags of VMs, datastores, hosts and clusters through the REST interface; without access, they are left out.",
        json_schema_extra=ADVANCED,
    )

    @field_validator("address")
    @classmethod
    def _host_and_port(cls, value: str) -> str:
        parse_address(value)
        return bare_address(value)
