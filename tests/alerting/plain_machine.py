"""The state machine of alerts once more, so simple that it can be read: one rule, one object, one minute after the other."""

from dataclasses import dataclass, field

from gavel.alerting.machine import states
from gavel.alerting.machine.readings import Code
from gavel.alerting.machine.states import AlertState
from gavel.alerting.rules.model import Rule


@dataclass
class Plain:
    """One rule and object, one minute after the other, each once and in order."""

    rule: Rule
    state: AlertState = AlertState.INACTIVE
    is_open: bool = False
    streak: int = 0
    missing: int = 0
    fires: list[int] = field(default_factory=list)
    last: int | None = None

    def minute(self, minute: int, code: Code) -> tuple[AlertState, AlertState] | None:
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
            self.streak = self.streak + 1 if before is AlertState.PENDING else 1
            self.state = AlertState.PENDING
            if self.streak >= self.rule.for_min:
                self.fire(minute)
        elif before is not AlertState.RESOLVED:
            self.state = AlertState.INACTIVE
        self.forget(minute)
        return (before, self.state) if before is not self.state else None

    def unknown(self) -> None:
        if (self.is_open or self.state is AlertState.PENDING) and self.missing >= self.rule.no_data_after_min:
            self.state = AlertState.NO_DATA

    def while_open(self, minute: int, code: Code) -> None:
        if code is Code.HOLD and self.state is AlertState.RECOVERING:
            self.streak = 0
            return
        if code is not Code.CLEAR:
            self.state = AlertState.FIRING
            return
        self.streak = self.streak + 1 if self.state is AlertState.RECOVERING else 1
        needed = self.rule.keep_firing_min
        if len(self.fires) >= states.FLAP_FIRES:
            needed = max(needed, states.FLAP_CLEAR_MIN)
        self.state = AlertState.RESOLVED if self.streak >= needed else AlertState.RECOVERING
        self.is_open = self.state is not AlertState.RESOLVED

    def fire(self, minute: int) -> None:
        self.state, self.is_open = AlertState.FIRING, True
        recent = bool(self.fires) and 0 <= minute - self.fires[0] <= states.FLAP_WINDOW_MIN
        self.fires = [*self.fires, minute] if recent else [minute]

    def forget(self, minute: int) -> None:
        """A resolved one is inactive as soon as its past is no matter any more, without a word."""
        recent = bool(self.fires) and abs(minute - self.fires[0]) <= states.FLAP_WINDOW_MIN
        if self.state in (AlertState.INACTIVE, AlertState.RESOLVED) and not recent:
            self.fires = []
