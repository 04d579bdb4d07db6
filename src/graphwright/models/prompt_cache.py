"""A cache on disk for the beginnings of prompts: what one process has read of a prompt, the next one restores.

Reading is what a small machine does slowest: a thousand tokens take it 15 to 40 seconds. The state the engine is in
after them is some 30 MB, and back in a hundredth of a second. Only the part up to the last example turn is kept: it
is the same for every user, and holds no words of a user.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

MOST_KEPT = 8
"""How many beginnings stay on disk; the one unused for longest goes first."""

SHORTEST = 1_000
"""Characters: a shorter beginning is read anew faster than it is worth keeping."""

SUFFIX = ".prefix"


class SlotEngine(Protocol):
    """An engine whose state can be written to a file of its folder and read back."""

    prefixes: Path
    prepared: str

    def handle_chat_completions(self, body: Mapping[str, Any], /) -> object: ...

    def slot(self, action: str, name: str) -> bool:
        """`save` to or `restore` from the file `name`; False when it did not work."""
        ...


_lock = threading.Lock()


def prepare(engine: SlotEngine, model: Path, turns: Sequence[Mapping[str, str]]) -> None:
    """Bring the engine to the end of `turns`, the beginning of a prompt: from disk, or by reading and keeping them.

    Does nothing when the prompt before began the same: the engine has it still, and perhaps more. Whatever goes wrong
    only costs time: the prompt is then read as a whole.
    """
    short = sum(len(turn["content"]) for turn in turns) < SHORTEST
    name = "" if short else _name(model, turns)
    with _lock:
        known, engine.prepared = engine.prepared, name
        if name in ("", known):
            return
        kept = engine.prefixes / name
        if kept.exists():
            if engine.slot("restore", name):
                with suppress(OSError):
                    os.utime(kept)
                return
            with suppress(OSError):
                kept.unlink()
        engine.handle_chat_completions({"messages": list(turns), "max_tokens": 1, "temperature": 0.0})
        unfinished = f"{name}.{os.getpid()}"
        if engine.slot("save", unfinished):
            with suppress(OSError):
                written = engine.prefixes / unfinished
                written.chmod(0o600)
                written.replace(kept)
                _forget_oldest(engine.prefixes)


def _name(model: Path, turns: Sequence[Mapping[str, str]]) -> str:
    """A name that another prompt, another model file or another engine does not have."""
    file = model.stat()
    identity = [str(model), file.st_size, file.st_mtime_ns, version("xllamacpp"), [dict(turn) for turn in turns]]
    return hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:32] + SUFFIX


def _forget_oldest(folder: Path) -> None:
    kept = sorted(folder.glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in kept[MOST_KEPT:]:
        path.unlink()
