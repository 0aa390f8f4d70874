"""How long rows stay, as the operator wants it: checked, written beside the storage mode, and put into force on TimescaleDB's policies.

On plain PostgreSQL there is nothing to put into force: what drops or reads rows looks at the storage mode's row.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Connection, text, update

from gavel.db.schema.bookkeeping import storage_mode
from gavel.db.series import modes
from gavel.db.series.catalog import DAY, HOUR, RAWS, ROLLS, Mode
from gavel.db.series.timescale import REFRESH_MARGIN
from gavel.domain.errors import SettingsError
from gavel.domain.retention import LIMITS, SOURCES, VARIABLES, Grain, format_length, refuse_beyond

# On plain PostgreSQL an hour of each kind of samples is a partition.
_LONGEST_SAMPLES: Mapping[Mode, timedelta] = {Mode.PLAIN: 14 * DAY, Mode.TIMESCALE: LIMITS[Grain.SAMPLES][1]}
# A length of time has to be one that can be taken off a date.
_FOR_GOOD = 36_500 * DAY
_GRAINS = {name: raw.grain for name, raw in RAWS.items()} | {name: roll.grain for name, roll in ROLLS.items()}
_POLICIES = text("""
    SELECT j.job_id, j.proc_name, coalesce(a.view_name, j.hypertable_name) AS series,
        (j.config ->> CASE j.proc_name WHEN 'policy_retention' THEN 'drop_after' ELSE 'start_offset' END)::interval AS length
    FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a
        ON (a.materialization_hypertable_schema, a.materialization_hypertable_name) = (j.hypertable_schema, j.hypertable_name)
    WHERE j.proc_name IN ('policy_retention', 'policy_refresh_continuous_aggregate')
""")
_ALTER = text("""
    SELECT alter_job(job_id, config => jsonb_set(config, ARRAY[CAST(:key AS text)], to_jsonb(CAST(:length AS text))))
    FROM timescaledb_information.jobs WHERE job_id = :id
""")


@dataclass(frozen=True, slots=True)
class RetentionChange:
    """is_default: the operator set nothing, `after` is what the mode has. drops_at_once: rows that are too old go with the next minute's
    maintenance, else within a day."""

    grain: Grain
    before: timedelta
    after: timedelta
    is_default: bool
    drops_at_once: bool


def change(connection: Connection, chosen: Mapping[Grain, timedelta]) -> list[RetentionChange]:
    """Write lengths that the operator set and put them into force; returns what is kept otherwise than before.

    Raises SettingsError for lengths that do not fit the storage mode or each other.
    """
    before = modes.storage(connection)
    after = modes.Storage(before.mode, before.now, dict(chosen), before.whole_from)
    _refuse_unusable(after)
    changed = [grain for grain in Grain if after.keep(grain) != before.keep(grain)]
    connection.execute(
        update(storage_mode).values(
            {f"keep_{grain}": chosen.get(grain) for grain in Grain}
            # What went under the old length does not come back with a longer one.
            | {f"{grain}_from": before.since(grain) for grain in changed}
        )
    )
    fit_policies(connection, modes.storage(connection))
    is_plain = before.mode is Mode.PLAIN
    return [
        RetentionChange(grain, before.keep(grain), after.keep(grain), grain not in chosen, is_plain)
        for grain in changed
    ]


def fit_policies(connection: Connection, storage: modes.Storage) -> int:
    """On TimescaleDB: dropping and refreshing of every series as the retention asks for; returns how many policies differed."""
    if storage.mode is Mode.PLAIN:
        return 0
    wanted = {(series, policy): (key, length) for series, policy, key, length in _wanted(storage)}
    fitted = 0
    for row in connection.execute(_POLICIES).all():
        key, length = wanted.get((row.series, row.proc_name), ("", row.length))
        if length != row.length:
            seconds = f"{length // timedelta(seconds=1)} seconds"
            connection.execute(_ALTER, {"id": row.job_id, "key": key, "length": seconds})
            fitted += 1
    return fitted


def _wanted(storage: modes.Storage) -> Iterator[tuple[str, str, str, timedelta]]:
    """Series, policy, the name of its length and the length. Chunks are packed by their age, whatever is kept (`timescale.lay_out`)."""
    for name, grain in _GRAINS.items():
        yield name, "policy_retention", "drop_after", storage.keep(grain)
    for roll in ROLLS.values():
        refreshed = _refreshed(storage, _GRAINS[roll.source])
        yield roll.name, "policy_refresh_continuous_aggregate", "start_offset", refreshed


def _refreshed(storage: modes.Storage, source: Grain) -> timedelta:
    """So far back sums are made again, by whole hours. A refresh of a time whose rows were dropped would empty it: after retention was
    lengthened it reaches back no further than what is there."""
    there = storage.now - storage.since(source)
    return there // HOUR * HOUR - REFRESH_MARGIN


def _refuse_unusable(storage: modes.Storage) -> None:
    for grain, length in storage.chosen.items():
        least, most = LIMITS[grain]
        try:
            refuse_beyond(length, least, _LONGEST_SAMPLES[storage.mode] if grain is Grain.SAMPLES else most)
        except ValueError as error:
            server = "plain PostgreSQL" if storage.mode is Mode.PLAIN else "TimescaleDB"
            raise SettingsError(f"{VARIABLES[grain]}: {error}, on {server}.") from error
    for grain, sources in SOURCES.items():
        for source in sources:
            if storage.keep(grain) < storage.keep(source):
                longer = f"{VARIABLES[source]}, {_labeled_length(storage, source)}"
                raise SettingsError(
                    f"{VARIABLES[grain]}: {_labeled_length(storage, grain)} is shorter than {longer}."
                    " Sums have to stay at least as long as what they are made from."
                )


def _labeled_length(storage: modes.Storage, grain: Grain) -> str:
    return f"{format_length(storage.keep(grain))}{'' if grain in storage.chosen else ' (the default)'}"


def keep_everything(connection: Connection) -> None:
    """Of a database that is made once and only looked at: nothing in it is ever too old."""
    connection.execute(update(storage_mode).values({f"keep_{grain}": _FOR_GOOD for grain in Grain}))
