"""Counts and lists as findings write them."""

from collections.abc import Iterable, Sequence

from gavel.findings.model import ObjectRef

_MOST_NAMES = 3


def counted(number: int, noun: str) -> str:
    """ "1 host", "3 hosts"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def listed(names: Iterable[str]) -> str:
    """ "a", "a and b", "a, b, c and 4 more"."""
    every = list(names)
    shown = every[:_MOST_NAMES]
    if len(every) > len(shown):
        return f"{', '.join(shown)} and {len(every) - len(shown)} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def names_of(objects: Sequence[ObjectRef]) -> str:
    return listed(one.name for one in objects)


def milliseconds(us: float) -> str:
    """ "0.48 ms"."""
    return f"{us / 1000:.2f} ms"


def number(value: float) -> str:
    """Rounded to what is worth reading: "1,500", "31.4"."""
    return f"{value:,.0f}" if abs(value) >= 100 or float(value).is_integer() else f"{value:,.1f}"


def megabytes(per_s: float) -> str:
    """ "250 MB/s"."""
    return f"{number(per_s / 1e6)} MB/s"


def percent(share: float) -> str:
    """ "62 %"."""
    return f"{100 * share:.0f} %"
