"""The summary of an object's page in one request against the requests that it stands for: CPU seconds of API and PostgreSQL, by turns.

On the hour of browser tests, held: each kind's first objects, live, from connections that have made their plans.
"""

import os
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from tests.frozen.hour import copy_hour, read_hour

from gavel.api import deps
from gavel.api.app import build
from gavel.config import load_settings
from gavel.embedded import postgres

KINDS = ("vms", "datastores", "hosts", "volumes", "arrays")
OBJECTS, ROUNDS, WARM_UP = 4, 12, 16
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
# What the page asked for before it had its summary.
APART = ("", "/diagnosis", "/waterfall", "/latency", "/contributors?layer=kernel", "/series")
# Of the CPU seconds of all of these together.
MOST = 0.8


@dataclass(frozen=True)
class Held:
    client: TestClient
    database: int

    def cpu_s(self) -> float:
        """Of this process, in which the API runs, and of PostgreSQL's, which end with their connections only."""
        return time.process_time() + sum(_cpu_s(one) for one in (self.database, *_children(self.database)))

    def ask(self, paths: tuple[str, ...]) -> None:
        for path in paths:
            answer = self.client.get(f"/api/v1/{path}")
            assert answer.status_code == 200, f"{path}: {answer.text}"


def _children(process: int) -> list[int]:
    text = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii")
    return [int(child) for child in text.split()]


def _cpu_s(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Held]:
    folder = tmp_path_factory.mktemp("hour")
    copy_hour(folder)
    at = datetime.fromtimestamp(read_hour(folder).at, UTC)
    settings = load_settings(data_dir=folder / "data", lab=False)
    with postgres.running(settings.postgres_dir, settings=postgres.UNSAFE_SETTINGS):
        app = build(settings)
        app.dependency_overrides[deps.now] = lambda: at
        pid = int((settings.postgres_dir / "postmaster.pid").read_text(encoding="utf-8").split()[0])
        with TestClient(app, base_url="http://127.0.0.1:8321") as client:
            yield Held(client, pid)


@pytest.mark.parametrize("kind", KINDS)
def test_a_summary_takes_less_than_the_requests_that_it_stands_for(held: Held, kind: str) -> None:
    items = held.client.get(f"/api/v1/{kind}?limit={OBJECTS}").json()["items"]
    paths = APART + (("/hosts",) if kind == "datastores" else ())
    apart = [tuple(f"{kind}/{one['id']}{path}" for path in paths) for one in items]
    whole = [(f"{kind}/{one['id']}/summary",) for one in items]
    for n in range(WARM_UP):
        held.ask(apart[n % len(items)])
        held.ask(whole[n % len(items)])
    spent: dict[str, float] = {"apart": 0.0, "whole": 0.0}
    waits: dict[str, list[float]] = {"apart": [], "whole": []}
    for _ in range(ROUNDS):
        for n in range(len(items)):
            for name, questions in (("apart", apart[n]), ("whole", whole[n])):
                before, began = held.cpu_s(), time.perf_counter()
                held.ask(questions)
                spent[name] += held.cpu_s() - before
                waits[name].append(time.perf_counter() - began)
    runs = ROUNDS * len(items)
    for name in spent:
        p95 = statistics.quantiles(waits[name], n=20)[-1]
        sys.stdout.write(f"\n{kind} {name}: {spent[name] / runs * 1000:.1f} ms CPU, p95 {p95 * 1000:.0f} ms\n")
    assert spent["whole"] <= MOST * spent["apart"]
