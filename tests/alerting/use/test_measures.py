"""Alerts and pages have one excess: whatever a diagnosis shows of a row is what a rule on estimates compares."""

from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.api.ledgers import NOW, minute, span

from gavel.alerting.rules.model import Quantity, RuleMeasure
from gavel.alerting.use.measures import measured
from gavel.analysis.baseline import Expectations
from gavel.analysis.diagnosis import Reason
from gavel.db.queries.expectations import HOURS
from gavel.db.queries.ledger import LedgerSeries
from gavel.diagnosis.baselines import Usual, hours_at
from gavel.diagnosis.diagnose import diagnose_rows
from gavel.domain.io_path import Layer
from gavel.domain.scope import ScopeKind

MEASURES = [RuleMeasure(Quantity.EXCESS), RuleMeasure(Quantity.EXCESS_OUTSTANDING)]
BY_LAYER = [RuleMeasure(Quantity.EXCESS, layer) for layer in Layer]
Range = tuple[float, float, float]


def compare(layers: dict[Layer, Range], reasons: Reason = Reason.NONE) -> tuple[list[float], list[float]]:
    """Excess, outstanding I/Os and the excess of each layer: as an alert has them, and as a diagnosis has them."""
    rows, notes = minute(
        30_000, 10_000, {span(layer): numbers for layer, numbers in layers.items()}, reasons=int(reasons)
    )
    one, only = np.ones(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    series = LedgerSeries(
        keys=only,
        starts_us=np.array([int(NOW.timestamp() * 1e6)]),
        rows=rows,
        notes=notes,
        minutes=one,
        ops_minutes=one,
        outstanding_minutes=one,
        from_at=NOW,
        to_at=NOW + timedelta(minutes=1),
        step=timedelta(minutes=1),
        resolution="1m",
    )
    history = np.full((1, HOURS), np.nan)
    usual = Usual(san_us=history, array_us=history, settings=Expectations(), round_trip_us=np.zeros(1))
    numbers = measured(series, only, usual, MEASURES + BY_LAYER)
    page = diagnose_rows(series, ScopeKind.DATASTORE, only, usual, hours_at(series.starts_us))
    by_layer = [page.diagnoses.excess[0, span(layer)] for layer in Layer]
    of_page = [page.diagnoses.total_excess[0], page.excess_outstanding[0], *by_layer]
    return np.nan_to_num(numbers.value[:, 0]).tolist(), np.nan_to_num(np.array(of_page)).tolist()


def ranges(most: float) -> st.SearchStrategy[Range]:
    return st.tuples(*[st.floats(0, most)] * 3).map(lambda numbers: (sorted(numbers)[1], min(numbers), max(numbers)))


@given(
    layers=st.fixed_dictionaries({}, optional={layer: ranges(3_000.0) for layer in Layer}),
    reasons=st.sampled_from([Reason.NONE, Reason.VIRTUAL_DISK_QUEUE_FULL]),
)
def test_excess_of_an_alert_is_that_of_the_diagnosis(layers: dict[Layer, Range], reasons: Reason) -> None:
    of_alert, of_page = compare(layers, reasons)
    assert of_alert == pytest.approx(of_page)


def test_excess_of_an_alert_counts_a_guest_in_doubt_to_the_layers_below() -> None:
    of_alert, of_page = compare({Layer.GUEST: (300, 0, 600), Layer.ARRAY: (300, 250, 900)})
    assert of_alert == pytest.approx(of_page)
    guest, array = (len(MEASURES) + list(Layer).index(layer) for layer in (Layer.GUEST, Layer.ARRAY))
    assert of_alert[guest] < of_alert[array]
