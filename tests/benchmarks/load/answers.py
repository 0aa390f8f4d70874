"""How long the pages' requests take while samples come in."""

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

import numpy as np
from tests.product.running import Product

GOALS_MS: Mapping[str, float] = {"overview": 50, "object summary": 120, "30 d": 300, "diagnosis": 50}
_OBJECTS = 40
_MONTH = timedelta(days=30)


class Asking:
    """Asks for another object each time. `took_s`: what → seconds of each answer."""

    def __init__(self, product: Product) -> None:
        self._product = product
        self._objects = {kind: self._listed(kind) for kind in ("datastores", "vms", "hosts", "volumes")}
        self._turn = 0
        self.took_s: dict[str, list[float]] = defaultdict(list)

    def once(self) -> None:
        """Each request once, one after the other."""
        self._turn += 1
        for what, path in self._requests():
            began = time.perf_counter()
            self._product.api.get(path).raise_for_status()
            self.took_s[what].append(time.perf_counter() - began)

    def lines(self) -> Iterator[str]:
        for what, took in self.took_s.items():
            p50, p95 = np.percentile(took, (50, 95)) * 1000
            yield f"{what}: {len(took)} answers, p50 {p50:.0f} ms, p95 {p95:.0f} ms (goal {GOALS_MS[what]:.0f})"

    def _requests(self) -> Iterator[tuple[str, str]]:
        now = datetime.now(UTC)
        month = urlencode({"from": (now - _MONTH).isoformat(), "to": now.isoformat()})
        yield "overview", "/overview"
        for kind, ids in self._objects.items():
            if ids:
                number = ids[self._turn % len(ids)]
                yield "object summary", f"/{kind}/{number}/summary"
                yield "diagnosis", f"/{kind}/{number}/diagnosis"
        stores = self._objects["datastores"]
        if stores:
            yield "30 d", f"/datastores/{stores[self._turn % len(stores)]}/latency?{month}"

    def _listed(self, kind: str) -> Sequence[int]:
        answer = self._product.api.get(f"/{kind}", params={"limit": _OBJECTS})
        answer.raise_for_status()
        return [item["id"] for item in answer.json()["items"]]
