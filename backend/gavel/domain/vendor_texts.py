"""Texts of vendors that hold several facts, taken apart where they come in and never on a page."""

import re
from dataclasses import dataclass
from typing import Literal

_BETWEEN = ": "
_SETTING = re.compile(r"(?:^|,)(\w+)=([^,]*)")
# The only way of switching paths that has a number worth a look beside its name.
_BY: dict[str, Literal["iops", "latency"]] = {"iops": "iops", "latency": "latency"}


def port_health_text(state: str | None, detail: str | None) -> str | None:
    """As it is stored; None where the array says nothing."""
    return _BETWEEN.join(word for word in (state, detail) if word) or None


@dataclass(frozen=True, slots=True)
class PortHealth:
    """Of a host's ports as a FlashArray words it: a state ("healthy", "unknown") and what it adds; None where that is nothing new."""

    state: str
    detail: str | None

    @classmethod
    def parse(cls, stored: str) -> "PortHealth":
        """Of "unknown: Unknown." the detail says the same twice."""
        state, _, detail = stored.partition(_BETWEEN)
        is_news = detail.rstrip(".").lower() not in ("", state.lower())
        return cls(state, detail if is_news else None)


@dataclass(frozen=True, slots=True)
class PathPolicy:
    """How ESXi chooses among paths, of "VMW_PSP_RR policy=iops,iops=1,bytes=10485760".

    by: after so many I/Os (`iops`), by latency, or None: as the plug-in does by itself.
    """

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
