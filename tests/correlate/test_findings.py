"""Findings from the store: what an evaluation raises, clears and leaves, over a real database."""

from dataclasses import replace
from datetime import timedelta

from tests.correlate.correlated import SERIAL, START, Environment
from tests.db.environments import host_inventory, naa

from gavel.correlate.findings import evaluate_findings
from gavel.correlate.run import MINUTE
from gavel.db.engine import reading, transaction
from gavel.db.queries.events import events_of
from gavel.db.queries.findings import FindingQuery, FindingRow, finding_history, findings
from gavel.db.queries.refs import RefKind
from gavel.db.write.findings import EvaluationCounts, accept, reopen
from gavel.db.write.inventory import store_inventory
from gavel.domain.inventory import HostInventory, InventoryTaken

NAME = naa(SERIAL[0])


def with_paths(count: int, *, dead: dict[str, int]) -> HostInventory:
    """So many paths of the datastore "simple" on each host, so many of them dead."""
    plain = host_inventory()
    first = {path.host_device_key.split("/")[0]: path for path in plain.paths}
    paths = tuple(
        replace(
            first[host],
            key=f"{host}/p{n}",
            name=f"vmhba1:C0:T{n}:L0",
            state="dead" if n < dead.get(host, 0) else "active",
        )
        for host in ("esx-1", "esx-2")
        for n in range(count)
    )
    return replace(plain, paths=paths)


def with_depths(inventory: HostInventory, depths: dict[str, int]) -> HostInventory:
    devices = tuple(
        replace(one, queue_depth=depths.get(one.host_key, one.queue_depth)) if one.canonical_name == NAME else one
        for one in inventory.devices
    )
    return replace(inventory, devices=devices)


def evaluated(environment: Environment, inventory: HostInventory | None, minutes: int) -> EvaluationCounts | None:
    """The inventory of the vCenter and an evaluation so many minutes after the start."""
    environment.clock.now = START + minutes * MINUTE
    if inventory is not None:
        with transaction(environment.engine) as connection:
            store_inventory(connection, environment.vcenter, InventoryTaken(inventory, environment.clock.now))
    return evaluate_findings(environment.place)


def rows(environment: Environment, *rules: str, states: tuple[str, ...] = ()) -> tuple[FindingRow, ...]:
    with reading(environment.engine) as connection:
        return findings(connection, FindingQuery(states=states, rules=rules)).items


def test_findings_name_a_datastore_half_of_whose_paths_are_down(environment: Environment) -> None:
    evaluated(environment, with_paths(8, dead={"esx-1": 4, "esx-2": 4}), 1)
    (found,) = rows(environment, "paths-down")
    assert (found.object_kind, found.object_name, found.state) == ("datastore", "simple", "open")
    assert found.title == "8 of 16 paths down on esx-1 and esx-2"
    assert found.document["affected_text"] == "2 VMs with disks on it"


def test_findings_of_unequal_depths_name_the_cluster_and_touch_the_datastore(environment: Environment) -> None:
    evaluated(environment, with_depths(with_paths(2, dead={}), {"esx-1": 32, "esx-2": 64}), 1)
    (found,) = rows(environment, "unequal-queue-settings")
    assert (found.object_kind, found.object_name) == ("cluster", "Cluster A")
    assert found.title == "Queue depth (DQLEN) 64/32 among the hosts of simple"
    with reading(environment.engine) as connection:
        store = environment.count("SELECT id FROM datastore WHERE key = 'simple'")
        touching = findings(connection, FindingQuery(kind="datastore", object_id=store)).items
    assert [one.id for one in touching] == [found.id]


def test_findings_of_equal_hosts_with_all_paths_working_are_none(environment: Environment) -> None:
    counts = evaluated(environment, with_paths(4, dead={}), 1)
    assert counts == EvaluationCounts(raised=0, returned=0, cleared=0)
    assert rows(environment) == ()


def test_findings_an_adapter_without_a_working_path_is_one_finding_for_all_its_devices(
    environment: Environment,
) -> None:
    plain = host_inventory()
    one = next(path for path in plain.paths if path.host_device_key.startswith("esx-1/"))
    names = (NAME, naa(SERIAL[1]), naa(SERIAL[2]))
    paths = tuple(
        replace(
            one, key=f"{host}/{hba}/{name}", host_device_key=f"{host}/{name}", hba_key=f"{host}/{hba}", name=f"{hba}:{name}",
            state="dead" if (host, hba) == ("esx-1", "vmhba2") else "active",
        )
        for host in ("esx-1", "esx-2")
        for hba in ("vmhba1", "vmhba2")
        for name in names
    )  # fmt: skip
    hbas = tuple(
        replace(hba, key=f"{hba.host_key}/{name}", device=name) for hba in plain.hbas for name in ("vmhba1", "vmhba2")
    )
    evaluated(environment, replace(plain, paths=paths, hbas=hbas), 1)
    (found,) = rows(environment, "paths-down")
    assert (found.object_kind, found.object_name) == ("host", "esx-1")
    assert found.title == "All 3 paths of vmhba2 down on esx-1"
    assert {one["name"] for one in found.document["affected"]} == {"simple", "spanned"}


def test_findings_do_not_compare_local_disks_that_share_a_name_among_hosts(environment: Environment) -> None:
    plain = with_depths(with_paths(2, dead={}), {"esx-1": 32, "esx-2": 64})
    local = tuple(
        replace(one, canonical_name="mpx.vmhba0:C0:T0:L0") if one.canonical_name == NAME else one
        for one in plain.devices
    )
    evaluated(environment, replace(plain, devices=local), 1)
    assert rows(environment) == ()


