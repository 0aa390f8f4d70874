"""A seeded campaign of kill -9 of a whole product at once, supervisor, database and lab included, while it collects and guests push.

After every few kills the store is held against the lab, the ledger written again, and at the end every line that was answered 204 looked
up.
"""

import os
import random
import signal
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.chaos.pushing import Account, Pushes
from tests.product import ledgers
from tests.product.comparing import KEPT_S, Comparison, caught_up, compare, together
from tests.product.running import Product, tell

STAGE = 10
_LONGEST_S = 8.0


@dataclass
class WholeReport:
    """up_s: from each kill until the product said that it was up again. account: what became of what guests pushed."""

    kills: int = 0
    up_s: list[float] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)
    ledger_rows: int = 0
    ledger_differences: list[str] = field(default_factory=list)
    pending: int = 0
    account: Account | None = None

    @property
    def is_clean(self) -> bool:
        """The account is there, and clean as everything else."""
        return (
            together(self.comparisons).is_equal
            and not (self.ledger_differences or self.pending)
            and self.account is not None
            and self.account.is_clean
        )

    def __str__(self) -> str:
        up_s = sorted(self.up_s)
        up_again = f"up again after {up_s[len(up_s) // 2]:.1f} s (median), {up_s[-1]:.1f} s (worst)"
        lines = [
            f"{self.kills} kills of the whole product; {up_again}",
            str(together(self.comparisons)),
            f"{self.ledger_rows} rows of the ledger written again, {len(self.ledger_differences)} differences",
            *self.ledger_differences,
            f"{self.pending} gaps still owed",
            str(self.account),
        ]
        return "\n  ".join(lines)


class WholeCampaign:
    """`ingest_port`: where the product listens to guests. notes: a file for what is pushed. `seed` is the one source of chance."""

    def __init__(self, product: Product, ingest_port: int, notes: Path, seed: int) -> None:
        self._product, self._choose, self._seed = product, random.Random(seed), seed
        answer = product.api.post("/guests/tokens", json={"name": "campaign", "vm_names": []})
        answer.raise_for_status()
        self._pushes = Pushes(notes, f"http://127.0.0.1:{ingest_port}", answer.json()["token"])
        self.report = WholeReport()

    def run(self, kills: int) -> WholeReport:
        self._pushes.start(1, self._seed)
        while (left := kills - self.report.kills) > 0:
            self._stage(min(left, STAGE))
        self._pushes.end()
        self.report.pending = self._product.pending()
        self.report.account = self._pushes.account(self._product.database)
        return self.report

    def _stage(self, kills: int) -> None:
        began = self._product.now()
        for _ in range(kills):
            time.sleep(self._choose.uniform(0, _LONGEST_S))
            self._pushes.wait_until_sending()
            self._kill_all()
        until = caught_up(self._product, within_s=420)
        found = compare(self._product, max(began - 60, self._product.now() - KEPT_S), until)
        self.report.comparisons.append(found)
        tell(f"{self.report.kills} kills of everything: {found}")
        self._write_ledger_again()

    def _kill_all(self) -> None:
        killed = [part.pid for part in self._product.parts()]
        began = time.monotonic()
        for pid in killed:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._product.kill_supervisor()
        self._product.start()
        self.report.kills += 1
        self.report.up_s.append(time.monotonic() - began)

    def _write_ledger_again(self) -> None:
        """Every minute since the beginning once more, without a kill: the same rows as those that the kills left."""
        ledgers.settled(self._product)
        after, until = ledgers.whole_minutes(self._product, KEPT_S - 300, settling_s=ledgers.CAUGHT_UP_S)
        differences = ledgers.changed_by_writing_again(self._product, after, until)
        rows = len(ledgers.everything(self._product, after, until))
        self.report.ledger_rows += rows
        self.report.ledger_differences += differences
        tell(f"{rows} rows of the ledger written again: {len(differences)} differences {differences}")
