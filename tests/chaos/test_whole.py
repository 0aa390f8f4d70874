"""The long campaign of the whole product: `make pushes WHOLE=50 SEED=1`. `make test` kills each process once (tests/product)."""

import os
from pathlib import Path

from tests.chaos.whole_campaign import WholeCampaign
from tests.product.comparing import wait_for_the_hour
from tests.product.running import Product, free_ports, tell

WHOLE = int(os.environ.get("WHOLE") or 50)
SEED = int(os.environ.get("SEED") or 1)


def test_kills_of_the_whole_product_lose_double_and_alter_nothing_that_is_collected_or_pushed(tmp_path: Path) -> None:
    ingest_port = free_ports(1)
    product = Product(tmp_path, GAVEL_INGEST_HOST="127.0.0.1", GAVEL_INGEST_PORT=str(ingest_port))
    try:
        product.start()
        wait_for_the_hour(product)
        report = WholeCampaign(product, ingest_port, tmp_path / "batches.jsonl", SEED).run(WHOLE)
        tell(f"seed {SEED}\n  {report}\n")
        assert report.is_clean, str(report)
    finally:
        product.end()
