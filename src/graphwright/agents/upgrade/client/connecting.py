"""Which server the client talks to: the one that the environment names, or the local service in this process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from graphwright.agents.upgrade.client.calls import UpgradeClient
from graphwright.agents.upgrade.client.settings import UpgradeSettings
from graphwright.agents.upgrade.client.tokens import admin_token, client_token

# No request goes there: in this process the host is only a name.
_LOCAL_BASE = "http://upgrade.local/api"


@asynccontextmanager
async def connect(
    settings: UpgradeSettings, home: Path, *, patience: float | None = None
) -> AsyncIterator[UpgradeClient]:
    """A client of the server that the settings name, else of the local service on the database in the data folder.

    Its `where`, `host` and `place` say which it is, for people; `patience` is that of the client, in seconds. Nothing
    is sent before the first call. Raises UsageError and StoreError where the contexts or the database of the local
    service cannot be used.
    """
    client_side = client_token(settings)
    if settings.api_url:
        async with UpgradeClient(
            settings.api_url, admin=admin_token(settings), client=client_side, patience=patience
        ) as client:
            yield client
        return
    # Who works with a server elsewhere pays neither for a database nor for Starlette.
    from graphwright.agents.upgrade.service import contexts
    from graphwright.agents.upgrade.service.access import Access
    from graphwright.agents.upgrade.service.app import create_app
    from graphwright.agents.upgrade.service.serving import database_file, own_contexts

    file = database_file(home)
    own = own_contexts(home)
    access = Access(client_key=settings.client_api_key or None, client_secret=settings.client_api_secret or None)
    app = create_app(file, known=contexts.read(own) if own else None, access=access)
    try:
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
        async with UpgradeClient(
            _LOCAL_BASE, "the local service", place=str(file), transport=transport, client=client_side, local=True
        ) as client:
            yield client
    finally:
        app.state.database.close()
