"""The container set-up: the same programs as `gavel up` runs, hardened, pinned."""

import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from gavel.config import Settings
from gavel.supervise.stack import stack

ROOT = Path(__file__).resolve().parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
DOCKERFILES = sorted((ROOT / "deploy/docker").glob("*.Dockerfile"))
GAVEL_SERVICES = sorted(name for name, service in SERVICES.items() if service["image"].startswith("gavel:"))


def commands_of_one_machine() -> dict[str, list[str]]:
    """What the supervisor runs with everything outside Gavel's own code configured elsewhere, as in containers."""
    settings = Settings(
        data_dir=Path("/var/lib/gavel"),
        database_url="postgresql://gavel@database/gavel",
        broker_url="redis://broker:6379/0",
        host="127.0.0.1",
        lab=False,
        ingest_host="0.0.0.0",  # noqa: S104 (of a container)
    )
    launches = {service.name: service.launch() for service in stack(settings)}
    return {name: [word.replace(sys.executable, "python") for word in launch.argv] for name, launch in launches.items()}


def test_the_containers_run_what_one_machine_runs() -> None:
    containers = {
        name: [word.replace("${GAVEL_LISTEN:-127.0.0.1}", "127.0.0.1") for word in SERVICES[name]["command"]]
        for name in GAVEL_SERVICES
    }
    assert containers == commands_of_one_machine()


@pytest.mark.parametrize("name", SERVICES)
def test_no_container_can_write_gain_rights_or_grow_without_end(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["user"].split(":")[0] not in ("", "0", "root")
    assert "cap_add" not in service
    assert "privileged" not in service
    assert service["pids_limit"] > 0
    assert service["mem_limit"]
    assert service["tmpfs"]


@pytest.mark.parametrize("name", sorted(set(SERVICES) - {"migrate"}))
def test_every_lasting_container_has_a_health_check(name: str) -> None:
    check = SERVICES[name]["healthcheck"]
    assert check["test"]
    assert {"interval", "timeout", "retries"} <= set(check)


def pinned(image: str) -> bool:
    tag = image.rpartition(":")[2]
    return "/" not in tag and tag != "latest" and any(letter.isdigit() for letter in tag)


@pytest.mark.parametrize("name", SERVICES)
def test_every_image_is_pinned_by_a_tag(name: str) -> None:
    assert pinned(SERVICES[name]["image"])


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: path.stem)
def test_every_base_image_is_pinned_by_a_tag(path: Path) -> None:
    bases = [line.split()[1] for line in path.read_text().splitlines() if line.startswith("FROM ")]
    assert bases
    assert [base for base in bases if not pinned(base)] == []


def test_database_and_broker_are_out_of_reach_from_outside() -> None:
    assert COMPOSE["networks"]["store"]["internal"] is True
    for name in ("database", "broker"):
        assert SERVICES[name]["networks"] == ["store"]
        assert "ports" not in SERVICES[name]


def test_what_is_published_is_on_loopback_until_somebody_says_otherwise() -> None:
    published = [port for service in SERVICES.values() for port in service.get("ports", [])]
    assert published == ["${GAVEL_LISTEN:-127.0.0.1}:8443:8443", "${GAVEL_INGEST_LISTEN:-127.0.0.1}:8322:8322"]
    assert SERVICES["ingest"]["profiles"] == ["guests"]
