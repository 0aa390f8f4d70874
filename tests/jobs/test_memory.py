"""Freed memory leaves a worker process."""

import subprocess
import sys

import pytest

# Many small objects in the heap, with one after them that stays: what is freed below it is kept by the allocator. They are larger than what
# Python keeps by itself, smaller than what the allocator maps apart.
_PROGRAM = """
import gc, sys, time
from pathlib import Path
from gavel.jobs import memory

def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

memory.give_back()
before = resident()
taken = [bytes(50_000) for _ in range(int(sys.argv[1]))]
stays = bytes(50_000)
full = resident()
del taken
gc.collect()
kept = resident()
memory.give_back()
soon = resident()
memory._given_back_at = time.monotonic() - 60
memory.give_back()
print(full - before, kept - before, soon - before, resident() - before, len(stays))
"""


@pytest.mark.parametrize(("objects", "is_given_back_at_once"), [(4_000, True), (400, False)])
def test_what_a_task_has_freed_goes_back_to_the_system_at_once_where_it_is_much(
    objects: int, *, is_given_back_at_once: bool
) -> None:
    ran = subprocess.run([sys.executable, "-c", _PROGRAM, str(objects)], capture_output=True, text=True, check=True)
    taken, kept, soon, after, _ = map(int, ran.stdout.split())
    assert taken > objects * 40_000
    assert kept > taken / 2, "the allocator gave it back by itself: nothing is to be shown"
    assert (soon < taken / 10) == is_given_back_at_once
    assert after < taken / 10
