"""Queries that a vCenter refuses, or does not understand, on purpose (`faults`): one entity, too many metrics, the instance "*"."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from pyVmomi import vim, vmodl

from gavel_lab.environment import EsxiHost, Vm
from gavel_lab.faults import FaultKind
from gavel_lab.vcenter.site import Site
from gavel_lab.vcenter.soap import FaultError

_ENTITY_FAULTS: dict[str, tuple[type[Exception], str]] = {
    "HostNotConnected": (
        vmodl.fault.HostNotConnected,
        "Unable to communicate with the remote host, since it is disconnected.",
    ),
    "InvalidState": (vim.fault.InvalidState, "The operation is not allowed in the current state."),
    "SystemError": (vmodl.fault.SystemError, "A general system error occurred: internal error"),
}


class _Spec(Protocol):
    @property
    def entity(self) -> str: ...

    @property
    def metrics(self) -> Sequence[Any] | None: ...


def restricted() -> FaultError:
    return FaultError(
        vim.fault.RestrictedByAdministrator(details="vpxd.stats.maxQueryMetrics"),
        "This operation is restricted by the administrator - 'vpxd.stats.maxQueryMetrics'. "
        "Contact your system administrator.",
    )


def refuse(site: Site, specs: Iterable[_Spec], text: str) -> None:
    """Raises the fault that is in force for such a query. One about an entity fails the whole call, as a real one does."""
    faults, name = site.lab.faults, site.vcenter.name
    asked = list(specs)
    limit = faults.active(name, FaultKind.MAX_QUERY_METRICS, text)
    if limit is not None and sum(len(spec.metrics or ()) for spec in asked) > limit.number("metrics"):
        raise restricted()
    for spec in asked:
        if not _is_connected(site, spec.entity):
            raise _entity_fault("HostNotConnected")
        if (fault := faults.active(name, FaultKind.ENTITY_FAULT, f"{spec.entity}/")) is not None:
            raise _entity_fault(str(fault.parameters.get("fault", "HostNotConnected")))


def _entity_fault(name: str) -> FaultError:
    kind, message = _ENTITY_FAULTS[name]
    return FaultError(kind(), message)


def _is_connected(site: Site, moref: str) -> bool:
    """Of a host, or of the host that runs a VM."""
    node = site.node(moref)
    record = None if node is None else node.record
    host = site.host_of(record) if isinstance(record, Vm) else record
    return not isinstance(host, EsxiHost) or site.is_connected(host)


def expands_instances(site: Site) -> bool:
    """Whether "*" stands for every instance. Servers that only imitate a vCenter answer with one series of that name."""
    return site.lab.faults.active(site.vcenter.name, FaultKind.NO_EXPANSION) is None
