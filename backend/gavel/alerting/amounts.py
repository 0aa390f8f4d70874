"""An amount in the unit of its quantity, as a message says it."""

from gavel.alerting.message import milliseconds
from gavel.alerting.rules import Unit

_LONG_S = 120.0


def amount(value: float, unit: Unit) -> str:
    """As in "0.44 ms", "37 %", "2.4 ×"."""
    match unit:
        case Unit.US:
            return milliseconds(value)
        case Unit.SHARE:
            return f"{value * 100:.0f} %"
        case Unit.SECONDS:
            return f"{value:.0f} s" if abs(value) < _LONG_S else f"{value / 60:.0f} min"
        case _:
            return f"{value:.1f} {unit.value}"
