"""docs/metrics.md is the contract of every number: whatever number the API's description has is explained there."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gavel.api.openapi import document
from gavel.domain.source import Stream
from gavel.domain.streams import COLUMNS_OF, ROLL_UPS

ROOT = Path(__file__).resolve().parents[2]
# Pages of lists, statuses of HTTP, and whatever only names a thing.
NO_MEASURES = {"limit", "offset", "total", "status", "id", "alert_ids", "dead_letter_of"}


def is_number(schema: dict[str, Any]) -> bool:
    inner = [*schema.get("anyOf", ()), schema.get("items"), schema.get("additionalProperties")]
    return schema.get("type") in ("number", "integer") or any(is_number(one) for one in inner if isinstance(one, dict))


def numbers() -> Iterator[tuple[str, str]]:
    """Name of each property that holds a number, numbers, or numbers by name; and where it is."""
    described: Any = document()
    for model, schema in described["components"]["schemas"].items():
        for name, field in schema.get("properties", {}).items():
            if is_number(field) and name not in NO_MEASURES and not name.endswith("_id"):
                yield name, model


@pytest.fixture(scope="module")
def explained() -> set[str]:
    """Words that stand in code spans of the pages about numbers."""
    text = "".join((ROOT / "docs" / page).read_text(encoding="utf-8") for page in ("metrics.md", "alerts.md"))
    return {word for span in re.findall(r"`([^`\n]+)`", text) for word in re.findall(r"\w+", span)}


def test_every_number_of_the_api_is_explained(explained: set[str]) -> None:
    assert {name for name, _ in numbers()} >= {"total_us", "array_iops", "by_confidence", "minutes_there"}
    missing = {f"{name} ({model})" for name, model in numbers() if name not in explained}
    assert missing == set()


METRICS = (ROOT / "docs/metrics.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """What stands under a heading that starts with these words."""
    (found,) = re.findall(rf"^## {title}(?: \([^\n]*)?\n(.*?)(?=^## )", METRICS, re.MULTILINE | re.DOTALL)
    return str(found)


def names_in(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


@pytest.mark.parametrize("stream", Stream)
def test_every_column_of_a_stream_is_explained_in_its_table_with_the_counters_it_is_made_from(stream: Stream) -> None:
    rows = [line.split("|") for line in section(stream).splitlines() if line.startswith("| `")]
    documented = [(name, set(names_in(row[2]))) for row in rows for name in names_in(row[1])]
    assert sorted(name for name, _ in documented) == sorted(column.name for column in COLUMNS_OF[stream])
    counters = dict(documented)
    for column in COLUMNS_OF[stream]:
        assert {counter.name for counter in column.counters} <= counters[column.name], column.name
    declared = {counter.name for column in COLUMNS_OF[stream] for counter in column.counters}
    assert {name for names in counters.values() for name in names} == declared


def test_every_roll_up_of_samples_is_named() -> None:
    named = set(names_in(section("Roll-ups")))
    assert {name for rolls in ROLL_UPS.values() for name in rolls} <= named


def test_charts_of_latencies_draw_only_quantities_that_are_stored() -> None:
    panels = (ROOT / "frontend/src/charts/panels.ts").read_text(encoding="utf-8")
    (roles,) = re.findall(r"LATENCY_ROLES: Record<string, Role> = \{(.*?)\n\}", panels, re.DOTALL)
    drawn = set(re.findall(r"^  (\w+):", roles, re.MULTILINE))
    assert len(drawn) >= 10
    assert drawn <= {column.quantity for columns in COLUMNS_OF.values() for column in columns}
