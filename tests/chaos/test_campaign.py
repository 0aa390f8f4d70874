"""The long campaign: `make chaos KILLS=60 SEED=1`. `make test` kills each process once (tests/product)."""

import os

import pytest
from tests.chaos.campaign import Campaign
from tests.product.running import tell
from tests.product.started import running

KILLS = int(os.environ.get("KILLS") or 60)
SEED = int(os.environ.get("SEED") or 1)


def test_random_kills_and_faults_lose_double_and_alter_nothing(tmp_path_factory: pytest.TempPathFactory) -> None:
    with running(tmp_path_factory.mktemp("product")) as product:
        report = Campaign(product, SEED).run(KILLS)
        tell(f"seed {SEED}\n  {report}\n")
        assert report.is_clean, str(report)
