"""Each story of the lab is found by its rule, and nothing else is raised: over 2 hours, in `make truth` over 6 (--hours, --scale)."""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine
from tests.truth.findings_campaign import Campaign, listed, microsecond_lab
from tests.truth.findings_stories import CHANGES

from gavel.db.engine import Role, open_engine
from gavel_lab.scale import DEFAULT, Scale

_PART, _WHOLE = timedelta(hours=2), timedelta(hours=6)
# Stories beside those of `CHANGES`: played by the lab, and made of what its sources count.
OTHERS = {
    "competing-worlds", "device-queue-full", "iops-limit-at-work", "noisy-neighbor", "clock-skew", "coarse-counters", "source-gaps",
    "paths-unbalanced", "non-optimized-io", "unmonitored-initiators", "task-running", "array-saturation",
    "fan-in-over-port", "virtual-disk-queue-full", "adapter-queue-full",
}  # fmt: skip


@pytest.fixture
def engine(postgres_url: str) -> Iterator[Engine]:
    opened = open_engine(postgres_url, Role.WORKER)
    yield opened
    opened.dispose()


def test_findings_name_what_the_stories_are_about_and_nothing_else(
    engine: Engine, tmp_path: Path, seeds: range, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first hour without any change of settings is their quiet twin, as are all other objects, at all times."""
    hours: int = request.config.getoption("--hours")
    length = timedelta(hours=hours) if hours else _WHOLE if len(seeds) >= 200 else _PART
    begin = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - length - timedelta(hours=1)
    scale = Scale.parse(request.config.getoption("--scale"))
    lab = microsecond_lab(scale)
    sources, minutes = listed(engine, lab, tmp_path, begin), length // timedelta(minutes=1)
    campaign = Campaign(engine, lab, sources, begin, minutes, is_changed=True, is_crowded=scale != DEFAULT)
    score = campaign.scored(campaign.played())
    with capsys.disabled():
        sys.stdout.write("\n".join(["", f"findings, {length} of the lab", *score.table(), ""]))
    assert score.missed == {}
    assert dict(score.false) == {}
    crowded_out = {"array-saturation"} if scale != DEFAULT else set()
    assert score.delays.keys() == OTHERS - crowded_out | {rule for rule, _, _ in CHANGES}
