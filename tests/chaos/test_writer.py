"""The long campaign: `make writes KILLS=1000 BOTH=50 FOLDER=… SEED=1`. With a folder it goes on where it was ended."""

import os
from pathlib import Path

from tests.chaos.writer_campaign import writer_campaign
from tests.product.running import tell

KILLS, BOTH = int(os.environ.get("KILLS") or 1000), int(os.environ.get("BOTH") or 50)
SEED = int(os.environ.get("SEED") or 1)


def test_what_is_inserted_and_changed_is_whole_whatever_is_killed(tmp_path: Path) -> None:
    folder = Path(os.environ["FOLDER"]) if os.environ.get("FOLDER") else tmp_path
    with writer_campaign(folder, SEED) as one:
        report = one.run(KILLS, BOTH)
        tell(f"seed {SEED}\n  {report}\n")
        assert report.is_clean, str(report)
        assert report.interrupted > KILLS / 20
