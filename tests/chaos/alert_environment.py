"""What the campaign against alerts is held on: stores without volumes, three kinds of rules, a channel, and the plan of the ledger."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from tests.alerting.receivers import HttpReceiver
from tests.alerting.use.alert_scene import KERNEL_SLOW, SECRET
from tests.chaos.alert_plan import Plan, clock_beside
from tests.chaos.alert_processes import Processes
from tests.db.environments import esxi, host_inventory

from gavel.admin import channels
from gavel.alerting.use import rules
from gavel.db.engine import Role, open_engine, transaction
from gavel.db.migrate import migrate
from gavel.db.queries.sources import add_source
from gavel.db.write import alert_memory
from gavel.db.write.inventory import store_inventory
from gavel.domain.inventory import Datastore, DatastoreType, InventoryTaken
from gavel.domain.source import SourceKind
from gavel.vault import load_vault

STORES = 40
# What a store's rule waits for, by the store's place: fires and ends at once, with pending and recovering, and one of both.
RULES = (
    {"for_min": 0, "keep_firing_min": 1},
    {"for_min": 3, "keep_firing_min": 3},
    {"for_min": 1, "keep_firing_min": 2},
)


def founded(processes: Processes, receiver: HttpReceiver, seed: int) -> Plan:
    """The schema, the environment, its rules and the channel, and the plan of what the ledger will say."""
    migrate(processes.database_url)
    engine = open_engine(processes.database_url, Role.WORKER)
    clock = clock_beside(processes.plan)
    now = datetime.now(UTC)
    clock.set(now.timestamp())
    names = [f"kind{place % len(RULES)}-{place:02d}" for place in range(STORES)]
    kinds = [Datastore(name, name, DatastoreType.VMFS, None, 2**40, (), ("esx-1",)) for name in names]
    inventory = replace(
        host_inventory(),
        hosts=(esxi("esx-1"),),
        hbas=(),
        paths=(),
        devices=(),
        vms=(),
        disks=(),
        datastores=tuple(kinds),
    )
    with transaction(engine) as connection:
        alert_memory.note_default_rules(connection)
        source = add_source(
            connection, kind=SourceKind.VCENTER, name="vc", address="192.0.2.1", settings={}, enabled=True, now=now
        )
        store_inventory(connection, source, InventoryTaken(inventory, now))
    for kind in range(len(RULES)):
        rules.add(engine, kind_of_rule(kind), now)
    settings = {"url": f"{receiver.url}/hook", "secrets": [SECRET]}
    vault = load_vault(processes.data / "secret.key")
    channels.add(
        engine, vault, kind="webhook", name="ours", enabled=True, route={}, second_id=None, settings=settings, now=now
    )
    with engine.connect() as connection:
        found: dict[str, int] = {
            row.name: row.id for row in connection.exec_driver_sql("SELECT name, id FROM datastore")
        }
    engine.dispose()
    plan = Plan(seed, int(now.timestamp()) // 60, tuple(found[name] for name in names))
    plan.save(processes.plan)
    return plan


def kind_of_rule(kind: int) -> dict[str, Any]:
    return {
        **KERNEL_SLOW,
        "key": f"kind{kind}",
        "name": f"Kind {kind}",
        "where": {"name": f"kind{kind}-*"},
        **RULES[kind],
    }
