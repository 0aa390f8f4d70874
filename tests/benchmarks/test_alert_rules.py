"""What a minute of alerting costs: 5,000 rules over 2,000 datastores, by the machine alone and through the database."""

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import Engine, text
from tests.api.ledgers import HEALTHY, KERNEL, written
from tests.api.ledgers import minute as row
from tests.db.environments import esxi, host_inventory

from gavel.alerting.machine.readings import Readings, RuleTable, rule_table
from gavel.alerting.machine.states import Memory, step
from gavel.alerting.rules.model import Condition, Quantity, Rule, RuleMeasure, Scope, Subject
from gavel.alerting.rules.plain import plain_rule
from gavel.alerting.use.evaluate import evaluate_rules
from gavel.db.engine import Role, open_engine, transaction
from gavel.db.queries.alert_rules import add_rule
from gavel.db.queries.sources import add_source
from gavel.db.write import alert_memory
from gavel.db.write.inventory import store_inventory
from gavel.domain.inventory import Datastore, DatastoreType, InventoryTaken
from gavel.domain.io_path import Direction, Layer
from gavel.domain.scope import ScopeKind
from gavel.domain.source import SourceKind
from gavel.ingest.connections import Connections
from gavel.ingest.worker import WorkerContext
from gavel.vault import Vault

RULES = 5_000
DATASTORES = 2_000
MINUTES = 5
GOAL_S = 2.0
START = 29_000_000
MEASURES = tuple(
    RuleMeasure(quantity, part, direction)
    for quantity in (Quantity.LATENCY, Quantity.SHARE, Quantity.EXCESS)
    for part in Layer
    for direction in Direction
)


def rules() -> RuleTable:
    """Half of them with two conditions, as the shipped kernel rule has."""
    found = {}
    for number in range(1, RULES + 1):
        first, second = MEASURES[number % len(MEASURES)], MEASURES[(7 * number + 1) % len(MEASURES)]
        wanted = tuple(Condition(one, 0.9, 0.7) for one in ({first, second} if number % 2 else {first}))
        found[number] = Rule(key=f"r{number}", name="x", scope=Scope(Subject.DATASTORE), conditions=wanted)
    return rule_table(found, MEASURES, np.ones((RULES, DATASTORES), dtype=bool))


def minute(rng: np.random.Generator, number: int, slow_share: float) -> Readings:
    """Numbers around 0.5; those of slow datastores are over every threshold."""
    value = rng.uniform(0.2, 0.8, (len(MEASURES), DATASTORES))
    value[:, rng.random(DATASTORES) < slow_share] += 1
    return Readings(
        object_id=np.arange(1, DATASTORES + 1), minute=np.full(DATASTORES, START + number), present=rng.random(DATASTORES) > 0.001,
        quality=np.zeros(DATASTORES, dtype=np.int8), value=value, lower=value * 0.95, ops=np.full(value.shape, 1000.0),
    )  # fmt: skip


@pytest.mark.parametrize("slow_share", [0.0, 0.01, 0.05])
def test_5000_rules_over_2000_datastores(slow_share: float, capsys: pytest.CaptureFixture[str]) -> None:
    rng, table, memory, spent = np.random.default_rng(1), rules(), Memory.blank(), []
    transitions = 0
    for number in range(MINUTES):
        numbers = minute(rng, number, slow_share)
        started = time.process_time()
        found = step(memory, table, numbers, START + number)
        spent.append(time.process_time() - started)
        memory, transitions = found.memory, transitions + len(found.transitions)
    with capsys.disabled():
        sys.stdout.write(
            f"\n{RULES} rules × {DATASTORES} datastores, {slow_share:.0%} slow: {max(spent):.2f} CPU s in the worst minute, "
            f"{min(spent):.2f} in the best; {transitions} transitions, {len(memory.rows)} rows kept\n"
        )
    assert (transitions > 0) == (slow_share > 0)
    assert max(spent) <= GOAL_S


# --- on the store: minutes read from PostgreSQL, judged, transitions and memory written -------------------------------

NOW = datetime.now(UTC).replace(second=0, microsecond=0)
# So many of the datastores become slow, over the thresholds of so many of the rules: a minute to remember.
SLOW, TOUCHED = 20, 50
TIMES = tuple(measure for measure in MEASURES if measure.quantity is not Quantity.EXCESS)


