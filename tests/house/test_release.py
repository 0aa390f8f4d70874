"""One release has one number everywhere, and the pages about it lead to what is there."""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import ROOT

import gavel
from gavel.api.openapi import document
from gavel.cli.commands import main

_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_COMMAND = re.compile(r"`(?:\.venv/bin/)?gavel ([a-z]+)(?: ([a-z][a-z-]*))?")
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "frontend/README.md"]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def versions() -> Iterator[tuple[str, str]]:
    yield "gavel", gavel.__version__
    yield "package", tomllib.loads(read("pyproject.toml"))["project"]["version"]
    yield "front end", json.loads(read("frontend/package.json"))["version"]
    yield "lock of the front end", json.loads(read("frontend/package-lock.json"))["version"]
    described: Any = document()
    yield "API", described["info"]["version"]
    images = re.findall(r"image: (gavel\S*):(\S+)", read("docker-compose.yml"))
    assert {name for name, _ in images} == {"gavel", "gavel-web"}
    yield from ((f"image {name}", version) for name, version in images)
    yield "CHANGELOG.md", re.findall(r"^## (\S+)$", read("CHANGELOG.md"), re.MULTILINE)[0]


def test_release_has_one_number_in_package_images_api_and_changelog() -> None:
    found = dict(versions())
    assert len(found) == 8
    assert set(found.values()) == {gavel.__version__}, found


def anchors(text: str) -> set[str]:
    """Of headings, as code hosts make them."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in _HEADING.findall(text)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_documentation_links_lead_to_files_and_headings_that_are_there(page: Path) -> None:
    targets = [target for target in _LINK.findall(page.read_text(encoding="utf-8")) if "://" not in target]
    assert [target for target in targets if not is_there(page, target)] == []


def is_there(page: Path, target: str) -> bool:
    name, _, anchor = target.partition("#")
    file = page.parent / name if name else page
    return file.exists() and (not anchor or anchor in anchors(file.read_text(encoding="utf-8")))


def test_documentation_links_to_what_is_not_there_are_noticed() -> None:
    page = ROOT / "README.md"
    assert is_there(page, "docs/operations.md#reverse-proxy")
    assert not is_there(page, "docs/operations.md#no-such-heading")
    assert not is_there(page, "docs/no_such_page.md")


def test_documentation_names_only_commands_of_gavel_that_exist(capsys: pytest.CaptureFixture[str]) -> None:
    named = {found for page in PAGES for found in _COMMAND.findall(page.read_text(encoding="utf-8"))}
    assert {("db", "export"), ("source", "test"), ("token", "renew")} <= named
    assert [(name, action) for name, action in sorted(named) if not is_command(name, action, capsys)] == []
    assert not is_command("db", "downgrade", capsys)


def is_command(command: str, action: str, capsys: pytest.CaptureFixture[str]) -> bool:
    with pytest.raises(SystemExit) as ended:
        main([command, *([action] if action else []), "--help"])
    capsys.readouterr()
    return ended.value.code == 0
