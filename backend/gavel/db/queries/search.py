"""Search over every name."""

from dataclasses import dataclass

from gavel.db.engine import Connection
from gavel.db.queries.rows import Ref


@dataclass(frozen=True, slots=True)
class Hit:
    ref: Ref
    context: str


def search(connection: Connection, text: str, *, limit: int = 20) -> tuple[Hit, ...]:
    """Things whose name holds `text`, without regard to case: names that begin with it first."""
    raise NotImplementedError
