"""How bad an excess latency is: by its size against the baseline alone, however sure the layer behind it is."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gavel.analysis.intervals import Bools, Floats
from gavel.domain.io_path import Severity

# From both on: so many µs, and such a part of the baseline.
ELEVATED_US, ELEVATED_SHARE = 200.0, 0.25
HIGH_US, HIGH_SHARE = 1000.0, 1.0
# An excess that the counters are too coarse to show is normal below so many thresholds of elevated.
COARSE_BELOW = 2.0


@dataclass(frozen=True, slots=True)
class Severities:
    """(n,) `severity`, a value of `Severity`; limited: (n,) normal only since the counters are too coarse to show the excess."""

    severity: npt.NDArray[np.str_]
    limited: Bools


def elevated_from_us(baseline_us: Floats) -> Floats:
    """(n,) excess in µs per I/O from which on it is elevated."""
    return np.maximum(ELEVATED_US, ELEVATED_SHARE * baseline_us)


def severities(excess_us: Floats, baseline_us: Floats, too_coarse: Bools) -> Severities:
    """Of n excesses in µs per I/O; too_coarse: the counters cannot tell whether there is one."""
    elevated_from = elevated_from_us(baseline_us)
    over = excess_us >= elevated_from
    limited = over & too_coarse & (excess_us < COARSE_BELOW * elevated_from)
    severity = np.select(
        [~over | limited, excess_us < np.maximum(HIGH_US, HIGH_SHARE * baseline_us)],
        [Severity.NORMAL.value, Severity.ELEVATED.value],
        Severity.HIGH.value,
    )
    return Severities(severity, limited)
