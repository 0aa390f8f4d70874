"""The lab's stories as they happened in the hour that the product holds, and what the product says of them."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.product.running import Product

# A phase's own edges are no minutes of it: closed loops settle, samples straddle.
_EDGE_S = 60
_LEAST_S = 180


@dataclass(frozen=True)
class Chapter:
    """One phase of a story, without its edges, in seconds by Gavel's clock. `layer` is the guilty one, None where all is well."""

    story: str
    title: str
    datastore: str
    layer: str | None
    segment: str | None
    begin: float
    end: float

    def window(self) -> dict[str, str]:
        return {
            name: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))
            for name, at in (("from", self.begin), ("to", self.end))
        }


def chapters(product: Product, after: float, until: float) -> Iterator[Chapter]:
    """Phases of which at least three whole minutes lie within [after, until]."""
    told = product.truth.get("/stories", params={"from": after, "to": until}).raise_for_status().json()["stories"]
    for phase in told:
        begin, end = max(phase["from"] + _EDGE_S, after), min(phase["to"] - _EDGE_S, until)
        if end - begin >= _LEAST_S:
            yield Chapter(
                phase["story"], phase["title"], phase["datastore"], phase["layer"], phase["segment"], begin, end
            )


def about(product: Product, chapter: Chapter, question: str) -> dict[str, Any]:
    """The product's answer to `question` (diagnosis, occupancy, …) about a chapter's datastore and time."""
    listed = product.api.get("/datastores", params={"limit": 500}).raise_for_status().json()["items"]
    datastore = next(row["id"] for row in listed if row["name"] == chapter.datastore)
    answer = product.api.get(f"/datastores/{datastore}/{question}", params=chapter.window())
    found: dict[str, Any] = answer.raise_for_status().json()
    return found


def layers_named(diagnosis: dict[str, Any]) -> set[str]:
    """The layers that a diagnosis speaks of; of an inconclusive one both."""
    names = [name for name in (diagnosis["layer"], diagnosis["other"]) if name]
    return {layer for name in names for layer in name.split("_")}
