"""The processes of `gavel up`, as data: what depends on what, and which servers are left out."""

from datetime import timedelta
from pathlib import Path

import pytest

from gavel.alerting.use.deliver import MAX_FAILING_IN_PARALLEL
from gavel.config import Settings
from gavel.ingest.lanes import FAILING_AT_ONCE
from gavel.jobs import run
from gavel.jobs.run import WORKERS
from gavel.supervise.forks import Forks
from gavel.supervise.service import Launch, ModuleLaunch, Service, in_order
from gavel.supervise.stack import child_environment, own_url, stack


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GAVEL_DATABASE_URL", "GAVEL_BROKER_URL", "GAVEL_LAB"):
        monkeypatch.delenv(name, raising=False)


def names(settings: Settings) -> list[str]:
    return [service.name for service in in_order(stack(settings))]


def test_the_database_comes_first_and_nothing_that_needs_the_schema_starts_before_the_migration(tmp_path: Path) -> None:
    ordered = names(Settings(data_dir=tmp_path))
    for later in ("lab-sources", "worker-live", "worker-slow", "worker-back", "worker-notify", "beat", "api"):
        assert ordered.index("database") < ordered.index("migrate") < ordered.index(later)


def test_what_is_forked_from_loaded_modules_waits_for_them_and_the_migration_does_not(tmp_path: Path) -> None:
    forks = Forks()
    services = {service.name: service for service in stack(Settings(data_dir=tmp_path), forks)}
    forked = {name for name, service in services.items() if isinstance(launch_of(service, forks), ModuleLaunch)}
    assert forked == {"worker-live", "worker-slow", "worker-back", "worker-notify", "beat", "api", "lab-sources"}
    assert {name for name, service in services.items() if "preload" in service.after} == forked


def launch_of(service: Service, forks: Forks) -> Launch | None:
    """None for servers, whose launch prepares their files."""
    try:
        return service.launch() if service.name not in ("database", "broker") else None
    finally:
        forks.close()


def test_servers_that_are_elsewhere_and_an_unwanted_lab_are_left_out(tmp_path: Path) -> None:
    settings = Settings(
        data_dir=tmp_path, database_url="postgresql://db.example/gavel", broker_url="redis://mq.example/0", lab=False
    )
    assert names(settings) == ["migrate", "worker-live", "worker-slow", "worker-back", "worker-notify", "beat", "api"]


def test_the_listener_of_guests_runs_only_when_it_has_an_address(tmp_path: Path) -> None:
    assert "ingest" not in names(Settings(data_dir=tmp_path))
    without_tls = Settings(data_dir=tmp_path, ingest_host="::1")
    with_tls = Settings(
        data_dir=tmp_path, ingest_host="::1",
        ingest_certificate=Path("/tls/chain.pem"), ingest_certificate_key=Path("/tls/key.pem"),
    )  # fmt: skip
    plain, secure = (
        next(each for each in stack(settings) if each.name == "ingest") for settings in (without_tls, with_tls)
    )
    assert plain.launch().argv[-1] == "gavel.listener.http_protocol:PushProtocol"
    assert secure.launch().argv[-4:] == ["--ssl-certfile", "/tls/chain.pem", "--ssl-keyfile", "/tls/key.pem"]
    with pytest.raises(ValueError, match="together"):
        Settings(data_dir=tmp_path, ingest_certificate=Path("/tls/chain.pem"))


def test_guests_of_the_lab_push_to_the_listener_with_a_token_that_is_made_as_anybody_makes_one(tmp_path: Path) -> None:
    services = {
        each.name: each for each in stack(Settings(data_dir=tmp_path, ingest_host="127.0.0.1", ingest_port=9123))
    }
    lab, token = services["lab"].launch().argv, services["lab-guests"].launch().argv
    file = str(tmp_path / "lab" / "guest-token")
    assert lab[-4:] == ["--push-to", "http://127.0.0.1:9123", "--push-token", file]
    assert token[-8:] == ["gavel.cli", "guest", "token", "add", "lab guests", "--file", file, "--unless-revoked"]
    assert services["lab-guests"].once
    assert not services["lab-guests"].repeat
    assert {"migrate", "lab"} <= set(services["lab-guests"].after)


