"""The state machine of alerts once more, so simple that it can be read: one rule, one object, one minute after the other."""

from dataclasses import dataclass, field

from gavel.alerting import machine
from gavel.alerting.evaluate import Code
from gavel.alerting.machine import State
from gavel.alerting.rules import Rule


@dataclass
class Plain:
    """One rule and object, one minute after the other, each once and in order."""

    rule: Rule
    state: State = State.INACTIVE
    is_open: bool = False
    streak: int = 0
    missing: int = 0
    fires: list[int] = field(default_factory=list)
    last: int | None = None

    def minute(self, minute: int, code: Code) -> tuple[State, State] | None:
        before = self.state
        gap = 0 if self.last is None else minute - self.last - 1
        self.last = minute
        if self.missing + gap >= self.rule.no_data_after_min and code is not Code.UNKNOWN:
            self.streak = 0
        self.missing = self.missing + gap + 1 if code is Code.UNKNOWN else 0
        if code is Code.UNKNOWN:
            self.unknown()
        elif self.is_open:
            self.while_open(minute, code)
        elif code is Code.BREACH:
            self.streak = self.streak + 1 if before is State.PENDING else 1
            self.state = State.PENDING
            if self.streak >= self.rule.for_min:
                self.fire(minute)
        elif before is not State.RESOLVED:
            self.state = State.INACTIVE
        self.forget(minute)
        return (before, self.state) if before is not self.state else None

    def unknown(self) -> None:
        if (self.is_open or self.state is State.PENDING) and self.missing >= self.rule.no_data_after_min:
            self.state = State.NO_DATA

    def while_open(self, minute: int, code: Code) -> None:
        if code is Code.HOLD and self.state is State.RECOVERING:
            self.streak = 0
            return
        if code is not Code.CLEAR:
            self.state = State.FIRING
            return
        self.streak = self.streak + 1 if self.state is State.RECOVERING else 1
        needed = self.rule.keep_firing_min
        if len(self.fires) >= machine.FLAP_FIRES:
            needed = max(needed, machine.FLAP_CLEAR_MIN)
        self.state = State.RESOLVED if self.streak >= needed else State.RECOVERING
        self.is_open = self.state is not State.RESOLVED

    def fire(self, minute: int) -> None:
        self.state, self.is_open = State.FIRING, True
        recent = bool(self.fires) and 0 <= minute - self.fires[0] <= machine.FLAP_WINDOW_MIN
        self.fires = [*self.fires, minute] if recent else [minute]

    def forget(self, minute: int) -> None:
        """A resolved one is inactive as soon as its past is no matter any more, without a word."""
        recent = bool(self.fires) and abs(minute - self.fires[0]) <= machine.FLAP_WINDOW_MIN
        if self.state in (State.INACTIVE, State.RESOLVED) and not recent:
            self.fires = []
