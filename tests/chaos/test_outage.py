"""Arrays or vCenters away for 55 minutes, ten times the default environment: all of it comes back, the newest samples in time."""

import os
from pathlib import Path

import pytest
from tests.chaos.outage import Outage, Side
from tests.product.running import tell

from gavel.domain.source import GRAIN_S, Stream
from gavel.ingest.backfill import NOTHING_THERE, RECOVERED

# With what is there by default (6 hosts, 56 VMs, 17 datastores): about ten times as many of each.
TEN_TIMES = "clusters=6,hosts_per_cluster=9,datastores_per_cluster=21,vms=432,disks_per_vm=2,bare_volumes=36"
SCALE = os.environ.get("OUTAGE_SCALE") or TEN_TIMES
# As the product has it: a stream is late when it stands more than three of its intervals back.
LATE_INTERVALS, LONGEST_POLL_S = 3, 30.0


@pytest.mark.parametrize("side", ["flasharray", "vcenter"])
def test_an_outage_of_55_minutes_is_filled_completely_while_live_collection_stays_in_time(
    side: Side, postgres_url: str, tmp_path: Path
) -> None:
    report = Outage(postgres_url, tmp_path, SCALE, side).run()
    tell(f"{report}\n")
    assert report.compared.rows > 0
    assert report.compared.is_equal, str(report)
    # A stretch shorter than an interval may hold no sample; nothing else is given up.
    assert {gap[1] for gap in report.gaps} <= {f"recovered: {RECOVERED}", f"explained: {NOTHING_THERE}"}, str(report)
    for name, lag_s in report.lag_s.items():
        grain_s = GRAIN_S[Stream(name.rpartition(" ")[2])]
        assert lag_s <= LATE_INTERVALS * max(grain_s, LONGEST_POLL_S), f"{name} was {lag_s:.0f} s behind\n{report}"
