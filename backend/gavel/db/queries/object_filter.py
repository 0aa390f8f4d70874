"""What a list can be narrowed by, besides a part of the name."""

from dataclasses import dataclass, fields

from gavel.domain.labels import LabelKind


@dataclass(frozen=True, slots=True)
class LabelFilter:
    """Labels of this name, or of any; `value`: of this value, or of any. Without regard to case. is_part: the value only holds the text,
    or, of "=text", is it."""

    name: str | None
    value: str | None
    kind: LabelKind | None = None
    is_part: bool = False


@dataclass(frozen=True, slots=True)
class ObjectFilter:
    """Empty fields do not narrow. Of objects other than VMs, `ip`, `dns`, `folder` and `labels` are about one VM on them that fits all;
    labels may be the object's own instead.

    dns, folder, cluster, vendor, vcenter, array: a part, or "=" and the whole, without regard to case. vcenter: the name of the source;
    of volumes and arrays, that of a host that sees them. array: on which the object's data is. source_id: the vCenter or array that has
    it in its inventory. ip: a part of an address as it is written; network: one in CIDR,
    in which the address lies.
    """

    ip: str = ""
    network: str = ""
    dns: str = ""
    folder: str = ""
    cluster: str = ""
    vendor: str = ""
    vcenter: str = ""
    array: str = ""
    source_id: int | None = None
    labels: tuple[LabelFilter, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not any(getattr(self, field.name) for field in fields(self))


NO_FILTER = ObjectFilter()
