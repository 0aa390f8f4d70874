"""What the lab costs as the other side of thousands of entities: CPU of its process for a cycle of 20 s, over TLS."""

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.benchmarks.labs import lab_process
from tests.benchmarks.load.__main__ import scale
from tests.benchmarks.load.processes import spent_s

from gavel.collectors.contract import Collector
from gavel.domain.source import SourceKind, Stream
from gavel.ingest.connections import open_collector

CYCLE, MINUTE_CYCLES = timedelta(seconds=20), 3
STREAMS = (Stream.HOST_DEVICE, Stream.VM_DISK, Stream.ARRAY_VOLUME)
GOAL_S = 3.0


@pytest.mark.parametrize("entities", [5_000, 20_000, 50_000])
def test_lab_answers_a_cycle_of_many_entities(
    entities: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two minutes of cycles, one after the other; the first minute, in which clients ask what there is, does not count."""
    with lab_process(tmp_path, "--scale", scale(entities)) as (sources, pid):
        collectors = [open_collector(SourceKind(one["kind"]), one["settings"]) for one in sources.values()]
        until = datetime.now(UTC) - timedelta(minutes=5)
        rows, began_s = 0, 0.0
        for cycle in range(2 * MINUTE_CYCLES):
            if cycle == MINUTE_CYCLES:
                rows, began_s = 0, spent_s(pid)
            until += CYCLE
            rows += sum(_read(collector, until) for collector in collectors)
        cost_s = (spent_s(pid) - began_s) / MINUTE_CYCLES
        for collector in collectors:
            collector.close()
    with capsys.disabled():
        sys.stdout.write(f"\n{entities:,} entities: {rows // MINUTE_CYCLES:,} rows and {cost_s:.2f} CPU s a cycle\n")
    assert cost_s <= GOAL_S


def _read(collector: Collector, until: datetime) -> int:
    """One sample of each stream that is sampled so often."""
    return sum(
        len(batch)
        for stream in STREAMS
        if stream in collector.streams
        for batch in collector.samples(stream, until - collector.streams[stream].interval, until)
    )
