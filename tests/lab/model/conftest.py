"""The lab of the model's tests: one default environment and its model, read-only, shared by all of them."""

import numpy as np
import pytest

from gavel_lab.lab import Lab, create_lab
from gavel_lab.reading import Floats

HOUR = 1_780_002_000  # a full hour of lab time
assert HOUR % 3600 == 0


@pytest.fixture(scope="session")
def lab() -> Lab:
    return create_lab(seed=1)


@pytest.fixture(scope="session")
def minutes() -> Floats:
    """The 60 minutes of an hour."""
    starts = HOUR + 60.0 * np.arange(60)
    return np.stack([starts, starts + 60], axis=1)
