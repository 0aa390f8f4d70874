"""A small dose of the campaign of `make alerts`: real processes of the product, killed while alerts are judged, told and delivered."""

from pathlib import Path

from tests.chaos.alert_campaign import campaign
from tests.product.running import tell


def test_worker_scheduler_and_database_are_killed_and_every_transition_is_told_once(tmp_path: Path) -> None:
    with campaign(tmp_path, seed=3) as one:
        report = one.run(15, kill_every_s=(0.2, 1))
        tell(str(report))
        assert report.problems == [], str(report)
        assert report.transitions >= 15
        assert report.kills.total() > 0
