"""The processes of an installation on one machine, with the same commands as the container images run."""

import os
import sys
import urllib.request
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from gavel.config import Settings
from gavel.domain.retention import format_length
from gavel.embedded import postgres, valkey
from gavel.jobs.run import WORKERS
from gavel.supervise import preload
from gavel.supervise.forks import Forks
from gavel.supervise.service import Launch, ModuleLaunch, Service

# The modules of all processes, loaded once and shared by every process that is forked from there.
_SHARED_MODULES = (
    "gavel.jobs.worker", "gavel.api.app", "gavel.api.http_protocol", "gavel.cli.commands", "gavel.cli.register", "gavel.cli.guest",
    "gavel.listener.app", "gavel.listener.http_protocol",
    "celery.apps.worker", "celery.apps.beat", "celery.concurrency.prefork", "celery.worker.components",
    "celery.worker.consumer", "kombu.transport.redis",
    "uvicorn", "uvicorn.lifespan.on", "uvicorn.loops.auto", "uvicorn.protocols.http.h11_impl",
)  # fmt: skip
# Whoever looks at a page is answered before minutes are computed, and the lab, which stands for other machines, takes what is left.
_NICENESS = {"worker-back": 5, "lab": 10}


def stack(settings: Settings, forks: Forks | None = None) -> list[Service]:
    """Everything `gavel up` runs. Servers that are configured elsewhere are left out.

    forks: our processes are forked through it, from one that has their modules loaded; without it each loads its own.
    """
    loaded = [_preload(settings, forks)] if forks else []
    database = [_database(settings)] if settings.embedded_postgres else []
    broker = [_broker(settings)] if settings.embedded_valkey else []
    servers = tuple(service.name for service in (*database, *broker))
    migrated = ("migrate", *(service.name for service in loaded))
    return [
        *loaded,
        *database,
        _migration(settings, tuple(service.name for service in database)),
        *broker,
        *(_lab(settings, migrated) if settings.lab else _without_lab(settings, migrated)),
        *(_worker(settings, name, (*migrated, *servers)) for name in WORKERS),
        _beat(settings, (*migrated, *servers)),
        _api(settings, migrated),
        *([_ingest(settings, settings.ingest_host, migrated)] if settings.ingest_host else []),
    ]


def _preload(settings: Settings, forks: Forks) -> Service:
    def launch() -> Launch:
        far_end = forks.renew()
        argv = [sys.executable, "-m", preload.__name__, str(far_end), *_SHARED_MODULES]
        return Launch(argv, child_environment(settings), {"cwd": settings.data_dir, "pass_fds": (far_end,)})

    return Service("preload", launch, ready_line=preload.READY_LINE)


def _database(settings: Settings) -> Service:
    def launch() -> Launch:
        cluster = postgres.prepare(settings.postgres_dir, settings.pg_user)
        options = cluster.popen_options
        return Launch(cluster.argv, options.pop("env"), options)

    def is_ready() -> bool:
        return postgres.is_ready(postgres.default_socket_dir(settings.postgres_dir))

    # No limit: after a crash it reads back its journal, which takes as long as it takes.
    return Service(
        "database", launch, probe=is_ready, start_timeout_s=None,
        stop_signal=postgres.STOP_SIGNAL, force_signal=postgres.FORCE_SIGNAL,
        # Whoever asks too early or too late is told so, and asks again.
        known_noise=(
            "the database system is starting up", "the database system is not yet accepting connections",
            "the database system is in recovery mode", "the database system is shutting down", "due to administrator command",
            # Maintenance gives way to whoever reads or writes, and comes again.
            "canceling statement due to lock timeout"
        ),
    )  # fmt: skip


def _broker(settings: Settings) -> Service:
    def launch() -> Launch:
        broker = valkey.prepare(settings.valkey_dir)
        return Launch(broker.argv, options={"cwd": broker.data_dir})

    def is_ready() -> bool:
        return valkey.is_ready(valkey.socket_path(settings.valkey_dir))

    # A kernel setting that a few MB of queue do not need.
    noise = ("Memory overcommit must be enabled",)
    return Service("broker", launch, probe=is_ready, stop_signal=valkey.STOP_SIGNAL, known_noise=noise)


# Of `gavel db migrate`.
_EVERYDAY = ("The schema is up to date.", "Applied ")


def _migration(settings: Settings, after: tuple[str, ...]) -> Service:
    # By itself, while the others' modules are being loaded.
    launch = Launch(
        [sys.executable, "-m", "gavel.cli", "db", "migrate"], child_environment(settings), {"cwd": settings.data_dir}
    )
    # What else it says, as that rows stay shorter from now on, is for whoever starts it.
    return Service(
        "migrate",
        lambda: launch,
        after=after,
        once=True,
        start_timeout_s=None,
        shows_output=True,
        known_noise=_EVERYDAY,
    )


def _announcement(settings: Settings) -> Path:
    return settings.data_dir / "lab" / "sources.json"


