"""Search over every name."""

import pytest
from tests.db.conftest import Store
from tests.db.environments import eui, naa, serials
from tests.db.small_environment import NOW, Environment

from gavel.db.engine import reading
from gavel.db.queries.refs import RefKind
from gavel.db.queries.search import search
from gavel.db.queries.vms import vms


@pytest.fixture
def environment(store: Store) -> Environment:
    return Environment(store)


@pytest.mark.parametrize(
    ("text", "found"), [("WEB", ["web_02%"]), ("_0", ["web_02%"]), ("%", ["web_02%"]), ("zzz", []), ("\\", [])]
)
def test_search_takes_letters_as_they_are(environment: Environment, text: str, found: list[str]) -> None:
    vm_id = environment.id("vm", "vm-2")
    with reading(environment.store.engine) as connection:
        assert [row.name for row in vms(connection, environment.asking(search=text), NOW).items] == found
        hits = search(connection, text, limit=1000)
    assert [hit.ref.name for hit in hits if (hit.ref.kind, hit.ref.id) == (RefKind.VM, vm_id)] == found


def test_search_finds_every_kind_a_volume_by_its_serial_and_a_datastore_by_its_device(environment: Environment) -> None:
    serial = serials(environment.tag)
    with reading(environment.store.engine) as connection:
        (hit,) = search(connection, serial[3].lower())
        on_device, on_namespace = (
            {hit.ref.name for hit in search(connection, name(serial[n]))} for name, n in ((naa, 1), (eui, 3))
        )
        kinds = {
            hit.ref.kind
            for word in ("esx", "simple", "db0", "v0", "source", "name of")
            for hit in search(connection, word, limit=50)
        }
    assert (hit.ref.kind, hit.ref.name) == (RefKind.VOLUME, "v3")
    assert (on_device, on_namespace) == ({"spanned"}, {"nvme"})
    assert kinds == {RefKind.HOST, RefKind.DATASTORE, RefKind.VM, RefKind.VOLUME, RefKind.SOURCE, RefKind.ARRAY}


def test_search_finds_a_thing_by_what_it_is_made_of(environment: Environment, store: Store) -> None:
    export = store.value(
        "SELECT nfs_host || ':' || nfs_path FROM datastore WHERE source_id = :id AND name = 'nfs'",
        id=environment.vcenter,
    )
    file = f"[simple] moved-{environment.tag}/disk.vmdk"
    store.run(
        "UPDATE vm_disk SET backing_path = :file WHERE source_id = :id AND key = 'vm-1/scsi0:0'",
        file=file,
        id=environment.vcenter,
    )
    mine = {environment.id("datastore", "nfs"), environment.id("vm", "vm-1"), environment.id("esxi_host", "esx-1")}
    with reading(store.engine) as connection:
        hits = [hit for word in (str(export), file, "cluster a") for hit in search(connection, word, limit=1000)]
        (pod, *_) = search(connection, "pod", limit=1000)
    assert {(RefKind.DATASTORE, "nfs"), (RefKind.VM, "db01"), (RefKind.HOST, "esx-1")} <= {
        (hit.ref.kind, hit.ref.name) for hit in hits if hit.ref.id in mine
    }
    assert next(hit.context for hit in hits if hit.ref.kind is RefKind.VM).endswith(file)
    assert (pod.ref.kind, pod.context) == (RefKind.ARRAY, "Array with pod pod")
