"""What correlation needs of the process that it runs in."""

from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from gavel.db.engine import Engine


class Worker(Protocol):
    """stopping: whether the process is to end; long work then stops at its next step."""

    @property
    def engine(self) -> Engine: ...

    @property
    def now(self) -> Callable[[], datetime]: ...

    @property
    def stopping(self) -> Callable[[], bool]: ...
