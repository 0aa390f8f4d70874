"""The things that rules of alerts look at: their keys, what they can be chosen by, and which rule covers which."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gavel.alerting.rules.model import Rule, Subject
from gavel.db.engine import Connection
from gavel.db.queries.alert_objects import AlertObject, alert_objects
from gavel.db.queries.refs import RefKind, refs
from gavel.domain.scope import ScopeKind, scope_key

SCOPES: Mapping[Subject, ScopeKind] = {
    Subject.VM: ScopeKind.VM,
    Subject.DATASTORE: ScopeKind.DATASTORE,
    Subject.HOST: ScopeKind.HOST,
    Subject.CLUSTER: ScopeKind.CLUSTER,
    Subject.VOLUME: ScopeKind.VOLUME,
    Subject.ARRAY: ScopeKind.ARRAY,
}
_ID_BITS = 27
# Rules evaluated by the clock and rules evaluated by the minutes of the ledger are of different minutes: the machine takes one object that
# both look at for two.
_BY_CLOCK = 1 << 40
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class AlertObjects:
    """n things of one kind, by id. keys: (n,) as the machine calls them, and the ledger, unless they are evaluated by the clock."""

    subject: Subject
    keys: Ints
    objects: tuple[AlertObject, ...]
    is_by_clock: bool = False

    @property
    def ids(self) -> list[int]:
        return [one.id for one in self.objects]


@dataclass(frozen=True, slots=True)
class Named:
    """What a key stands for; `name` is empty for what is gone."""

    subject: Subject
    id: int
    name: str


def key_of(subject: str, thing_id: int) -> int:
    """One integer per thing of whatever kind: the ledger's key; of a source its id, which no such key is as small as."""
    kind = Subject(subject)
    return thing_id if kind is Subject.SOURCE else scope_key(SCOPES[kind], thing_id)


def of_key(key: int) -> tuple[Subject, int]:
    """The other way round."""
    key = stored_key(key)
    scope, thing_id = key >> _ID_BITS, key & ((1 << _ID_BITS) - 1)
    if not scope:
        return Subject.SOURCE, thing_id
    return next(subject for subject, kind in SCOPES.items() if kind == scope), thing_id


def stored_key(key: int) -> int:
    """Of an object, however it is evaluated: under this key alerts are stored and found."""
    return key & ~_BY_CLOCK


def key_range(subject: Subject, *, is_by_clock: bool) -> tuple[int, int]:
    """The lowest and the highest key of a kind."""
    extra = _clock_bit(subject, is_by_clock=is_by_clock)
    return key_of(subject, 0) + extra, key_of(subject, (1 << _ID_BITS) - 1) + extra


def _clock_bit(subject: Subject, *, is_by_clock: bool) -> int:
    """Sources are evaluated by the clock only."""
    return _BY_CLOCK if is_by_clock and subject is not Subject.SOURCE else 0


def things(connection: Connection, subject: Subject, *, is_by_clock: bool = False) -> AlertObjects:
    """Those that are there now."""
    objects, extra = alert_objects(connection, RefKind(subject.value)), _clock_bit(subject, is_by_clock=is_by_clock)
    keys = np.array([key_of(subject, one.id) + extra for one in objects], dtype=np.int64)
    return AlertObjects(subject, keys, objects, is_by_clock)


def covered(rules: Mapping[int, Rule], there: AlertObjects) -> npt.NDArray[np.bool_]:
    """(r, n) which rule, in the order of ids, looks at which thing. Rules with the same scope are looked up once."""
    known: dict[object, npt.NDArray[np.bool_]] = {}
    rows = []
    for rule_id in sorted(rules):
        scope = rules[rule_id].scope
        if scope not in known:
            covers = (scope.covers(there.subject, one.facts) for one in there.objects)
            known[scope] = np.fromiter(covers, dtype=np.bool_, count=len(there.objects))
        rows.append(known[scope])
    return np.array(rows, dtype=np.bool_).reshape(len(rows), len(there.objects))


def names_of(connection: Connection, keys: Iterable[int]) -> dict[int, Named]:
    """By key, also of what is no longer there."""
    wanted: dict[Subject, list[int]] = {}
    for key in set(keys):
        subject, thing_id = of_key(key)
        wanted.setdefault(subject, []).append(thing_id)
    found: dict[int, Named] = {}
    for subject, ids in wanted.items():
        known = refs(connection, RefKind(subject.value), ids)
        for thing_id in ids:
            name = known[thing_id].name if thing_id in known else ""
            found[key_of(subject, thing_id)] = Named(subject, thing_id, name)
    return found


def positions(keys: Ints, wanted: Sequence[int] | Ints) -> Ints:
    """Where `wanted` stand among ordered keys; all of them are there."""
    return np.searchsorted(keys, np.asarray(wanted, dtype=np.int64))
