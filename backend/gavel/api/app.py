"""The API process: opens the house, mounts the routes and the pages."""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from fastapi import APIRouter, FastAPI
from starlette.middleware.gzip import GZipMiddleware

from gavel import __version__
from gavel.api import pages, problems
from gavel.api.broadcast import Broadcast
from gavel.api.deps import House, now
from gavel.api.described import DescribedApi
from gavel.api.guard import Guard
from gavel.api.routes import (
    alert_rules,
    alerts,
    channels,
    entities,
    hops,
    live,
    pictures,
    series,
    sources,
    system,
    verdicts,
)
from gavel.config import Settings
from gavel.db.engine import Engine, Role, open_engine
from gavel.domain.errors import SettingsError
from gavel.log import configure
from gavel.pipeline.access import ensure_setup_token, has_admin, needs_admin
from gavel.pipeline.outside import outside
from gavel.pipeline.secrets import load_vault

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
    public_host = urlsplit(settings.public_url).hostname if settings.public_url else None
    hosts = {host for host in (settings.host, public_host) if host and host not in ("0.0.0.0", "::")}  # noqa: S104

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        here = open_house(settings)
        app.state.house = here
        here.broadcast.start()
        yield
        here.broadcast.stop()
        here.engine.dispose()

    app = DescribedApi(
        title="Gavel",
        version=__version__,
        description="Storage-array and host latency on one clock. Latency in µs, rates per second, times in UTC; null is not measured.",
        docs_url=f"{PREFIX}/docs",
        redoc_url=None,
        openapi_url=f"{PREFIX}/openapi.json",
        lifespan=lifespan,
    )
    problems.install(app)
    app.include_router(routes(), prefix=PREFIX)
    pages.install(app, settings.frontend_dir)
    # Columns of numbers shrink by the first level; further ones take longer than the network is spared.
    app.add_middleware(GZipMiddleware, minimum_size=1024, compresslevel=1)
    app.add_middleware(Guard, hosts=hosts)
    app.add_middleware(pages.SecurityHeaders)
    return app


def routes() -> APIRouter:
    """Every route of the API, in the order of the menu."""
    router = APIRouter()
    for module in (system, sources, verdicts, hops, entities, series, alerts, alert_rules, channels, pictures, live):
        router.include_router(module.router)
    return router


def open_house(settings: Settings) -> House:
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
    return House(
        engine=engine,
        vault=load_vault(settings.key_file),
        outside=outside(settings.public_url, settings.alert_networks, plain_http=settings.alert_plain_http),
        broadcast=Broadcast(settings.database_url),
        setup_file=settings.setup_token_file,
        open_reading=loopback,
        secure_cookies=bool(settings.public_url and settings.public_url.startswith("https://")),
        database_dir=settings.postgres_dir if settings.embedded_postgres else None,
    )


def _require_admin(settings: Settings, engine: Engine) -> None:
    if not has_admin(engine):
        raise SettingsError(needs_admin(settings.host, settings.setup_token_file))
