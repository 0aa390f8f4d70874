"""What holds for every test of the supervisor."""

import pytest
from tests.waiting import HANG_S

from gavel.supervise import supervisor


@pytest.fixture(autouse=True)
def _nothing_is_ended_by_force(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a service takes longer to stop than an operator would wait."""
    monkeypatch.setattr(supervisor, "_STOP_LIMIT_S", HANG_S)
