"""What a minute of a big environment costs to attribute, in a process of its own: nothing else's CPU time is counted."""

import subprocess
import sys
from pathlib import Path


def test_a_minute_of_a_big_environment_is_attributed_within_its_goal() -> None:
    program = Path(__file__).with_name("attribute.py")
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False, timeout=120)
    sys.stdout.write(f"\n{done.stdout}{done.stderr}")
    assert done.returncode == 0
