"""The words of one I/O's path: boundaries where it is timed, segments between them, layers with an owner, and how sure a ruling is."""

from enum import IntEnum, StrEnum


class Direction(IntEnum):
    """Reads and writes are two chains; `ALL` is their op-weighted sum."""

    READ = 0
    WRITE = 1
    ALL = 2


class Boundary(IntEnum):
    """Nested measurements of one I/O, outermost first; each also holds the time of every one after it."""

    GUEST = 0
    VSCSI = 1
    DEVICE = 2
    DRIVER = 3
    ARRAY = 4
    ARRAY_INTERNAL = 5


class Segment(IntEnum):
    """The nine stretches between neighbouring boundaries, outermost first."""

    GUEST_QUEUE = 0
    HYPERVISOR = 1
    KERNEL_QUEUE = 2
    KERNEL_SERVICE = 3
    FABRIC = 4
    ARRAY_PORT = 5
    ARRAY_QOS = 6
    ARRAY_QUEUE = 7
    ARRAY_SERVICE = 8


class Layer(IntEnum):
    """What has one owner, outermost first."""

    GUEST = 0
    KERNEL = 1
    SAN = 2
    ARRAY = 3


class Certainty(StrEnum):
    """How sure a verdict is; `HEALTHY` names no layer, `UNDETERMINED` names two, `UNKNOWN` has nothing to judge by."""

    UNKNOWN = "unknown"
    HEALTHY = "healthy"
    CERTAIN = "certain"
    LIKELY = "likely"
    UNDETERMINED = "undetermined"


class Grade(StrEnum):
    """Quality of the numbers of a row, best first."""

    A = "A"
    B = "B"
    C = "C"
    D = "D"
