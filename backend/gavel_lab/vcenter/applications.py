"""Which application a VM of the lab belongs to, and who owns it."""

from gavel_lab.environment import Vm

# By the first part of a VM's name: application, owner.
_APPLICATIONS = {
    "sql": ("order processing", "database team"),
    "web": ("web shop", "web team"),
    "dwh": ("data warehouse", "business intelligence"),
    "erp": ("finance", "finance IT"),
    "app": ("billing", "finance IT"),
    "metro": ("core banking", "database team"),
    "file": ("file services", "workplace team"),
    "vdi": ("virtual desktops", "workplace team"),
    "mail": ("mail", "workplace team"),
}
_OTHER_OWNER = "platform team"


def prefix(vm: Vm) -> str:
    """The first part of the VM's name: `erp-db-01` belongs to `erp`."""
    return vm.name.partition("-")[0]


def application(vm: Vm) -> str:
    return _APPLICATIONS.get(prefix(vm), (prefix(vm), ""))[0]


def owner(vm: Vm) -> str:
    return _APPLICATIONS.get(prefix(vm), ("", _OTHER_OWNER))[1]
