"""Custom attributes: the two fields that administrators of the lab keep on every VM."""

from typing import Any

from pyVmomi import vim

from gavel_lab.environment import Vm
from gavel_lab.vcenter.applications import application, owner
from gavel_lab.vcenter.site import Site

_APPLICATION_KEY, _OWNER_KEY = 101, 102


def fields() -> list[Any]:
    """The definitions, as CustomFieldsManager.field lists them."""
    return [
        vim.CustomFieldsManager.FieldDef(key=key, name=name, type=str, managedObjectType=vim.VirtualMachine)
        for key, name in ((_APPLICATION_KEY, "application"), (_OWNER_KEY, "owner"))
    ]


def custom_values(_site: Site, vm: Vm) -> list[Any]:
    """The values of one VM."""
    return [
        vim.CustomFieldsManager.StringValue(key=_APPLICATION_KEY, value=application(vm)),
        vim.CustomFieldsManager.StringValue(key=_OWNER_KEY, value=owner(vm)),
    ]
