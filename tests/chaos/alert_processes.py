"""The processes of the alert campaign: PostgreSQL, Valkey, Celery's scheduler and Gavel's worker, started, watched and killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

from tests.chaos.alert_plan import PLAN

from gavel.embedded import postgres, valkey
from gavel.embedded.deathsignal import with_parent

ROOT = Path(__file__).parents[2]
# The database dies often here and the machine never does: what is written need not reach the disk. Pages may be torn in two by a kill.
_MACHINE_STAYS = {"fsync": "off", "shared_buffers": "32MB"}
_CELERY = [sys.executable, "-m", "celery", "--quiet", "-A"]
_UP_S = 60


class Processes:
    """All of them on one folder. A name is killed as a whole; the worker's children also one by one, by the campaign."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self.data.mkdir(parents=True)
        self.plan = folder / "plan.json"
        self._log = (folder / "processes.log").open("ab+")
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._cluster: postgres.DataDirectory | None = None

    @property
    def environment(self) -> dict[str, str]:
        own = {
            "DATA_DIR": str(self.data),
            "ALERT_NETWORKS": "127.0.0.0/8",
            "ALERT_PLAIN_HTTP": "1",
            "LOG_FORMAT": "json",
        }
        return os.environ | {f"GAVEL_{name}": value for name, value in own.items()} | {PLAN: str(self.plan)}

    @property
    def database_url(self) -> str:
        return postgres.database_url(postgres.default_socket_dir(self.data / "postgres"))

    def start_database(self) -> None:
        self._cluster = postgres.prepare(self.data / "postgres", settings=_MACHINE_STAYS)
        server = postgres.start(self._cluster, output=self._log.fileno())
        self._running["database"] = server
        postgres.wait_until_ready(self._cluster, server, self._log)

    def start_broker(self) -> None:
        broker = valkey.prepare(self.data / "valkey")
        self._spawn("broker", broker.argv, cwd=broker.data_dir)
        until = time.monotonic() + _UP_S
        while not valkey.is_ready(broker.socket):
            assert time.monotonic() < until, self.said()
            time.sleep(0.02)

    def start_scheduler(self) -> None:
        schedule = self.data / "beat-schedule"
        self._spawn("scheduler", [*_CELERY, "gavel.jobs.app", "beat", "--schedule", str(schedule), "--pidfile="])

    def start_worker(self) -> None:
        queues = ["-Q", "compute,notify,apart", "-c", "2", "--without-gossip", "--without-mingle"]
        self._spawn("worker", [*_CELERY, "tests.chaos.alert_worker", "worker", "-n", "worker@campaign", *queues])

    def is_up(self, name: str) -> bool:
        return name in self._running and self._running[name].poll() is None

    def pid(self, name: str) -> int:
        return self._running[name].pid

    def kill(self, name: str) -> None:
        """kill -9 of all of it; the children of a database end by themselves, those of a worker are killed with it."""
        running = self._running[name]
        if name == "database":
            running.kill()
        else:
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()

    def end(self) -> None:
        for name in ("scheduler", "worker", "broker"):
            if self.is_up(name):
                self.kill(name)
        if self.is_up("database"):
            postgres.stop(self._running["database"])
        self._log.close()

    def said(self) -> str:
        """The end of what they printed."""
        return Path(self._log.name).read_bytes()[-6000:].decode(errors="replace")

    def _spawn(self, name: str, argv: list[str], cwd: Path = ROOT) -> None:
        log: IO[bytes] = self._log
        self._running[name] = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=cwd, env=self.environment,
            start_new_session=True, preexec_fn=with_parent(signal.SIGKILL),  # noqa: PLW1509 (two system calls)
        )  # fmt: skip
