"""The lab as one value: what every server gets handed."""

from collections.abc import Mapping
from dataclasses import dataclass

from gavel_lab.administration import Administration
from gavel_lab.build import build_environment
from gavel_lab.clocks import Clocks, LabTime
from gavel_lab.cpu import HostCpu
from gavel_lab.environment import Environment
from gavel_lab.faults import Faults
from gavel_lab.model import Model
from gavel_lab.placement import Placement
from gavel_lab.scale import DEFAULT, Scale
from gavel_lab.settings import Settings


@dataclass(frozen=True)
class Lab:
    """Environment (what exists), model (what happened), CPU of hosts, placement (which host runs which VM), clocks, faults, and what
    was set since."""

    environment: Environment
    model: Model
    cpu: HostCpu
    placement: Placement
    clocks: Clocks
    faults: Faults
    administration: Administration


def create_lab(
    seed: int = 1,
    scale: Scale = DEFAULT,
    settings: Settings | None = None,
    lab_time: LabTime | None = None,
    offsets_s: Mapping[str, float] | None = None,
    step_s: int | None = None,
) -> Lab:
    """A whole lab. `offsets_s` fixes the clock offsets of named sources and ESXi hosts, `step_s` the model's step of time."""
    environment = build_environment(seed, scale, settings)
    placement = Placement(environment)
    clocks = Clocks(environment, lab_time or LabTime(), offsets_s)
    administration = Administration(environment)
    return Lab(
        environment,
        Model(environment, placement, step_s=step_s),
        HostCpu(environment),
        placement,
        clocks,
        Faults(environment, clocks, placement, administration),
        administration,
    )