def test_guests_of_the_lab_push_neither_without_a_listener_nor_to_one_with_tls_nor_where_they_are_not_wanted(
    tmp_path: Path,
) -> None:
    without_listener = Settings(data_dir=tmp_path)
    not_wanted = Settings(data_dir=tmp_path, ingest_host="127.0.0.1", lab_guests=False)
    with_tls = Settings(
        data_dir=tmp_path, ingest_host="127.0.0.1",
        ingest_certificate=Path("/tls/chain.pem"), ingest_certificate_key=Path("/tls/key.pem"),
    )  # fmt: skip
    for settings in (without_listener, not_wanted, with_tls):
        services = {each.name: each for each in stack(settings)}
        assert "lab-guests" not in services
        assert "--push-to" not in services["lab"].launch().argv
    assert "lab" not in names(Settings(data_dir=tmp_path, lab=False, ingest_host="127.0.0.1"))


def test_the_sources_of_a_lab_that_was_here_once_are_sent_away_while_it_is_off(tmp_path: Path) -> None:
    (tmp_path / "lab").mkdir()
    (away,) = (each for each in stack(Settings(data_dir=tmp_path, lab=False)) if each.name == "lab-sources")
    assert away.launch().argv[-2:] == [str(tmp_path / "lab" / "sources.json"), "--away"]
    assert (away.once, away.shows_output, away.after) == (True, True, ("migrate",))
    assert "--away" not in {word for each in stack(Settings(data_dir=tmp_path)) for word in each.launch().argv}


def test_every_queue_has_a_worker(tmp_path: Path) -> None:
    started = {each.launch().argv[-1] for each in stack(Settings(data_dir=tmp_path)) if "worker" in each.name}
    assert started == WORKERS.keys()
    assert {queue for pool in WORKERS.values() for queue in pool.queues} == {
        *("live", "slow", "backfill", "inventory", "compute", "notify", "apart")
    }


def test_there_are_more_processes_for_messages_than_receivers_that_fail_may_keep() -> None:
    assert WORKERS["worker-notify"].processes > MAX_FAILING_IN_PARALLEL
    assert "compute" not in WORKERS["worker-notify"].queues


@pytest.mark.parametrize("arguments", [[], ["worker-x"], ["beat"], ["worker-live", "worker-slow"]])
def test_program_of_workers_that_is_started_wrongly_says_what_it_can_run(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run.main(arguments) == 2
    assert "worker-live | worker-slow" in capsys.readouterr().err


def test_there_are_more_processes_for_slow_sources_than_those_that_fail_may_keep() -> None:
    assert WORKERS["worker-slow"].processes > FAILING_AT_ONCE
    assert WORKERS["worker-live"].queues == ("live",)


def test_pages_are_answered_before_minutes_are_computed_and_the_lab_stands_behind_both(tmp_path: Path) -> None:
    found = {service.name: service.niceness for service in stack(Settings(data_dir=tmp_path))}
    assert found["api"] == found["database"] == found["worker-live"] == 0
    assert 0 < found["worker-back"] < found["lab"]


def test_children_get_every_setting_spelled_out_so_that_all_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GAVEL_LOG_LEVEL", "error")
    settings = Settings(
        data_dir=tmp_path, port=9000, ingest_host="127.0.0.1", ingest_port=9001,
        keep_samples=timedelta(hours=49), keep_hours=timedelta(days=90),
    )  # fmt: skip
    child = child_environment(settings)
    for name, value in child.items():
        if name.startswith("GAVEL_"):
            monkeypatch.setenv(name, value)
    monkeypatch.chdir("/")
    again = Settings()
    assert again.model_dump(exclude={"log_level", "log_format"}) == settings.model_dump(
        exclude={"log_level", "log_format"}
    )
    assert again.log_level == "info"  # readiness is read from lines of this level


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8321"),
        ("0.0.0.0", "http://127.0.0.1:8321"),  # noqa: S104 (nothing is bound)
        ("::", "http://[::1]:8321"),
        ("::1", "http://[::1]:8321"),
    ],
)
def test_the_api_is_asked_where_it_listens(tmp_path: Path, host: str, url: str) -> None:
    assert own_url(Settings(data_dir=tmp_path, host=host, port=8321)) == url
