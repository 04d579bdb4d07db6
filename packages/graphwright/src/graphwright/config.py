"""Configuration: environment variables, else the nearest `graphwright.toml`. Command-line options override both.

Reading is lazy: the file is opened when a setting is first needed, and read again only if it changed.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import date, datetime, time
from functools import lru_cache
from pathlib import Path
from typing import Any

from graphwright.errors import GraphwrightError
from graphwright.text.sentences import many

__all__ = ["chosen_graph", "current"]

FILE = "graphwright.toml"

_MOST_BYTES = 1024 * 1024


class ConfigError(GraphwrightError):
    """The configuration file cannot be used. Codes: `bad_config`, `no_config`, `unreadable_config`, `unsafe_config`."""


@dataclass(frozen=True, slots=True)
class Config:
    """The content of a configuration file; without a file `file` is None and everything else is empty.

    `model`, `home`, `graph` and `interactions` are empty if the file does not set them. `path_policies` maps the id of
    a flow to the fields that override its `path_policy`; `agents` maps the name of an agent to its settings, JSON
    values; `models` has the prices of models; `mcp` maps the name of an MCP server to its settings, with a `command` or
    a `url`; `http` maps a host to which flows may send requests to its settings; `service` has the settings of the
    HTTP service.
    """

    file: Path | None = None
    model: str = ""
    home: str = ""
    graph: str = ""
    interactions: str = ""
    path_policies: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    agents: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    models: Mapping[str, Any] = field(default_factory=dict)
    mcp: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    http: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    service: Mapping[str, Any] = field(default_factory=dict)


def chosen_model() -> str:
    """Return the default model: `GRAPHWRIGHT_MODEL`, else `model` of the file, else an empty text."""
    return os.environ.get("GRAPHWRIGHT_MODEL", "").strip() or current().model


def chosen_home() -> Path | None:
    """Return the data folder, absolute: `GRAPHWRIGHT_HOME`, else `home` of the file, relative to the file; or None."""
    chosen = os.environ.get("GRAPHWRIGHT_HOME", "").strip()
    if chosen:
        return Path(chosen).expanduser().absolute()
    config = current()
    if not config.home:
        return None
    assert config.file is not None
    return (config.file.parent / Path(config.home).expanduser()).absolute()


def chosen_graph() -> str:
    """Return the location of the graph: `GRAPHWRIGHT_GRAPH`, else `graph` of the file; empty for the data folder.

    The variable may contain a password; the file may not.
    """
    return os.environ.get("GRAPHWRIGHT_GRAPH", "").strip() or current().graph


def chosen_store() -> str:
    """Return the database address in `GRAPHWRIGHT_STORE`; empty for a file in the data folder."""
    # A trial run must not be stored with real data.
    return "" if _fixed.get() is not None else os.environ.get("GRAPHWRIGHT_STORE", "").strip()


def chosen_interactions() -> tuple[str, Path]:
    """Return the location of the interaction log, and the folder to which a relative path refers.

    The location is `GRAPHWRIGHT_INTERACTIONS`, else `interactions` of the file; empty for the data folder. The variable
    may contain a password; the file may not.
    """
    if _fixed.get() is not None:
        # A trial run must not be logged with real data.
        return "off", Path()
    chosen = os.environ.get("GRAPHWRIGHT_INTERACTIONS", "").strip()
    if chosen:
        return chosen, Path()
    config = current()
    return config.interactions, config.file.parent if config.file is not None else Path()


def current() -> Config:
    """Return the configuration of the current folder. Raises ConfigError if its file cannot be used."""
    if (fixed := _fixed.get()) is not None:
        return fixed
    file = config_file()
    if file is None:
        return Config()
    try:
        state = file.stat()
        return _read(file, state.st_mtime_ns, state.st_size, state.st_ino)
    except FileNotFoundError:
        raise ConfigError(
            "no_config", f"GRAPHWRIGHT_CONFIG names {file}, which does not exist.", "Correct or unset it."
        ) from None
    except OSError as error:
        raise ConfigError(
            "unreadable_config", f"{file} cannot be read: {error.strerror}.", "Check its permissions."
        ) from error


_fixed: ContextVar[Config | None] = ContextVar("graphwright_fixed_config", default=None)


@contextmanager
def without_file(instead: Config | None = None) -> Iterator[None]:
    """Use `instead` (default: an empty configuration) and no file, so that every folder has the same outcome."""
    before = _fixed.set(instead or Config())
    try:
        yield
    finally:
        _fixed.reset(before)


def config_file() -> Path | None:
    """Return the file named by `GRAPHWRIGHT_CONFIG`, else the nearest `graphwright.toml` upwards from the current
    folder."""
    named = os.environ.get("GRAPHWRIGHT_CONFIG", "").strip()
    if named:
        return Path(named).expanduser().absolute()
    try:
        folder = os.getcwd()
    except OSError:
        # The current folder has been deleted.
        return None
    # Plain strings: this runs often, and building Path objects takes longer than the search.
    while not os.path.isfile(found := os.path.join(folder, FILE)):
        if folder == (folder := os.path.dirname(folder)):
            return None
    return Path(found)


@lru_cache(maxsize=8)
def _read(file: Path, *_state: int) -> Config:
    with file.open("rb") as stream:
        content = stream.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise ConfigError(
            "bad_config", f"{file} is larger than 1 MiB.", "It holds settings only; see the documentation."
        )
    try:
        return _config(file, content)
    except RecursionError:
        raise ConfigError("bad_config", f"{file}: something in it is nested too deeply.", "Correct the file.") from None


def _config(file: Path, content: bytes) -> Config:
    """Return the checked content of a file. Raises ConfigError (`bad_config`)."""
    # Imported here: without a file, the language of flows need not be loaded.
    from graphwright._config_models import Settings
    from graphwright.flow._source import Reporter, Source

    text, data = _parsed(file, content)
    # TOML has no positions, so errors are located by their keys.
    reporter = Reporter(Source(data, text, (-1, -1, 0, 0, "", {})))
    clean = Settings.checked(data, reporter)
    for first in reporter.found:
        more = len(reporter.found) - 1
        also = f" Also wrong: {many(more, 'more setting')}." if more else ""
        # In backticks: a bare name before the colon would look like that of a secret, and the message like its value.
        where = f"{file}: `{first.pointer[1:].replace('/', '.')}`" if first.pointer else str(file)
        raise ConfigError("bad_config", f"{where}: {first.message}{also}", first.hint or "Correct the file.")
    flows: Mapping[str, Mapping[str, Any]] = clean.get("flows", {})
    return Config(
        file=file,
        model=clean.get("model", "").strip(),
        home=clean.get("home", "").strip(),
        graph=clean.get("graph", "").strip(),
        interactions=clean.get("interactions", "").strip(),
        path_policies={id: flow["path_policy"] for id, flow in flows.items() if flow.get("path_policy")},
        agents=clean.get("agents", {}),
        models=clean.get("models", {}),
        mcp=clean.get("mcp", {}),
        http=clean.get("http", {}),
        service=clean.get("service", {}),
    )


def _parsed(file: Path, content: bytes) -> tuple[str, dict[str, Any]]:
    import tomllib

    try:
        text = content.decode("utf-8-sig")
        data = tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError("bad_config", f"{file}:{line}: this is not UTF-8 text.", "Save the file as UTF-8.") from None
    except tomllib.TOMLDecodeError as error:
        hint = 'Correct the file. A text needs quotes: model = "embedded"'
        raise ConfigError("bad_config", f"{file}: this is not valid TOML: {error}.", hint) from None
    return text, _plain(data)


def _plain(value: Any) -> Any:
    """Return the value in JSON types: dates and non-finite numbers become texts."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, datetime | date | time) or (isinstance(value, float) and not math.isfinite(value)):
        return str(value)
    return value
