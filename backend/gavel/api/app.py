"""The API process: opens the house, mounts the routes and the pages."""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from urllib.parse import urlsplit

from fastapi import APIRouter, FastAPI
from starlette.middleware.gzip import GZipMiddleware

from gavel import __version__
from gavel.admin.access import ensure_setup_token, has_admin
from gavel.admin.first_admin import needs_admin
from gavel.api import pages, problems, reference
from gavel.api.broadcast import Broadcast
from gavel.api.deps import AppState, cookie_name, now
from gavel.api.described import DescribedApi
from gavel.api.guard import LOOPBACK, RequestGuard
from gavel.api.headers import AnswerDate, HeadAsGet, Net, SecurityHeaders
from gavel.api.kept import KeptAnswers
from gavel.api.offline import PATH as OFFLINE
from gavel.api.offline import OfflineEnvironments
from gavel.api.routes import (
    alert_rules,
    alerts,
    channels,
    database_files,
    diagnoses,
    entities,
    filters,
    findings,
    groups,
    guests,
    hops,
    imports,
    labels,
    live,
    load_runs,
    offline,
    pictures,
    series,
    sources,
    summary,
    system,
    whatif,
)
from gavel.api.subpath import BelowPath
from gavel.config import Settings
from gavel.db.engine import Engine, Role, open_engine
from gavel.domain.errors import SettingsError
from gavel.egress.policy import outside
from gavel.log import configure
from gavel.vault import load_vault

PREFIX = "/api/v1"


def create_app() -> FastAPI:
    """The application with the settings of the environment; what uvicorn is pointed at."""
    settings = Settings()
    configure(settings)
    app = build(settings)
    # What the program itself is made of stays: to look through it for garbage takes 0.2 s, in which nobody is answered.
    gc.freeze()
    return app


def build(settings: Settings) -> FastAPI:
    hosts = {host for host in (settings.host, _public_host(settings)) if host and host not in ("0.0.0.0", "::")}  # noqa: S104

    @asynccontextmanager
    async def lifespan(app: DescribedApi) -> AsyncIterator[dict[str, bool]]:
        here = open_app_state(settings)
        app.state.house = here
        app.session_cookie = here.cookie
        here.broadcast.start()
        # State of the server, for each of its connections (`http_protocol`).
        yield {"is_behind_proxy": _is_behind_proxy(settings)}
        here.broadcast.stop()
        beside.close()
        here.engine.dispose()
        here.health_threads.shutdown()
        here.health_engine.dispose()

    def answered_at() -> datetime:
        instant: datetime = app.dependency_overrides.get(now, now)()
        return instant

    app = DescribedApi(
        title="Gavel",
        version=__version__,
        description="Storage-array and host latency on one clock. Latency in µs, rates per second, times in UTC; null is not measured.",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=lifespan,
    )
    problems.install(app)
    app.include_router(routes(), prefix=PREFIX)
    beside = OfflineEnvironments(app, PREFIX, routes, settings.frontend_dir, settings.public_path)
    app.mount(OFFLINE, beside)
    reference.install(app, PREFIX, settings.frontend_dir, settings.public_path)
    pages.install(app, settings.frontend_dir, settings.public_path, now=answered_at)
    # Columns of numbers shrink by the first level; further ones take longer than the network is spared.
    app.add_middleware(GZipMiddleware, minimum_size=1024, compresslevel=1)
    app.add_middleware(RequestGuard, hosts=hosts)
    app.add_middleware(Net)
    app.add_middleware(SecurityHeaders, is_https=_is_https(settings))
    app.add_middleware(AnswerDate, now=answered_at)
    app.add_middleware(HeadAsGet)
    if settings.public_path:
        app.add_middleware(BelowPath, path=settings.public_path)
    return app


def routes() -> APIRouter:
    """Every route of the API, in the order of the menu."""
    router = APIRouter()
    for module in (
        system,
        sources,
        guests,
        imports,
        database_files,
        offline,
        load_runs,
        diagnoses,
        groups,
        hops,
        filters,
        labels,
        entities,
        series,
        summary,
        findings,
        whatif,
        alerts,
        alert_rules,
        channels,
        pictures,
        live,
    ):
        router.include_router(module.router)
    return router


def open_app_state(settings: Settings) -> AppState:
    """Open what the process needs. Raises SettingsError when the API would listen to strangers without an admin."""
    engine = open_engine(settings.database_url, Role.API)
    loopback = settings.is_loopback
    try:
        ensure_setup_token(engine, settings.setup_token_file, now())
        if not loopback:
            _require_admin(settings, engine)
    except BaseException:
        engine.dispose()
        raise
    vault, kept = load_vault(settings.key_file), KeptAnswers()
    return AppState(
        engine=engine,
        health_engine=open_engine(settings.database_url, Role.HEALTH),
        vault=vault,
        outside=outside(settings.public_url, settings.alert_networks, plain_http=settings.alert_plain_http),
        broadcast=Broadcast(settings.database_url, kept),
        kept=kept,
        setup_file=settings.setup_token_file,
        open_reading=loopback and not _is_behind_proxy(settings),
        secure_cookies=_is_https(settings),
        cookie=cookie_name(vault, is_https=_is_https(settings), path=settings.public_path),
        cookie_path=settings.public_path or "/",
        ingest_port=settings.ingest_port if settings.ingest_host else None,
        ingest_is_tls=settings.ingest_certificate is not None,
        database_dir=settings.postgres_dir if settings.embedded_postgres else None,
    )


def _public_host(settings: Settings) -> str | None:
    """The name in GAVEL_PUBLIC_URL."""
    return urlsplit(settings.public_url).hostname if settings.public_url else None


def _is_behind_proxy(settings: Settings) -> bool:
    """Return whether GAVEL_PUBLIC_URL names another host than this machine: a proxy then passes on requests of others, from here."""
    return _public_host(settings) not in (None, *LOOPBACK)


def _is_https(settings: Settings) -> bool:
    return bool(settings.public_url and settings.public_url.lower().startswith("https://"))


def _require_admin(settings: Settings, engine: Engine) -> None:
    if not has_admin(engine):
        raise SettingsError(needs_admin(settings.host, settings.setup_token_file))
