"""How many labs the truth run takes, and from which seed on."""

import os

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--labs", type=int, default=int(os.environ.get("LABS") or 200), help="random labs to attribute")
    parser.addoption("--hours", type=int, default=0, help="of the findings campaign (2, with 200 labs or more 6)")
    parser.addoption("--scale", default="default", help="of the lab in the findings campaign")
    parser.addoption("--seed", type=int, default=int(os.environ.get("SEED") or 1), help="seed of the first one")


@pytest.fixture
def seeds(request: pytest.FixtureRequest) -> range:
    first: int = request.config.getoption("--seed")
    return range(first, first + request.config.getoption("--labs"))
