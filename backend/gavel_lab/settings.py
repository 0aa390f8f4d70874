"""Settings of the simulated sources: what real sites differ in and Gavel has to find out."""

from dataclasses import dataclass, fields, replace

from gavel_lab.environment import CountedOn, LatestMeans, Rounding


@dataclass(frozen=True)
class Settings:
    """`old_*` is array 0 or vCenter 0, `new_*` every other one."""

    old_purity: str = "6.3.3"
    new_purity: str = "6.9.2"
    old_ms_rounding: Rounding = "truncate"
    new_ms_rounding: Rounding = "round"
    old_latest_means: LatestMeans = "mean"
    new_latest_means: LatestMeans = "last_second"
    old_slots_fill_s: float = 6.0
    new_slots_fill_s: float = 8.0
    mirrored_writes_counted_on: CountedOn = "both"

    def with_(self, assignments: list[str]) -> "Settings":
        """A copy with `name=value` assignments made. Raises ValueError that names what is known."""
        known = {field.name for field in fields(self)}
        changes = dict(_assignment(text, known) for text in assignments)
        return replace(self, **changes)  # type: ignore[arg-type]  # values were checked one by one


# Later than that, the next sample would be there before.
_LONGEST_FILL_S = 20.0
_ALLOWED = {
    "ms_rounding": ("round", "truncate"),
    "latest_means": ("mean", "last_second"),
    "counted_on": ("one", "both"),
}


def _assignment(text: str, known: set[str]) -> tuple[str, str | float]:
    name, _, value = text.partition("=")
    if name not in known or not value:
        raise ValueError(f"{text!r}: expected NAME=VALUE with a name of {', '.join(sorted(known))}")
    for ending, allowed in _ALLOWED.items():
        if name.endswith(ending) and value not in allowed:
            raise ValueError(f"{text!r}: {name} is one of {', '.join(allowed)}")
    if name.endswith("_s"):
        return name, _seconds(text, name, value)
    if name.endswith("purity") and not all(part.isdigit() for part in value.split(".")):
        raise ValueError(f"{text!r}: a Purity version looks like 6.3.14")
    return name, value


def _seconds(text: str, name: str, value: str) -> float:
    try:
        seconds = float(value)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= _LONGEST_FILL_S:
        raise ValueError(f"{text!r}: {name} is a number of seconds from 0 to {_LONGEST_FILL_S:.0f}")
    return seconds
