"""What a vCenter's samples have shown of its counters is kept and adds up."""

from datetime import datetime, timedelta

import numpy as np
import pytest
from tests.correlate.correlated import DEVICE, IOPS, START, Environment
from tests.db.environments import batch

from gavel.analysis.observed import HostCounter
from gavel.analysis.proofs import SCATTER_US, CounterEvidence
from gavel.correlate import topology
from gavel.correlate.counters import note_evidence, proofs
from gavel.correlate.run import MINUTE
from gavel.db.engine import transaction
from gavel.db.queries import correlation as ask
from gavel.db.queries.proofs import Shown, note_counters
from gavel.domain.samples import Precision
from gavel.domain.scope import ScopeKind
from gavel.domain.source import Stream


def test_how_far_latest_strays_adds_up_over_minutes(environment: Environment) -> None:
    with transaction(environment.engine) as connection:
        things = ask.things(connection, START, START + timedelta(minutes=1))
        found = topology.environment(things, ask.directory_arrays(connection), ask.mirrored_on_both(connection))
        sources = len(found.source_ids)
        vcenter = found.source_ids.index(environment.vcenter)
        nothing = np.zeros(sources, np.int64)
        counters = np.zeros((sources, len(HostCounter)), np.int64)
        strays = np.zeros((sources, len(SCATTER_US)), np.int64)
        strays[vcenter, 3] = 60
        seen = CounterEvidence(
            rounds=counters, truncates=counters, latest_agrees=nothing, latest_disagrees=nothing, strays=strays
        )
        known = []
        for minute in range(2):
            note_evidence(connection, found, seen, START + timedelta(minutes=minute))
            scatter = proofs(connection, found).scatter_us
            assert scatter is not None
            known.append(float(scatter[vcenter]))
    assert np.isnan(known[0])
    assert known[1] == pytest.approx(SCATTER_US[3])


TIMES = "all_kernel_time, all_san_time, all_array_time"


@pytest.mark.usefixtures("begun")
def test_a_minute_written_again_is_attributed_by_what_was_proven_when_it_was_first_written(
    environment: Environment,
) -> None:
    _in_milliseconds(environment, START)
    environment.correlate(START + MINUTE)
    before = environment.rows(ScopeKind.HOST_DEVICE, "*")
    _prove_rounding(environment)
    with transaction(environment.engine) as connection:
        ask.settle(connection, (), [START])
    assert environment.correlate() == 1
    assert environment.rows(ScopeKind.HOST_DEVICE, "*") == before


@pytest.mark.usefixtures("begun")
def test_a_minute_that_is_new_is_attributed_by_what_is_proven_by_then(environment: Environment) -> None:
    _in_milliseconds(environment, START)
    environment.correlate(START + MINUTE)
    _prove_rounding(environment)
    _in_milliseconds(environment, START + MINUTE)
    environment.correlate(START + 2 * MINUTE)
    earlier, later = (row[1:] for row in environment.rows(ScopeKind.HOST_DEVICE, TIMES) if row[0] in (0, 1) and row[1])
    assert earlier != later


def _in_milliseconds(environment: Environment, since: datetime) -> None:
    """A minute whose device times are whole milliseconds, so that it matters whether they were rounded or truncated."""
    environment.arrays(since, 1)
    ends = [since + timedelta(seconds=20 * n) for n in (1, 2, 3)]
    ops = {"read_ops": 20 * IOPS, "write_ops": 0, "read_bytes": 20 * IOPS * 4096, "write_bytes": 0}
    times = {"read_gavg_us": 3000, "read_davg_us": 1000, "read_kavg_us": 2000, "read_qavg_us": 2000}
    device = batch(Stream.HOST_DEVICE, DEVICE, ends, **ops, **times, queue_depth=32, precision=Precision.MILLISECOND)
    disk = batch(Stream.VM_DISK, "vm-1/scsi0:0", ends, **ops, read_latency_us=3000, precision=Precision.MILLISECOND)
    for samples in (device, disk):
        environment.write(environment.vcenter, samples, ends[-1])


def _prove_rounding(environment: Environment) -> None:
    shown = {(environment.vcenter, counter.name.lower()): Shown(50, 0) for counter in HostCounter}
    with transaction(environment.engine) as connection:
        note_counters(connection, shown, START)
