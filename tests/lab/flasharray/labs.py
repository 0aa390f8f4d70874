"""Labs at an instant that stands still."""

from gavel_lab.clocks import LabTime
from gavel_lab.lab import Lab, create_lab
from gavel_lab.scale import DEFAULT, Scale
from gavel_lab.settings import Settings

AT = 1_795_213_032.831  # 2026-11-20T22:17:12Z, in the second quarter of an hour


def build(scale: Scale = DEFAULT, settings: Settings | None = None, at: float = AT) -> Lab:
    """A lab of its own, with empty caches."""
    return create_lab(1, scale, settings, LabTime(at, speed=0))
