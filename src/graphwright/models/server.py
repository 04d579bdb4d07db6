"""The embedded model's engine: one llama.cpp server a file in this process, and what it keeps of prompts on disk.

Reading is what a small machine does slowest: a thousand tokens take it 15 to 40 seconds. The state the engine is in
after them is some 30 MB, and back in a hundredth of a second. Only the part of a prompt up to its last example turn is
kept: it is the same for every user, and holds no words of a user.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import threading
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from graphwright.models.failures import (
    CutReply,
    ModelFailure,
    ModelUnavailable,
    PromptTooLong,
    RejectedRequest,
)
from graphwright.models.pull import FILE, PREFIXES
from graphwright.store.home import data_home

CONTEXT = 8192
"""Tokens that prompt and answer may have together."""

_PROMPT_CACHE_MIB = 512

MOST_KEPT = 8
"""How many beginnings of prompts stay on disk; the one unused for longest goes first."""

SHORTEST = 1_000
"""Characters: a shorter beginning is read anew faster than it is worth keeping."""

SUFFIX = ".prefix"

_REPEATS = 4
_PERIODS = range(24, 401)
"""Characters of a piece that a small model, once caught in it, writes again and again up to its limit."""


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer, whole, and what it took. `cached` tokens of the prompt did not have to be read again."""

    text: str
    input_tokens: int
    output_tokens: int
    cached: int


class Engine:
    """`xllamacpp.Server`, and the state of its slot as a file: the one thing it offers over its loopback port alone.

    `prefixes` is the folder of these files; None where it cannot be written.
    """

    def __init__(self, native: Any, key: str, prefixes: Path | None) -> None:
        self._native, self._key, self.prefixes = native, key, prefixes
        self.prepared = ""
        self.handle_chat_completions: Callable[..., object] = native.handle_chat_completions

    def slot(self, action: str, name: str) -> bool:
        """`save` the state to or `restore` it from the file `name`; False when it did not work."""
        request = urllib.request.Request(
            f"{self._native.listening_address}/slots/0?action={action}",
            data=json.dumps({"filename": name}).encode(),
            headers={"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"},
        )
        # The proxy of the environment must not get requests to the loopback address.
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with direct.open(request, timeout=30) as response:
                return bool(response.status == 200)
        except OSError:
            return False


_engines: dict[Path, Engine] = {}
_lock = threading.Lock()


def require_package() -> None:
    """Raises `ModelUnavailable` where the engine's package is not installed. Nothing is imported."""
    if find_spec("xllamacpp") is None:
        raise ModelUnavailable(
            "The embedded model needs the package xllamacpp, which is not installed.",
            "Install it: pip install 'graphwright[embedded]' (Linux, macOS and Windows wheels; where there is "
            "none, use a model with an API key or any OpenAI-compatible server).",
            code="missing_package",
            facts={"package": "xllamacpp", "install": "graphwright[embedded]"},
        )


def engine(path: Path) -> Engine:
    """The engine for this file, the same one for all callers. The first call loads it, which takes seconds."""
    path = path.resolve()
    with _lock:
        if path not in _engines:
            _engines[path] = _load(path)
        return _engines[path]


def _load(path: Path) -> Engine:
    require_package()
    # Threads that spin while they wait make everything else on the machine, and the model with it, crawl.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ.setdefault("GOMP_SPINCOUNT", "0")
    try:
        import xllamacpp
    except (ImportError, OSError) as error:
        raise ModelUnavailable(
            f"The package xllamacpp is installed but does not load on this machine: {error}",
            "Reinstall graphwright[embedded], or use a model with an API key or an OpenAI-compatible server.",
            code="missing_package",
        ) from None
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    threads = _cores()
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.verbosity = -1
    params.cache_ram_mib = _PROMPT_CACHE_MIB
    # The engine always opens a loopback port: without a key every user of this machine could use it.
    params.port = 0
    key = secrets.token_urlsafe(32)
    params.api_keys = [key]
    prefixes = _prefix_folder(path)
    if prefixes is not None:
        params.slot_save_path = f"{prefixes}{os.sep}"
        params.endpoint_slots = True
    try:
        server = xllamacpp.Server(params)
    except Exception as error:
        raise ModelFailure(
            f"The model file {path} could not be loaded: {error}",
            "Check it with `graphwright model verify`; about 2 GB of free memory are needed.",
            code="embedded_model_broken",
        ) from None
    return Engine(server, key, prefixes)


