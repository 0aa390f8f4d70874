"""docs/metrics.md is the contract of every number: whatever number the API's description has is explained there."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Pages of lists, statuses of HTTP, and whatever only names a thing.
NO_MEASURES = {"limit", "offset", "total", "status", "id", "alert_ids", "dead_letter_of"}


def is_number(schema: dict[str, Any]) -> bool:
    inner = [*schema.get("anyOf", ()), schema.get("items"), schema.get("additionalProperties")]
    return schema.get("type") in ("number", "integer") or any(is_number(one) for one in inner if isinstance(one, dict))


def numbers() -> Iterator[tuple[str, str]]:
    """Name of each property that holds a number, numbers, or numbers by name; and where it is."""
    described = json.loads((ROOT / "frontend/codegen/openapi.json").read_text(encoding="utf-8"))
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
