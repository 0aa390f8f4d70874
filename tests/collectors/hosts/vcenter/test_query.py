"""Requests ask for everything once, in calls small enough, and for whole seconds around the window."""

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from lxml import etree

from gavel.collectors.hosts.vcenter.query import queries

AT = datetime(2026, 11, 21, 4, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(("entities", "size", "calls"), [(0, 25, 0), (25, 25, 1), (26, 25, 2), (3, 1, 3)])
def test_every_entity_is_asked_for_once(entities: int, size: int, calls: int) -> None:
    keys = [f"host-{number}" for number in range(entities)]
    made = list(queries("PerfMgr", "HostSystem", keys, [1, 2], size=size))
    assert len(made) == calls
    assert [key for call in made for key in call.entities] == keys


def test_a_call_never_holds_more_metric_ids_than_a_vcenter_takes() -> None:
    keys = [f"vm-{number}" for number in range(3000)]
    made = list(queries("PerfMgr", "VirtualMachine", keys, list(range(100)), size=3000))
    assert max(len(call.entities) * len(call.counters) for call in made) <= 50_000


def test_without_counters_nothing_is_asked() -> None:
    assert list(queries("PerfMgr", "HostSystem", ["host-1"], [], size=1)) == []


def test_a_request_is_xml_with_the_window_in_whole_utc_seconds() -> None:
    (call,) = queries("PerfMgr", "HostSystem", ["host-1&2"], [7], size=25)
    east = timezone(timedelta(hours=2))
    body = call.body((AT + timedelta(milliseconds=250)).astimezone(east), AT + timedelta(seconds=59, milliseconds=1))
    spec = etree.fromstring(body).find(".//{urn:vim25}querySpec")
    assert spec is not None
    assert [(etree.QName(part).localname, part.text) for part in spec if part.text] == [
        ("entity", "host-1&2"),
        ("startTime", "2026-11-21T04:00:00Z"),
        ("endTime", "2026-11-21T04:01:00Z"),
        ("intervalId", "20"),
        ("format", "csv"),
    ]
    assert call.columns == {7: 0}


def test_a_window_within_a_second_is_a_second_long() -> None:
    (call,) = queries("PerfMgr", "HostSystem", ["host-1"], [7], size=25)
    times = re.findall(rb"<(?:start|end)Time>([^<]+)<", call.body(AT, AT))
    assert times == [b"2026-11-21T04:00:00Z", b"2026-11-21T04:00:01Z"]
