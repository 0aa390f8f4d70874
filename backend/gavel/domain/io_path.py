"""The words of one I/O's path: boundaries where it is timed, segments between them, layers with an owner, how bad and how sure."""

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


class Severity(StrEnum):
    """How bad the latency of an object is: by its excess alone, however sure the layer of it is."""

    NORMAL = "normal"
    ELEVATED = "elevated"
    HIGH = "high"


class Confidence(StrEnum):
    """How sure a diagnosis is of the layer that it names; `INCONCLUSIVE` names two. What names no layer has none."""

    CONFIRMED = "confirmed"
    LIKELY = "likely"
    INCONCLUSIVE = "inconclusive"


class Quality(StrEnum):
    """Quality of the numbers of a row, best first."""

    A = "A"
    B = "B"
    C = "C"
    D = "D"


# First and last layer of every span; outermost first, narrow before wide.
SPANS: tuple[tuple[Layer, Layer], ...] = tuple(
    (first, last) for first in Layer for last in Layer if first <= last
)  # fmt: skip
