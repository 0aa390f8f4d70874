"""Answers as they look, in the API's description. Tests hold each against its model."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_FILES = (
    "examples.json",
    "examples_environment.json",
    "examples_alerts.json",
    "examples_findings.json",
    "examples_whatif.json",
    "examples_guests.json",
    "examples_imports.json",
)
# By the name of the route.
EXAMPLES: dict[str, Any] = {}
for _name in _FILES:
    EXAMPLES |= json.loads(Path(__file__).with_name(_name).read_text(encoding="utf-8"))

# Rows of lists have that of the overview beside their own facts.
for _name in ("list_datastores", "list_vms", "list_hosts", "list_volumes", "list_arrays"):
    for _item in EXAMPLES[_name]["items"]:
        _subject = {"kind": _name.removeprefix("list_").removesuffix("s"), "id": _item["id"], "name": _item["name"]}
        _item["standing"] = EXAMPLES["overview"]["items"][0] | {"subject": _subject}

# The worst of a group is a row of the overview.
_OVERVIEW = EXAMPLES["overview"]
_WORST = _OVERVIEW["items"][0] | {"subject": {"kind": "vm", "id": 3, "name": "db01"}}
EXAMPLES["list_groups"] = {
    "label": "application",
    **{name: _OVERVIEW[name] for name in ("from_at", "to_at", "ledger_until_at")},
    "items": [{"value": "finance", "members": 9, "totals": _OVERVIEW["totals"], "worst": _WORST}],
    "total": 1,
    "limit": 100,
    "offset": 0,
}

EXAMPLES["latency_of_group"] = {
    "label": "application",
    "value": "finance",
    "members": 9,
    "source_ids": [1, 2],
    "from_at": "2026-11-21T02:12:00Z",
    "to_at": "2026-11-21T02:15:00Z",
    "ledger_until_at": "2026-11-21T02:14:00Z",
    "resolution": "1m",
    "step_s": 60,
    "times_ms": [1_795_227_120_000, 1_795_227_180_000, 1_795_227_240_000],
    "minutes_there": [1, 1, 0],
    "members_there": [9, 9, 0],
    "ops": [540_000.0, 552_000.0, None],
    "total_ios": [8.1, 8.28, None],
    "total_us": [900.0, 900.0, None],
    "layers": [
        {
            "name": "kernel",
            "label": "Kernel",
            "layers": ["kernel"],
            "ios": [3.96, 4.048, None],
            "us": [440.0, 440.0, None],
        },
        {"name": "san", "label": "SAN", "layers": ["san"], "ios": [0.54, 0.552, None], "us": [60.0, 60.0, None]},
        {"name": "array", "label": "Array", "layers": ["array"], "ios": [3.6, 3.68, None], "us": [400.0, 400.0, None]},
    ],
    "measured_shares": [
        {"layer": "guest", "label": "Guest", "ops_share": 0.0},
        {"layer": "kernel", "label": "Kernel", "ops_share": 1.0},
        {"layer": "san", "label": "SAN", "ops_share": 1.0},
        {"layer": "array", "label": "Array", "ops_share": 1.0},
    ],
}

# An array as a whole is counted as its volumes are.
_SERIES = EXAMPLES["volume_series"]
_ARRAY = {"kind": "array", "id": 2, "name": "flasharray-2"}
EXAMPLES["array_traffic"] = _SERIES | {
    "groups": [
        one | {"entity": _ARRAY, "own_name": _ARRAY["name"]} for one in _SERIES["groups"] if one["side"] == "array"
    ],
    "ports": [
        {
            "id": 5,
            "name": "CT0.FC2",
            "line_rate_bytes_per_s": 3_200_000_000,
            "received_bytes_per_s": [412_000_000.0, 409_500_000.0, None],
            "transmitted_bytes_per_s": [3_104_000_000.0, 3_098_000_000.0, None],
            "crc_errors": [0.0, 0.0, None],
            "errors": [0.0, 0.0, None],
        }
    ],
    "ports_kept_from_at": "2026-11-19T23:42:00Z",
    "ports_keep_s": 172_800,
}

# Each section is the answer of its own address.
EXAMPLES["summary"] = {
    "object": EXAMPLES["one_datastore"],
    "diagnosis": EXAMPLES["diagnosis"],
    "waterfall": EXAMPLES["waterfall"],
    "latency": EXAMPLES["latency"],
    "contributors": EXAMPLES["contributors"],
    "hosts": EXAMPLES["datastore_hosts"],
    "happened": {name: EXAMPLES["datastore_series"][name] for name in ("from_at", "to_at", "gaps", "events")},
    "failed": [],
}


def illustrate(described: dict[str, Any]) -> None:
    """Put the examples into a finished description: FastAPI leaves out what is null, and an answer never does."""
    answers = dict(_answers(described))
    of_models = _of_models(answers)
    for name, answer in answers.items():
        example = EXAMPLES.get(name, of_models.get(_model(answer["schema"])))
        if example is not None:
            answer["example"] = example


def _answers(described: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """By the name of the route: the JSON of what it answers when all is well."""
    for path in described["paths"].values():
        for operation in path.values():
            for status, response in operation["responses"].items():
                content = response.get("content", {})
                if status.startswith("2") and "application/json" in content:
                    yield operation["operationId"], content["application/json"]


def _of_models(answers: dict[str, dict[str, Any]]) -> dict[str | None, Any]:
    """One example of each model that some route answers alone or in a list: others answer the same after a change."""
    found: dict[str | None, Any] = {}
    for name, example in EXAMPLES.items():
        schema = answers[name]["schema"]
        if schema.get("type") == "array" and example:
            found.setdefault(_model(schema["items"]), example[0])
        else:
            found[_model(schema)] = example
    found.pop(None, None)
    return found


def _model(schema: dict[str, Any]) -> str | None:
    reference: str | None = schema.get("$ref")
    return reference
