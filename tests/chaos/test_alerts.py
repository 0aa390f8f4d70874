"""The long campaign: `make alerts TRANSITIONS=1000 SEED=1`. `make test` has a small dose of it, in tests/alerting/use."""

import math
import os
from pathlib import Path

from tests.chaos.alert_campaign import campaign
from tests.product.running import tell

TRANSITIONS = int(os.environ.get("TRANSITIONS") or 1000)
# Ends it earlier, with the accounts of what there was by then.
MINUTES = float(os.environ.get("MINUTES") or "inf")
SEED = int(os.environ.get("SEED") or 1)


def test_every_transition_is_told_once_and_in_order_whatever_is_killed(tmp_path: Path) -> None:
    with campaign(tmp_path, SEED) as one:
        report = one.run(TRANSITIONS, kill_every_s=(1, 6), within_s=MINUTES * 60)
        tell(f"seed {SEED}\n  {report}\n")
        assert report.problems == [], str(report)
        assert report.transitions >= (1 if math.isfinite(MINUTES) else TRANSITIONS)
        assert report.events
