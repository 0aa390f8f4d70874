"""Offline environments below /offline/<name>: the same pages and the same API on a database of their own, whose clock stands still."""

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from fastapi import APIRouter, FastAPI, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from gavel import __version__
from gavel.api import deps, pages, problems
from gavel.api.deps import AppState, Asker, BearerDep, SessionDep
from gavel.api.described import DescribedApi
from gavel.api.kept import KeptAnswers
from gavel.db.engine import Engine, Role, open_engine
from gavel.db.errors import NotFoundError, StorageError
from gavel.domain.errors import GavelError
from gavel.offline.environments import OfflineEnvironment, find_environment

PATH = "/offline"
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
# Requests with a body that change nothing.
_COMPUTED = frozenset({"/whatif"})
# Whether an environment is there still is looked up again after so long; it is closed when nobody has asked it for longer.
_LOOKED_UP_S, _IDLE_S = 2.0, 600.0


@dataclass(slots=True)
class _ServedEnvironment:
    """An environment that is served. number: of its database, which is another one when it was made anew."""

    number: int
    app: ASGIApp
    engine: Engine
    used_s: float
    looked_up_s: float = field(default=0.0)


class OfflineEnvironments:
    """Mounted below `PATH` of the app of Gavel itself, `live`, whose state is open by the first request."""

    def __init__(
        self, live: FastAPI, prefix: str, routes: Callable[[], APIRouter], frontend_dir: Path, public_path: str
    ) -> None:
        self._frontend_dir = frontend_dir
        self._public_path = public_path
        self._live = live
        self._prefix = prefix
        self._routes = routes
        self._open: dict[str, _ServedEnvironment] = {}
        self._lock = threading.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        root = scope.get("root_path", "")
        name, slash, rest = scope["path"].removeprefix(root).lstrip("/").partition("/")
        below = {**scope, "root_path": f"{root}/{name}"}
        if f"/{rest}" == f"{self._prefix}/session":
            # Who signs in, signs in to Gavel itself.
            await self._live.router({**scope, "path": f"/{rest}", "root_path": ""}, receive, send)
        elif refusal := self._refusal(scope["method"], f"/{rest}", name):
            await refusal(below, receive, send)
        elif not slash:
            await RedirectResponse(f"{self._address(name)}/")(below, receive, send)
        elif f"/{rest}" == f"{self._prefix}/live":
            # Nothing will ever be new: a browser that is told so does not ask again.
            await Response(status_code=204)(below, receive, send)
        else:
            await (await run_in_threadpool(self._opened, name))(below, receive, send)

    @property
    def _state(self) -> AppState:
        state: AppState = self._live.state.house
        return state

    def _address(self, name: str) -> str:
        return f"{self._public_path}{PATH}/{name}"

    def close(self) -> None:
        with self._lock:
            for each in self._open.values():
                each.engine.dispose()
            self._open.clear()

    def _refusal(self, method: str, rest: str, name: str) -> Response | None:
        if method in _SAFE or rest.removeprefix(self._prefix) in _COMPUTED:
            return None
        return problems.problem(
            403,
            "Offline environment",
            f"{name!r} was made from files and is only looked at: nothing can be changed in it. Go to the live Gavel for that,"
            " or remove the environment there and make it again.",
        )

    def _opened(self, name: str) -> ASGIApp:
        """What answers for an environment: its app, or the problem why there is none."""
        now_s = time.monotonic()
        with self._lock:
            known = self._open.get(name)
            if known is not None and now_s - known.looked_up_s < _LOOKED_UP_S:
                known.used_s = now_s
                return known.app
            try:
                found = find_environment(self._state.engine, name)
            except GavelError as error:
                status = 404 if isinstance(error, NotFoundError) else 503 if isinstance(error, StorageError) else 400
                self._forget(name)
                return problems.problem(status, "Offline environment", str(error))
            if known is None or known.number != found.number:
                self._forget(name)
                known = self._open[name] = self._serve(found, now_s)
            known.used_s = known.looked_up_s = now_s
            for idle in [other for other, each in self._open.items() if now_s - each.used_s > _IDLE_S]:
                self._forget(idle)
            return known.app

    def _forget(self, name: str) -> None:
        known = self._open.pop(name, None)
        if known is not None:
            known.engine.dispose()

    def _serve(self, environment: OfflineEnvironment, now_s: float) -> _ServedEnvironment:
        engine = open_engine(environment.url, Role.API)
        live, at = self._state, environment.contents.to_at
        app = DescribedApi(
            title=f"Gavel, {environment.name}", version=__version__, docs_url=None, redoc_url=None, openapi_url=None
        )
        app.state.house = replace(live, engine=engine, health_engine=engine, database_dir=None, kept=KeptAnswers())
        app.dependency_overrides[deps.now] = lambda: at

        def reader(request: Request, bearer: BearerDep, session: SessionDep) -> Asker:
            """Whoever may read Gavel may read its environments; nobody is their admin."""
            asking = deps.asker(request, live, deps.now(), bearer, session)
            return Asker(None if asking.role is None else "viewer")

        app.dependency_overrides[deps.asker] = reader
        problems.install(app)
        app.include_router(self._routes(), prefix=self._prefix)
        pages.install(
            app,
            self._frontend_dir,
            self._address(environment.name),
            now=lambda: at,
            offline=_shown(environment, f"{self._public_path}/"),
        )
        return _ServedEnvironment(environment.number, app, engine, now_s)


def _shown(environment: OfflineEnvironment, live_path: str) -> str:
    """What its pages say of it, and where those of Gavel itself begin."""
    contents = environment.contents
    return json.dumps({
        "name": environment.name,
        "from_at": contents.from_at.isoformat(),
        "to_at": contents.to_at.isoformat(),
        "files": [f"{each.file_name} ({each.subject})" for each in contents.files],
        "notes": contents.notes,
        "live_path": live_path,
    })  # fmt: skip