def test_findings_a_host_that_lists_no_path_of_a_device_is_not_short_of_paths(environment: Environment) -> None:
    whole = with_paths(4, dead={})
    listed = tuple(path for path in whole.paths if path.host_device_key.startswith("esx-1/"))
    evaluated(environment, replace(whole, paths=listed), 1)
    assert rows(environment) == ()


def test_findings_are_evaluated_every_five_minutes(environment: Environment) -> None:
    assert evaluated(environment, with_paths(4, dead={}), 1) is not None
    assert evaluated(environment, None, 4) is None
    assert evaluated(environment, None, 6) is not None


def test_findings_clear_by_themselves_and_come_back_in_their_row_with_events(environment: Environment) -> None:
    broken, whole = with_paths(4, dead={"esx-1": 2}), with_paths(4, dead={})
    evaluated(environment, broken, 1)
    assert evaluated(environment, whole, 6) == EvaluationCounts(raised=0, returned=0, cleared=1)
    (cleared,) = rows(environment, "paths-down")
    assert (cleared.state, cleared.cleared_at) == ("cleared", START + 6 * MINUTE)
    assert evaluated(environment, broken, 11) == EvaluationCounts(raised=0, returned=1, cleared=0)
    (again,) = rows(environment, "paths-down")
    assert (again.id, again.state, again.raised_at) == (cleared.id, "open", START + 11 * MINUTE)
    with reading(environment.engine) as connection:
        history = finding_history(connection, again.id)
    assert [(event.before, event.after) for event in history] == [
        ("cleared", "open"),
        ("open", "cleared"),
        (None, "open"),
    ]


def test_findings_of_a_source_that_is_no_longer_read_stay_as_they_were(environment: Environment) -> None:
    """Without an inventory for hours nothing is known of the paths: neither repaired nor worse."""
    evaluated(environment, with_paths(4, dead={"esx-1": 2}), 1)
    with transaction(environment.engine) as connection:
        connection.exec_driver_sql("UPDATE path SET state = 'active'")
    counts = evaluated(environment, None, 60 * 5)
    assert counts == EvaluationCounts(raised=0, returned=0, cleared=0)
    (found,) = rows(environment, "paths-down")
    assert (found.state, found.seen_at) == ("open", START + MINUTE)


def test_findings_that_are_accepted_stay_so_until_their_evidence_doubles(environment: Environment) -> None:
    evaluated(environment, with_paths(8, dead={"esx-1": 2}), 1)
    (found,) = rows(environment, "paths-down")
    with transaction(environment.engine) as connection:
        accept(connection, found.id, "ada", "cable ordered", None, START + 2 * MINUTE)
    evaluated(environment, with_paths(8, dead={"esx-1": 3}), 6)
    assert [one.state for one in rows(environment, "paths-down")] == ["accepted"]
    assert evaluated(environment, with_paths(8, dead={"esx-1": 4}), 11) == EvaluationCounts(0, 1, 0)
    (again,) = rows(environment, "paths-down")
    assert (again.state, again.accepted_by) == ("open", None)
    with reading(environment.engine) as connection:
        assert finding_history(connection, again.id)[0].note == "the evidence doubled since it was accepted"


def test_findings_that_are_accepted_come_back_when_the_acceptance_ends(environment: Environment) -> None:
    evaluated(environment, with_paths(8, dead={"esx-1": 2}), 1)
    (found,) = rows(environment, "paths-down")
    with transaction(environment.engine) as connection:
        until = START + timedelta(minutes=8)
        accept(connection, found.id, "ada", "cable ordered", until, START + 2 * MINUTE)
    assert evaluated(environment, None, 6) == EvaluationCounts(0, 0, 0)
    assert evaluated(environment, None, 11) == EvaluationCounts(0, 1, 0)


def test_findings_of_a_rule_that_is_registered_no_longer_are_cleared(environment: Environment) -> None:
    evaluated(environment, with_paths(8, dead={"esx-1": 2}), 1)
    with transaction(environment.engine) as connection:
        connection.exec_driver_sql("UPDATE finding SET rule = 'formerly'")
    assert evaluated(environment, None, 6) == EvaluationCounts(raised=1, returned=0, cleared=1)


def test_findings_whose_state_changes_are_events_of_their_object_and_of_what_they_touch(
    environment: Environment,
) -> None:
    evaluated(environment, with_paths(8, dead={"esx-1": 2}), 1)
    (found,) = rows(environment, "paths-down")
    with transaction(environment.engine) as connection:
        accept(connection, found.id, "ada", "cable ordered", None, START + 2 * MINUTE)
    with transaction(environment.engine) as connection:
        reopen(connection, found.id, START + 3 * MINUTE)
    evaluated(environment, with_paths(8, dead={}), 6)
    for kind, table in (
        (RefKind.DATASTORE, "datastore WHERE key = 'simple'"),
        (RefKind.HOST, "esxi_host WHERE key = 'esx-1'"),
    ):
        with reading(environment.engine) as connection:
            thing = environment.count(f"SELECT id FROM {table}")
            happened = events_of(connection, kind, thing, START, START + 10 * MINUTE)
        of_findings = [event for event in happened if event.subject_table == "finding"]
        assert [(event.kind, event.after) for event in of_findings] == [
            ("finding_raised", None),
            ("finding_accepted", "by ada: cable ordered"),
            ("finding_reopened", "acceptance withdrawn"),
            ("finding_cleared", None),
        ]
        assert {event.subject_name for event in of_findings} == {"2 of 8 paths down on esx-1"}
        assert {event.subject.name for event in of_findings if event.subject} == {"simple"}
