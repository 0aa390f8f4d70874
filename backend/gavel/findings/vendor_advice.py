"""What vendors of arrays publish about the path policy of their devices, by the OUI in a device's name. Unproven advice is left out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gavel.domain.path_policy import PathPolicy
from gavel.findings.model import FindingReference

ROUND_ROBIN = "VMW_PSP_RR"


@dataclass(frozen=True, slots=True)
class VendorAdvice:
    """prefixes: of canonical names. is_met: whether a policy is as advised. advised: in words; target: policy to set, as ESXi writes it."""

    vendor: str
    prefixes: Sequence[str]
    is_met: Callable[[PathPolicy], bool]
    advised: str
    target: str
    reference: FindingReference


def _is_one_or_latency(policy: PathPolicy) -> bool:
    return policy.plugin == ROUND_ROBIN and (policy.by == "latency" or (policy.by == "iops" and policy.iops == 1))


def _is_round_robin(policy: PathPolicy) -> bool:
    return policy.plugin == ROUND_ROBIN


ADVICE: Sequence[VendorAdvice] = (
    VendorAdvice(
        vendor="Pure Storage FlashArray",
        prefixes=("naa.624a9370",),
        is_met=_is_one_or_latency,
        advised="round robin by latency, or after every I/O (iops=1)",
        target="VMW_PSP_RR policy=iops,iops=1",
        reference=FindingReference(
            "Pure Storage: path selection of FlashArray volumes in ESXi (rule of ESXi for PURE FlashArray)",
            "https://www.codyhosterman.com/2018/10/latency-round-robin-psp-in-esxi-6-7-update-1/",
            "2018-10",
        ),
    ),
    VendorAdvice(
        vendor="NetApp ONTAP",
        prefixes=("naa.600a0980",),
        is_met=_is_round_robin,
        advised="round robin; the number of I/Os per path is left as it is",
        target="VMW_PSP_RR",
        reference=FindingReference(
            "NetApp: Recommended ESXi host settings (VMW_SATP_ALUA with VMW_PSP_RR)",
            "https://docs.netapp.com/us-en/ontap-sanhost/hu_vsphere_8.html",
        ),
    ),
    VendorAdvice(
        vendor="HPE 3PAR and Primera",
        prefixes=("naa.60002ac",),
        is_met=_is_one_or_latency,
        advised="round robin after every I/O (iops=1), or by latency",
        target="VMW_PSP_RR policy=iops,iops=1",
        reference=FindingReference("HPE 3PAR VMware ESX Implementation Guide, custom rule for 3PARdata VV"),
    ),
)


def advice_for(canonical_name: str) -> VendorAdvice | None:
    """None for a vendor whose advice is not known."""
    name = canonical_name.lower()
    return next((one for one in ADVICE if name.startswith(tuple(one.prefixes))), None)
