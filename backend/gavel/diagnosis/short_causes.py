"""Causes for a list: of all its objects at once, with as many statements as for one, decided as on an object's own page."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from gavel.db.engine import Connection
from gavel.db.queries.ledger import Detail, ledger
from gavel.db.queries.refs import EntityRef
from gavel.db.series.modes import Storage
from gavel.diagnosis.baselines import UsualOf, hours_at
from gavel.diagnosis.cause import Cause
from gavel.diagnosis.cause_decision import decide
from gavel.diagnosis.cause_load import CauseQuestion, layers_in, load_causes
from gavel.diagnosis.diagnose import MINUTE, DiagnosedRows, covered, diagnose_rows, named_spans
from gavel.diagnosis.episode import Episode, episode_of, with_normal_before
from gavel.diagnosis.streaks import COARSE, FINE, LONGEST_SILENCE, REACH, Steps, fine_from
from gavel.domain.scope import ScopeKind, scope_key


@dataclass(frozen=True, slots=True)
class _ListedSteps:
    """Steps of several objects; rows: of each, by id, in order of time."""

    steps: Steps
    rows: Mapping[int, Sequence[int]]


@dataclass(frozen=True, slots=True)
class _KnownList:
    """Objects of one kind, and what is known of them already."""

    connection: Connection
    scope: ScopeKind
    known: UsualOf
    storage: Storage

    def steps(self, ids: Sequence[int], time: tuple[datetime, datetime], step: timedelta) -> _ListedSteps:
        keys = [scope_key(self.scope, thing_id) for thing_id in ids]
        sums = ledger(self.connection, keys, *time, step, Detail.LAYERS, storage=self.storage)
        things = sums.keys - scope_key(self.scope, 0)
        usual_at = self.known.position(things)
        each = diagnose_rows(sums, self.scope, usual_at, self.known.usual, hours_at(sums.starts_us))
        rows: dict[int, list[int]] = defaultdict(list)
        for row, thing_id in enumerate(things.tolist()):
            rows[thing_id].append(row)
        return _ListedSteps((sums, each), rows)


def causes_of(
    connection: Connection,
    scope: ScopeKind,
    named: Mapping[EntityRef, int],
    diagnosed: DiagnosedRows,
    window: tuple[datetime, datetime],
    expected: UsualOf,
    storage: Storage,
) -> Mapping[int, Cause]:
    """By id, of objects of one kind that name a layer. named: which row of `diagnosed` is an object's diagnosis over the window.

    None of windows of more than an hour: a list does not look at them by the minute.
    """
    if not named or window[1] - window[0] > FINE:
        return {}
    list_of = _KnownList(connection, scope, expected, storage)
    episodes = _episodes(list_of, sorted(subject.id for subject in named), window)
    ratios = covered(diagnosed.notes, diagnosed.rows)
    questions = [
        CauseQuestion(subject, layers_in(named_spans(diagnosed, row)), episodes[subject.id], float(ratios[row]))
        for subject, row in named.items()
        if subject.id in episodes
    ]
    inputs = load_causes(connection, next(iter(named)).kind, questions, storage)
    causes = {thing_id: decide(one) for thing_id, one in inputs.items()}
    return {thing_id: cause for thing_id, cause in causes.items() if cause is not None}


def _episodes(list_of: _KnownList, ids: Sequence[int], window: tuple[datetime, datetime]) -> dict[int, Episode]:
    turn = fine_from(window[1])
    recent = list_of.steps(ids, (turn, window[1]), MINUTE)
    series, diagnosed = recent.steps
    if series.step > MINUTE:  # retention has left no minutes of it
        return {}
    found = {one: episode_of(series, diagnosed, rows, window) for one, rows in recent.rows.items()}
    episodes = {one: episode for one, episode in found.items() if episode is not None}
    old = [
        one for one, episode in episodes.items() if not episode.normal and episode.begun_at <= turn + LONGEST_SILENCE
    ]
    if old:
        before = list_of.steps(old, (window[1] - REACH, turn), COARSE)
        for one in old:
            episodes[one] = with_normal_before(episodes[one], *before.steps, before.rows.get(one, ()))
    return episodes
