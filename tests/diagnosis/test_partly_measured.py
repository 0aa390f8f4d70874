"""Windows in which a boundary was not measured in every minute: what was measured is told of what it was measured over."""

from collections.abc import Iterable, Iterator

import numpy as np
import pytest
from sqlalchemy import Connection
from tests.api.ledgers import HEALTHY, KERNEL, MINUTE, NOW, Environment, Interval, minute, span
from tests.db.environments import SERIALS, naa

from gavel.analysis.attribution import QualityReason
from gavel.analysis.diagnosis import case_of
from gavel.db.engine import Role, open_engine
from gavel.db.queries.refs import RefKind
from gavel.diagnosis.breakdown import DirectionNumbers, waterfall
from gavel.diagnosis.contributors import contributors
from gavel.diagnosis.diagnose import layer_numbers
from gavel.diagnosis.explain import Diagnosis, diagnosis
from gavel.diagnosis.ranking import overview
from gavel.diagnosis.ranking_rows import Wanted
from gavel.diagnosis.sentences import Statement
from gavel.domain.io_path import Direction, Layer
from gavel.domain.scope import ScopeKind
from gavel.views.series import latency

DATASTORE = ScopeKind.DATASTORE
NAN = float("nan")
ARRAY, SAN = span(Layer.ARRAY), span(Layer.SAN)
# The same minute without the array: what is below the driver is one.
AWAY: dict[int, Interval] = {
    span(Layer.KERNEL): KERNEL[span(Layer.KERNEL)],
    span(Layer.SAN, Layer.ARRAY): (492.0, 484.0, 500.0),
}
MISSING = {"array_ops": NAN, "missing_s": 60.0, "quality_reasons": int(QualityReason.SIDE_MISSING)}


@pytest.fixture
def environment(environment_url: str) -> Iterator[Environment]:
    engine = open_engine(environment_url, Role.API)
    made = Environment.stored(engine)
    made.attributed_until(NOW)
    yield made
    engine.dispose()


@pytest.fixture
def store(environment: Environment) -> int:
    return environment.id("datastore", "simple")


@pytest.fixture
def connection(environment: Environment) -> Iterator[Connection]:
    with environment.engine.connect() as opened:
        yield opened


def ruled(connection: Connection, store: int, minutes: int = 5) -> Diagnosis:
    return diagnosis(connection, RefKind.DATASTORE, store, NOW - minutes * MINUTE, NOW)


def of_all(connection: Connection, store: int) -> DirectionNumbers:
    return waterfall(connection, RefKind.DATASTORE, store, NOW - 5 * MINUTE, NOW).directions[2]


def texts(statements: Iterable[Statement]) -> list[str]:
    return [one.text for one in statements]


@pytest.mark.parametrize("away", [1, 2, 3, 4])
def test_the_array_answers_as_fast_as_it_did_while_it_was_measured(
    environment: Environment, store: int, connection: Connection, away: int
) -> None:
    environment.last_minutes(DATASTORE, store, 5, minute(60_000, 20_000, KERNEL))
    environment.last_minutes(DATASTORE, store, away, minute(60_000, 20_000, AWAY, **MISSING))
    found = ruled(connection, store)
    part = (5 - away) / 5
    assert f"array latency 0.40 ms, measured for {100 * part:.0f} % of the I/Os" in texts(found.sentence.reasons)
    assert found.total_us == pytest.approx(930)
    assert found.data_quality.match_ratio == pytest.approx(1)
    assert found.data_quality.missing_s == pytest.approx(60 * away)
    assert found.data_quality.quality_reasons == ("one side (hosts or array) not measured",)
    array = next(layer for layer in found.layers if layer.name == "array")
    assert array.measured_us == pytest.approx(400)
    assert array.ops_share == pytest.approx(part)
    # Contributions to the mean of all I/Os add up to it.
    assert array.us == pytest.approx(400 * part)
    assert sum(layer.us for layer in found.layers) == pytest.approx(930)


def test_of_an_array_that_was_not_measured_at_all_nothing_is_said(
    environment: Environment, store: int, connection: Connection
) -> None:
    environment.last_minutes(DATASTORE, store, 5, minute(60_000, 20_000, AWAY, **MISSING))
    found = ruled(connection, store)
    assert not any("array latency" in why for why in texts(found.sentence.reasons))
    assert found.data_quality.match_ratio is None
    assert [layer.name for layer in found.layers] == ["kernel", "san_array"]


