"""Resources shared by the sessions of one program: an open store and a loaded model."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from graphwright.store import Store


class Shared:
    """Owned by a `Workspace` and passed to its sessions."""

    def __init__(self, store: Store, model: str | BaseChatModel | None, home: Path | None) -> None:
        self.store = store
        self._model = model
        self._home = home
        self._loading = threading.Lock()

    def model(self) -> BaseChatModel:
        """The chat model, loaded at the first call. Raises the errors of `graphwright.models.load`."""
        from graphwright.models import load

        with self._loading:
            if self._model is None or isinstance(self._model, str):
                self._model = load(self._model, home=self._home)
            return self._model
