"""Each story of the lab is found by its rule, and nothing else is raised: over 2 hours, in `make truth` over 6."""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine
from tests.truth.findings_campaign import Campaign, listed, microsecond_lab
from tests.truth.findings_stories import CHANGES

from gavel.db.engine import Role, open_engine

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
    engine: Engine, tmp_path: Path, seeds: range, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first hour without any change of settings is their quiet twin, as are all other objects, at all times."""
    length = _WHOLE if len(seeds) >= 200 else _PART
    begin = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - length - timedelta(hours=1)
    lab = microsecond_lab()
    campaign = Campaign(engine, lab, listed(engine, lab, tmp_path, begin), begin, length // timedelta(minutes=1), True)
    score = campaign.scored(campaign.played())
    with capsys.disabled():
        sys.stdout.write("\n".join(["", f"findings, {length} of the lab", *score.table(), ""]))
    assert score.missed == {}
    assert dict(score.false) == {}
    assert score.delays.keys() == OTHERS | {rule for rule, _, _ in CHANGES}
