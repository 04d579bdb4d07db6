"""The application: its resources while it runs, its routes, its pages and its middleware."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from importlib.metadata import version

from fastapi import Depends, FastAPI
from starlette.routing import Route

from graphwright import Workspace
from graphwright.errors import exception_text
from graphwright.hooks import ROUTES
from graphwright.store import StoreError
from graphwright_server import _agui as agui
from graphwright_server import _openai as openai
from graphwright_server import _openapi as openapi
from graphwright_server import _pages as pages
from graphwright_server import _problems as problems
from graphwright_server._agents import Agents
from graphwright_server._authoring import Authoring
from graphwright_server._created import CreatedAgents
from graphwright_server._describing import Describing
from graphwright_server._dev import DevFiles
from graphwright_server._mcp_server import PATH, McpDoor
from graphwright_server._middleware import Doorway, Metrics
from graphwright_server._runs import Runs
from graphwright_server._settings import ServiceSettings
from graphwright_server.access._oidc import Tokens
from graphwright_server.access.gate import Gate, viewer
from graphwright_server.access.principal import Limits, Ownership
from graphwright_server.routes import (
    _agents as agents,
)
from graphwright_server.routes import (
    _compare as comparing,
)
from graphwright_server.routes import (
    _data as data,
)
from graphwright_server.routes import (
    _descriptions as descriptions,
)
from graphwright_server.routes import (
    _drafts as drafts,
)
from graphwright_server.routes import (
    _examine as examining,
)
from graphwright_server.routes import (
    _export as exporting,
)
from graphwright_server.routes import (
    _files as files,
)
from graphwright_server.routes import (
    _flows as flows,
)
from graphwright_server.routes import (
    _health as health,
)
from graphwright_server.routes import (
    _keys as keys,
)
from graphwright_server.routes import (
    _layers as layers,
)
from graphwright_server.routes import (
    _logs as logs,
)
from graphwright_server.routes import (
    _organising as organising,
)
from graphwright_server.routes import (
    _panes as pane_routes,
)
from graphwright_server.routes import (
    _records,
)
from graphwright_server.routes import (
    _threads as threads,
)
from graphwright_server.routes import (
    _trace as trace,
)
from graphwright_server.routes import (
    _trials as trials,
)
from graphwright_server.routes import (
    _turns as turns,
)
from graphwright_server.service import Service

logger = logging.getLogger("graphwright.server")

_API = (
    *(
        agents,
        descriptions,
        drafts,
        comparing,
        examining,
        exporting,
        layers,
        trials,
        flows,
        threads,
        organising,
        turns,
        trace,
        files,
        data,
        logs,
        keys,
    ),
    *(_records, pane_routes),
)
_PREFIX = "/api/v1"

KEPT_EVENTS = timedelta(days=1)
"""How long the events of a run that has ended are kept. The trace of its thread stays."""

KEPT_UPLOADS = timedelta(days=7)
"""How long an upload is kept. A thread that received it has its own copy."""


def create_app(settings: ServiceSettings | None = None) -> FastAPI:
    """Return the service as an ASGI application. Its resources are opened at startup."""
    settings = settings or ServiceSettings.configured()
    metrics = Metrics()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            service = await _start_service(app, settings, metrics, stack)
            await service.agents.load_folders()
            stack.push_async_callback(mcp.close)
            tasks = [
                asyncio.create_task(work)
                for work in (_clean_daily(service), service.agents.watch(), _describe(service))
            ]
            yield
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    app = FastAPI(
        title="Graphwright",
        version=version("graphwright"),
        summary="Agents over HTTP: threads, turns with events, approvals, traces.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        responses=problems.RESPONSES,
        generate_unique_id_function=openapi.operation_id,
    )
    app.state.metrics = metrics
    problems.install(app)
    for module in _API:
        app.include_router(module.router, prefix=_PREFIX)
    _add_packaged_routes(app)
    for door in (agui, openai):
        app.include_router(door.router)
    app.include_router(health.router)
    mcp = McpDoor(app)
    app.router.routes.append(Route(PATH, mcp, include_in_schema=False))
    openapi.install(app)
    pages.install(app)
    app.add_middleware(Doorway, settings=settings, counted=metrics.request)
    return app


def core_routes() -> set[str]:
    """Return the first part of each path of Graphwright's own routes. No package may use it as a name."""
    paths = [route.path for module in _API for route in module.router.routes if isinstance(route, Route)]
    return {path.split("/")[1] for path in paths}


def _add_packaged_routes(app: FastAPI) -> None:
    """Add the routes of packages below their names. All require at least the role viewer."""
    taken = core_routes()
    for name, router in ROUTES.usable():
        if name in taken:
            continue
        try:
            app.include_router(router, prefix=f"{_PREFIX}/{name}", dependencies=[Depends(viewer)])
        # The code of another package may fail in any way, and must not stop the service.
        except Exception as error:
            logger.warning("the routes %r of a package cannot be used: %s", name, exception_text(error))


async def _start_service(app: FastAPI, settings: ServiceSettings, metrics: Metrics, stack: AsyncExitStack) -> Service:
    workspace = await stack.enter_async_context(Workspace(settings.home, model=settings.model))
    store = workspace.store
    model = settings.model if isinstance(settings.model, str) else None
    # A version published in the editor would hide the files that are being written.
    flows, watched = (None, DevFiles()) if settings.dev else (store.flows, None)
    created = None if settings.dev else CreatedAgents(workspace.folder / "agents")
    served = Agents(settings.agents, model, flows, watched, drafts=store.flows, created=created)
    runs = await stack.enter_async_context(
        Runs(workspace, served, metrics.turn, tracebacks=settings.dev, models=settings.models)
    )
    metrics.watch(lambda: runs.running)
    limits = Limits(settings.limits, store.access.counters)
    tokens = Tokens(settings.oidc) if settings.oidc is not None else None
    app.state.access = store.access
    app.state.gate = Gate(store.access.keys, limits, login=settings.needs_login, tokens=tokens)
    own = Ownership(store.access.owners)
    describing = Describing(served, settings.model)
    service = Service(settings, workspace, served, runs, own, limits, Authoring(served, store), describing)
    app.state.service = service
    return service


async def _describe(service: Service) -> None:
    """Make the cards of the agents before the web app asks for them: the first ones compile the agents."""
    try:
        await service.agents.cards()
    # A request for the cards reports what is wrong with an agent.
    except Exception as error:
        logger.debug("the agents cannot be described yet: %s", exception_text(error))


async def _clean_daily(service: Service) -> None:
    """Delete expired events and uploads once a day."""
    while True:
        try:
            await _clean(service, datetime.now(UTC))
        except StoreError as error:
            logger.warning("what is old could not be cleaned away, it is tried again tomorrow: %s", error)
        await asyncio.sleep(24 * 3600)


async def _clean(service: Service, now: datetime) -> None:
    store = service.workspace.store
    await store.runs.forget(_time(now - KEPT_EVENTS))
    for upload in await store.uploads.before(_time(now - KEPT_UPLOADS)):
        await store.uploads.delete(upload.id)
        await service.own.release("file", upload.id)
        await asyncio.to_thread(shutil.rmtree, service.uploads / upload.id, ignore_errors=True)


def _time(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")
