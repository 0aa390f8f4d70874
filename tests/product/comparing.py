"""The database held against the lab: which rows are missing, which are too many, which say something else."""

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.product.lab_reader import COLUMNS, Rows, rows_of
from tests.product.running import Product, tell

from gavel.db.series import packed
from gavel.db.series.catalog import SAMPLES
from gavel.domain.source import Stream

STREAMS = {"flasharray": ("array_volume", "array_directory"), "vcenter": ("host_device", "vm_disk")}
_THINGS = {
    "array_volume": "volume",
    "array_directory": "array_directory",
    "host_device": "host_device",
    "vm_disk": "vm_disk",
}
# A vCenter keeps an hour: what is compared must not fall out of it while it is read.
KEPT_S = 56 * 60
# Hosts' clocks lie up to eight seconds apart: once the fastest is a sample further, all have delivered the one before.
SETTLED_S = 25


@dataclass
class Comparison:
    """Differences as sentences, at most a few of each kind; `rows` and `values` compared."""

    rows: int = 0
    values: int = 0
    lost: int = 0
    foreign: int = 0
    altered: int = 0
    doubled: int = 0
    examples: list[str] = field(default_factory=list)

    @property
    def is_equal(self) -> bool:
        return not (self.lost or self.foreign or self.altered or self.doubled)

    def __str__(self) -> str:
        found = f"{self.rows} rows, {self.values} values compared: {self.lost} lost, {self.doubled} doubled, "
        return "\n  ".join([found + f"{self.altered} altered, {self.foreign} that the lab never sent", *self.examples])

    def add(self, where: str, expected: Rows, stored: Rows, doubled: int) -> None:
        """Count one stream of one source."""
        self.rows += len(expected)
        self.values += sum(map(len, expected.values()))
        self.doubled += doubled
        lost, foreign = expected.keys() - stored.keys(), stored.keys() - expected.keys()
        altered = {key for key in expected.keys() & stored.keys() if expected[key] != stored[key]}
        self.lost, self.foreign, self.altered = (
            self.lost + len(lost),
            self.foreign + len(foreign),
            self.altered + len(altered),
        )
        for word, keys in (("lost", lost), ("foreign", foreign), ("altered", altered)):
            for key in sorted(keys, key=lambda key: (key[1], key[0]))[:3]:
                self.examples.append(f"{where} {word} {key}: the lab {expected.get(key)}, stored {stored.get(key)}")


def together(comparisons: Iterable[Comparison]) -> Comparison:
    """Of several spans of time, with the examples of all."""
    found = Comparison()
    for one in comparisons:
        found.rows, found.values = found.rows + one.rows, found.values + one.values
        found.lost, found.foreign = found.lost + one.lost, found.foreign + one.foreign
        found.altered, found.doubled = found.altered + one.altered, found.doubled + one.doubled
        found.examples += one.examples
    return found


def compare(
    product: Product,
    after: float,
    until: float,
    *,
    only: Mapping[str, Any] | None = None,
    known: Mapping[tuple[str, str], Rows] | None = None,
) -> Comparison:
    """Every sample of (after, until], by each source's clock. `known`: answers of the lab that were taken before, instead of asking now."""
    result = Comparison()
    for source in product.sources():
        if only is not None and source["name"] not in only:
            continue
        for stream in STREAMS[source["kind"]]:
            place = (source["name"], stream)
            expected = known[place] if known is not None else rows_of(source, stream, after, until)
            stored, doubled = stored_rows(product, source["name"], stream, after, until)
            result.add(" ".join(place), expected, stored, doubled)
    return result


def lab_says(product: Product, after: float, until: float) -> dict[tuple[str, str], Rows]:
    """What every source has in (after, until], to be compared later."""
    return {
        (source["name"], stream): rows_of(source, stream, after, until)
        for source in product.sources()
        for stream in STREAMS[source["kind"]]
    }


_AFTER, _UNTIL = "to_timestamp(%(after)s)", "to_timestamp(%(until)s)"


def stored_rows(product: Product, source: str, stream: str, after: float, until: float) -> tuple[Rows, int]:
    """Stored rows, and how many of them are there more than once."""
    columns = ", ".join(f"m.{name}" for name in COLUMNS[stream])
    samples = packed.rows(SAMPLES[Stream(stream)], COLUMNS[stream], of="true", lo=_AFTER, hi=_UNTIL)
    found = product.ask(
        f"SELECT t.key, extract(epoch FROM m.ts)::bigint, {columns} FROM {samples} m "
        f"JOIN {_THINGS[stream]} t ON t.id = m.entity_id JOIN source s ON s.id = t.source_id "
        f"WHERE s.name = %(source)s AND m.ts > {_AFTER}",
        source=source, after=after, until=until,
    )  # fmt: skip
    rows = {(key, stamp): tuple(values) for key, stamp, *values in found}
    return rows, len(found) - len(rows)


def caught_up(product: Product, ahead_s: float = 0, within_s: float = 240) -> float:
    """Wait until everything up to now is stored for good; that instant. `ahead_s`: how far some source's clock is ahead."""
    now = product.now() + ahead_s
    product.wait_until_read(now + SETTLED_S, within_s)
    return now


def last_hour(product: Product) -> tuple[float, float]:
    """(after, until] of what has settled and what every source still keeps."""
    now = product.now()
    until = min(now, *_marks(product)) - SETTLED_S
    return max(now, until) - KEPT_S, until


def _marks(product: Product) -> Iterator[float]:
    return (until for (_, stream), until in product.watermarks().items() if stream in _THINGS)


def assert_nothing_unexplained(product: Product) -> None:
    """No owed gap, no gap without an acceptable reason, no sample that changed its mind, no thing without a name."""
    assert product.pending() == 0
    assert product.ask("SELECT * FROM gap WHERE state = 'explained' AND reason NOT LIKE %(known)s", known=EXPIRED) == []
    assert product.ask("SELECT source_id, stream, corrected FROM collection_run WHERE corrected > 0") == []
    assert product.ask("SELECT source_id, stream, unknown_keys FROM collection_run WHERE unknown_keys > 0") == []


EXPIRED = "expired at the source before Gavel could read it"


_FIRST_DATA_S, _HOUR_S = 120, 400


def wait_for_the_hour(product: Product) -> None:
    """Until it has read both sides of everything as far back as the lab keeps it."""

    def both_sides() -> bool:
        found = product.ask(
            "SELECT EXISTS (SELECT FROM array_volume_sample) AND EXISTS (SELECT FROM host_device_sample)"
        )
        return bool(found[0][0])

    product.wait_for(both_sides, "numbers of both sides", _FIRST_DATA_S)
    tell(f"first data of both sides {time.time() - product.up_at:.1f} s after it was up")
    product.wait_for(lambda: _has_the_hour(product), "the last hour", _HOUR_S)
    tell(f"the last hour {time.time() - product.up_at:.1f} s after it was up")


def _has_the_hour(product: Product) -> bool:
    """All four sources have been read once, owe nothing, and reach back as far as they keep."""
    oldest = product.ask(
        "SELECT extract(epoch FROM min(a.ts))::float8, extract(epoch FROM min(h.ts))::float8 FROM "
        "(SELECT min(ts) AS ts FROM array_volume_sample) a, (SELECT min(ts) AS ts FROM host_device_sample) h"
    )[0]
    back = product.now() - KEPT_S
    return (
        len(product.watermarks()) >= 10
        and product.pending() == 0
        and all(at is not None and at < back for at in oldest)
    )
