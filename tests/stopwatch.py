"""The monotonic clock of chosen modules, which moves only as a test says."""

from types import ModuleType, SimpleNamespace

import pytest


class Stopwatch:
    """`passed_s`: seconds that have passed so far."""

    def __init__(self) -> None:
        self.passed_s = 0.0

    def monotonic(self) -> float:
        return self.passed_s

    def hold(self, monkeypatch: pytest.MonkeyPatch, *modules: ModuleType) -> None:
        """Let these modules measure durations by this stopwatch."""
        for module in modules:
            monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=self.monotonic))
