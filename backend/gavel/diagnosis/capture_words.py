"""Which files have a say in the ranges of a diagnosis."""

from collections.abc import Sequence

from gavel.diagnosis.sentences import Statement, StatementKind

_NAMED = 2


def capture_words(files: Sequence[str]) -> tuple[Statement, ...]:
    """files: names of the captures that narrow the latency of its devices."""
    if not files:
        return ()
    more = f" and {len(files) - _NAMED} more" if len(files) > _NAMED else ""
    named = ", ".join(files[:_NAMED]) + more
    words = f"Device latency narrowed by esxtop capture {named}, where it covers the window"
    return (Statement(StatementKind.CAPTURED, words),)