def _lab(settings: Settings, migrated: tuple[str, ...]) -> list[Service]:
    announcement = _announcement(settings)
    folder = announcement.parent
    # It stands for other machines and shares nothing with us.
    argv = [
        sys.executable, "-m", "gavel_lab", "--port", str(settings.lab_port), "--seed", str(settings.lab_seed),
        "--scale", settings.lab_scale, "--data-dir", str(folder), "--announce", str(announcement),
    ]  # fmt: skip
    token = folder / "guest-token"
    guests = []
    if settings.lab_guests and settings.ingest_host and settings.ingest_certificate is None:
        argv += ["--push-to", listener_url(settings), "--push-token", str(token)]
        # As whoever sets up an agent does it.
        make_token = _module(
            settings, "gavel.cli", "guest", "token", "add", "lab guests", "--file", str(token), "--unless-revoked"
        )
        guests = [Service("lab-guests", make_token, after=(*migrated, "lab"), once=True)]

    def launch() -> Launch:
        folder.mkdir(mode=0o700, exist_ok=True)
        announcement.unlink(missing_ok=True)
        return Launch(argv, child_environment(settings), {"cwd": settings.data_dir})

    register = _module(settings, "gavel.cli", "register", str(announcement))
    return [
        # Workers log out of its arrays and vCenters.
        Service("lab", launch, probe=announcement.exists, outlives=tuple(WORKERS), niceness=_NICENESS["lab"]),
        Service("lab-sources", register, after=(*migrated, "lab"), once=True, repeat=True),
        *guests,
    ]


def _without_lab(settings: Settings, migrated: tuple[str, ...]) -> list[Service]:
    """The sources that an earlier start with the lab registered would fail for ever."""
    announcement = _announcement(settings)
    if not announcement.parent.exists():
        return []
    disable = _module(settings, "gavel.cli", "register", str(announcement), "--away")
    return [Service("lab-sources", disable, after=migrated, once=True, shows_output=True)]


def _worker(settings: Settings, name: str, after: tuple[str, ...]) -> Service:
    command = _module(settings, "gavel.jobs.run", name)
    # A task that was cut short by a stop (jobs.stopping); the broker has it back.
    noise = ("Worker exited prematurely: signal 15 (SIGTERM)",)
    return Service(
        name, command, after=after, ready_line=" ready.", stop_timeout_s=4.0, known_noise=noise,
        niceness=_NICENESS.get(name, 0),
    )  # fmt: skip


def _beat(settings: Settings, after: tuple[str, ...]) -> Service:
    command = _module(settings, "gavel.jobs.run", "beat", str(settings.data_dir / "beat-schedule"))
    return Service("beat", command, after=after, ready_line="beat: Starting...")


def _api(settings: Settings, after: tuple[str, ...]) -> Service:
    command = _module(
        settings, "uvicorn", "--factory", "gavel.api.app:create_app", "--host", settings.host,
        "--port", str(settings.port), "--timeout-graceful-shutdown", "3", "--no-access-log", "--no-server-header", "--no-date-header",
        "--http", "gavel.api.http_protocol:DeadlineProtocol",
    )  # fmt: skip
    # Pages come back at once, whether the modules are loaded or not.
    return Service(
        "api", command, after=after, probe=_answers(settings), stop_timeout_s=4.0, waits_for_shared_modules_s=0.0
    )


def _ingest(settings: Settings, host: str, after: tuple[str, ...]) -> Service:
    """The listener for what guests push, each once in some seconds: a connection that stays open meanwhile takes a place for nothing."""
    arguments = [
        "--factory", "gavel.listener.app:create_app", "--host", host,
        "--port", str(settings.ingest_port), "--timeout-graceful-shutdown", "3", "--timeout-keep-alive", "1",
        "--no-access-log", "--no-server-header", "--no-date-header", "--http", "gavel.listener.http_protocol:PushProtocol",
    ]  # fmt: skip
    if settings.ingest_certificate and settings.ingest_certificate_key:
        arguments += [
            "--ssl-certfile", str(settings.ingest_certificate.resolve()),
            "--ssl-keyfile", str(settings.ingest_certificate_key.resolve()),
        ]  # fmt: skip
    line = "Application startup complete."
    return Service(
        "ingest",
        _module(settings, "uvicorn", *arguments),
        after=after,
        ready_line=line,
        stop_timeout_s=4.0,
        waits_for_shared_modules_s=0.0,
    )


def _answers(settings: Settings) -> Callable[[], bool]:
    url = f"{own_url(settings)}/api/v1/health"
    # Never through a proxy that the environment names: this is our own machine.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def probe() -> bool:
        try:
            with opener.open(url, timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:  # refused, reset, timed out, or an HTTP error
            return False

    return probe


def own_url(settings: Settings) -> str:
    """Address of the API on this machine."""
    return f"http://{_reached(settings.host)}:{settings.port}"


def listener_url(settings: Settings) -> str:
    """Address on this machine at which guests push. Only where there is a listener."""
    scheme = "http" if settings.ingest_certificate is None else "https"
    return f"{scheme}://{_reached(settings.ingest_host or '')}:{settings.ingest_port}"


def _reached(host: str) -> str:
    """As this machine reaches whoever listens there."""
    everywhere = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 (recognised, not bound)
    return everywhere.get(host, f"[{host}]" if ":" in host else host)


def _module(settings: Settings, module: str, *arguments: str) -> Callable[[], Launch]:
    environment = child_environment(settings)
    return lambda: ModuleLaunch.of(module, *arguments, env=environment, folder=str(settings.data_dir))


def child_environment(settings: Settings) -> dict[str, str]:
    """The environment of our own processes: ours, with every setting spelled out, so that all agree."""
    spelled = {f"GAVEL_{name.upper()}": _text(value) for name, value in settings if value is not None}
    # Readiness is read from lines at level info.
    level = "debug" if settings.log_level == "debug" else "info"
    fixed = {"GAVEL_LOG_FORMAT": "json", "GAVEL_LOG_LEVEL": level, "PYTHONUNBUFFERED": "1"}
    return dict(os.environ) | spelled | fixed


def _text(value: object) -> str:
    if isinstance(value, timedelta):
        return format_length(value)
    return str(value.resolve()) if isinstance(value, Path) else str(value)