class Site:
    """2,000 datastores and 5,000 rules that look at all of them."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.now = engine, NOW
        self.place = WorkerContext(engine, Connections(Vault(bytes(32))), now=lambda: self.now)
        stores = tuple(
            Datastore(f"ds-{n}", f"ds-{n}", DatastoreType.VMFS, None, 2**40, (), ("esx-1",)) for n in range(DATASTORES)
        )
        bare = replace(host_inventory(), hosts=(esxi("esx-1"),), hbas=(), paths=(), devices=(), vms=(), disks=())
        with transaction(engine) as connection:
            alert_memory.note_default_rules(connection)
            source = add_source(
                connection, kind=SourceKind.VCENTER, name="vc", address="192.0.2.1", settings={}, enabled=True, now=NOW
            )
            store_inventory(connection, source, InventoryTaken(replace(bare, datastores=stores), NOW))
            for number in range(RULES):
                self._add(connection, number)
            self.stores = [found for (found,) in connection.execute(text("SELECT id FROM datastore ORDER BY id"))]

    @staticmethod
    def _add(connection: object, number: int) -> None:
        """Of any layer and direction; only the first ones are ever breached."""
        kernel = Condition(RuleMeasure(Quantity.LATENCY, Layer.KERNEL), 300.0 + number / 1000)
        quiet = Condition(
            TIMES[number % len(TIMES)], 1e6 if TIMES[number % len(TIMES)].quantity is Quantity.LATENCY else 1.0
        )
        also = Condition(TIMES[(7 * number + 1) % len(TIMES)], 0.9)
        wanted = (kernel,) if number < TOUCHED else (quiet, also)
        rule = Rule(
            key=f"r{number}", name=f"Rule {number}", scope=Scope(Subject.DATASTORE), conditions=wanted, for_min=0
        )
        add_rule(connection, rule.key, plain_rule(rule), enabled=True, now=NOW)  # type: ignore[arg-type]

    def minute(self, slow: int) -> tuple[float, float, int]:
        """CPU seconds of this process and of its sessions of the database, and transitions, of judging the next minute."""
        self.now += timedelta(minutes=1)
        begin = self.now - timedelta(minutes=1)
        rows = [
            (ScopeKind.DATASTORE, store, begin, row(60_000, 30_000, KERNEL if n < slow else HEALTHY))
            for n, store in enumerate(self.stores)
        ]
        with transaction(self.engine) as connection:
            written(connection, rows, replaced=())
            alert_memory.minutes_written(connection, [round(begin.timestamp()) // 60], is_whole=True)
        server, own = self._server_s(), time.process_time()
        moved = evaluate_rules(self.place, budget_s=600)
        return time.process_time() - own, self._server_s() - server, moved

    def _server_s(self) -> float:
        """Of the sessions that this process holds: the server is on this machine."""
        query = "SELECT pid FROM pg_stat_activity WHERE application_name = current_setting('application_name')"
        with self.engine.connect() as connection:
            pids = [pid for (pid,) in connection.execute(text(query))]
        ticks = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13] for pid in pids]
        return sum(int(one) for pair in ticks for one in pair) / os.sysconf("SC_CLK_TCK")


@pytest.fixture
def site(postgres_url: str) -> Iterator[Site]:
    engine = open_engine(postgres_url, Role.WORKER)
    yield Site(engine)
    engine.dispose()


def test_5000_rules_over_2000_datastores_on_the_store(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    told = ["the first one, rules and environment included", *["all is quiet"] * 3]
    told += [f"{SLOW} datastores become slow for {TOUCHED} rules", "they stay slow", "they are no longer slow"]
    spent = [(*site.minute(slow), words) for slow, words in zip((0, 0, 0, 0, SLOW, SLOW, 0), told, strict=True)]
    with capsys.disabled():
        sys.stdout.write(f"\n{RULES} rules × {DATASTORES} datastores, a minute from the ledger to its transitions:\n")
        for own, server, moved, words in spent:
            sys.stdout.write(f"  {own:.2f} CPU s, {server:.2f} of the database, {moved} transitions: {words}\n")
    assert [moved for _, _, moved, _ in spent] == [0, 0, 0, 0, SLOW * TOUCHED, 0, SLOW * TOUCHED]
    assert max(own + server for own, server, _, _ in spent[1:]) <= GOAL_S
