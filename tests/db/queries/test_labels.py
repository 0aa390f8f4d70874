"""Labels, owners and the filters of lists: who is found by what, and how many share an object."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select
from tests.db.conftest import Store
from tests.db.environments import array_inventory, disk, host_inventory
from tests.db.small_environment import NOW, Environment

from gavel.db.engine import Role, open_engine, reading, transaction
from gavel.db.queries.filters import narrowed
from gavel.db.queries.labels import label_names, label_values, labels_of
from gavel.db.queries.object_filter import LabelFilter, ObjectFilter
from gavel.db.queries.owners import Owner, label_meanings, owners
from gavel.db.queries.refs import TABLES, RefKind
from gavel.db.queries.search import search
from gavel.db.write.labels import set_label_meaning
from gavel.domain.inventory import HostInventory, ToolsState, Vm
from gavel.domain.labels import MOST_LABELS, Label, LabelKind, Meaning, plain_labels

STEP = timedelta(minutes=5)
ADA = Label(LabelKind.ATTRIBUTE, "owner", "ada")


def tag(name: str, value: str) -> Label:
    return Label(LabelKind.TAG, name, value)


def labeled(tag_number: int) -> HostInventory:
    """Three VMs on "simple": two of ada's, one of bob's; the second has no VMware Tools."""
    hosts = host_inventory(f"vc-{tag_number}", tag_number)
    finance = f"finance-{tag_number}"
    vms = (
        Vm(
            "vm-1", "db01", "iu-1", "poweredOn", "esx-1", "bu-1", f"db01.n{tag_number}.example", (f"10.7.{tag_number}.9", "fd00::9"),
            ToolsState.RUNNING, f"dc/{finance}", "Resources", (ADA, tag("application", finance)),
        ),
        Vm(
            "vm-2", "web", "iu-2", "poweredOn", "esx-2", tools_state=ToolsState.NOT_INSTALLED, labels=(replace(ADA, value="Ada"),),
        ),
        Vm("vm-3", "app", "iu-3", "poweredOn", "esx-2", labels=(replace(ADA, value="bob"),)),
    )  # fmt: skip
    disks = (*hosts.disks, disk("vm-3", 0, "simple"))
    stores = tuple(replace(s, labels=(tag("tier", "gold"),)) if s.key == "nvme" else s for s in hosts.datastores)
    return replace(hosts, vms=vms, disks=disks, datastores=stores)


@pytest.fixture(scope="module")
def store(module_postgres_url: str) -> Iterator[Store]:
    engine = open_engine(module_postgres_url, Role.WORKER)
    yield Store(engine, timescale=False)
    engine.dispose()


@pytest.fixture(scope="module")
def environment(store: Store) -> Environment:
    found = Environment(store)
    store.take(found.vcenter, labeled(found.tag), NOW + STEP)
    return found


def names(environment: Environment, kind: RefKind, wanted: ObjectFilter) -> list[str]:
    table = TABLES[kind]
    sources = (environment.array, environment.vcenter)
    query = select(table.c.name).where(table.c.present, table.c.source_id.in_(sources)).order_by(table.c.name)
    with reading(environment.store.engine) as connection:
        return list(connection.scalars(narrowed(query, kind, wanted)))


def test_labels_have_ranges_of_time(store: Store) -> None:
    inventory = labeled(90)
    source_id = store.with_environment(inventory, NOW)
    moved = replace(inventory.vms[2], labels=(replace(ADA, value="eve"),))
    store.take(source_id, replace(inventory, vms=(*inventory.vms[:2], moved)), NOW + STEP)
    rows = store.rows(
        "SELECT value, valid_from, valid_to FROM label WHERE source_id = :id AND value IN ('bob', 'eve') ORDER BY 1",
        id=source_id,
    )
    assert rows == [("bob", NOW, NOW + STEP), ("eve", NOW + STEP, None)]


def test_labels_that_could_not_be_read_stay_and_those_of_the_other_kind_end(store: Store) -> None:
    inventory = labeled(91)
    source_id = store.with_environment(inventory, NOW)
    bare = tuple(replace(vm, labels=()) for vm in inventory.vms)
    counts = store.take(
        source_id, replace(inventory, vms=bare, kept_labels=frozenset({LabelKind.TAG})), NOW + STEP
    ).tables
    left = store.rows(
        "SELECT kind, name FROM label WHERE source_id = :id AND valid_to IS NULL ORDER BY 2", id=source_id
    )
    assert left == [("tag", "application"), ("tag", "tier")]
    assert counts["label"].vanished == 3


def test_labels_changed_make_rules_of_alerts_look_again(store: Store) -> None:
    inventory = labeled(92)
    source_id = store.with_environment(inventory, NOW)
    before = store.value("SELECT inventory_revision FROM source WHERE id = :id", id=source_id)
    bare = tuple(replace(vm, labels=()) for vm in inventory.vms)
    store.take(source_id, replace(inventory, vms=bare), NOW + STEP)
    assert store.value("SELECT inventory_revision FROM source WHERE id = :id", id=source_id) != before


def test_labels_of_arrays_are_stored_with_their_volumes(store: Store) -> None:
    inventory = array_inventory("array-93", 93)
    volumes = (replace(inventory.volumes[0], labels=(tag("cost", "7"),)), *inventory.volumes[1:])
    source_id = store.with_environment(replace(inventory, volumes=volumes), NOW)
    volume_id = store.value("SELECT id FROM volume WHERE source_id = :id AND name = 'v0'", id=source_id)
    assert isinstance(volume_id, int)
    with reading(store.engine) as connection:
        assert labels_of(connection, RefKind.VOLUME, [volume_id]) == {volume_id: (tag("cost", "7"),)}


def test_an_object_keeps_so_many_labels_on_one_line_each() -> None:
    markup = '<img src=x onerror="alert(1)">\n'
    found = plain_labels(LabelKind.TAG, [("t", f"{n:05}") for n in range(10_000)])
    assert len(found) == MOST_LABELS
    (one,) = plain_labels(LabelKind.ATTRIBUTE, [(markup, "x" * 5000), ("empty", " "), ("", "nameless")])
    assert (one.name, len(one.value)) == ('<img src=x onerror="alert(1)">', 380)


@pytest.mark.parametrize("letter", ["x", "é", "長", "😀"])
def test_the_longest_label_fits_its_index(store: Store, letter: str) -> None:
    number = 100 + ord(letter) % 97
    inventory = labeled(number)
    longest = plain_labels(LabelKind.TAG, [(letter * 5000, letter * 5000)])
    source_id = store.with_environment(replace(inventory, vms=(replace(inventory.vms[0], labels=longest),)), NOW)
    assert store.value("SELECT count(*) FROM label WHERE source_id = :id AND kind = 'tag'", id=source_id) == 2


def test_the_owner_of_a_vm_is_its_label_and_of_a_datastore_that_of_most_vms(environment: Environment) -> None:
    vm_id, simple, nvme = (
        environment.id(*key) for key in (("vm", "vm-1"), ("datastore", "simple"), ("datastore", "nvme"))
    )
    with reading(environment.store.engine) as connection:
        assert owners(connection, RefKind.VM, [vm_id]) == {vm_id: Owner("ada", 1.0, 1)}
        assert owners(connection, RefKind.DATASTORE, [simple, nvme]) == {
            simple: Owner("Ada", 2 / 3, 2),
            nvme: Owner("ada", 1.0, 1),
        }
        assert owners(connection, RefKind.DATASTORE, [simple], Meaning.APPLICATION)[simple].share == pytest.approx(
            1 / 3
        )
        assert owners(connection, RefKind.ARRAY, []) == {}


def test_vms_without_an_owner_are_counted_in_the_share(store: Store) -> None:
    environment = Environment(store)
    simple = environment.id("datastore", "simple")
    with reading(store.engine) as connection:
        assert owners(connection, RefKind.DATASTORE, [simple]) == {simple: Owner("ada", 0.5, 1)}


@pytest.fixture
def meaning(store: Store) -> Iterator[None]:
    yield
    store.run("DELETE FROM label_meaning")


@pytest.mark.usefixtures("meaning")
def test_which_label_means_owner_is_a_choice(environment: Environment) -> None:
    vm_id = environment.id("vm", "vm-1")
    with transaction(environment.store.engine) as connection:
        assert label_meanings(connection) == {Meaning.OWNER: "owner", Meaning.APPLICATION: "application"}
        set_label_meaning(connection, Meaning.OWNER, "APPLICATION")
        assert owners(connection, RefKind.VM, [vm_id])[vm_id].name == f"finance-{environment.tag}"


def test_names_and_values_of_labels_are_counted(environment: Environment) -> None:
    with reading(environment.store.engine) as connection:
        found = {one.name: one for one in label_names(connection)}
        values = {one.value: one.objects for one in label_values(connection, "OWNER")}
        parts = [one.value for one in label_values(connection, "owner", "bo")]
    assert found["application"].kinds == (LabelKind.TAG,)
    assert found["owner"].objects >= 3
    assert set(values) >= {"bob"}
    assert parts == ["bob"]


@pytest.mark.parametrize(
    ("wanted", "vms"),
    [
        ({"ip": "10.7."}, ["db01"]),
        ({"ip": "fd00::9"}, ["db01"]),
        ({"network": "10.7.0.0/16"}, ["db01"]),
        ({"network": "10.8.0.0/16"}, []),
        ({"dns": ".EXAMPLE"}, ["db01"]),
        ({"dns": "%"}, []),
        ({"folder": "finance"}, ["db01"]),
        ({"cluster": "cluster a"}, ["app", "db01", "web"]),
        ({"cluster": "other"}, []),
        ({"vendor": "pure"}, ["app", "db01", "web"]),
        ({"labels": (LabelFilter("Owner", "ADA"),)}, ["db01", "web"]),
        ({"labels": (LabelFilter(None, "bo", LabelKind.ATTRIBUTE, is_part=True),)}, ["app"]),
        ({"labels": (LabelFilter("owner", None), LabelFilter("application", None))}, ["db01"]),
        ({"labels": (LabelFilter("owner", None, LabelKind.TAG),)}, []),
        ({"ip": "10.7.", "labels": (LabelFilter("owner", "bob"),)}, []),
    ],
)
def test_filters_of_vms_narrow_to_those_that_fit_all(
    environment: Environment, wanted: dict[str, object], vms: list[str]
) -> None:
    assert names(environment, RefKind.VM, ObjectFilter(**wanted)) == vms  # type: ignore[arg-type]


def test_filters_of_other_objects_ask_for_one_vm_that_fits_all_or_for_their_own_labels(
    environment: Environment,
) -> None:
    of_bob = ObjectFilter(labels=(LabelFilter("owner", "bob"),))
    assert names(environment, RefKind.DATASTORE, of_bob) == ["simple"]
    assert names(environment, RefKind.HOST, of_bob) == ["esx-2"]
    assert names(environment, RefKind.CLUSTER, of_bob) == ["Cluster A"]
    assert names(environment, RefKind.VOLUME, of_bob) == ["v0"]
    assert len(names(environment, RefKind.ARRAY, of_bob)) == 1
    assert names(environment, RefKind.DATASTORE, ObjectFilter(labels=(LabelFilter("tier", "gold"),))) == ["nvme"]
    assert names(environment, RefKind.DATASTORE, ObjectFilter(ip="10.7.", labels=(LabelFilter("owner", "bob"),))) == []


@pytest.mark.parametrize("kind", [RefKind.DATASTORE, RefKind.HOST, RefKind.CLUSTER, RefKind.VOLUME, RefKind.ARRAY])
def test_filters_by_cluster_and_vendor_hold_for_every_kind(environment: Environment, kind: RefKind) -> None:
    assert names(environment, kind, ObjectFilter(cluster="cluster a", vendor="pure"))
    assert names(environment, kind, ObjectFilter(cluster="none such")) == []
    assert names(environment, kind, ObjectFilter(vendor="none such")) == []


@pytest.mark.parametrize(
    ("text", "context"),
    [
        ("10.7.{n}.9", "VM at 10.7.{n}.9"),
        ("db01.n{n}", "VM db01.n{n}.example"),
        ("finance-{n}", "VM with application = finance-{n}"),
    ],
)
def test_search_finds_a_vm_by_address_dns_name_and_label_once(
    environment: Environment, text: str, context: str
) -> None:
    with reading(environment.store.engine) as connection:
        hits = search(connection, text.format(n=environment.tag))
    mine = [hit for hit in hits if hit.ref.id == environment.id("vm", "vm-1") and hit.ref.kind is RefKind.VM]
    assert [hit.context for hit in mine] == [context.format(n=environment.tag)]
