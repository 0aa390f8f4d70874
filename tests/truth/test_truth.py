"""Bounds and verdicts against what really happened, over many random labs."""

import os
import sys

from tests.truth.campaign import campaign
from tests.truth.score import goals_missed, table

LABS = int(os.environ.get("LABS") or 200)
SEED = int(os.environ.get("SEED") or 1)


def test_bounds_hold_the_truth_and_verdicts_name_it() -> None:
    score = campaign(range(SEED, SEED + LABS))
    sys.stdout.write("\n".join(["", f"{LABS} labs from seed {SEED}", *table(score), ""]))
    assert goals_missed(score) == []