def test_what_is_named_is_told_as_it_was_where_it_was_measured(
    environment: Environment, store: int, connection: Connection
) -> None:
    slow: dict[int, Interval] = {**HEALTHY, ARRAY: (2000.0, 1990.0, 2010.0)}
    away: dict[int, Interval] = {
        span(Layer.KERNEL): HEALTHY[span(Layer.KERNEL)],
        span(Layer.SAN, Layer.ARRAY): (2095.0, 2085.0, 2105.0),
    }
    environment.last_minutes(DATASTORE, store, 5, minute(60_000, 20_000, slow))
    environment.last_minutes(DATASTORE, store, 2, minute(60_000, 20_000, away, **MISSING))
    found = ruled(connection, store)
    assert found.layer == "array"
    assert ": 2.00 of 2.10 ms" in found.sentence.head.text
    assert found.sentence.head.text.endswith("1.50 ms above baseline")
    assert "Array measured separately for 60 % of the I/Os" in texts(found.sentence.caveats)
    assert "kernel latency ≤ 15 µs" in texts(found.sentence.reasons)
    top = overview(connection, Wanted(RefKind.DATASTORE), NOW - 5 * MINUTE, NOW).items[0]
    assert "2.00 of 2.10 ms" in top.sentence.text
    assert top.total_us == pytest.approx(2105)
    assert top.excess_us == pytest.approx(found.excess_us)


def test_ios_that_nobody_timed_do_not_make_the_others_faster(
    environment: Environment, store: int, connection: Connection
) -> None:
    environment.last_minutes(DATASTORE, store, 5, minute(60_000, 20_000, KERNEL))
    environment.last_minutes(DATASTORE, store, 2, minute(60_000, 20_000, {}, **MISSING))
    found = ruled(connection, store)
    assert found.total_us == pytest.approx(930)
    assert found.excess_us == pytest.approx(438)
    assert found.baseline_us == pytest.approx(600 + 4096 / 1600)
    assert [layer.ops_share for layer in found.layers] == pytest.approx([0.6] * 3)
    # Little's check multiplies by the I/Os there were; what waits for nothing is told of what was measured.
    assert found.excess_outstanding == pytest.approx(0.6 * 80_000 / 60 * 438e-6)
    assert found.data_quality.modelled_ios == pytest.approx(80_000 / 60 * 930e-6, rel=1e-6)
    direction = of_all(connection, store)
    assert direction.total_us == pytest.approx(930)
    assert sum(part.us for part in direction.parts) == pytest.approx(930)
    over_time = latency(connection, RefKind.DATASTORE, store, NOW - 5 * MINUTE, NOW, 5 * MINUTE)
    newest = over_time.directions[2]
    told = [us for us in newest.total_us if us == us]
    assert told == [pytest.approx(930)] * len(told)


def test_a_contributor_is_told_by_the_ios_whose_time_was_measured(
    environment: Environment, store: int, connection: Connection
) -> None:
    device = environment.id("host_device", f"esx-1/{naa(SERIALS[0])}")
    environment.last_minutes(DATASTORE, store, 5, minute(60_000, 20_000, KERNEL))
    environment.last_minutes(ScopeKind.HOST_DEVICE, device, 5, minute(60_000, 20_000, KERNEL))
    environment.last_minutes(ScopeKind.HOST_DEVICE, device, 2, minute(60_000, 20_000, {}, **MISSING))
    told = contributors(connection, RefKind.DATASTORE, store, NOW - 5 * MINUTE, NOW, Layer.KERNEL).hosts[0]
    assert told.us == pytest.approx(438)


def test_a_share_of_ios_is_never_more_than_all_of_them() -> None:
    """Both numbers are stored in single precision and may be rounded apart."""
    rows, _ = minute(60_000, 20_000, KERNEL)
    rows.span_ops[:] *= 1.0000000561541054
    case = case_of(rows, Direction.ALL, np.zeros((1, len(Layer))), np.zeros(1, dtype=np.int64))
    assert {layer.ops_share for layer in layer_numbers(case, 0, rows, Direction.ALL, 930.0)} == {1.0}
