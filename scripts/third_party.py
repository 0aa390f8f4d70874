"""Writes what Gavel ships of others into the built pages: their notices as text, and a bill of materials (CycloneDX 1.6).

    .venv/bin/python scripts/third_party.py

Read from the locks (`frontend/package-lock.json`, `backend/requirements-embedded.txt`) and from the installed packages, whose licences
are taken whole. Nothing is asked of a registry, and the same packages give the same bytes. Standard library only: it runs at set-up.
"""

from __future__ import annotations

import base64
import json
import re
import sys
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
NPM_LOCK = "frontend/package-lock.json"
PYTHON_LOCK = "backend/requirements-embedded.txt"
FONTS = "backend/gavel/alerting/render/fonts"
NOTICES = "third-party-notices.txt"
SBOM = "sbom.cdx.json"
# Dependencies, for a set-up that builds the pages does without the others; nothing of them is shipped.
BUILD_TOOLS = {"vite", "@vitejs/plugin-react"}
_LICENSE_FILE = re.compile(r"(^|[./_-])(licen[cs]es?|notice|copying|copyright|ofl|patents)([./_-]|$)", re.IGNORECASE)
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)(.*?)\\?$")
_NAMESPACE = uuid.UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8")
_HEAD = """Gavel is licensed under the Apache License 2.0. It ships the works of others below, each under its own licence.
"""


@dataclass(frozen=True)
class Part:
    """A package that is shipped. hashes: algorithm and hexadecimal digest of each archive that the lock allows."""

    ecosystem: str
    name: str
    version: str
    license: str
    hashes: tuple[tuple[str, str], ...] = ()
    texts: tuple[str, ...] = field(default=())

    @property
    def purl(self) -> str:
        name = self.name.replace("@", "%40") if self.ecosystem == "npm" else self.name.lower().replace("_", "-")
        return f"pkg:{self.ecosystem}/{name}@{self.version}"


# --- what is shipped --------------------------------------------------------------------------------------------------


def npm_parts(root: Path) -> Iterator[Part]:
    """Every package that is in the pages; what only builds, develops or tests them is not shipped."""
    packages = json.loads((root / NPM_LOCK).read_text())["packages"]
    for place in _needed_places(packages, set(packages[""]["dependencies"]) - BUILD_TOOLS):
        entry, folder = packages[place], root / "frontend" / place
        if entry.get("dev") or entry.get("devOptional") or (entry.get("optional") and not folder.is_dir()):
            continue
        name = entry.get("name") or place.rpartition("node_modules/")[2]
        algorithm, _, digest = entry["integrity"].partition("-")
        hashes = ((f"SHA-{algorithm.removeprefix('sha')}", base64.b64decode(digest).hex()),)
        texts = tuple(_texts(path for path in sorted(folder.iterdir()) if path.is_file()))
        yield Part("npm", name, entry["version"], entry.get("license", ""), hashes, texts)


def _needed_places(packages: dict[str, Any], names: Iterable[str]) -> list[str]:
    """Where the lock puts these packages of the project and all that they need, in its order."""
    found: set[str] = set()
    open_places = [_place_of(packages, "", name) for name in names]
    while open_places:
        place = open_places.pop()
        if place is None or place in found:
            continue
        found.add(place)
        entry = packages[place]
        for group in ("dependencies", "optionalDependencies", "peerDependencies"):
            open_places += [_place_of(packages, place, name) for name in entry.get(group, ())]
    return [place for place in packages if place in found]


def _place_of(packages: dict[str, Any], asker: str, name: str) -> str | None:
    """As Node.js looks it up: beside the asker, then further out; None for a peer that nobody brought."""
    while True:
        place = f"{asker}/node_modules/{name}".removeprefix("/")
        if place in packages:
            return place
        if not asker:
            return None
        asker = asker.rpartition("node_modules/")[0].removesuffix("/")


def python_parts(root: Path) -> Iterator[Part]:
    """Every package of the lock; licences of those that are installed here (others are for other systems)."""
    for name, version, hashes in _pins((root / PYTHON_LOCK).read_text()):
        try:
            installed = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            installed = None
        if installed is None or installed.version != version:
            yield Part("pypi", name, version, "", hashes)
            continue
        files = (Path(str(installed.locate_file(file))) for file in installed.files or ())
        inside = (path for path in files if ".dist-info" in str(path.parent) or "license" in path.name.lower())
        yield Part("pypi", name, version, _license_of(installed), hashes, tuple(_texts(sorted(inside))))


