"""Addresses that nothing is ever sent to, and every meaning that an IP address may hide."""

import ipaddress
from collections.abc import Iterable, Iterator
from typing import Final

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IpNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network
# Whoever asks for it: metadata services of clouds live on link-local addresses and on some of their own, and nothing listens on the others.
NEVER_CONNECTED: Final[tuple[IpNetwork, ...]] = tuple(
    ipaddress.ip_network(text)
    for text in ("169.254.0.0/16", "fe80::/10", "fd00:ec2::/32", "0.0.0.0/8", "::/128", "224.0.0.0/4", "ff00::/8",
                 "240.0.0.0/4", "100.100.100.200/32", "168.63.129.16/32", "192.0.0.0/24", "fd20:ce::/32")
)  # fmt: skip
# IPv6 networks whose last 32 bits are an IPv4 address: compatible, translated (SIIT), and of NAT64, the well-known and the local one.
_HOLD_IPV4 = tuple(
    ipaddress.IPv6Network(text) for text in ("::/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48")
)
_NO_IPV4 = (ipaddress.IPv6Address("::"), ipaddress.IPv6Address("::1"))


class NeverConnectedError(OSError):
    """An address that nothing is ever read from; nothing was sent there."""

    def __init__(self, ip: str) -> None:
        super().__init__(f"{ip} is never connected to (link-local, metadata of a cloud, multicast, reserved)")
        self.ip = ip


def ip_meanings(ip: IpAddress) -> Iterator[IpAddress]:
    """The address, and the IPv4 addresses that it stands for."""
    yield ip
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped:
            yield ip.ipv4_mapped
        if ip.sixtofour:
            yield ip.sixtofour
        if ip.teredo:
            yield from ip.teredo
        if ip not in _NO_IPV4 and any(ip in network for network in _HOLD_IPV4):
            yield ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)


def is_within(ip: IpAddress, networks: Iterable[IpNetwork]) -> bool:
    return any(ip.version == network.version and ip in network for network in networks)


def refuse_never_connected(ip: str) -> None:
    """Raises NeverConnectedError for a resolved address, with or without a scope, that no source lives at."""
    if any(is_within(meaning, NEVER_CONNECTED) for meaning in ip_meanings(ipaddress.ip_address(ip.partition("%")[0]))):
        raise NeverConnectedError(ip)
