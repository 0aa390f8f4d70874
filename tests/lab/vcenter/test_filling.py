"""The newest 20 s sample is listed before all of its counters are there, as on real vCenters: −1 first, filled seconds later by group."""

from collections import defaultdict

import pytest
from tests.lab.vcenter.labs import AT
from tests.lab.vcenter.wire import VIM, Wire

from gavel_lab.clocks import LabTime
from gavel_lab.lab import create_lab
from gavel_lab.settings import Settings
from gavel_lab.vcenter.counters import Catalogue

SLOT = AT // 20 * 20
HARDLY = 1e-9  # lab seconds per second of a clock that runs all the same
EVERYTHING = (
    '<QueryPerf xmlns="urn:vim25"><_this type="PerformanceManager">PerfMgr</_this><querySpec><entity type="HostSystem">{}</entity>'
    "<maxSample>3</maxSample><intervalId>20</intervalId><format>csv</format></querySpec></QueryPerf>"
)


def missing_by_group(seconds: float, *, speed: float = HARDLY, settings: Settings | None = None) -> dict[str, set[int]]:
    """Group → how many of the three newest samples its series lack, so long after the end of the newest one."""
    names = [host.name for host in create_lab().environment.hosts]
    lab = create_lab(1, lab_time=LabTime(SLOT + seconds, speed), settings=settings, offsets_s=dict.fromkeys(names, 0.0))
    vcenter = lab.environment.vcenters[1]
    wire = Wire(lab, vcenter).login()
    catalogue = Catalogue(vcenter_index=vcenter.index, has_microsecond_family=True, generation=0)
    found: dict[str, set[int]] = defaultdict(set)
    for series in wire.answer(EVERYTHING.format(wire.a_host)).iterfind(f"{VIM}returnval/{VIM}value"):
        counter = catalogue.by_id[int(series.findtext(f"{VIM}id/{VIM}counterId") or 0)]
        values = (series.findtext(f"{VIM}value") or "").split(",")
        assert len(values) == 3
        assert "-1" not in values[:2], "an older sample is whole"
        found[counter.group].add(values.count("-1"))
    return dict(found)


@pytest.mark.parametrize(
    ("seconds", "late"),
    [
        (1.0, {"datastore", "storageAdapter", "storagePath", "storage"}),
        (7.0, {"storagePath", "storage"}),
        (9.0, set()),
    ],
)
def test_groups_of_counters_fill_one_after_the_other(seconds: float, late: set[str]) -> None:
    found = missing_by_group(seconds)
    assert found["disk"] == {0}
    assert {group for group, missing in found.items() if missing == {1}} == late
    assert all(missing in ({0}, {1}) for missing in found.values()), "the series of a group fill together"


def test_a_lab_whose_clock_is_held_and_one_that_is_told_so_have_everything_at_once() -> None:
    assert set(map(tuple, missing_by_group(1.0, speed=0.0).values())) == {(0,)}
    at_once = Settings().with_(["new_slots_fill_s=0"])
    assert set(map(tuple, missing_by_group(1.0, settings=at_once).values())) == {(0,)}


@pytest.mark.parametrize(
    "text", ["new_slots_fill_s=", "new_slots_fill_s=-1", "new_slots_fill_s=21", "old_slots_fill_s=soon"]
)
def test_seconds_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="slots_fill_s"):
        Settings().with_([text])
