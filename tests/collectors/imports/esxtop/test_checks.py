"""A capture whose counters contradict each other is found out, and one that only rounds is not."""

import pytest
from tests.collectors.imports.esxtop.reading import NAA, read
from tests.collectors.imports.esxtop.twin import Device, Load, Twin, incident

from gavel.collectors.imports.esxtop.checks import SelfCheck, is_consistent, self_checks

BUSY = Load(reads=100, writes=50, read=(0.361, 0.014, 0.004), write=(0.254, 0.026, 0.014), active=3, queued=1)
TWIN = Twin(devices=[Device(NAA, [BUSY])], rows=201)


def failed_in(text: str) -> set[str]:
    return {check.relation for check in self_checks(read(text)) if check.failed}


def test_rounding_contradicts_nothing() -> None:
    checks = self_checks(read(TWIN))
    assert len(checks) == 9
    assert [check.rows for check in checks] == [200] * 9
    assert not any(check.failed for check in checks)
    assert is_consistent(checks)


@pytest.mark.parametrize(
    ("written", "instead", "relation"),
    [
        ('"0.38"', '"0.41"', "GAVG = DAVG + KAVG, per read"),
        ('"0.00","0.25"', '"0.04","0.25"', "QAVG within KAVG, per read"),
        ('"9.38"', '"19.38"', "%USD = ACTV / DQLEN"),
        ('"0.12"', '"0.19"', "LOAD = (ACTV + QUED) / DQLEN"),
        ('"0.34"', '"0.55"', "GAVG per command between those per read and per write"),
    ],
)
def test_counters_that_contradict_each_other_are_named(written: str, instead: str, relation: str) -> None:
    text = TWIN.text()
    assert text.count(written) >= 200, text.splitlines()[2]
    assert relation in failed_in(text.replace(written, instead))


@pytest.mark.parametrize(("rows", "consistent"), [(2, True), (3, False)])
def test_capture_is_inconsistent_when_more_than_one_row_in_a_hundred_fails(rows: int, consistent: bool) -> None:
    lines = TWIN.text().splitlines()
    lines[10 : 10 + rows] = [line.replace('"9.38"', '"50.00"') for line in lines[10 : 10 + rows]]
    assert is_consistent(self_checks(read("\n".join([*lines, ""])))) is consistent


def test_rows_below_one_io_per_second_are_not_tested() -> None:
    assert self_checks(read(Twin(devices=[Device(NAA, [Load(reads=0.5, read=(9, 9, 9))])]))) == []


def test_commands_that_neither_read_nor_write_spare_the_mean() -> None:
    mixed = Load(reads=10, writes=10, others=5, read=(1, 0, 0), write=(1, 0, 0))
    relations = {check.relation for check in self_checks(read(Twin(devices=[Device(NAA, [mixed])])))}
    assert "GAVG per command between those per read and per write" not in relations


def test_checks_of_several_devices_count_together() -> None:
    good = SelfCheck("a", "x", 199, 0)
    assert is_consistent([good, SelfCheck("b", "x", 1, 1)])
    assert not is_consistent([good, SelfCheck("b", "y", 1, 1)])


def test_incident_is_consistent() -> None:
    assert is_consistent(self_checks(read(incident())))
