"""Phases of the lab's stories in an hour, and the API's answers about them."""

import math
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

DOCS = Path(__file__).parents[2] / "docs/alerts.md"
# The shipped rules want five minutes in a row, and the first one may be the phase's own.
LEAST_ALERTED_S = 7 * 60
_NOT_OF_THE_RULE = {"id", "is_default", "open", "created_at", "changed_at", "error", "error_at"}

# A phase's own edges are no minutes of it: closed loops settle, samples straddle.
_EDGE_S = 60
_LEAST_S = 180


class Api(Protocol):
    """A client whose base is the API: of a product, or of an application in this process."""

    def get(self, *arguments: Any, **options: Any) -> Any: ...

    def post(self, *arguments: Any, **options: Any) -> Any: ...


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


def chapters(phases: Iterable[Mapping[str, Any]], after: float, until: float) -> Iterator[Chapter]:
    """Chapters of at least three whole minutes within [after, until]. `phases`: as the lab's truth gives them."""
    for phase in phases:
        begin, end = max(phase["from"] + _EDGE_S, after), min(phase["to"] - _EDGE_S, until)
        if end - begin >= _LEAST_S:
            yield Chapter(
                phase["story"], phase["title"], phase["datastore"], phase["layer"], phase["segment"], begin, end
            )


def about(api: Api, chapter: Chapter, question: str) -> dict[str, Any]:
    """The API's answer to `question` (diagnosis, occupancy, …) about a chapter's datastore and time."""
    listed = api.get("/datastores", params={"limit": 500}).raise_for_status().json()["items"]
    datastore = next(row["id"] for row in listed if row["name"] == chapter.datastore)
    answer = api.get(f"/datastores/{datastore}/{question}", params=chapter.window())
    found: dict[str, Any] = answer.raise_for_status().json()
    return found


def layers_named(diagnosis: dict[str, Any]) -> set[str]:
    """The layers that a diagnosis speaks of; of an inconclusive one both."""
    names = [name for name in (diagnosis["layer"], diagnosis["other"]) if name]
    return {layer for name in names for layer in name.split("_")}


def unlike_the_story(api: Api, chapter: Chapter) -> str:
    """What is wrong with the diagnosis of a chapter, empty where nothing is. No guest of these hours pushes."""
    diagnosis = about(api, chapter, "diagnosis")
    said = f"{chapter.title}: {diagnosis['sentence']['text']}"
    confidence, layer = diagnosis["confidence"], diagnosis["layer"]
    if chapter.layer in (None, "guest"):
        if (diagnosis["state"], confidence, diagnosis["not_measured"]) != ("judged", None, ["guest"]):
            return f"{said} (expected: normal, guest not measured)"
    elif confidence not in ("confirmed", "likely", "inconclusive") or chapter.layer not in layers_named(diagnosis):
        return f"{said} (expected: {chapter.layer})"
    elif confidence != "inconclusive" and layer != chapter.layer:
        return f"{said} (expected: {chapter.layer} alone)"
    return ""


def unlike_the_article(api: Api, chapter: Chapter) -> str:
    """What is wrong with the diagnosis of a phase of the ESXi-queuing article, empty where nothing is."""
    diagnosis, where = about(api, chapter, "diagnosis"), about(api, chapter, "occupancy")
    kernel_ios = next(layer["ios"] for layer in where["layers"] if layer["name"] == "kernel")
    text = f"{chapter.title}: {diagnosis['sentence']['text']}, {kernel_ios:.1f} I/Os in the kernel"
    if chapter.layer != "kernel":
        return "" if (diagnosis["severity"], diagnosis["confidence"]) == ("normal", None) else text
    # 96 I/Os outstanding are more than a virtual disk queue of 64 holds: then its limit is another one.
    is_small = chapter.title.startswith("PVSCSI 64")
    lower, upper = (28, 33) if is_small else (56, 68)
    is_full = "virtual disk queue full" in " ".join(one["text"] for one in diagnosis["sentence"]["caveats"])
    is_right = (diagnosis["confidence"], diagnosis["layer"]) == ("confirmed", "kernel") and is_full is is_small
    return "" if is_right and lower <= kernel_ios <= upper else text


def undocumented(api: Api, phases: Iterable[Mapping[str, Any]], after: float, until: float) -> list[str]:
    """Phases at whose end other shipped rules are open than the table of docs/alerts.md lists."""
    open_from_to = list(_would_be_open(api))
    found, seen = [], 0
    for chapter in chapters(phases, after, until):
        if chapter.end - chapter.begin < LEAST_ALERTED_S:
            continue
        seen += 1
        # At its end: what fired before takes some minutes to be over.
        about_it = [(rule, begin, end) for rule, name, begin, end in open_from_to if name == chapter.datastore]
        fired = {rule for rule, begin, end in about_it if begin <= chapter.end < end}
        if fired != documented(chapter):
            found.append(f"{chapter.title}: {sorted(fired)} fired, {sorted(documented(chapter))} are documented")
    return found if seen else [f"no phase is long enough between {after:.0f} and {until:.0f}"]


def documented(chapter: Chapter) -> set[str]:
    """Rules in the row of docs/alerts.md about this phase."""
    rows = (line.split("|") for line in DOCS.read_text().splitlines() if line.startswith(f"| `{chapter.story}`"))
    listed = [(row[1], row[2]) for row in rows]
    chosen = [fires for story, fires in listed if story.partition(",")[2].strip() in chapter.title]
    assert len(chosen) == 1, (chapter, listed)
    return set(re.findall(r"`(\w+)`", chosen[0]))


def _would_be_open(api: Api) -> Iterator[tuple[str, str, float, float]]:
    """Rule, object, and from when to when, of every firing that a preview finds."""
    for rule in api.get("/alert-rules").raise_for_status().json():
        body = {name: rule[name] for name in rule if name not in _NOT_OF_THE_RULE}
        answer = api.post("/alert-rules/preview", json={"rule": body, "days": 1}).raise_for_status().json()
        for one in answer["firings"]:
            ended = one["ended_at"]
            begin = datetime.fromisoformat(one["fired_at"]).timestamp()
            yield (
                rule["key"],
                one["object_name"],
                begin,
                datetime.fromisoformat(ended).timestamp() if ended else math.inf,
            )
