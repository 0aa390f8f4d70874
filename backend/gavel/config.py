"""Settings of the process, from the environment (`GAVEL_…`). Read by entry points only; everything below is handed what it needs."""

from pathlib import Path
from typing import Literal
from urllib.parse import quote

from pydantic import Field, PrivateAttr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from gavel.embedded.postgres import database_url, default_socket_dir
from gavel.embedded.sockets import socket_folder

_BROKER_SOCKET = "valkey.sock"
_REPOSITORY = Path(__file__).resolve().parents[2]


class Settings(BaseSettings):
    """Defaults are those of one machine: everything below `data_dir`, listening on loopback only."""

    model_config = SettingsConfigDict(env_prefix="GAVEL_", extra="ignore")

    data_dir: Path = Field(default=Path(".data"), description="Where database, broker, key and logs live.")
    database_url: str = Field(default="", description="PostgreSQL URL; empty: the embedded one in data_dir.")
    broker_url: str = Field(default="", description="Redis/Valkey or AMQP URL; empty: the embedded Valkey in data_dir.")
    host: str = Field(default="127.0.0.1", description="Address the API and pages listen on.")
    port: int = Field(default=8321, ge=1, le=65535, description="Port the API and pages listen on.")
    public_url: str | None = Field(default=None, description="Address people use, for links that leave the house.")
    key_file: Path = Field(default=Path(), description="Key of the stored secrets; default: data_dir/secret.key.")
    frontend_dir: Path = Field(default=_REPOSITORY / "frontend" / "dist", description="The built pages.")
    lab: bool = Field(default=True, description="Start the lab and register its sources (`gavel up`).")
    lab_port: int = Field(default=8330, ge=1, le=65000, description="First port of the lab.")
    pg_user: str | None = Field(
        default=None, description="Account the embedded PostgreSQL runs as when started by root."
    )
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_json: bool = Field(default=False, description="One JSON object per line instead of text.")

    _embedded_database: bool = PrivateAttr(default=False)
    _embedded_broker: bool = PrivateAttr(default=False)

    @model_validator(mode="after")
    def _complete(self) -> "Settings":
        self.data_dir = self.data_dir.expanduser().absolute()
        self.key_file = (
            self.key_file.expanduser().absolute() if self.key_file != Path() else self.data_dir / "secret.key"
        )
        self._embedded_database = not self.database_url
        self._embedded_broker = not self.broker_url
        if self._embedded_database:
            self.database_url = database_url(default_socket_dir(self.postgres_dir))
        if self._embedded_broker:
            self.broker_url = f"redis+socket://{quote(str(self.broker_socket))}?virtual_host=0"
        return self

    @property
    def embedded_database(self) -> bool:
        """Whether the supervisor starts PostgreSQL itself."""
        return self._embedded_database

    @property
    def embedded_broker(self) -> bool:
        """Whether the supervisor starts Valkey itself."""
        return self._embedded_broker

    @property
    def postgres_dir(self) -> Path:
        return self.data_dir / "postgres"

    @property
    def valkey_dir(self) -> Path:
        return self.data_dir / "valkey"

    @property
    def broker_socket(self) -> Path:
        return socket_folder(self.valkey_dir, _BROKER_SOCKET) / _BROKER_SOCKET

    @property
    def setup_token_file(self) -> Path:
        """Where the one-time setup token stands until it is used."""
        return self.data_dir / "setup-token"
