"""The vendor's descriptions as facts to compare with: paths, parameters, fields, and schemas made strict.

Strict: the descriptions name neither required nor nullable fields, real bodies carry every field of their version and
null for what has no value. So every field is required, may be null, and no other field is allowed.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

DESCRIBED = ("2.2", "2.15", "2.16", "2.26", "2.52")
OPTIONAL = ("errors",)


class Description:
    """One file."""

    def __init__(self, folder: Path, version: str) -> None:
        self.version = version
        self.document = json.loads((folder / f"FA{version}.json").read_text())

    def paths(self) -> set[str]:
        prefix = f"/api/{self.version}/"
        return {
            path.removeprefix(prefix)
            for path, methods in self.document["paths"].items()
            if path.startswith(prefix) and "get" in methods
        }

    def parameters(self, path: str) -> set[str]:
        """Names of the query parameters of GET."""
        listed = self._get(path)["parameters"]
        resolved = [self._resolved(parameter) for parameter in listed]
        return {parameter["name"] for parameter in resolved if parameter["in"] == "query"}

    def leaves(self, path: str) -> set[str]:
        """Dotted paths of the leaves of one item."""
        return set(_leaves(self.schema(path)["properties"]["items"]["items"]))

    def has_total(self, path: str) -> bool:
        return "total" in self.schema(path)["properties"]

    def schema(self, path: str) -> dict[str, Any]:
        """The strict schema of a successful body."""
        content = self._get(path)["responses"]["200"]["content"]["application/json"]
        return self._strict(content["schema"])

    def login_schema(self) -> dict[str, Any]:
        post = self.document["paths"][f"/api/{self.version}/login"]["post"]
        return self._strict(post["responses"]["200"]["content"]["application/json"]["schema"])

    def _get(self, path: str) -> dict[str, Any]:
        operation: dict[str, Any] = self.document["paths"][f"/api/{self.version}/{path}"]["get"]
        return operation

    def _resolved(self, node: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in node:
            *_, kind, name = node["$ref"].split("/")
            node = self.document["components"][kind][name]
        return node

    def _strict(self, node: dict[str, Any]) -> dict[str, Any]:
        node = self._resolved(node)
        properties = self._properties(node)
        if properties:
            return {
                "type": ["object", "null"],
                "properties": {name: self._strict(inner) for name, inner in properties.items()},
                "required": [name for name in properties if name not in OPTIONAL],
                "additionalProperties": False,
            }
        if node.get("type") == "array":
            return {"type": ["array", "null"], "items": self._strict(node["items"])}
        for part in node.get("allOf", ()):
            return self._strict(part)
        kept: dict[str, Any] = {key: node[key] for key in ("pattern", "minimum", "maximum", "enum") if key in node}
        return {**kept, "type": [node["type"], "null"]} if "type" in node else {}

    def _properties(self, node: dict[str, Any]) -> dict[str, Any]:
        """Own properties and those of every part."""
        properties: dict[str, Any] = {}
        for part in node.get("allOf", ()):
            properties |= self._properties(self._resolved(part))
        properties |= node.get("properties", {})
        return properties


def _leaves(schema: dict[str, Any], prefix: str = "") -> list[str]:
    if "items" in schema:
        return _leaves(schema["items"], prefix)
    inner = schema.get("properties")
    if inner is None:
        return [prefix]
    return [leaf for name, part in inner.items() for leaf in _leaves(part, f"{prefix}.{name}".lstrip("."))]


@cache
def described(folder: Path, version: str) -> Description:
    return Description(folder, version)
