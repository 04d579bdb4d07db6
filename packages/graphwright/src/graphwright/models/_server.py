"""The engine of the embedded model: one llama.cpp server per file in this process, and its prompt cache on disk.

Reading prompts is slow on small machines: 15 to 40 seconds for a thousand tokens. The state of the engine after them
has some 30 MB, and is restored in a hundredth of a second. Only the part of a prompt up to its last example is cached:
it is the same for every user, and contains no words of a user.
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

from graphwright.models._failures import (
    CutReply,
    ModelFailure,
    ModelUnavailable,
    PromptTooLong,
    RejectedRequest,
)
from graphwright.models._pull import FILE, PREFIXES
from graphwright.store.home import data_home

CONTEXT = 8192
"""Maximum tokens of prompt and answer together."""

_PROMPT_CACHE_MIB = 512

MOST_KEPT = 8
"""Maximum number of cached prompt prefixes on disk; the least recently used one is removed first."""

SHORTEST = 1_000
"""Minimum length of a cached prefix in characters: reading a shorter one costs less than the cache."""

SUFFIX = ".prefix"

_REPEATS = 4
_PERIODS = range(24, 401)
"""Lengths in characters of a piece that a small model may repeat endlessly."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A complete answer and its usage. `cached` tokens of the prompt were not read again."""

    text: str
    input_tokens: int
    output_tokens: int
    cached: int


class Engine:
    """A `xllamacpp.Server`, and access to its slot, which it offers only over its loopback port.

    `prefixes` is the folder of the slot files, or None if it is not writable.
    """

    def __init__(self, native: Any, key: str, prefixes: Path | None) -> None:
        self._native, self._key, self.prefixes = native, key, prefixes
        self.prepared = ""
        self.handle_chat_completions: Callable[..., object] = native.handle_chat_completions

    def slot(self, action: str, name: str) -> bool:
        """`save` the state to or `restore` it from the file `name`; return False on failure."""
        request = urllib.request.Request(
            f"{self._native.listening_address}/slots/0?action={action}",
            data=json.dumps({"filename": name}).encode(),
            headers={"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"},
        )
        # Requests to the loopback address must not go through the proxy of the environment.
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with direct.open(request, timeout=30) as response:
                return bool(response.status == 200)
        except OSError:
            return False


_engines: dict[Path, Engine] = {}
_lock = threading.Lock()


def require_package() -> None:
    """Raise `ModelUnavailable` if the engine's package is not installed. Nothing is imported."""
    if find_spec("xllamacpp") is None:
        raise ModelUnavailable(
            "The embedded model needs the package xllamacpp, which is not installed.",
            "Install it: pip install 'graphwright[embedded]' (Linux, macOS and Windows wheels; where there is "
            "none, use a model with an API key or any OpenAI-compatible server).",
            code="missing_package",
            facts={"package": "xllamacpp", "install": "graphwright[embedded]"},
        )


def engine(path: Path) -> Engine:
    """Return the shared engine for this file. The first call loads it, which takes seconds."""
    path = path.resolve()
    with _lock:
        if path not in _engines:
            _engines[path] = _load(path)
        return _engines[path]


def _load(path: Path) -> Engine:
    require_package()
    # Threads that spin while they wait slow down the whole machine, including the model.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ.setdefault("GOMP_SPINCOUNT", "0")
    try:
        import xllamacpp
    except (ImportError, OSError) as error:
        raise ModelUnavailable(
            f"The package xllamacpp is installed but does not load on this machine: {error}.",
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
            f"The model file {path} could not be loaded: {error}.",
            "Check it with `graphwright model verify`; about 2 GB of free memory are needed.",
            code="embedded_model_broken",
        ) from None
    return Engine(server, key, prefixes)


def _prefix_folder(path: Path) -> Path | None:
    """Return the folder of the prompt cache: next to the embedded model, or in the data home for a file of the user."""
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
    """Run one request to its end. Blocks, with the GIL released.

    `on_text` gets the answer piece by piece. Setting `stop` ends the generation at the next token; the answer so far is
    returned. Raises `PromptTooLong`, `CutReply`, `RejectedRequest` or `ModelFailure`.
    """
    pieces: list[str] = []
    found: dict[str, Any] = {}
    tail = ""

    def take(chunk: Mapping[str, Any]) -> bool:
        # An exception must not pass through the engine's native code.
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
            f"The embedded model cannot follow this schema: {error}.",
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
    """Return whether a text ends with repetitions of a piece. Lines of dashes and columns of zeros do not count."""
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
    message = str(known.get("message") or known).rstrip(".")
    if known.get("code") == 400:
        return RejectedRequest(f"The embedded model does not take this request: {message}.")
    return ModelFailure(f"The embedded model failed: {message}.")


_preparing = threading.Lock()


def prepare(engine: Engine, model: Path, turns: Sequence[Mapping[str, str]]) -> None:
    """Prepare the engine with `turns`, the beginning of a prompt: restore it from disk, or read it and save it.

    Does nothing if the previous prompt had the same beginning, since the engine still has it. Errors only cost time:
    the whole prompt is then read.
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
    """Return a file name that is unique to the prompt, the model file and the engine version."""
    file = model.stat()
    identity = [str(model), file.st_size, file.st_mtime_ns, version("xllamacpp"), [dict(turn) for turn in turns]]
    return hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:32] + SUFFIX


def _forget_oldest(folder: Path) -> None:
    kept = sorted(folder.glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in kept[MOST_KEPT:]:
        path.unlink()
