"""Effective queue depth of a device on a host, and who set it (attribution.md §6)."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from gavel.analysis.intervals import Bools, Floats


class DepthSource(IntEnum):
    """Where the effective depth was read."""

    NONE = 0
    CONFIGURED = 1
    MEASURED = 2


class DepthRule(IntEnum):
    """What decides the depth of a device."""

    ONE_VM = 0
    COMPETING_VMS = 1
    SIOC = 2
    NVME = 3


WORDS = {
    DepthRule.ONE_VM: "one VM issues I/O here: the HBA's device queue depth applies",
    DepthRule.COMPETING_VMS: "two or more VMs issue I/O here: the smaller of the HBA's depth and DSNRO applies",
    DepthRule.SIOC: "Storage I/O Control sets the depth",
    DepthRule.NVME: "NVMe: the controller's queue size times its queues applies, DSNRO does not",
}


@dataclass(frozen=True, slots=True)
class DepthInputs:
    """Per device on a host, (n,) or as said; NaN where unknown.

    samples: (n, m) `disk.maxQueueDepth` of the minute. configured: `scsiLun.queueDepth` or esxcli. hba_depth: the HBA's, per device.
    nvme_depth: queue size × queues. active_vms: VMs that did I/O on this host and device in the minute.
    """

    samples: Floats
    configured: Floats
    hba_depth: Floats
    dsnro: Floats
    nvme_depth: Floats
    is_nvme: Bools
    has_sioc: Bools
    active_vms: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Depths:
    """depth: (n,) the limit on I/Os in flight, NaN where nobody says; source: `DepthSource`; rule: `DepthRule`; predicted: what the rule
    gives from the settings, NaN where they are unknown or SIOC decides."""

    depth: Floats
    source: npt.NDArray[np.int64]
    rule: npt.NDArray[np.int64]
    predicted: Floats


def as_read(largest: Floats, configured: Floats) -> Floats:
    """(n,) the largest depth that was reported, else the configured one; NaN where nobody says."""
    depth: Floats = np.where(largest > 0, largest, np.where(configured > 0, configured, np.nan))
    return depth


def effective_depth(inputs: DepthInputs) -> Depths:
    """The depth as read, never as predicted: settings explain it, they do not replace it."""
    samples = np.where(inputs.samples > 0, inputs.samples, -np.inf)
    largest = np.max(samples, axis=1, initial=-np.inf)
    measured, configured = np.isfinite(largest), inputs.configured > 0
    depth = as_read(np.where(measured, largest, np.nan), inputs.configured)
    source = np.where(
        measured, int(DepthSource.MEASURED), np.where(configured, int(DepthSource.CONFIGURED), int(DepthSource.NONE))
    )
    rule = np.select(
        [inputs.is_nvme, inputs.has_sioc, inputs.active_vms >= 2],
        [int(DepthRule.NVME), int(DepthRule.SIOC), int(DepthRule.COMPETING_VMS)],
        int(DepthRule.ONE_VM),
    )
    return Depths(depth, source, rule, _predicted(inputs, rule))


def _predicted(inputs: DepthInputs, rule: npt.NDArray[np.int64]) -> Floats:
    shared = np.minimum(inputs.hba_depth, inputs.dsnro)
    unknown = np.full_like(shared, np.nan)
    result: Floats = np.choose(rule, [inputs.hba_depth, shared, unknown, inputs.nvme_depth])
    return result


def halved(before: Floats, after: Floats) -> Bools:
    """Where a depth fell to half or less: competing worlds took over."""
    result: Bools = after <= before / 2
    return result
