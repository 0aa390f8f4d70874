"""Managers beside inventory and performance: who may do what, recent tasks, licenses, logs, and the services of a host."""

from collections.abc import Mapping
from typing import Any

from pyVmomi import vim

from gavel_lab.environment import VCenter

_READ_ONLY, _ADMIN, _NO_ACCESS = -2, -1, -5
_PRIVILEGES = ("System.Anonymous", "System.Read", "System.View")

# What the role Read-only does not hold: properties of these objects come in `missingSet`.
PROTECTED: Mapping[Any, str] = {vim.LicenseManager: "Global.Licenses"}


def roles() -> list[Any]:
    """The built-in ones."""

    def role(number: int, name: str, label: str, privileges: tuple[str, ...]) -> Any:
        info = vim.Description(label=label, summary=label)
        return vim.AuthorizationManager.Role(
            roleId=number, system=True, name=name, info=info, privilege=list(privileges)
        )

    return [
        role(_NO_ACCESS, "NoAccess", "No access", ()),
        role(_READ_ONLY, "ReadOnly", "Read-only", _PRIVILEGES),
        role(_ADMIN, "Admin", "Administrator", (*_PRIVILEGES, "Global.Diagnostics", "Global.Licenses")),
    ]


def permissions(vcenter: VCenter, root: Any, entity: Any, *, inherited: bool) -> list[Any]:
    """Both are given on the root and propagate; `inherited`: also those that come from above the entity."""
    if entity != root and not inherited:
        return []
    name, _, domain = vcenter.username.partition("@")
    holders = (
        (f"{domain.upper()}\\{name}", False, _READ_ONLY),
        (f"{domain.upper()}\\Administrators", True, _ADMIN),
    )
    return [
        vim.AuthorizationManager.Permission(entity=root, principal=who, group=group, roleId=role, propagate=True)
        for who, group, role in holders
    ]


def service_info(*, is_ntp_running: bool) -> Any:
    """Of an ESXi host."""

    def service(key: str, label: str, *, running: bool) -> Any:
        return vim.host.Service(
            key=key,
            label=label,
            required=False,
            uninstallable=False,
            running=running,
            policy="on" if running else "off",
        )

    services = [
        service("TSM-SSH", "SSH", running=False),
        service("ntpd", "NTP Daemon", running=is_ntp_running),
        service("vpxa", "VMware vCenter Agent", running=True),
    ]
    return vim.host.ServiceInfo(service=services)
