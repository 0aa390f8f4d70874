"""Effective queue depth of a device on a host: how deep it is, and what makes it so (attribution.md §6)."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from gavel.analysis.intervals import Bools, Floats

# From two on, DSNRO has a say.
_COMPETING = 2


class DepthRule(IntEnum):
    """What makes a depth what it is. LESS, MORE: than the settings give. UNEXPLAINED: settings or VMs are not known."""

    UNREAD = 0
    CONFIGURED = 1
    UNEXPLAINED = 2
    ONE_VM = 3
    COMPETING_VMS = 4
    NVME = 5
    LESS = 6
    MORE = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class DepthInputs:
    """n devices on hosts, each (n,); NaN where unknown.

    measured: `disk.maxQueueDepth`. configured: what the device takes from one VM alone (`scsiLun.queueDepth`, esxcli); of NVMe queue
    size × queues. dsnro: what it takes once several do I/O. active_vms: VMs that did I/O on this device from this host.
    """

    measured: Floats
    configured: Floats
    dsnro: Floats
    active_vms: Floats
    is_nvme: Bools


@dataclass(frozen=True, slots=True, kw_only=True)
class Depths:
    """depth: (n,) the limit on I/Os in flight, NaN unknown; rule: `DepthRule`; predicted: what the settings give, NaN unknown."""

    depth: Floats
    rule: npt.NDArray[np.int64]
    predicted: Floats


def as_read(largest: Floats, configured: Floats) -> Floats:
    """(n,) the largest depth that was reported, else the configured one; NaN where neither is known."""
    depth: Floats = np.where(largest > 0, largest, np.where(configured > 0, configured, np.nan))
    return depth


def effective_depth(inputs: DepthInputs) -> Depths:
    """The depth as read, never as predicted: settings explain it, they do not replace it."""
    depth, predicted = as_read(inputs.measured, inputs.configured), _predicted(inputs)
    rule = np.select(
        [
            np.isnan(depth),
            ~(inputs.measured > 0),
            np.isnan(predicted),
            depth < predicted,
            depth > predicted,
            inputs.is_nvme,
            inputs.active_vms >= _COMPETING,
        ],
        [
            int(DepthRule.UNREAD),
            int(DepthRule.CONFIGURED),
            int(DepthRule.UNEXPLAINED),
            int(DepthRule.LESS),
            int(DepthRule.MORE),
            int(DepthRule.NVME),
            int(DepthRule.COMPETING_VMS),
        ],
        int(DepthRule.ONE_VM),
    )
    return Depths(depth=depth, rule=rule, predicted=predicted)


def _predicted(inputs: DepthInputs) -> Floats:
    """DSNRO is nothing to NVMe, and nothing to one VM alone; a minimum with an unknown is unknown."""
    shared = np.minimum(inputs.configured, inputs.dsnro)
    result: Floats = np.select(
        [inputs.is_nvme, np.isnan(inputs.active_vms), inputs.active_vms >= _COMPETING],
        [inputs.configured, np.full_like(shared, np.nan), shared],
        inputs.configured,
    )
    return result


def halved(before: Floats, after: Floats) -> Bools:
    """Where a depth fell to half or less, as it does when worlds begin to compete."""
    result: Bools = after <= before / 2
    return result
