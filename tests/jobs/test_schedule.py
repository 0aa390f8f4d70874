"""Tasks and their ticks expire by the clock that Celery compares with, whatever the product's clock says."""

import ast
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from celery import Celery
from celery.signals import before_task_publish
from tests.conftest import ROOT

from gavel import clock
from gavel.jobs.schedule import BEAT

_AT_AN_INSTANT = {"eta", "last_run_at"}


@pytest.fixture
def sent() -> Iterator[list[dict[str, object]]]:
    """The headers of every task that is sent."""
    headers: list[dict[str, object]] = []

    def keep(headers_sent: dict[str, object]) -> None:
        headers.append(headers_sent)

    def receive(headers: dict[str, object], **_: object) -> None:
        keep(headers)

    before_task_publish.connect(receive)
    yield headers
    before_task_publish.disconnect(receive)


def test_a_task_of_a_shifted_product_expires_by_the_machines_clock(
    sent: list[dict[str, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "_setting", clock.parse("-8640000"))
    with Celery("test", broker="memory://") as app:
        before = datetime.now(UTC)
        app.send_task("gavel.dispatch", expires=5)
    expires_at = datetime.fromisoformat(str(sent[0]["expires"]))
    assert timedelta(seconds=5) <= expires_at - before < timedelta(seconds=65)


def test_a_tick_is_an_interval_and_expires_after_it() -> None:
    for entry in BEAT.values():
        interval, options = entry["schedule"], entry["options"]
        assert isinstance(interval, timedelta)
        assert options == {"expires": interval.total_seconds()}


def test_a_task_gets_no_instant_from_the_clock_that_tests_shift() -> None:
    calls = [
        (path.name, node)
        for path in sorted((ROOT / "backend/gavel").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if node.func.attr in ("apply_async", "send_task", "signature")
    ]
    assert len(calls) >= 8
    given = [(name, one.arg, ast.unparse(one.value)) for name, node in calls for one in node.keywords]
    assert [one for one in given if one[1] in _AT_AN_INSTANT] == []
    assert [one for one in given if one[1] == "expires" and ("now" in one[2] or "clock" in one[2])] == []
