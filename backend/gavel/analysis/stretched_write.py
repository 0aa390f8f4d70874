"""Trips of a write to a stretched volume, over either kind of path."""


def optimized_write_us(host_one_way_us: float, between_arrays_one_way_us: float) -> float:
    """A SCSI write to the near array of a stretched volume: four trips to the host, two between the arrays."""
    return 4 * host_one_way_us + 2 * between_arrays_one_way_us


def non_optimized_write_us(far_one_way_us: float, between_arrays_one_way_us: float) -> float:
    """The same write sent to the far array, which asks the near one."""
    return 4 * far_one_way_us + 2 * between_arrays_one_way_us
