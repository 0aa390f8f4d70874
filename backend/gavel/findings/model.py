"""What a finding is: an object, how bad, how sure, the numbers, the cause, and advice in the order to try it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Literal, TypeAlias

from gavel.domain.io_path import Confidence, Severity
from gavel.domain.source import Stream

ObjectKind: TypeAlias = Literal[
    "source", "array", "volume", "cluster", "host", "datastore", "vm", "vm_disk", "device"
]  # fmt: skip
Cell: TypeAlias = str | float | None


@dataclass(frozen=True, slots=True)
class ObjectRef:
    """An object of the inventory by id and name, as a link needs it."""

    kind: ObjectKind
    id: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingEvidence:
    """A value at `to_at`, or the mean or sum since `from_at`; null is not measured. counter: where it comes from. is_derived: calculated
    from other counters, shown with ≈.
    """

    label: str
    value: Cell
    unit: str
    to_at: datetime
    counter: str
    from_at: datetime | None = None
    object: ObjectRef | None = None
    is_derived: bool = False


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """is_odd: differs from what most of the others have."""

    object: ObjectRef | None
    cells: tuple[Cell, ...]
    is_odd: bool = False


@dataclass(frozen=True, slots=True)
class EvidenceTable:
    """Several objects side by side. columns: label and unit of each cell."""

    title: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[EvidenceRow, ...]


class AdviceKind(StrEnum):
    """In the order in which they are tried."""

    LEAVE = "leave"
    REPAIR = "repair"
    SPREAD = "spread"
    LIMIT = "limit"
    SETTING = "setting"
    VENDOR = "vendor"


Team: TypeAlias = Literal["storage", "virtualization"]
TriedSetting: TypeAlias = Literal["dsnro", "virtual_disk_queue", "datastores", "lifts_iops_limit"]
TakesEffect: TypeAlias = Literal["live", "reboot", "reconnect"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceCommand:
    """Text to copy; Gavel runs none of it. where: what it is entered in; shows: prints the present value. Empty: none."""

    where: str
    change: str
    on: ObjectRef | None = None
    undo: str = ""
    shows: str = ""
    current: str = ""
    target: str = ""


@dataclass(frozen=True, slots=True)
class AdviceTrial:
    """A what-if of an advice, so that what it would do is shown as a range beside it. object: whose I/O; settings: by the names that a
    what-if gives them, with the values to try.
    """

    object: ObjectRef
    settings: Mapping[TriedSetting, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """In the order to try. takes_effect: null where nothing is changed. agree: teams that must agree first. next_limit: what binds once
    this is done. trial: null where its effect is not predicted. Empty texts: none.
    """

    kind: AdviceKind
    text: str
    why: str = ""
    commands: tuple[AdviceCommand, ...] = ()
    takes_effect: TakesEffect | None = None
    agree: tuple[Team, ...] = ()
    next_limit: str = ""
    trial: AdviceTrial | None = None


@dataclass(frozen=True, slots=True)
class FindingReference:
    """Where the rule is documented. Empty: none."""

    title: str
    url: str = ""
    date: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """source_id: whose data it rests on. part: keeps several findings of one rule on one object apart. magnitude: what has to double
    for an accepted one to come back. affected: further objects that it touches; affected_text: the same in numbers.

    ValueError for advice out of order, or none.
    """

    source_id: int
    object: ObjectRef
    severity: Severity
    confidence: Confidence
    title: str
    cause: str
    evidence: tuple[FindingEvidence, ...]
    advice: tuple[Advice, ...]
    magnitude: float
    part: str = ""
    tables: tuple[EvidenceTable, ...] = ()
    affected: tuple[ObjectRef, ...] = ()
    affected_text: str = ""

    def __post_init__(self) -> None:
        order = [list(AdviceKind).index(one.kind) for one in self.advice]
        if not order or order != sorted(order):
            raise ValueError(f"{self.title}: advice has to be given in the order of AdviceKind")


@dataclass(frozen=True, slots=True)
class NeededHours:
    """So many hours of an array's past have to be measured as a whole."""

    hours: int


@dataclass(frozen=True, slots=True)
class NeededSamples:
    """least: so many samples of a source's stream in the last hour, of any one object. missing: why a finding cannot be raised without."""

    stream: Stream
    missing: str
    least: int = 1


@dataclass(frozen=True, slots=True)
class NeededMinutes:
    """least: so many analyzed minutes in one of the spans [newest minute − begin, newest minute − end). per_array: of each array with
    I/O that it counted; else of the environment. missing: what is absent.
    """

    spans: tuple[tuple[timedelta, timedelta], ...]
    least: int
    missing: str
    per_array: bool = False


@dataclass(frozen=True, slots=True)
class NeededTasks:
    """The newest inventory of a source of hosts has to have its tasks. missing: why a finding cannot be raised without."""

    missing: str


# Without it a rule says nothing about an object.
RuleNeed: TypeAlias = NeededHours | NeededSamples | NeededMinutes | NeededTasks


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingRule:
    """id: as in docs/findings/<id>.md. evidence: the type of evidence that `evaluate` takes; None from it is "nothing to report".

    needs: None where what the diagnoses and the inventory have is enough.
    """

    id: str
    title: str
    evidence: type
    evaluate: Callable[[Any], Finding | None]
    raised_when: str
    cleared_when: str
    blind_spots: tuple[str, ...]
    references: tuple[FindingReference, ...] = ()
    needs: RuleNeed | None = None
