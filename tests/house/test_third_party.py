"""What is shipped of others is named, with its licence: in the notices, and in the bill of materials."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import third_party

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def parts() -> list[third_party.Part]:
    return third_party.shipped(ROOT)


@pytest.fixture(scope="module")
def notices(parts: list[third_party.Part]) -> str:
    return third_party.notices(parts)


@pytest.fixture(scope="module")
def document(parts: list[third_party.Part]) -> Any:
    return json.loads(json.dumps(third_party.bill_of_materials(parts, "0.1.0")))


def names(parts: list[third_party.Part], ecosystem: str) -> set[str]:
    return {part.name.lower().replace("_", "-") for part in parts if part.ecosystem == ecosystem}


def test_notices_name_every_package_that_the_pages_are_built_from(parts: list[third_party.Part], notices: str) -> None:
    direct = json.loads((ROOT / "frontend/package.json").read_text())["dependencies"]
    shipped = set(direct) - third_party.BUILD_TOOLS
    assert shipped <= names(parts, "npm")
    assert {"zrender", "scheduler", "@mantine/store"} & names(parts, "npm")
    for name in shipped:
        assert f"\n{name} {direct[name]} (" in notices


def test_notices_name_nothing_that_only_builds_or_tests_the_pages(parts: list[third_party.Part]) -> None:
    built_with = {"vite", "@vitejs/plugin-react", "rolldown", "lightningcss", "vitest", "@types/react"}
    assert not built_with & names(parts, "npm")


def test_notices_name_every_python_package_of_the_product(parts: list[third_party.Part]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    direct = {re.split(r"[\[<>=~! ]", wanted, maxsplit=1)[0].lower() for wanted in project["dependencies"]}
    assert direct <= names(parts, "pypi")
    assert "pytest" not in names(parts, "pypi")


def test_notices_hold_the_whole_licences(notices: str) -> None:
    for text in (
        "SIL OPEN FONT LICENSE Version 1.1",
        "The Inter Project Authors",
        "Apache ECharts",
        "Meta Platforms",
        "Vitaly Rtishchev",
        "TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION",
        "swagger-ui",
        "NumPy Developers",
    ):
        assert text in notices, text


def test_packages_without_a_licence_text_are_few_and_name_their_licence(parts: list[third_party.Part]) -> None:
    without = {part.name for part in parts if not part.texts}
    # Some are for other systems and not installed here; their texts are in the packages of those systems.
    assert len(without) <= len(parts) // 20, without


def test_bill_of_materials_is_cyclonedx_with_every_part_once(parts: list[third_party.Part], document: Any) -> None:
    assert (document["bomFormat"], document["specVersion"], document["version"]) == ("CycloneDX", "1.6", 1)
    assert re.fullmatch(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", document["serialNumber"])
    refs = [one["bom-ref"] for one in document["components"]]
    assert len(set(refs)) == len(refs) == len(parts)
    for one in document["components"]:
        assert re.fullmatch(r"pkg:(npm|pypi|generic)/[^@\s]+@[^@\s]+", one["purl"])
        assert {"type", "name", "version"} <= one.keys()
        lengths = {"SHA-256": 64, "SHA-512": 128}
        assert all(
            re.fullmatch(f"[0-9a-f]{{{lengths[entry['alg']]}}}", entry["content"]) for entry in one.get("hashes", ())
        )


def test_bill_of_materials_gives_the_same_bytes_for_the_same_packages(
    parts: list[third_party.Part], document: Any
) -> None:
    assert json.loads(json.dumps(third_party.bill_of_materials(parts, "0.1.0"))) == document


def test_bill_of_materials_names_hashes_of_everything_from_a_registry(document: Any) -> None:
    assert [
        one["purl"] for one in document["components"] if "hashes" not in one and "pkg:generic" not in one["purl"]
    ] == []
