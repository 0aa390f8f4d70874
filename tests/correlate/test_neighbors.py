"""What stands beside a minute: samples before and after it tell how sure its edges are. A minute is the same whenever it was written, and
in whatever stretch."""

from datetime import datetime, timedelta

import numpy as np
import pytest
from sqlalchemy import text
from tests.correlate.correlated import DEVICE, START, Environment
from tests.db.environments import batch

from gavel.correlate.run import GRACE, MINUTE
from gavel.db.engine import transaction
from gavel.db.queries.clocks import record_clocks
from gavel.domain.source import ClockReading, Stream

AHEAD = timedelta(seconds=7)
MINUTES = 5
POLL = timedelta(seconds=20)
Ledger = dict[tuple[int, datetime], dict[str, object]]


@pytest.mark.parametrize(("seed", "lost"), [(0, 0.0), (1, 0.15)], ids=["whole", "with lost samples"])
@pytest.mark.usefixtures("begun")
def test_minutes_that_were_written_as_their_samples_came_are_the_same_written_again(
    environment: Environment, seed: int, lost: float
) -> None:
    with transaction(environment.engine) as connection:
        reading = ClockReading(None, AHEAD.total_seconds(), 0.1, START - 3 * MINUTE)
        record_clocks(connection, environment.vcenter, [reading])
    rng = np.random.default_rng(seed)
    # What comes of an array later would have minutes written again, and hide what a sample of a host did not.
    environment.arrays(START, MINUTES)
    for poll in range(1, 3 * MINUTES + 1):
        _host_sample(environment, rng, START + poll * POLL + AHEAD, lost)
        environment.correlate(START + poll * POLL + timedelta(seconds=9))
    environment.correlate(START + MINUTES * MINUTE + GRACE)
    written = _ledger(environment)
    assert len({minute for _, minute in written}) == MINUTES

    inner = [START + n * MINUTE for n in range(1, MINUTES - 2)]
    for stretch in (inner, *([minute] for minute in inner)):
        with environment.engine.begin() as connection:
            connection.execute(text("INSERT INTO dirty_minute VALUES (:at)"), [{"at": minute} for minute in stretch])
        assert environment.correlate() == len(stretch)
        assert _differences(written, _ledger(environment)) == []


def _host_sample(environment: Environment, rng: np.random.Generator, end: datetime, lost: float) -> None:
    """One of a device and one of its disk, as one poll brings them; either may be lost."""
    ops, outstanding = int(rng.integers(20, 40_000)), int(rng.integers(0, 60))
    gavg_us = int(rng.integers(700, 20_000))
    common = {"read_ops": ops, "write_ops": 0, "read_bytes": ops * 4096, "write_bytes": 0}
    times = {"read_gavg_us": gavg_us, "read_davg_us": 600, "read_kavg_us": gavg_us - 600, "read_qavg_us": 0}
    disk = {"read_latency_us": int(gavg_us * rng.uniform(0.8, 1.3)), "read_outstanding": outstanding}
    device = batch(Stream.HOST_DEVICE, DEVICE, [end], **common, **times, queue_depth=32, precision=1)
    of_disk = batch(Stream.VM_DISK, "vm-1/scsi0:0", [end], **common, **disk, precision=1)
    for samples in (device, of_disk):
        if rng.random() >= lost:
            environment.write(environment.vcenter, samples, end)


def _ledger(environment: Environment) -> Ledger:
    found: Ledger = {}
    with environment.engine.connect() as connection:
        for table in ("ledger_leaf_1m", "ledger_1m"):
            query = text(f"SELECT * FROM {table} WHERE ts >= :start")
            for row in connection.execute(query, {"start": START}).mappings():
                found[row["entity_id"], row["ts"]] = dict(row)
    return found


def _differences(one: Ledger, two: Ledger) -> list[str]:
    """But for the order of additions."""
    assert one.keys() == two.keys()
    return [
        f"{key} {name}: {value} → {two[key][name]}"
        for key, row in one.items()
        for name, value in row.items()
        if value != two[key][name]
        and not (isinstance(value, float) and value == pytest.approx(two[key][name], rel=1e-5, abs=1e-6))
    ]
