"""The tags that administrators of the lab keep: environment and backup on every VM, tier on datastores, compliance on some VMs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import NAMESPACE_URL, UUID, uuid5

from gavel_lab.environment import Datastore, Vm
from gavel_lab.vcenter.applications import prefix
from gavel_lab.vcenter.site import Site

_TEST = ("test", "dev", "lab")
_CATEGORIES = {"environment": False, "backup": False, "tier": False, "compliance": True}


@dataclass(frozen=True, slots=True)
class Category:
    urn: str
    name: str
    is_multiple: bool


@dataclass(frozen=True, slots=True)
class Tag:
    """`category`: its urn."""

    urn: str
    name: str
    category: str


class Tags:
    """Categories, tags and what they are attached to. Immutable."""

    def __init__(self, site: Site) -> None:
        domain = UUID(site.vcenter.instance_uuid)
        names = {name: _urn("InventoryServiceCategory", domain, name) for name in _CATEGORIES}
        self.categories = {urn: Category(urn, name, _CATEGORIES[name]) for name, urn in names.items()}
        self.tags: dict[str, Tag] = {}
        self._of: dict[str, list[str]] = {}
        self._objects: dict[str, list[tuple[str, str]]] = {}
        for key, kind, category, name in _attached(site):
            urn = _urn("InventoryServiceTag", domain, f"{category}/{name}")
            self.tags.setdefault(urn, Tag(urn, name, names[category]))
            self._of.setdefault(key, []).append(urn)
            self._objects.setdefault(urn, []).append((key, kind))

    def of(self, key: str) -> Sequence[str]:
        """The urns of an object's tags."""
        return self._of.get(key, ())

    def objects_with(self, urn: str) -> Sequence[tuple[str, str]]:
        """Id and type of the objects with a tag."""
        return self._objects.get(urn, ())


def _attached(site: Site) -> Iterator[tuple[str, str, str, str]]:
    """(object, its type, category, tag)."""
    for vm in site.tree.vms:
        for category, name in _of_vm(vm):
            yield vm.moref, "VirtualMachine", category, name
    for datastore in site.tree.datastores:
        yield datastore.moref, "Datastore", "tier", _tier(datastore)


def _of_vm(vm: Vm) -> Iterator[tuple[str, str]]:
    is_test = prefix(vm).startswith(_TEST)
    yield "environment", "test" if is_test else "production"
    yield "backup", "weekly" if is_test else "daily"
    yield from (("compliance", name) for name in _COMPLIANCE.get(prefix(vm), ()))


_COMPLIANCE: Mapping[str, tuple[str, ...]] = {"sql": ("PCI DSS", "GDPR"), "erp": ("SOX",), "mail": ("GDPR",)}


def _tier(datastore: Datastore) -> str:
    return {"vmfs": "gold", "vvol": "gold", "nfs": "bronze"}[datastore.kind]


def _urn(kind: str, domain: UUID, name: str) -> str:
    return f"urn:vmomi:{kind}:{uuid5(NAMESPACE_URL, f'{domain}/{name}')}:GLOBAL"
