"""`gavel up` before it starts anything. Its processes are in tests/product."""

import os
import subprocess
import sys
from pathlib import Path


def test_up_beyond_loopback_is_refused_before_there_is_an_admin(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GAVEL_")}
    said = subprocess.run(
        [sys.executable, "-m", "gavel.cli", "up", "--host", "0.0.0.0"],  # noqa: S104
        env=environment | {"GAVEL_DATA_DIR": str(tmp_path / "data"), "GAVEL_LAB": "0"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert said.returncode == 1
    assert "before it has an admin" in said.stderr
    assert "Traceback" not in said.stderr


def test_up_loads_no_library_of_the_database() -> None:
    """It only starts other processes: what it loads costs a second before the first of them, and memory as long as all run."""
    code = "import sys, gavel.cli.up; print(*sorted({'celery', 'numpy', 'psycopg', 'sqlalchemy'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"
