"""Whole products for the stories: one for all files, one for a file that changes its lab for good, and a new one.

Only the new one reads everything from the lab. The others continue from the held hour.
"""

from collections.abc import Iterator

import pytest
from tests.product.running import Product
from tests.product.started import running


@pytest.fixture(scope="session")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """Running, and caught up with the lab's last hour."""
    with running(tmp_path_factory.mktemp("product")) as made:
        yield made


@pytest.fixture(scope="module")
def own_product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """The same for one file alone: its lab keeps the changes that are made to it."""
    with running(tmp_path_factory.mktemp("product")) as made:
        yield made


@pytest.fixture(scope="module")
def new_product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """The same with an empty data directory."""
    with running(tmp_path_factory.mktemp("product"), is_new=True) as made:
        yield made
