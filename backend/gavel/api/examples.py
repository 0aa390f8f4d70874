"""Answers as they look, in the API's description. Tests hold each against its model."""

import json
from pathlib import Path
from typing import Any

from fastapi import FastAPI

_FILES = ("examples.json", "examples_alerts.json")
# By the name of the route.
EXAMPLES: dict[str, Any] = {}
for _name in _FILES:
    EXAMPLES |= json.loads(Path(__file__).with_name(_name).read_text(encoding="utf-8"))


class IllustratedApi(FastAPI):
    """Its description has the examples put in last: FastAPI leaves out what is null, and an answer never does."""

    def openapi(self) -> dict[str, Any]:
        fresh = self.openapi_schema is None
        described = super().openapi()
        if fresh:
            for path in described["paths"].values():
                for operation in path.values():
                    if operation["operationId"] in EXAMPLES:
                        answer = operation["responses"]["200"]["content"]["application/json"]
                        answer["example"] = EXAMPLES[operation["operationId"]]
        return described
