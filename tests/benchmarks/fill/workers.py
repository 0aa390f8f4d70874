"""Units in several processes at once, each with a lab and a connection of its own."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from datetime import datetime
from multiprocessing import get_context

from tests.benchmarks.fill.environment import Size, lab_of
from tests.benchmarks.fill.filling import Filling
from tests.benchmarks.fill.journal import Unit

from gavel.db.engine import Role, open_engine

Run = Callable[[Sequence[Unit]], Iterator[tuple[Unit, int]]]

_filling: list[Filling] = []


@contextmanager
def workers(filling: Filling, url: str, count: int) -> Iterator[Run]:
    """A function from units to (unit, rows written), as they are done."""
    if count == 1:
        yield lambda units: ((unit, filling.fill(unit)) for unit in units)
        return
    given = (url, filling.size, dict(filling.sources), filling.until)
    with ProcessPoolExecutor(count, get_context("spawn"), _begin, given) as pool:

        def run(units: Sequence[Unit]) -> Iterator[tuple[Unit, int]]:
            asked = {pool.submit(_fill, unit): unit for unit in units}
            for future in as_completed(asked):
                if future.exception():
                    # Those that have not begun are not to be waited for.
                    pool.shutdown(wait=False, cancel_futures=True)
                yield asked[future], future.result()

        yield run


def _begin(url: str, size: Size, sources: dict[str, int], until: datetime) -> None:
    _filling.append(Filling(open_engine(url, Role.WORKER), lab_of(size), size, sources, until))


def _fill(unit: Unit) -> int:
    return _filling[0].fill(unit)
