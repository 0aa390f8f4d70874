"""Pieces several answers share."""

from typing import Generic, Literal, TypeVar

from pydantic import AwareDatetime, BaseModel, ConfigDict

Item = TypeVar("Item")


class Out(BaseModel):
    """Base of everything the API answers."""

    model_config = ConfigDict(extra="forbid", frozen=True, from_attributes=True)


class Problem(Out):
    """RFC 9457 problem details, the body of every error answer. `detail` is a sentence for people: what was tried, on what, what to do."""

    type: str
    title: str
    status: int
    detail: str
    errors: list["FieldProblem"]


class FieldProblem(Out):
    """One unusable input: where it is (`settings.address`) and what is wrong with it."""

    field: str
    message: str


class Page(Out, Generic[Item]):
    """One page of a list. `total` counts all rows that match, not only this page's."""

    items: list[Item]
    total: int
    limit: int
    offset: int


class Ref(Out):
    """Something else by id and name, as a link needs it."""

    kind: Literal[
        "source",
        "array",
        "pod",
        "volume",
        "vcenter",
        "cluster",
        "host",
        "datastore",
        "vm",
        "vm_disk",
        "device",
        "directory",
        "environment",
    ]
    id: int
    name: str


class SourceRef(Out):
    id: int
    kind: str
    name: str


class Sides(Out):
    """The newest complete minute as both sides report it. Null is "not measured"; latencies are op-weighted means in µs.

    `array_*`: volumes and files together (files have no SAN part); `host_*` of an array: devices, and the virtual disks on its files.
    `array_read_us`, `array_write_us`: `array_internal_us` of reads and of writes by hosts alone.
    """

    at: AwareDatetime | None
    host_iops: float | None
    host_gavg_us: float | None
    host_davg_us: float | None
    host_kavg_us: float | None
    host_precision_us: int | None
    array_iops: float | None
    array_internal_us: float | None
    array_san_us: float | None
    array_read_us: float | None
    array_write_us: float | None


class GapOut(Out):
    """A missing interval of one stream and why. `side`: whose counters are missing. `state`: pending_backfill (still hoped for) or
    explained (final).
    """

    source: SourceRef
    stream: str
    side: Literal["array", "host", "guest"]
    subject: str | None
    from_at: AwareDatetime
    to_at: AwareDatetime
    reason: str
    state: Literal["pending_backfill", "explained"]
