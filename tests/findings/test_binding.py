"""Checks whether a limit binds: each with a case in which it does and its quiet twin, and what was not measured binds nothing."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavel.findings import binding

NAN = float("nan")
KIB = 1024

# Check, a case in which it holds, and what of it is different in the twin where it does not.
CASES: list[tuple[Callable[..., Any], dict[str, float], dict[str, float]]] = [
    (
        binding.is_iops_limit_binding,
        {"iops": 1490, "normalized_iops": 1490, "limit": 1500, "hypervisor_us": 4500, "kernel_us": 20},
        {"iops": 1400, "normalized_iops": 1400},
    ),
    (
        binding.is_iops_limit_binding,
        {"iops": 190, "normalized_iops": 1500, "limit": 1500, "hypervisor_us": 4500, "kernel_us": NAN},
        {"hypervisor_us": 90},
    ),
    (
        binding.is_iops_limit_binding,
        {"iops": 1490, "normalized_iops": 1490, "limit": 1500, "hypervisor_us": 300, "kernel_us": 0},
        {"kernel_us": 900},
    ),
    (
        binding.is_virtual_disk_queue_binding,
        {"outstanding": 63.5, "limit": 64, "wait_us": 470},
        {"outstanding": 96},
    ),
    (binding.is_virtual_disk_queue_binding, {"outstanding": 64, "limit": 64, "wait_us": 470}, {"outstanding": 40}),
    (binding.is_device_queue_binding, {"in_flight": 31.4, "depth": 32, "queue_lower_us": 440}, {"in_flight": 20}),
    (binding.is_device_queue_binding, {"in_flight": 32, "depth": 32, "queue_lower_us": 440}, {"queue_lower_us": 40}),
    (
        binding.is_dsnro_in_force,
        {"depth": 32, "dsnro": 32, "configured": 64, "active_vms": 2},
        {"active_vms": 1},
    ),
    (binding.is_dsnro_in_force, {"depth": 32, "dsnro": 32, "configured": 64, "active_vms": 3}, {"configured": 32}),
    (
        binding.is_qos_limit_binding,
        {"iops": 9900, "iops_limit": 10_000, "bytes_per_s": 8e7, "bytes_limit": NAN, "qos_us": 900},
        {"qos_us": 20},
    ),
    (
        binding.is_qos_limit_binding,
        {"iops": 500, "iops_limit": 10_000, "bytes_per_s": 99e6, "bytes_limit": 100e6, "qos_us": 900},
        {"bytes_per_s": 60e6},
    ),
    (binding.is_chain_long, {"snapshot_depth": 3, "hypervisor_us": 800}, {"snapshot_depth": 1}),
    (binding.are_non_optimized_paths_used, {"iops": 1000, "non_optimized_iops": 500}, {"non_optimized_iops": 40}),
    (binding.is_path_slow, {"us": 1800, "fastest_us": 500, "precision_us": 1}, {"us": 900}),
    (binding.is_path_slow, {"us": 3000, "fastest_us": 1000, "precision_us": 1000}, {"us": 2000}),
    (binding.is_load_grown, {"before": 1000, "now": 1500}, {"now": 1400}),
    (binding.is_load_grown, {"before": 10, "now": 1500}, {"before": 0}),
    (binding.are_initiators_unmonitored, {"match_ratio": 0.38}, {"match_ratio": 0.97}),
]


@pytest.mark.parametrize(("check", "case", "other"), CASES)
def test_a_limit_binds_and_its_quiet_twin_does_not(
    check: Callable[..., Any], case: dict[str, float], other: dict[str, float]
) -> None:
    assert bool(check(**case)) is True
    assert bool(check(**{**case, **other})) is False


@pytest.mark.parametrize(("check", "case"), [(check, case) for check, case, _ in CASES])
def test_what_was_not_measured_binds_nothing(check: Callable[..., Any], case: dict[str, float]) -> None:
    assert bool(check(**dict.fromkeys(case, NAN))) is False


@pytest.mark.parametrize(("check", "case", "other"), CASES)
def test_checks_are_elementwise(check: Callable[..., Any], case: dict[str, float], other: dict[str, float]) -> None:
    rows = {name: np.array([number, other.get(name, number), NAN]) for name, number in case.items()}
    assert check(**rows).tolist() == [True, False, False]


@given(st.integers(1, 100_000), st.integers(1, 4 * 1024 * KIB))
def test_normalized_ops_are_never_fewer_than_ops(ops: int, size: int) -> None:
    units = float(binding.normalized_ops(float(ops), float(ops * size)))
    assert units >= ops
    assert units == pytest.approx(ops * -(-size // binding.COST_UNIT_BYTES))


def test_a_disk_without_io_has_no_normalized_ops() -> None:
    assert binding.normalized_ops(np.array([0.0, NAN]), np.array([0.0, 4096.0])).tolist()[0] == 0.0