def font_parts(root: Path) -> Iterator[Part]:
    """The fonts that pictures of alerts are drawn with, which are files of this repository."""
    texts = tuple(_texts(sorted((root / FONTS).iterdir())))
    names = sorted({path.stem.partition("-")[0] for path in (root / FONTS).glob("*.ttf")})
    for name in names:
        yield Part("generic", name, "fonts", "OFL-1.1", texts=texts)


def _pins(lock: str) -> Iterator[tuple[str, str, tuple[tuple[str, str], ...]]]:
    name = version = ""
    hashes: list[tuple[str, str]] = []
    for line in lock.splitlines():
        if pin := _PIN.match(line):
            if name:
                yield name, version, tuple(hashes)
            name, version, hashes = pin[1], pin[2], []
        elif (found := re.search(r"--hash=sha256:([0-9a-f]{64})", line)) is not None:
            hashes.append(("SHA-256", found[1]))
    if name:
        yield name, version, tuple(hashes)


def _license_of(installed: metadata.Distribution) -> str:
    """As its author writes it, in one line: an expression, a word, or the classifiers."""
    about = installed.metadata
    for word in (*about.get_all("License-Expression", ()), *about.get_all("License", ())):
        if word and "\n" not in word and len(word) < 80:
            return str(word)
    classified = (line.rpartition(" :: ")[2] for line in about.get_all("Classifier", ()) if line.startswith("License"))
    return ", ".join(classified)


def _texts(paths: Iterator[Path] | list[Path]) -> Iterator[str]:
    for path in paths:
        if _LICENSE_FILE.search(path.name) and path.suffix.lower() not in (".py", ".pyc", ".json", ".js", ".html"):
            yield path.read_text(encoding="utf-8", errors="replace").strip()


# --- what is written --------------------------------------------------------------------------------------------------


def notices(parts: list[Part]) -> str:
    """Every part by name, and each licence text once, below the parts it came with."""
    by_text: dict[str, list[Part]] = {}
    for part in parts:
        text = (
            "\n\n".join(part.texts)
            or f"Its packages carry no licence text; the licence is named {part.license or 'nowhere'}."
        )
        by_text.setdefault(text, []).append(part)
    sections = [_HEAD]
    for text, carriers in by_text.items():
        names = "\n".join(f"{part.name} {part.version} ({part.license or 'see its text'})" for part in carriers)
        sections.append(f"{'=' * 100}\n{names}\n{'-' * 100}\n{text}\n")
    return "\n".join(sections)


def bill_of_materials(parts: list[Part], version: str) -> dict[str, object]:
    """A CycloneDX document."""
    listed = [_component(part) for part in parts]
    serial = uuid.uuid5(_NAMESPACE, json.dumps([version, listed], sort_keys=True))
    own: dict[str, object] = {
        "type": "application",
        "bom-ref": f"pkg:pypi/gavel@{version}",
        "name": "gavel",
        "version": version,
        "licenses": [{"license": {"id": "Apache-2.0"}}],
    }
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{serial}",
        "version": 1,
        "metadata": {"component": own},
        "components": listed,
    }


def _component(part: Part) -> dict[str, object]:
    made: dict[str, object] = {
        "type": "library",
        "bom-ref": part.purl,
        "name": part.name,
        "version": part.version,
        "purl": part.purl,
    }
    if part.license:
        made["licenses"] = [{"license": {"name": part.license}}]
    if part.hashes:
        made["hashes"] = [{"alg": algorithm, "content": digest} for algorithm, digest in part.hashes]
    return made


def shipped(root: Path) -> list[Part]:
    """All parts, by ecosystem and name; each once, wherever it lies more than once."""
    found: dict[str, Part] = {}
    for part in (*npm_parts(root), *python_parts(root), *font_parts(root)):
        found.setdefault(part.purl, part)
    return [found[purl] for purl in sorted(found)]


def main() -> int:
    dist = ROOT / "frontend/dist"
    if not dist.is_dir():
        print("third_party: build the pages first (npm run build in frontend).", file=sys.stderr)
        return 1
    parts = shipped(ROOT)
    (dist / NOTICES).write_text(notices(parts), encoding="utf-8")
    document = bill_of_materials(parts, metadata.version("gavel"))
    (dist / SBOM).write_text(json.dumps(document, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
