"""Shared by tests of the UpGrade agent: experiments on the local service, which runs in a thread of this process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from graphwright_upgrade.client import _connecting as connecting
from graphwright_upgrade.client._connecting import connect, database_file, own_contexts
from graphwright_upgrade.client._experiment import Experiment
from graphwright_upgrade.client._settings import UpgradeSettings
from graphwright_upgrade_server._app import create_app
from graphwright_upgrade_server._contexts import read
from upgrade_client_support import draft, listening

SITES = ("show-problem", "give-hint", "select-section")
TARGETS = ("fractions-intro", "linear-equations", "area-of-shapes")


class _Thread:
    """A local service in a thread of this process, instead of a separate process."""

    stdin = None

    def poll(self) -> None:
        return None

    def wait(self, _seconds: float) -> None:
        return None


@pytest.fixture
def local_service(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Local services run in threads, which start faster than processes; the environment names no other server."""
    for name in [name for name in os.environ if name.startswith("UPGRADE_")]:
        monkeypatch.delenv(name)
    with ExitStack() as running:

        def started(home: Path, _settings: UpgradeSettings) -> Any:
            file = database_file(home)
            contexts = own_contexts(home)
            app = create_app(file, known=read(contexts) if contexts else None)
            address = f"{running.enter_context(listening(app))}/api"
            return connecting._Service(_Thread(), address, connecting._files(home))  # type: ignore[arg-type]

        monkeypatch.setattr(connecting, "_started", started)
        monkeypatch.setattr(connecting, "_services", {})
        yield


async def add(home: Path, *names: str, description: str = "") -> list[str]:
    """Create inactive experiments with these names, and return their ids."""
    ids = []
    async with connect(UpgradeSettings(), home) as client:
        for number, name in enumerate(names):
            point = SITES[number % 3], TARGETS[number // 3 % 3]
            ids.append((await client.create(draft(name, at=[point], description=description))).id)
    return ids


async def experiments(home: Path) -> dict[str, Experiment]:
    """The experiments of the local service, by id."""
    async with connect(UpgradeSettings(), home) as client:
        return {each.id: each for each in await client.experiments()}
