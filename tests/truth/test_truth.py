"""Bounds and verdicts against what really happened, over many random labs."""

import sys

from tests.truth.campaign import campaign
from tests.truth.score import goals_missed, table


def test_bounds_hold_the_truth_and_verdicts_name_it(seeds: range) -> None:
    score = campaign(seeds)
    sys.stdout.write("\n".join(["", f"{len(seeds)} labs from seed {seeds.start}", *table(score), ""]))
    assert goals_missed(score) == []
