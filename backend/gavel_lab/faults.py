"""What can go wrong on purpose: a typed store of faults that `POST /faults` fills and the servers consult.

Three families:

- *Wire faults* (status, cut_body, black_hole, slow_drip, wrong_certificate, garbage, html): `gavel_lab.serve` applies
  them around any app; a protocol server does nothing. They last for `count` requests or `for_s` seconds, whichever ends
  first, and until they are deleted where neither was given.
- *Answer faults* (missing_samples, refuse, unreadable, disconnected, entity_fault, max_query_metrics, no_expansion): the
  protocol server asks `active(source, kind)` when it builds an answer.
- *Acts* (expire_sessions, renumber_counters, rename_volume, rename_vm, shift_clock, advance, vmotion, power, option, ntp,
  sioc): they happen once, at the moment of the request. The protocol servers read their result: `session_generation`,
  `counter_generation`, `volume_name`, `vm_name`, the source's clock, `Placement` and `Administration`.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from gavel_lab.administration import Administration, Sioc
from gavel_lab.clocks import Clocks
from gavel_lab.environment import Environment
from gavel_lab.placement import Placement

Parameter = str | int | float


class FaultKind(StrEnum):
    """Every fault the lab knows, with the parameters it takes."""

    STATUS = "status"  # answer with status (int); retry_after_s (int), retry_after_form (seconds|date), message (text)
    CUT_BODY = "cut_body"  # after_bytes (int): send that much of the body, then close the connection
    BLACK_HOLE = "black_hole"  # accept, read, never answer
    SLOW_DRIP = "slow_drip"  # bytes_per_s (int): send the body that slowly
    WRONG_CERTIFICATE = "wrong_certificate"  # present another certificate than the pinned one (whole connections)
    GARBAGE = "garbage"  # 200 with random bytes as the body, or with `text`
    HTML = "html"  # 200 with a login page
    MISSING_SAMPLES = "missing_samples"  # vCenter: values are -1
    REFUSE = "refuse"  # vCenter: the account lacks the privilege (text) for the calls that `match` chooses
    UNREADABLE = (
        "unreadable"  # vCenter: the property that `match` names ("host-12/config.storageDevice") is in missingSet
    )
    DISCONNECTED = "disconnected"  # vCenter: the host that `match` names is not connected; its VMs stay "poweredOn"
    ENTITY_FAULT = "entity_fault"  # vCenter: QueryPerf with the entity `match` ("vm-12/") fails; fault (name of a kind)
    MAX_QUERY_METRICS = "max_query_metrics"  # vCenter: QueryPerf of more metrics (int) is restricted
    NO_EXPANSION = "no_expansion"  # vCenter: QueryPerf does not expand the instance "*"
    EXPIRE_SESSIONS = "expire_sessions"  # act
    RENUMBER_COUNTERS = "renumber_counters"  # act, vCenter
    RENAME_VOLUME = "rename_volume"  # act, FlashArray: volume (name now), name (new)
    RENAME_VM = "rename_vm"  # act, vCenter: vm (name now), name (new)
    SHIFT_CLOCK = "shift_clock"  # act: by_s (float); host (name, optional): that ESXi host's clock, not the source's
    ADVANCE = (
        "advance"  # act: by_s (float), at least 0: the whole lab's time goes on by so much at once, whatever the source
    )
    VMOTION = "vmotion"  # act, vCenter: vm (name), host (name)
    POWER = "power"  # act, vCenter: vm (name), state (on|off)
    OPTION = "option"  # act, vCenter: host (name), option (name), value (int): an advanced option of the host
    NTP = "ntp"  # act, vCenter: host (name), state (on|off): its NTP service
    SIOC = "sioc"  # act, vCenter: datastore (name), state (on|off), threshold_ms (int)


ACTS = frozenset(
    {
        FaultKind.EXPIRE_SESSIONS,
        FaultKind.RENUMBER_COUNTERS,
        FaultKind.RENAME_VOLUME,
        FaultKind.RENAME_VM,
        FaultKind.SHIFT_CLOCK,
        FaultKind.ADVANCE,
        FaultKind.VMOTION,
        FaultKind.POWER,
        FaultKind.OPTION,
        FaultKind.NTP,
        FaultKind.SIOC,
    }
)

# name -> (type, required)
_PARAMETERS: dict[FaultKind, dict[str, tuple[type, bool]]] = {
    FaultKind.STATUS: {
        "status": (int, True),
        "retry_after_s": (int, False),
        "retry_after_form": (str, False),
        "message": (str, False),
    },
    FaultKind.GARBAGE: {"text": (str, False)},
    FaultKind.REFUSE: {"privilege": (str, True)},
    FaultKind.ENTITY_FAULT: {"fault": (str, False)},
    FaultKind.MAX_QUERY_METRICS: {"metrics": (int, True)},
    FaultKind.CUT_BODY: {"after_bytes": (int, True)},
    FaultKind.SLOW_DRIP: {"bytes_per_s": (int, True)},
    FaultKind.RENAME_VOLUME: {"volume": (str, True), "name": (str, True)},
    FaultKind.RENAME_VM: {"vm": (str, True), "name": (str, True)},
    FaultKind.SHIFT_CLOCK: {"by_s": (float, True), "host": (str, False)},
    FaultKind.ADVANCE: {"by_s": (float, True)},
    FaultKind.VMOTION: {"vm": (str, True), "host": (str, True)},
    FaultKind.POWER: {"vm": (str, True), "state": (str, True)},
    FaultKind.OPTION: {"host": (str, True), "option": (str, True), "value": (int, True)},
    FaultKind.NTP: {"host": (str, True), "state": (str, True)},
    FaultKind.SIOC: {"datastore": (str, True), "state": (str, True), "threshold_ms": (int, False)},
}
_COMMON = ("source", "kind", "match", "count", "for_s")


@dataclass(frozen=True)
class Fault:
    """One fault in force. `source` is the name of an array or vCenter."""

    id: int
    source: str
    kind: FaultKind
    parameters: dict[str, Parameter]
    match: str | None  # only requests whose "METHOD path?query" or body (first 4 KiB) holds this text
    ends_at: float | None  # monotonic seconds
    remaining: int | None  # requests left

    def number(self, name: str, default: int = 0) -> int:
        """A numeric parameter."""
        return int(self.parameters.get(name, default))


class Faults:
    """The store. Thread-safe."""

    def __init__(
        self, environment: Environment, clocks: Clocks, placement: Placement, administration: Administration
    ) -> None:
        self._environment = environment
        self._administration = administration
        self._clocks = clocks
        self._placement = placement
        self._lock = threading.Lock()
        self._faults: dict[int, Fault] = {}
        self._last_id = 0
        self._session_generation: Counter[str] = Counter()
        self._counter_generation: Counter[str] = Counter()
        self._names: dict[int, str] = {}
        self._vm_names: dict[int, str] = {}
        self._sources = {array.name for array in environment.arrays} | {
            vcenter.name for vcenter in environment.vcenters
        }

    def active(self, source: str, kind: FaultKind, text: str = "") -> Fault | None:
        """The oldest fault of that kind in force for the source whose `match` is in `text`; uses up one of its count."""
        if not self._faults:
            return None
        with self._lock:
            for fault in list(self._faults.values()):
                if fault.ends_at is not None and time.monotonic() >= fault.ends_at:
                    del self._faults[fault.id]
                elif fault.source == source and fault.kind is kind and (fault.match or "") in text:
                    self._use_up(fault)
                    return fault
        return None

    def session_generation(self, source: str) -> int:
        """Rises by one with every expire_sessions: a session opened under an older generation is not valid any more."""
        return self._session_generation[source]

    def counter_generation(self, source: str) -> int:
        """Rises by one with every renumber_counters: perfCounter ids must be different in each generation."""
        return self._counter_generation[source]

    def volume_name(self, volume: int) -> str:
        """The name of a volume now: that of the environment unless renamed."""
        return self._names.get(volume, self._environment.volumes[volume].name)

    def vm_name(self, vm: int) -> str:
        """The name of a VM now: that of the environment unless renamed."""
        return self._vm_names.get(vm, self._environment.vms[vm].name)

    def vm_names_given(self) -> tuple[tuple[int, str], ...]:
        """The VMs that were renamed, with their names now."""
        return tuple(self._vm_names.items())

    def add(self, body: Mapping[str, object]) -> Fault:
        """Put a fault in force, or perform an act, as described by a decoded `POST /faults` body.

        Raises ValueError that names what is wrong and what is known.
        """
        fault = self._parse(body)
        if fault.kind in ACTS:
            self._act(fault)
            return fault
        with self._lock:
            self._faults[fault.id] = fault
        return fault

    def all(self) -> list[Fault]:
        """Faults in force, oldest first."""
        with self._lock:
            return list(self._faults.values())

    def remove(self, fault: int | None = None) -> int:
        """Delete one fault, or all; returns how many there were."""
        with self._lock:
            gone = [key for key in self._faults if fault is None or key == fault]
            for key in gone:
                del self._faults[key]
        return len(gone)

    def _use_up(self, fault: Fault) -> None:
        if fault.remaining is None:
            return
        if fault.remaining <= 1:
            del self._faults[fault.id]
        else:
            self._faults[fault.id] = replace(fault, remaining=fault.remaining - 1)

    def _parse(self, body: Mapping[str, object]) -> Fault:
        source, kind_name = body.get("source"), body.get("kind")
        if source not in self._sources:
            raise ValueError(f"source {source!r} is not one of {', '.join(sorted(self._sources))}")
        try:
            kind = FaultKind(str(kind_name))
        except ValueError:
            raise ValueError(f"kind {kind_name!r} is not one of {', '.join(FaultKind)}") from None
        match, count, for_s = body.get("match"), body.get("count"), body.get("for_s")
        if count is not None and not (isinstance(count, int) and count > 0):
            raise ValueError(f"count is a number of requests above 0, not {count!r}")
        if for_s is not None and not (isinstance(for_s, int | float) and for_s > 0):
            raise ValueError(f"for_s is a number of seconds above 0, not {for_s!r}")
        ends_at = None if for_s is None else time.monotonic() + for_s
        parameters = _parameters(kind, {name: value for name, value in body.items() if name not in _COMMON})
        with self._lock:
            self._last_id += 1
            return Fault(
                self._last_id, str(source), kind, parameters, None if match is None else str(match), ends_at, count
            )

    def _act(self, fault: Fault) -> None:
        acts: dict[FaultKind, Callable[[Fault], None]] = {
            FaultKind.EXPIRE_SESSIONS: self._expire_sessions,
            FaultKind.RENUMBER_COUNTERS: self._renumber_counters,
            FaultKind.RENAME_VOLUME: self._rename_volume,
            FaultKind.RENAME_VM: self._rename_vm,
            FaultKind.SHIFT_CLOCK: self._shift_clock,
            FaultKind.ADVANCE: self._advance,
            FaultKind.VMOTION: self._vmotion,
            FaultKind.POWER: self._power,
            FaultKind.OPTION: self._option,
            FaultKind.NTP: self._ntp,
            FaultKind.SIOC: self._sioc,
        }
        acts[fault.kind](fault)

    def _expire_sessions(self, fault: Fault) -> None:
        self._session_generation[fault.source] += 1

    def _renumber_counters(self, fault: Fault) -> None:
        self._counter_generation[fault.source] += 1

    def _rename_volume(self, fault: Fault) -> None:
        array = next((array for array in self._environment.arrays if array.name == fault.source), None)
        old = fault.parameters["volume"]
        for volume in self._environment.volumes:
            if array and array.index in volume.arrays and self.volume_name(volume.index) == old:
                self._names[volume.index] = str(fault.parameters["name"])
                return
        raise ValueError(f"{fault.source} has no volume {old!r}")

    def _shift_clock(self, fault: Fault) -> None:
        environment, clocks = self._environment, self._clocks
        every = {
            **{array.name: clocks.arrays[array.index] for array in environment.arrays},
            **{vcenter.name: clocks.vcenters[vcenter.index] for vcenter in environment.vcenters},
            **{host.name: clocks.hosts[host.index] for host in environment.hosts},
        }
        name = str(fault.parameters.get("host", fault.source))
        clock = every.get(name)
        if clock is None:
            raise ValueError(f"no host is called {name!r}")
        clock.shift(float(fault.parameters["by_s"]))

    def _advance(self, fault: Fault) -> None:
        by_s = float(fault.parameters["by_s"])
        if by_s < 0:
            raise ValueError("by_s of advance is at least 0: time does not go back")
        self._clocks.lab_time.pass_by(by_s)

    def _vmotion(self, fault: Fault) -> None:
        self._placement.move(self._vm(fault), self._host(fault), self._clocks.lab_time.now())

    def _rename_vm(self, fault: Fault) -> None:
        self._vm_names[self._vm(fault)] = str(fault.parameters["name"])

    def _power(self, fault: Fault) -> None:
        self._placement.switch(self._vm(fault), self._clocks.lab_time.now(), on=_is_on(fault))

    def _option(self, fault: Fault) -> None:
        name, value = str(fault.parameters["option"]), fault.number("value")
        self._administration.set_option(self._host(fault), name, value)

    def _ntp(self, fault: Fault) -> None:
        self._administration.set_ntp(self._host(fault), running=_is_on(fault))

    def _sioc(self, fault: Fault) -> None:
        name = fault.parameters["datastore"]
        store = next((store for store in self._environment.datastores if store.name == name), None)
        if store is None:
            raise ValueError(f"no datastore is called {name!r}")
        sioc = Sioc(_is_on(fault), fault.number("threshold_ms", Sioc.threshold_ms))
        self._administration.set_sioc(store.index, sioc)

    def _host(self, fault: Fault) -> int:
        """Index of the host that a fault names. Raises ValueError."""
        name = fault.parameters["host"]
        for host in self._environment.hosts:
            if host.name == name:
                return host.index
        raise ValueError(f"no host is called {name!r}")

    def _vm(self, fault: Fault) -> int:
        """Index of the VM that a fault names, within its source. Raises ValueError."""
        name = fault.parameters["vm"]
        for vm in self._environment.vms:
            if self._environment.vcenters[vm.vcenter].name == fault.source and self.vm_name(vm.index) == name:
                return vm.index
        raise ValueError(f"{fault.source} has no VM {name!r}")


def _is_on(fault: Fault) -> bool:
    state = fault.parameters["state"]
    if state not in ("on", "off"):
        raise ValueError(f"state of {fault.kind} is on or off, not {state!r}")
    return state == "on"


def _parameters(kind: FaultKind, given: dict[str, object]) -> dict[str, Parameter]:
    known = _PARAMETERS.get(kind, {})
    strange = set(given) - set(known)
    if strange:
        raise ValueError(f"{kind} does not take {', '.join(sorted(strange))}; it takes {', '.join(known) or 'nothing'}")
    missing = [name for name, (_, required) in known.items() if required and given.get(name) is None]
    if missing:
        raise ValueError(f"{kind} needs {', '.join(missing)}")
    return {name: _parameter(f"{name} of {kind}", known[name][0], value) for name, value in given.items()}


def _parameter(what: str, kind: type, value: object) -> Parameter:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if kind is str and isinstance(value, str):
        return value
    if kind is float and number:
        return float(str(value))
    if kind is int and number and isinstance(value, int) and value >= (1 if "per_s" in what else 0):
        return value
    raise ValueError(f"{what} is {_MEANING[kind]}, not {value!r}")


_MEANING = {str: "a text", float: "a number", int: "a whole number that is not too small"}
