"""Every parser is linear: eight times a hostile input takes at most twelve times the work, which is counted and never timed."""

import os
import random
from collections.abc import Iterator
from contextlib import suppress

import pytest
from tests.hostile.parsers.samples import EXPECTED, PARSERS, modules
from tests.hostile.parsers.work import Steps, counted_patterns, restore, work_of
from tests.product.running import tell

FILES = int(os.environ.get("FILES") or 12)
SEED = int(os.environ.get("SEED") or 1)
SHORT = 500
FACTOR, MOST = 8, 12
# Many blanks, separators, openings without an end, deep nesting, long words and numbers, many tiny records.
UNITS = (
    " ", "\t", "\n", "\r\n", "\x00", ",", ";", ":", "=", "|", "'", '"', "\\", "/", "-", "_", ".", "0", "9,", "a", "é", "%", "#", "*",
    "<", ">", "(", ")", "[", "]", "{", "}", "{}\n", "[]\n", "[[", '{"a":', "- ", "a: ", "? ", "&a ", "!a ", '""', '"",', '"a"\n',
    "<a>", "</a>", "<a/>", "a b ", "a=1,", "a=1 ", "a\\ ", "1:", ":1:", "1.", "a.", "//", "a://", "a:@", "token=", "bearer ", "://a:",
    "\\\\", "\\\\a\\", "(a)\\", "1,", "0 ", "interval ", "interval\n", "\n{", "Total IO\n", "avg_1-1 ", "<value>", "<id>",
    "<returnval ", "</returnval>", "default ", "default is ", "%:1 ", "thread |", "using 1KB a", "Starting RD=", "IOs/sec: ", "IOPS=",
    "read:", "JOB_NAME = a\n", "'Target Type,\n", "ALL,", "tod ",
)  # fmt: skip


@pytest.fixture
def steps() -> Iterator[Steps]:
    counted = Steps()
    patterns = counted_patterns(modules(), counted)
    yield counted
    restore(patterns)


def hostile(good: bytes, at: int, unit: bytes, size: int, mode: int) -> bytes:
    """A good input with a run of units in its middle, in place of its rest, or with its own line again and again."""
    run = unit * (size // len(unit) + 1)
    return good[:at] + run + (b"", good[at:], b"\n" + good[at:])[mode]


def work(name: str, data: bytes, steps: Steps) -> int:
    def parse() -> None:
        with suppress(*EXPECTED):
            PARSERS[name].parse(data)

    return work_of(parse, steps)


@pytest.mark.parametrize("name", PARSERS)
def test_parser_takes_work_that_grows_with_its_input(name: str, steps: Steps) -> None:
    chosen = random.Random(f"{SEED} {name}")
    good = PARSERS[name].good
    least = work(name, good, steps)
    found: list[str] = []
    for _ in range(FILES):
        unit, mode = chosen.choice(UNITS).encode(), chosen.randrange(3)
        if chosen.random() < 0.2:
            # A line of its own.
            unit = chosen.choice(good.splitlines(keepends=True) or [b"\n"])
        at = chosen.choice([0, len(good), chosen.randrange(len(good) + 1)])
        size = max(SHORT, len(unit))
        short, long = (work(name, hostile(good, at, unit, each, mode), steps) for each in (size, FACTOR * size))
        if long > MOST * max(short, least, SHORT):
            found.append(f"{unit[:40]!r} at {at} (form {mode}): {short} → {long}")
    tell(f"{name}: {FILES} inputs, seed {SEED}")
    assert found == []
