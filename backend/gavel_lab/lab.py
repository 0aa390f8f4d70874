"""The lab as one value: what every server gets handed."""

from dataclasses import dataclass

from gavel_lab.clocks import Clocks
from gavel_lab.estate import Estate
from gavel_lab.faults import Faults
from gavel_lab.model import Model
from gavel_lab.placement import Placement


@dataclass(frozen=True)
class Lab:
    """Estate (what exists), model (what happened), placement (which host runs which VM), clocks and faults."""

    estate: Estate
    model: Model
    placement: Placement
    clocks: Clocks
    faults: Faults
