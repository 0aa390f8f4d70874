"""The SQL that makes series, per mode, in the form in which migrations keep it: `python -m gavel.db.series.sql plain ledger_1m …`."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from gavel.db.series import packed, plain, timescale
from gavel.db.series.catalog import RAWS, ROLLS, Mode, RawSeries, Roll


def create(mode: Mode, names: Iterable[str]) -> Iterator[str]:
    """Statements for the named series, sources before the roll-ups made from them."""
    wanted = set(names)
    for raw in RAWS.values():
        if raw.name in wanted:
            yield from (plain if mode is Mode.PLAIN else timescale).create_raw(raw)
    for roll in ROLLS.values():
        if roll.name in wanted:
            yield from (plain.create_roll(roll) if mode is Mode.PLAIN else timescale.create_roll(roll, _source(roll)))


def lay_out(names: Iterable[str]) -> Iterator[str]:
    """On TimescaleDB: how chunks of the named series are laid out and packed, after they are created."""
    wanted = set(names)
    every: list[RawSeries | Roll] = [*RAWS.values(), *ROLLS.values()]
    for series in every:
        if series.name in wanted:
            yield from timescale.lay_out(series)


def create_packed(names: Iterable[str]) -> Iterator[str]:
    """Statements for the named series in short, the same in both modes; for roll-ups without how columns are stored."""
    wanted = set(names)
    yield from (packed.create(series) for name, series in packed.PACKED.items() if name in wanted)


def stay_with_row(names: Iterable[str]) -> Iterator[str]:
    """How columns of the named roll-ups in short are stored."""
    wanted = set(names)
    yield from (packed.stay_with_row(series) for name, series in ROLLS.items() if name in wanted)


def _source(roll: Roll) -> RawSeries | Roll:
    return RAWS[roll.source] if roll.source in RAWS else ROLLS[roll.source]


def as_script(statements: Iterable[str]) -> str:
    """One statement to a paragraph, its columns one to a line, so that a change reads as one."""
    return "".join(f"{_folded(statement)};\n\n" for statement in statements)


def _folded(statement: str) -> str:
    """Lines of at most 120 characters, broken after commas."""
    lines = [""]
    for part in statement.split(", "):
        if len(lines[-1]) + len(part) > 116 and lines[-1]:
            lines.append("")
        lines[-1] += f"{part}, "
    return "\n  ".join(line.rstrip() for line in lines).rstrip(",")


def main(arguments: Sequence[str]) -> None:
    mode, *names = arguments
    if mode == "packed":
        asked = names or [*ROLLS, *RAWS]
        sys.stdout.write(as_script(chain(create_packed(asked), stay_with_row(asked))))
        return
    asked = names or [*RAWS, *ROLLS]
    laid_out = lay_out(asked) if mode == Mode.TIMESCALE else ()
    sys.stdout.write(as_script(chain(create(Mode(mode), asked), laid_out)))


if __name__ == "__main__":
    main(sys.argv[1:])
