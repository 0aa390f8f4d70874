"""The solver under demands no story asks for: the laws hold to rounding, and the answer is a settled one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gavel_lab.build import build_environment
from gavel_lab.flows import Grouping, flow_table
from gavel_lab.inputs import Demand, Inputs, limit_buckets
from gavel_lab.reading import BOUNDARIES, SEGMENT, SEGMENTS, Floats
from gavel_lab.routes import Routes
from gavel_lab.solve import BYTES_READ, BYTES_WRITE, READ_TIMES, WRITE_TIMES, Solved, Solver

ENVIRONMENT = build_environment(1)
DEMAND = Demand(ENVIRONMENT)
SOLVER = Solver(ENVIRONMENT, DEMAND)
TABLE = flow_table(ENVIRONMENT, [(vm.home_host,) for vm in ENVIRONMENT.vms])
STEPS = 24
# Volumes of a group share its limit: of each target, the first of those that share one with it.
BUCKET = limit_buckets(ENVIRONMENT)


def wild(seed: int) -> Inputs:
    """Anything from an idle disk to 256 threads without a pause, over slow and fast volumes, tight and loose limits."""
    random = np.random.default_rng(seed)
    inputs = DEMAND.at(1_780_002_000 + np.arange(STEPS))
    loads, groups, targets = inputs.threads.shape, inputs.max_depth.shape, inputs.qos_limit.shape
    inputs.threads = np.floor(256 ** random.random(loads)) * (random.random(loads) > 0.2)
    inputs.think_us = 10 ** random.uniform(0, 5, loads)
    inputs.disk_depth = 2 ** random.integers(4, 9, loads).astype(np.float64)
    inputs.iops_limit = np.where(random.random(loads) < 0.1, 10 ** random.uniform(2, 5, loads), inputs.iops_limit)
    inputs.max_depth = 2 ** random.integers(3, 9, groups).astype(np.float64)
    inputs.shared_depth = np.minimum(inputs.shared_depth, 32)
    inputs.capacity = 10 ** random.uniform(3.5, 6, targets)
    inputs.qos_limit = np.where(random.random(targets) < 0.2, 10 ** random.uniform(3, 5, targets), 1e12)[BUCKET]
    inputs.remote_share = np.broadcast_to(random.random((1, STEPS)), groups).copy()
    return inputs


def solved(inputs: Inputs) -> tuple[Solved, Floats]:
    """What the solver finds, and the depths it was given."""
    share = SOLVER.share(TABLE, inputs, np.ones((len(TABLE.extent_share), STEPS)))
    depth = SOLVER.depths(TABLE, inputs, share)
    return SOLVER.solve(TABLE, inputs, share, depth), depth


def time_within(rates: Floats, boundary: str) -> Floats:
    """(f, t) I/O-time per second inside a boundary, reads and writes."""
    first = BOUNDARIES[boundary]
    read = rates[:, READ_TIMES + first : WRITE_TIMES].sum(axis=1)
    return np.asarray(read + rates[:, WRITE_TIMES + first : WRITE_TIMES + len(SEGMENTS)].sum(axis=1)) / 1e6


def time_in(rates: Floats, segment: str) -> Floats:
    """(f, t) I/O-time per second in one segment, reads and writes."""
    place = SEGMENT[segment]
    return np.asarray(rates[:, READ_TIMES + place] + rates[:, WRITE_TIMES + place]) / 1e6


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_laws_hold_to_rounding_for_any_demand(seed: int) -> None:
    inputs = wild(seed)
    found, depth = solved(inputs)
    rates = found.rates
    ops = TABLE.by_load.sum(rates[:, 0] + rates[:, 1])
    waiting = TABLE.by_load.sum(time_within(rates, "guest"))
    busy = inputs.threads > 0
    np.testing.assert_allclose((ops * inputs.think_us / 1e6 + waiting)[busy], inputs.threads[busy], rtol=1e-9)
    assert (rates >= -1e-6).all()
    assert (TABLE.by_group.sum(time_within(rates, "driver")) <= depth * (1 + 1e-12)).all()
    in_disk = TABLE.by_load.sum(time_within(rates, "vscsi"))
    assert (in_disk <= inputs.disk_depth * (1 + 1e-9)).all()
    assert (ops <= inputs.iops_limit * (1 + 1e-9)).all()


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_no_link_carries_more_than_it_can_and_nobody_waits_for_one_that_is_not_full(seed: int) -> None:
    found, _ = solved(wild(seed))
    routes, waiting = Routes(ENVIRONMENT), 0
    for way, us_per_byte in ((BYTES_READ, found.read_us_per_byte), (BYTES_WRITE, found.write_us_per_byte)):
        used = routes.share @ TABLE.by_route.sum(found.rates[:, way]) / routes.payload_bytes_per_s
        assert used.max() < 1 + 1e-9
        waits = us_per_byte > routes.alone_us_per_byte * (1 + 1e-6)
        assert (used[waits] > 0.97).all()
        waiting += int(waits.sum())
    assert waiting > 0


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_nobody_waits_for_a_queue_that_is_not_full_nor_for_a_limit_that_is_not_reached(seed: int) -> None:
    inputs = wild(seed)
    found, depth = solved(inputs)
    rates = found.rates
    in_flight = TABLE.by_group.sum(time_within(rates, "driver"))
    queued = TABLE.by_group.sum(time_in(rates, "kernel_queue")) > 0.1
    assert np.mean(in_flight[queued] > 0.99 * depth[queued]) > 0.97
    ops = Grouping(BUCKET, len(BUCKET)).sum(TABLE.by_target.sum(rates[:, 0] + rates[:, 1]))[BUCKET]
    throttled = TABLE.by_target.sum(time_in(rates, "array_qos")) > 0.1
    assert np.mean(np.abs(ops[throttled] / inputs.qos_limit[throttled] - 1) < 0.01) > 0.95
    assert np.mean(ops < 1.01 * inputs.qos_limit) > 0.995


def test_a_lone_disk_gets_what_the_closed_loop_formula_says() -> None:
    inputs = DEMAND.at(np.arange(1_780_002_240, 1_780_002_240 + STEPS))
    rates = solved(inputs)[0].rates
    disk = next(disk.index for disk in ENVIRONMENT.disks if disk.workload == "article")
    row = int(np.flatnonzero(TABLE.column["load"] == disk)[0])
    ops = rates[row, 0]
    driver_us = time_within(rates, "driver")[row] / ops * 1e6
    assert ops == pytest.approx(32 / driver_us * 1e6, rel=1e-9)
