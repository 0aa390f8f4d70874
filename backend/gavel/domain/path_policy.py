"""How ESXi chooses among the paths of a device: its text taken apart here, and never on a page."""

import re
from dataclasses import dataclass
from typing import Literal

_SETTING = re.compile(r"(?:^|,)(\w+)=([^,]*)")
# The only way of switching paths that has a number worth a look beside its name.
_BY: dict[str, Literal["iops", "latency"]] = {"iops": "iops", "latency": "latency"}


@dataclass(frozen=True, slots=True)
class PathPolicy:
    """How ESXi chooses among paths. `text`: as ESXi writes it. `by`: it changes the path after so many I/Os (`iops`), or by latency."""

    text: str
    plugin: str
    by: Literal["iops", "latency"] | None
    iops: int | None

    @classmethod
    def parse(cls, text: str) -> "PathPolicy":
        plugin, _, rest = text.partition(" ")
        settings = dict(_SETTING.findall(rest))
        by, iops = _BY.get(settings.get("policy", "")), settings.get("iops", "")
        return cls(text, plugin, by, int(iops) if by == "iops" and iops.isascii() and iops.isdigit() else None)
