"""Where messages may go: http(s) only, to addresses that are public or that the operator has named."""

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from gavel.domain.errors import SettingsError
from gavel.egress.reserved import NEVER_CONNECTED, IpAddress, IpNetwork, ip_meanings, is_within

# Private, though Python 3.11 calls some of them global: site-local, and forms of IPv4 addresses that only a network of one's own routes.
_PRIVATE = tuple(ipaddress.ip_network(text) for text in ("fec0::/10", "::/96", "::ffff:0:0:0/96", "64:ff9b:1::/48"))
# How an operator allows more; refusals name them.
NETWORKS_SETTING, PLAIN_HTTP_SETTING = "GAVEL_ALERT_NETWORKS", "GAVEL_ALERT_PLAIN_HTTP"
_PORTS = {"https": 443, "http": 80}


class ForbiddenError(SettingsError):
    """A message would have gone where it may not go; nothing was sent."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """networks: what may be reached beside public addresses (private ranges, one CIDR each). schemes: usually https only."""

    networks: tuple[IpNetwork, ...] = ()
    schemes: frozenset[str] = frozenset({"https"})

    def check_scheme(self, scheme: str) -> None:
        """Raises ForbiddenError."""
        if scheme not in self.schemes:
            how = f" Set {PLAIN_HTTP_SETTING}=1 to allow it." if scheme == "http" else ""
            raise ForbiddenError(
                f"{scheme or 'no scheme'}: only {' and '.join(sorted(self.schemes))} may be used.{how}"
            )

    def check(self, host: str, address: str) -> None:
        """Raises ForbiddenError unless this resolved address may be connected to; `host` is only for the message."""
        every = list(ip_meanings(ipaddress.ip_address(address.partition("%")[0])))
        if any(is_within(meaning, NEVER_CONNECTED) for meaning in every):
            raise ForbiddenError(
                f"{host}: leads to {address}, which is never connected to (metadata, multicast, reserved)."
            )
        # Every meaning has to be permitted: an IPv6 form must not smuggle in a private IPv4 address.
        if not all(_is_public(meaning) or is_within(meaning, self.networks) for meaning in every):
            raise ForbiddenError(
                f"{host}: leads to the private address {address}. To allow it, add its network to {NETWORKS_SETTING}, "
                f"as in {NETWORKS_SETTING}={_network_of(address)}."
            )


@dataclass(frozen=True, slots=True)
class Target:
    """A URL taken apart. path: with the query. `str()` has no path, since a webhook's path is its secret."""

    scheme: str
    host: str
    port: int
    path: str

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}"

    @property
    def authority(self) -> str:
        """Host, and port where it is not the scheme's own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS.get(self.scheme) else f"{host}:{self.port}"


def parse_networks(texts: Iterable[str]) -> tuple[IpNetwork, ...]:
    """CIDRs. Raises SettingsError that names the bad one."""
    found = []
    for text in texts:
        try:
            found.append(ipaddress.ip_network(text.strip()))
        except ValueError as error:
            raise SettingsError(f"{text!r} is no network: write it as 10.1.0.0/16 ({error}).") from error
    return tuple(found)


def parse_url(url: str) -> Target:
    """Raises ForbiddenError, without the URL's secrets, for what is no plain http(s) URL."""
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname
    except ValueError as error:
        raise ForbiddenError(f"The address is no URL ({error}).") from error
    if parts.scheme not in _PORTS:
        raise ForbiddenError("The address has to start with https:// (or http:// where that is allowed).")
    if not host or parts.username is not None or parts.password is not None:
        raise ForbiddenError("The address needs a host name and no user name or password before it.")
    if any(character.isspace() or not character.isprintable() for character in url) or not url.isascii():
        raise ForbiddenError("The address has blanks or letters beyond ASCII; write the host in its xn-- form.")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(parts.scheme, host, port or _PORTS[parts.scheme], path)


def _is_public(meaning: IpAddress) -> bool:
    return meaning.is_global and not is_within(meaning, _PRIVATE)


def _network_of(address: str) -> str:
    """The smallest one there is: of this address alone."""
    return str(ipaddress.ip_network(address.partition("%")[0]))


@dataclass(frozen=True, slots=True)
class OutboundPolicy:
    """public_url: base of links in messages; None: messages have none."""

    public_url: str | None = None
    allowed: Allowed = field(default_factory=Allowed)


def outside(public_url: str | None, networks: str, *, plain_http: bool) -> OutboundPolicy:
    """networks: private ones that messages may go to, CIDRs with commas between. Raises SettingsError for what is none."""
    named = parse_networks(text for text in networks.split(",") if text.strip())
    schemes = frozenset({"https", "http"} if plain_http else {"https"})
    return OutboundPolicy(public_url.rstrip("/") if public_url else None, Allowed(named, schemes))