def _prefix_folder(path: Path) -> Path | None:
    """The folder of the prompt cache: beside the embedded model, or in the data home for a file of the user."""
    models = path.parent if path.name == FILE else data_home() / "models"
    try:
        (models / PREFIXES).mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return None
    return models / PREFIXES


def _cores() -> int:
    usable = getattr(os, "sched_getaffinity", None)
    return len(usable(0)) if usable else os.cpu_count() or 1


def complete(
    server: Engine,
    body: Mapping[str, Any],
    *,
    on_text: Callable[[str], None] | None = None,
    stop: threading.Event | None = None,
) -> Completion:
    """Run one request to its end. Blocks; the interpreter is free meanwhile.

    `on_text` gets the answer piece by piece. Setting `stop` ends the generation at the next token; what came so
    far is returned. Raises `PromptTooLong`, `CutReply`, `RejectedRequest` or `ModelFailure`.
    """
    pieces: list[str] = []
    found: dict[str, Any] = {}
    tail = ""

    def take(chunk: Mapping[str, Any]) -> bool:
        # An exception must not travel through the engine's native code.
        nonlocal tail
        try:
            if "error" in chunk:
                found["error"] = chunk["error"]
            found["usage"] = chunk.get("usage") or found.get("usage")
            for choice in chunk.get("choices") or ():
                found["finish"] = choice.get("finish_reason") or found.get("finish")
                text = (choice.get("delta") or {}).get("content")
                if text:
                    pieces.append(text)
                    tail = (tail + text)[-_REPEATS * _PERIODS[-1] :]
                    if on_text:
                        on_text(text)
            if len(pieces) % 8 == 0 and _repeats(tail):
                found["finish"] = "repeats"
                return True
        except BaseException as error:
            found["trouble"] = error
            return True
        return stop is not None and stop.is_set()

    try:
        server.handle_chat_completions({**body, "stream": True, "stream_options": {"include_usage": True}}, take)
    except ValueError as error:
        raise RejectedRequest(
            f"The embedded model cannot follow this schema: {error}",
            "Use plain JSON Schema: types, enum, const, anyOf, bounds and simple patterns.",
        ) from None
    if "trouble" in found:
        raise found["trouble"]
    if "error" in found:
        raise _engine_failure(found["error"])
    stopped = stop is not None and stop.is_set()
    usage = found.get("usage") or {}
    if found.get("finish") == "repeats":
        raise CutReply(f"The embedded model wrote the same again and again: {tail[-60:]!r}.")
    if found.get("finish") == "length" and not stopped:
        count = usage.get("completion_tokens", len(pieces))
        raise CutReply(f"The embedded model's answer was cut off after {count} tokens.")
    return Completion(
        text="".join(pieces),
        input_tokens=int(usage.get("prompt_tokens", 0)),
        output_tokens=int(usage.get("completion_tokens", len(pieces))),
        cached=int((usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0)),
    )


def _repeats(tail: str) -> bool:
    """Whether a text ends in the same piece several times. Lines of dashes and columns of zeros do not count."""
    for size in _PERIODS:
        if size * _REPEATS > len(tail):
            return False
        piece = tail[-size:]
        if tail[-2 * size : -size] == piece and tail.endswith(piece * _REPEATS) and len(set(piece)) > 8:
            return True
    return False


def _engine_failure(error: Any) -> ModelFailure:
    known = error if isinstance(error, Mapping) else {"message": str(error)}
    if known.get("type") == "exceed_context_size_error":
        return PromptTooLong(
            f"The prompt has {known.get('n_prompt_tokens')} tokens; the embedded model takes {known.get('n_ctx')} "
            "with its answer."
        )
    message = str(known.get("message") or known)
    if known.get("code") == 400:
        return RejectedRequest(f"The embedded model does not take this request: {message}")
    return ModelFailure(f"The embedded model failed: {message}")


_preparing = threading.Lock()


def prepare(engine: Engine, model: Path, turns: Sequence[Mapping[str, str]]) -> None:
    """Bring the engine to the end of `turns`, the beginning of a prompt: from disk, or by reading and keeping them.

    Does nothing when the prompt before began the same: the engine has it still, and perhaps more. Whatever goes wrong
    only costs time: the prompt is then read as a whole.
    """
    short = sum(len(turn["content"]) for turn in turns) < SHORTEST
    name = "" if short else _name(model, turns)
    with _preparing:
        known, engine.prepared = engine.prepared, name
        if name in ("", known) or engine.prefixes is None:
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
