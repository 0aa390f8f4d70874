"""What can go wrong on purpose: a typed store of faults that `POST /faults` fills and the servers consult.

Three families:

- *Wire faults* (status, cut_body, black_hole, slow_drip, wrong_certificate, garbage, html): `gavel_lab.serve` applies them
  around any app; a protocol server does nothing. They last for `count` requests or `for_s` seconds, whichever ends first.
- *Answer faults* (missing_samples): the protocol server asks `active(source, kind)` when it builds an answer.
- *Acts* (expire_sessions, renumber_counters, rename_volume, shift_clock, vmotion): they happen once, at the moment of the
  request. The protocol servers read their result: `session_generation`, `counter_generation`, `volume_name`, the source's
  clock and `Placement`.
"""

from dataclasses import dataclass
from enum import StrEnum


class FaultKind(StrEnum):
    """Every fault the lab knows, with the parameters it takes."""

    STATUS = "status"  # status (int), retry_after_s (int, optional): answer with that HTTP status
    CUT_BODY = "cut_body"  # after_bytes (int): send that much of the body, then close the connection
    BLACK_HOLE = "black_hole"  # accept, read, never answer
    SLOW_DRIP = "slow_drip"  # bytes_per_s (int): send the body that slowly
    WRONG_CERTIFICATE = "wrong_certificate"  # present another certificate than the pinned one (whole connections)
    GARBAGE = "garbage"  # 200 with random bytes as the body
    HTML = "html"  # 200 with a login page
    MISSING_SAMPLES = "missing_samples"  # vCenter: values are -1
    EXPIRE_SESSIONS = "expire_sessions"  # act
    RENUMBER_COUNTERS = "renumber_counters"  # act, vCenter
    RENAME_VOLUME = "rename_volume"  # act, FlashArray: volume (name now), name (new)
    SHIFT_CLOCK = (
        "shift_clock"  # act: by_s (float); host (name, optional): that ESXi host's clock, not the source's own
    )
    VMOTION = "vmotion"  # act, vCenter: vm (name), host (name)


@dataclass(frozen=True)
class Fault:
    """One fault in force. `source` is the name of an array or vCenter."""

    id: int
    source: str
    kind: FaultKind
    parameters: dict[str, str | int | float]
    match: str | None  # only requests whose "METHOD path?query" or body (first 4 KiB) holds this text
    ends_at: float | None  # monotonic seconds
    remaining: int | None  # requests left


class Faults:
    """The store. Thread-safe."""

    def active(self, source: str, kind: FaultKind, text: str = "") -> Fault | None:
        """The oldest fault of that kind in force for the source whose `match` is in `text`; uses up one of its count."""
        raise NotImplementedError

    def session_generation(self, source: str) -> int:
        """Rises by one with every expire_sessions: a session opened under an older generation is not valid any more."""
        raise NotImplementedError

    def counter_generation(self, source: str) -> int:
        """Rises by one with every renumber_counters: perfCounter ids must be different in each generation."""
        raise NotImplementedError

    def volume_name(self, volume: int) -> str:
        """The name of a volume now: that of the estate unless renamed."""
        raise NotImplementedError
