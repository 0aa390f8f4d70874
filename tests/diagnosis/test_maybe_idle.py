"""A minute all of whose I/Os may have been in the minute beside it, by itself and among others."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection
from tests.api.ledgers import MINUTE, NOW, Environment, Interval, minute, span

from gavel.analysis.diagnosis import Reason
from gavel.db.engine import Role, open_engine
from gavel.db.queries.refs import RefKind
from gavel.diagnosis.explain import Diagnosis, diagnosis
from gavel.domain.io_path import Layer
from gavel.domain.scope import ScopeKind

# Kernel or SAN: both may have all of it.
OPEN: dict[int, Interval] = {
    span(Layer.KERNEL): (1500.0, 0.0, 2500.0),
    span(Layer.SAN): (1200.0, 0.0, 2500.0),
    span(Layer.ARRAY): (400.0, 390.0, 410.0),
}


@pytest.fixture
def connection(environment_url: str) -> Iterator[Connection]:
    engine = open_engine(environment_url, Role.API)
    environment = Environment.stored(engine)
    environment.attributed_until(NOW)
    store = environment.id("datastore", "simple")
    environment.last_minutes(ScopeKind.DATASTORE, store, 2, minute(600, 200, OPEN))
    environment.last_minutes(ScopeKind.DATASTORE, store, 1, minute(60, 20, OPEN, reasons=int(Reason.MAYBE_IDLE)))
    with engine.connect() as opened:
        yield opened
    engine.dispose()


def ruled(connection: Connection, minutes: int) -> Diagnosis:
    (store,) = connection.exec_driver_sql("SELECT id FROM datastore WHERE name = 'simple'").one()
    return diagnosis(connection, RefKind.DATASTORE, store, NOW - minutes * MINUTE, NOW)


def test_by_itself_it_has_a_severity_no_layer_and_the_reason(connection: Connection) -> None:
    found = ruled(connection, 1)
    assert (found.severity, found.layer, found.confidence) == ("high", None, None)
    assert (
        "All of its I/Os were counted in samples that cross the minute's boundary, and may belong to the adjacent minute"
        in [one.text for one in found.sentence.caveats]
    )


def test_among_others_it_does_not_matter_in_which_minute_its_ios_were(connection: Connection) -> None:
    found = ruled(connection, 2)
    assert (found.layer, found.confidence) == ("kernel", "inconclusive")
    assert not any("adjacent minute" in one.text for one in found.sentence.caveats)
