"""The words of one I/O's path: boundaries where it is timed, segments between them, layers with an owner, how bad and how sure."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from importlib import resources
from typing import Literal, get_args

# As the API, stored rows and messages write a layer and a direction.
LayerName = Literal["guest", "kernel", "san", "array"]
DirectionName = Literal["read", "write", "all"]
# Layers, then segments, outermost first.
PartName = Literal[
    "guest", "kernel", "san", "array",
    "guest_queue", "hypervisor", "kernel_queue", "kernel_service", "fabric", "array_port", "array_qos", "array_queue",
    "array_service",
]  # fmt: skip


class Direction(IntEnum):
    """Reads and writes are two chains; `ALL` is their op-weighted sum."""

    READ = 0
    WRITE = 1
    ALL = 2

    @property
    def key(self) -> DirectionName:
        return _DIRECTION_NAMES[self]


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

    @property
    def key(self) -> LayerName:
        return _LAYER_NAMES[self]


_LAYER_NAMES: tuple[LayerName, ...] = get_args(LayerName)
_DIRECTION_NAMES: tuple[DirectionName, ...] = get_args(DirectionName)


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


@dataclass(frozen=True, slots=True)
class LayerStyle:
    """label: as tables call it. color: a name in `PATH_COLORS`."""

    label: str
    color: str


@dataclass(frozen=True, slots=True)
class SegmentStyle:
    """label: as tables call it. hatched: the segment shares its color with its neighbor and is kept apart from it by stripes."""

    layer: Layer
    label: str
    color: str
    hatched: bool


@dataclass(frozen=True, slots=True)
class PathColor:
    """fill: of an area. edge: of a line, and around an area that is faint on its card."""

    fill: str
    edge: str


# What pages, pictures and messages share of the path: the front end's are generated from the same file (frontend/codegen).
_FILE = json.loads(resources.files("gavel.domain").joinpath("io_path.json").read_text("utf-8"))
LAYER_STYLES: Mapping[Layer, LayerStyle] = {
    Layer[entry["name"].upper()]: LayerStyle(entry["label"], entry["color"]) for entry in _FILE["layers"]
}
SEGMENT_STYLES: Mapping[Segment, SegmentStyle] = {
    Segment[entry["name"].upper()]: SegmentStyle(
        Layer[entry["layer"].upper()], entry["label"], entry["color"], entry["hatched"]
    )
    for entry in _FILE["segments"]
}
# Of the light theme, in which pictures are drawn.
PATH_COLORS: Mapping[str, PathColor] = {name: PathColor(**themes["light"]) for name, themes in _FILE["colors"].items()}
