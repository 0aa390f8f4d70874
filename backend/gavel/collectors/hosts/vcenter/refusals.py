"""Why a QueryPerf was refused: for one entity, because it asked for too much, or because an entity is gone."""

from pyVmomi import vim, vmodl

from gavel.collectors.hosts.vcenter.faults import in_words
from gavel.collectors.hosts.vcenter.parse import moid
from gavel.domain.errors import SourceError


def is_fault(error: SourceError) -> bool:
    """Whether the vCenter itself answered with a fault, which may be about one entity; not what came instead of an answer."""
    return isinstance(error.__cause__, vmodl.MethodFault)


def is_too_much(error: SourceError) -> bool:
    """`maxQueryMetrics`, the most values of a query, the most elements of a request: less is answered."""
    fault = error.__cause__
    if isinstance(fault, vim.fault.RestrictedByAdministrator):
        return True
    if isinstance(fault, vmodl.fault.InvalidArgument):
        return str(fault.invalidProperty).startswith("querySpec.size")
    return isinstance(fault, vmodl.fault.InvalidRequest) and "too large" in str(getattr(fault, "msg", ""))


def vanished(error: SourceError) -> str | None:
    """The entity that was deleted between two looks at the inventory, if that is why a call failed."""
    fault = error.__cause__
    return moid(fault.obj) if isinstance(fault, vmodl.fault.ManagedObjectNotFound) else None


def fault_words(error: SourceError) -> str:
    return in_words(error.__cause__)
