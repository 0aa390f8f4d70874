"""The settings of an installation, from GAVEL_* environment variables. Only entry points read them."""

import re
from collections.abc import Callable
from datetime import timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

import gavel
from gavel.domain.errors import SettingsError
from gavel.domain.retention import LIMITS, Grain, parse_length, refuse_beyond
from gavel.embedded import postgres, valkey

Port = Annotated[int, Field(ge=1, le=65535)]
# An unset variable often arrives as an empty one (make PORT=, compose).
OptionalText = Annotated[str | None, BeforeValidator(lambda value: value or None)]
_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)*/?")


def _public(url: str | None) -> str | None:
    """Raises ValueError for what cannot be the address of an installation."""
    if url is None:
        return None
    parts = urlsplit(url)
    if parts.scheme.lower() not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ValueError("use the address people open, as https://gavel.example.com or https://example.com/gavel")
    if not _PATH.fullmatch(parts.path) or {".", ".."} & set(parts.path.split("/")):
        raise ValueError(f"the path {parts.path!r} may have letters, digits, '.', '_', '~' and '-' between its slashes")
    return url


def _length(grain: Grain) -> Callable[[Any], Any]:
    def parsed(value: Any) -> Any:
        """Raises ValueError for what neither storage mode can keep."""
        if not isinstance(value, str):
            return value
        length = parse_length(value)
        refuse_beyond(length, *LIMITS[grain])
        return length

    return parsed


PublicUrl = Annotated[OptionalText, AfterValidator(_public)]


class Settings(BaseSettings):
    """Where things are and how to reach them. Relative folders count from the current directory."""

    model_config = SettingsConfigDict(env_prefix="GAVEL_", extra="ignore", env_ignore_empty=True)

    data_dir: Path = Path(".data")
    # Empty: the embedded servers, whose sockets lie in (or belong to) data_dir.
    database_url: str = ""
    broker_url: str = ""

    host: str = "127.0.0.1"
    port: Port = 8321
    public_url: PublicUrl = None
    # Private networks that alerts may be sent to, as 10.1.0.0/16,10.2.0.0/16; and whether without TLS too.
    alert_networks: str = ""
    alert_plain_http: bool = False
    # Where guests push their disk counters: nowhere unless a host is given, or the lab has guests that do (`supervise.listening`). With a
    # certificate it speaks TLS itself; else a proxy does.
    ingest_host: OptionalText = None
    ingest_port: Port = 8322
    ingest_certificate: Path | None = None
    ingest_certificate_key: Path | None = None
    # How long rows of each grain stay, as 48h or 14d; empty: the default of the storage mode. `gavel db migrate` puts them into force.
    keep_samples: Annotated[timedelta | None, BeforeValidator(_length(Grain.SAMPLES))] = None
    keep_minutes: Annotated[timedelta | None, BeforeValidator(_length(Grain.MINUTES))] = None
    keep_5_minutes: Annotated[timedelta | None, BeforeValidator(_length(Grain.FIVE_MINUTES))] = None
    keep_hours: Annotated[timedelta | None, BeforeValidator(_length(Grain.HOURS))] = None
    frontend_dir: Path = Path(gavel.__file__).parents[2] / "frontend" / "dist"
    key_file: Path = Path()

    lab: bool = True
    lab_port: Port = 8330
    lab_seed: int = 1
    lab_scale: str = "default"
    # Whether some guests of the lab push their disk counters.
    lab_guests: bool = True

    pg_user: OptionalText = None
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["auto", "json", "console"] = "auto"

    @property
    def keep(self) -> dict[Grain, timedelta]:
        """How long the operator wants rows of a grain to stay; without those that have the default."""
        lengths = {
            Grain.SAMPLES: self.keep_samples,
            Grain.MINUTES: self.keep_minutes,
            Grain.FIVE_MINUTES: self.keep_5_minutes,
            Grain.HOURS: self.keep_hours,
        }
        return {grain: length for grain, length in lengths.items() if length is not None}

    @property
    def public_path(self) -> str:
        """Where a reverse proxy serves Gavel below its host: the path of the public address, as /gavel; empty for a host of its own."""
        return urlsplit(self.public_url or "").path.rstrip("/")

    @model_validator(mode="after")
    def _fill_in(self) -> Self:
        self.data_dir = self.data_dir.expanduser().resolve()
        if (self.ingest_certificate is None) != (self.ingest_certificate_key is None):
            raise ValueError("GAVEL_INGEST_CERTIFICATE and GAVEL_INGEST_CERTIFICATE_KEY are given together, or neither")
        self.database_url = self.database_url or postgres.database_url(postgres.default_socket_dir(self.postgres_dir))
        self.broker_url = self.broker_url or valkey.broker_url(self.valkey_dir)
        self.key_file = self.data_dir / "secret.key" if self.key_file == Path() else self.key_file.expanduser()
        return self

    @property
    def postgres_dir(self) -> Path:
        """Data of the embedded PostgreSQL."""
        return self.data_dir / "postgres"

    @property
    def valkey_dir(self) -> Path:
        """Data of the embedded Valkey."""
        return self.data_dir / "valkey"

    @property
    def embedded_postgres(self) -> bool:
        """Whether the database is the one Gavel brings along."""
        return self.database_url == postgres.database_url(postgres.default_socket_dir(self.postgres_dir))

    @property
    def embedded_valkey(self) -> bool:
        """Whether the broker is the one Gavel brings along."""
        return self.broker_url == valkey.broker_url(self.valkey_dir)

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the pages and the API."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def setup_token_file(self) -> Path:
        """Holds the one-time setup token until it is used."""
        return self.data_dir / "setup-token"


def load_settings(**chosen: Any) -> Settings:
    """The settings of the environment, `chosen` over them. Raises SettingsError that names each variable that does not fit."""
    try:
        return Settings(**chosen)
    except ValidationError as error:
        wrong = (f"GAVEL_{item['loc'][0]!s}".upper() + f": {item['msg']}" for item in error.errors(include_input=False))
        raise SettingsError("Unusable settings. " + "; ".join(wrong)) from error
