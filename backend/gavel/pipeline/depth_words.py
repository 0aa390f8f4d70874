"""A queue's depth in words: what is in force and why, and what brought it down."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from gavel.analysis.depth import DepthRule
from gavel.db.queries.rows import Ref
from gavel.pipeline.depths import Fall, QueueInForce
from gavel.pipeline.sentences import clock

_MOST_NAMES = 3


def told(found: QueueInForce) -> Iterator[str]:
    """Which depth is in force and why, then what brought it down."""
    device = found.device.name if found.carried is None else f"{found.carried} ({found.device.name})"
    where = f"{device} on {found.settings.host}"
    if found.depth is None:
        yield f"How deep the queue of {where} is was not measured"
        return
    yield f"The queue of {where} takes {found.depth:.0f} I/Os at once: {_why(found)}"
    if found.fall is not None:
        yield _fallen(found.fall, found.depth, found.to_at)


def _why(found: QueueInForce) -> str:
    vms = found.vms or ()
    match found.rule:
        case DepthRule.CONFIGURED:
            return "so its settings say; the depth in force was not measured"
        case DepthRule.NVME:
            return "NVMe, where queue size × queues counts and DSNRO does not"
        case DepthRule.COMPETING_VMS:
            return _shared(found, vms)
        case DepthRule.LESS:
            return _lowered(found, vms)
        case DepthRule.MORE:
            return f"more than the {found.predicted:.0f} that its settings give with {_names(vms)}, as they were read"
        case DepthRule.ONE_VM:
            return f"{_names(vms)} does I/O there and nobody else, so the device's own depth is in force"
        case _:
            return f"why is not known, since {' and '.join(_unknown(found))}"


def _shared(found: QueueInForce, vms: Sequence[Ref]) -> str:
    dsnro, own = found.settings.dsnro, found.settings.configured
    if found.depth == own:
        return f"{_names(vms)} do I/O there, and DSNRO {dsnro} leaves the device its own depth"
    return f"{_names(vms)} do I/O there, so DSNRO {dsnro} is in force instead of the device's own {own}"


def _lowered(found: QueueInForce, vms: Sequence[Ref]) -> str:
    if found.depth == found.settings.dsnro:
        return (
            f"as DSNRO says where several worlds do I/O, though only {_names(vms)} was seen there,"
            f" which alone would have {found.predicted:.0f}"
        )
    return (
        f"less than the {found.predicted:.0f} that its settings give with {_names(vms)};"
        " Storage I/O Control or adaptive queue depth may have lowered it, neither of which is read"
    )


def _unknown(found: QueueInForce) -> Iterator[str]:
    if found.settings.configured is None:
        yield "the device's own depth was not read"
    if found.vms is None:
        yield "which VMs do I/O there was not measured"
    elif found.settings.dsnro is None:
        yield "DSNRO was not read (esxcli)"


def _names(vms: Sequence[Ref]) -> str:
    if not vms:
        return "no VM"
    names = [vm.name for vm in vms[:_MOST_NAMES]]
    more = f" and {len(vms) - _MOST_NAMES} more" if len(vms) > _MOST_NAMES else ""
    count = f"{len(vms)} VMs (" if len(vms) > 1 else "one VM ("
    return f"{count}{', '.join(names)}{more})"


def _fallen(fall: Fall, depth: float, to_at: datetime) -> str:
    fell = f"its depth fell from {fall.before:.0f} to {depth:.0f} at {clock(fall.at, to_at)}"
    if not fall.newcomers:
        return f"I{fell[1:]}; no VM was seen to begin I/O there then"
    began = " and ".join(vm.name for vm in fall.newcomers[:_MOST_NAMES])
    return f"Competing worlds: {fell}, when {began} began to do I/O there"
