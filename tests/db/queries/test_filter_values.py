"""Values that filters of lists offer: as many objects each as the list then has, and bounded, whatever there is."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from sqlalchemy import func, select
from tests.db.conftest import Store
from tests.db.queries.test_labels import ADA, STEP, labeled, tag
from tests.db.small_environment import NOW, Environment

from gavel.api.filters import object_filter
from gavel.db.engine import Role, open_engine, reading
from gavel.db.queries.filter_values import FilterValue, FilterValues, OfferedFilter, filter_values
from gavel.db.queries.filters import narrowed
from gavel.db.queries.object_filter import ObjectFilter
from gavel.db.queries.refs import TABLES, RefKind
from gavel.domain.labels import Label, LabelKind

KINDS = (RefKind.VM, RefKind.DATASTORE, RefKind.HOST, RefKind.CLUSTER, RefKind.VOLUME, RefKind.ARRAY)
MARKUP = '<img src=x onerror="alert(1)">'
MOST_TAGS = 10_000
TAGGED = """
    INSERT INTO label (source_id, subject_table, subject_id, kind, name, value, valid_from)
    SELECT source_id, 'vm', id, 'tag', 'ticket', 'no-' || n, first_seen_at FROM vm, generate_series(1, :tags) n WHERE id = :id
"""


@pytest.fixture(scope="module")
def store(module_postgres_url: str) -> Iterator[Store]:
    engine = open_engine(module_postgres_url, Role.WORKER)
    yield Store(engine, timescale=False)
    engine.dispose()


@pytest.fixture(scope="module")
def environment(store: Store) -> Environment:
    """Two environments of equal names, so that a value is of objects of both; one VM has a value twice, in two spellings, and another as
    tag and as attribute."""
    environments = [Environment(store) for _ in range(2)]
    for found in environments:
        hosts = labeled(found.tag)
        alike = (tag("Owner", "ADA"), Label(LabelKind.ATTRIBUTE, "application", f"finance-{found.tag}"))
        twice = replace(hosts.vms[0], labels=(*hosts.vms[0].labels, *alike, tag("note", MARKUP)))
        store.take(found.vcenter, replace(hosts, vms=(twice, *hosts.vms[1:])), NOW + STEP)
    return environments[-1]


def offered(environment: Environment, kind: RefKind, name: OfferedFilter, search: str = "") -> FilterValues:
    with reading(environment.store.engine) as connection:
        return filter_values(connection, kind, name, search, limit=50)


def listed(environment: Environment, kind: RefKind, name: OfferedFilter, text: str) -> int:
    """How many objects the list has with this filter, as its address has it."""
    given: dict[str, object] = {name.value: [text] if name is OfferedFilter.LABEL else text}
    table = TABLES[kind]
    wanted: ObjectFilter = object_filter(_App(environment.store), **given)  # type: ignore[arg-type]
    query = narrowed(select(func.count()).select_from(table).where(table.c.present), kind, wanted)
    with reading(environment.store.engine) as connection:
        return int(connection.execute(query).scalar_one())


class _App:
    """What a filter asks of the API's state."""

    def __init__(self, store: Store) -> None:
        self.engine = store.engine


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", OfferedFilter)
def test_an_offered_value_has_as_many_objects_as_the_list_that_it_filters(
    environment: Environment, kind: RefKind, name: OfferedFilter
) -> None:
    found = offered(environment, kind, name)
    assert found.items
    assert found.total == len(found.items)
    assert [one.objects for one in found.items] == sorted((one.objects for one in found.items), reverse=True)
    assert {one.value: listed(environment, kind, name, one.filter) for one in found.items} == {
        one.value: one.objects for one in found.items
    }


def test_offered_values_hold_what_is_typed_without_regard_to_case(environment: Environment) -> None:
    owners = offered(environment, RefKind.VM, OfferedFilter.OWNER, "AD")
    assert [(one.value.lower(), one.filter.lower(), one.objects) for one in owners.items] == [("ada", "=ada", 4)]
    assert offered(environment, RefKind.VM, OfferedFilter.OWNER, "=ad") == owners
    assert offered(environment, RefKind.VM, OfferedFilter.OWNER, "%") == FilterValues((), 0)
    assert offered(environment, RefKind.VM, OfferedFilter.CLUSTER, "no such cluster").items == ()


def test_offered_labels_are_searched_by_name_by_value_and_by_both(environment: Environment) -> None:
    by_name = offered(environment, RefKind.DATASTORE, OfferedFilter.LABEL, "TIER")
    assert by_name.items == (FilterValue("tier=gold", "tier=gold", 2),)
    assert offered(environment, RefKind.DATASTORE, OfferedFilter.LABEL, "gol") == by_name
    assert offered(environment, RefKind.DATASTORE, OfferedFilter.LABEL, "Tier = G") == by_name
    assert offered(environment, RefKind.DATASTORE, OfferedFilter.LABEL, "owner=gold").items == ()


def test_offered_markup_is_text(environment: Environment) -> None:
    found = offered(environment, RefKind.VM, OfferedFilter.LABEL, "note=<IMG")
    assert found.items == (FilterValue(f"note={MARKUP}", f"note={MARKUP}", 2),)


def test_ten_thousand_tags_are_offered_as_the_first_with_their_number(store: Store, environment: Environment) -> None:
    vm_id = environment.id("vm", "vm-3")
    store.run(TAGGED, tags=MOST_TAGS, id=vm_id)
    try:
        with reading(store.engine) as connection:
            found = filter_values(connection, RefKind.VM, OfferedFilter.LABEL, "ticket=")
            refined = filter_values(connection, RefKind.VM, OfferedFilter.LABEL, "ticket=no-777")
        assert (len(found.items), found.total) == (20, MOST_TAGS)
        assert [one.value for one in refined.items] == ["ticket=no-777", *(f"ticket=no-777{n}" for n in range(10))]
    finally:
        store.run("DELETE FROM label WHERE name = 'ticket'")


def test_labels_that_a_vm_has_twice_count_it_once(environment: Environment) -> None:
    tagged = offered(environment, RefKind.VM, OfferedFilter.LABEL, f"application=finance-{environment.tag}")
    assert [(one.value, one.objects) for one in tagged.items] == [(f"application=finance-{environment.tag}", 1)]
    owners = offered(environment, RefKind.VM, OfferedFilter.LABEL, "owner=ada")
    assert [(one.value.lower(), one.objects) for one in owners.items] == [("owner=ada", 4)]


def test_a_whole_value_is_not_a_part_of_another(environment: Environment) -> None:
    assert ADA.value == "ada"
    assert listed(environment, RefKind.VM, OfferedFilter.OWNER, "=ad") == 0
    assert listed(environment, RefKind.VM, OfferedFilter.OWNER, "ad") == 4
