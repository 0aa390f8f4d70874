"""Random labs: what exists, how its counters behave, and which minutes of the hour are looked at."""

import random
from collections.abc import Mapping
from dataclasses import dataclass

from gavel.analysis.gridded import Stretch
from gavel_lab.clocks import LabTime
from gavel_lab.environment import CountedOn, LatestMeans, Rounding
from gavel_lab.lab import Lab, create_lab
from gavel_lab.scale import DEFAULT, Scale
from gavel_lab.settings import Settings
from gavel_lab.stories import HOUR_S, PHASES

_PURITY = ("6.3.3", "6.3.14", "6.4.9", "6.4.10", "6.9.2")
_FIRST_HOUR, _HOURS = 490_000, 20_000
_MINUTES = 3
_LARGEST_OFFSET_S = 90.0


class HeldTime(LabTime):
    """Lab time that stands still until it is set."""

    def __init__(self) -> None:
        super().__init__(at=0.0, speed=0.0)
        self.at_s = 0.0

    def now(self) -> float:
        return self.at_s


@dataclass(frozen=True)
class Drawn:
    """One lab, its time, and the stretches of minutes to attribute. error_s: how well each source's clock is known."""

    lab: Lab
    time: HeldTime
    stretches: tuple[Stretch, ...]
    error_s: Mapping[str, float]
    settings: Settings


def drawn(seed: int) -> Drawn:
    """The lab of a seed: equal seeds give equal labs."""
    choose = random.Random(seed)
    settings = _settings(choose)
    time = HeldTime()
    lab = create_lab(seed, _scale(choose), settings, time, _offsets(choose))
    names = [one.name for kind in (lab.environment.arrays, lab.environment.hosts) for one in kind]
    errors = {name: choose.choice((0.0, 0.05, 0.2)) for name in names}
    return Drawn(lab, time, _stretches(choose), errors, settings)


def _settings(choose: random.Random) -> Settings:
    rounding: list[Rounding] = [choose.choice(("round", "truncate")) for _ in range(2)]
    latest: list[LatestMeans] = [choose.choice(("mean", "last_second")) for _ in range(2)]
    counted: CountedOn = choose.choice(("one", "both"))
    versions = choose.choice(_PURITY), choose.choice(_PURITY)
    return Settings(*versions, rounding[0], rounding[1], latest[0], latest[1], mirrored_writes_counted_on=counted)


def _scale(choose: random.Random) -> Scale:
    if choose.random() < 0.7:
        return DEFAULT
    return Scale(
        arrays=choose.choice((0, 1)),
        clusters=choose.choice((1, 2)),
        hosts_per_cluster=choose.choice((2, 3)),
        datastores_per_cluster=choose.choice((3, 6)),
        vms=choose.randrange(10, 40),
        disks_per_vm=choose.choice((1, 2, 3)),
    )


def _offsets(choose: random.Random) -> dict[str, float]:
    """Most clocks are a few seconds off, as the lab draws them; here and there one is off by far more.

    Not on hosts between which VMs move: the lab takes the stamp of a sample for the instant at which it asks where the VM was.
    """
    far = ("esx-01.lab.example", "esx-04.lab.example", "flasharray-1", "flasharray-2")
    return {
        name: round(choose.uniform(-_LARGEST_OFFSET_S, _LARGEST_OFFSET_S), 3) for name in far if choose.random() < 0.3
    }


def _stretches(choose: random.Random) -> tuple[Stretch, ...]:
    """Of one hour: each story somewhere, its beginning or end now and then, and a quiet minute."""
    hour = (_FIRST_HOUR + choose.randrange(_HOURS)) * (HOUR_S // 60)
    wanted = {choose.randrange(phase.start_minute - 1, phase.end_minute) for phase in PHASES} | {choose.randrange(60)}
    found: list[Stretch] = []
    for minute in sorted(max(0, one) for one in wanted):
        if not found or hour + minute >= found[-1].first + found[-1].minutes:
            found.append(Stretch(hour + minute, _MINUTES))
    return tuple(found)
