"""Freed memory leaves a worker process."""

import subprocess
import sys

# Many small objects in the heap, with one after them that stays: what is freed below it is kept by the allocator.
_PROGRAM = """
import gc, time
from pathlib import Path
from gavel.jobs import memory

def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

before = resident()
# Larger than what Python keeps by itself, smaller than what the allocator maps apart.
taken = [bytes(50_000) for _ in range(4_000)]
stays = bytes(50_000)
full = resident()
del taken
gc.collect()
kept = resident()
memory.give_back()  # too soon
soon = resident()
memory._given_back_at = time.monotonic() - 60
memory.give_back()
print(full - before, kept - before, soon - before, resident() - before, len(stays))
"""


def test_what_a_task_has_freed_goes_back_to_the_system_now_and_then() -> None:
    ran = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    taken, kept, soon, after, _ = map(int, ran.stdout.split())
    assert taken > 150e6
    assert kept > taken / 2, "the allocator gave it back by itself: nothing is to be shown"
    assert soon > taken / 2
    assert after < taken / 10
