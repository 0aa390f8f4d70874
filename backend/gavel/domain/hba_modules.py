"""Drivers of host bus adapters: the module parameter that holds the queue depth of a device."""

from collections.abc import Mapping
from typing import Final

# By module; where there are several names, the one that the host has counts. Values and ranges are read from the host.
DEPTH_PARAMETERS: Final[Mapping[str, tuple[str, ...]]] = {
    "nfnic": ("lun_queue_depth_per_path",),
    "fnic": ("fnic_max_qdepth",),
    "lpfc": ("lpfc_lun_queue_depth",),
    "qlnativefc": ("ql2xmaxqdepth", "qlfxmaxqdepth"),
    "bfa": ("bfa_lun_queue_depth",),
    "iscsi_vmk": ("iscsivmk_LunQDepth",),
}
