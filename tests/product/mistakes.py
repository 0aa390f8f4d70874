"""What a newcomer gets wrong when a source is added, and what Gavel has to answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.product.hostile import Hostiles

TOKEN, PASSWORD = "0123abcd-1234-1234-1234-0123456789ab", "correct horse"
NO_SUCH_NAME = "no-such-array.invalid"


@dataclass(frozen=True)
class Case:
    """`address`: "own" (the lab's of the kind), the name of a source or a hostile server, or as it stands. `says`: in the sentence."""

    kind: str
    address: str
    says: str
    pinned: bool = True


CASES: Mapping[str, Case] = {
    "a wrong token": Case("flasharray", "own", r"token was refused.*Give this source a valid one"),
    "a wrong password": Case("vcenter", "own", r"login refused for 'gavel.*Check user name and password"),
    "an array's name that does not resolve": Case("flasharray", NO_SUCH_NAME, r"does not resolve.*spelling"),
    "a vCenter's name that does not resolve": Case("vcenter", NO_SUCH_NAME, r"does not resolve.*spelling"),
    "an array's self-signed certificate": Case("flasharray", "own", r"not trusted.*[0-9a-f]{64}.*pin", pinned=False),
    "a vCenter's self-signed certificate": Case("vcenter", "own", r"not trusted.*[0-9a-f]{64}.*pin", pinned=False),
    "a website for an array": Case("flasharray", "website", r"version|FlashArray"),
    "a website for a vCenter": Case("vcenter", "website", r"not a vCenter"),
    "a vCenter for an array": Case("flasharray", "vcenter-1", r"version|FlashArray"),
    "an array for a vCenter": Case("vcenter", "flasharray-1", r"not a vCenter"),
    "an ESXi host for a vCenter": Case("vcenter", "esxi", r"VMware ESXi.*not a vCenter"),
    "plain HTTP for an array": Case("flasharray", "plain_http", r"TLS"),
    "plain HTTP for a vCenter": Case("vcenter", "plain_http", r"TLS"),
    "a closed port for an array": Case("flasharray", "closed_port", r"refused.*Check the address"),
    "a closed port for a vCenter": Case("vcenter", "closed_port", r"refused.*Check the address"),
    "a black hole for an array": Case("flasharray", "black_hole", r"no answer in time"),
    "a black hole for a vCenter": Case("vcenter", "black_hole", r"no answer in time"),
    "an array that never answers": Case("flasharray", "silent_server", r"no answer in time"),
    "a vCenter that never answers": Case("vcenter", "silent_server", r"no answer in time"),
    "an array that drips": Case("flasharray", "drip", r"no answer in time|deadline"),
    "a vCenter that drips": Case("vcenter", "drip", r"no answer in time|deadline"),
}


def settings(sources: Sequence[Mapping[str, Any]], hostile: Hostiles, case: Case) -> dict[str, Any]:
    """The settings of a case. `sources`: those of the lab, as it announces them."""
    own = {source["name"]: source for source in sources}
    known = own.get(f"{case.kind}-1" if case.address == "own" else case.address)
    # By another name: under the one it has, it may be a source already.
    address = (
        known["address"].replace("127.0.0.1", "localhost") if known else getattr(hostile, case.address, case.address)
    )
    pin = known["settings"]["tls_sha256"] if known else hostile.fingerprint
    secrets = (
        {"api_token": TOKEN} if case.kind == "flasharray" else {"username": "gavel@vsphere.local", "password": PASSWORD}
    )
    return {"address": address, **secrets} | ({"fingerprint_sha256": pin} if case.pinned else {})
