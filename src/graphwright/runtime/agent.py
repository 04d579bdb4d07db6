"""An agent: its folder, its compiled flow, its actions, validators, tools and prompts."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from graphwright.config import Config, current
from graphwright.context import PromptLibrary
from graphwright.errors import GraphwrightError, UsageError
from graphwright.flow import Catalogue, CompiledFlow, Diagnostic, Severity, compile_text
from graphwright.runtime.actions import ActionSpec, declared_in, safe_message
from graphwright.runtime.address import FLOW_FILE, FLOW_SUFFIXES, name_of, plain
from graphwright.runtime.manifest import MODULES, looks_at_files, read_catalogue
from graphwright.runtime.packages import folder_of, packaged
from graphwright.runtime.settings import FILE as SETTINGS_FILE
from graphwright.runtime.settings import Declared
from graphwright.runtime.settings import declared_in as settings_in
from graphwright.runtime.validators import BUILT_IN_VALIDATORS
from graphwright.store.facade import utc_now

if TYPE_CHECKING:
    from datetime import datetime

    from langchain_core.language_models import BaseChatModel

    from graphwright.runtime.session import Session
    from graphwright.tools import ToolRegistry

_MOST_BYTES = 64 * 1024 * 1024
"""Far above what a flow document may have, so that naming a disk image by mistake does not fill the memory."""


class FlowInvalid(GraphwrightError):
    """The flow of an agent has errors. `diagnostics` holds all findings, warnings included; `file` is its path."""

    def __init__(self, file: Path, diagnostics: Sequence[Diagnostic]) -> None:
        errors = [d for d in diagnostics if d.severity is Severity.ERROR]
        first = errors[0]
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        super().__init__(
            "flow_invalid",
            f"{file}:{first.span.line}:{first.span.column}: {first.code} {first.message}{more}",
            f"Run: graphwright check {file}",
        )
        self.file = file
        self.diagnostics = tuple(diagnostics)


class AgentError(GraphwrightError):
    """An agent's folder or its Python cannot be used."""


@dataclass(frozen=True, slots=True)
class Agent:
    """A flow and what it needs to run. `folder` is where its prompts and Python stand; made by `load`.

    `name` is the name of a built-in or packaged agent, the folder's name, or the file's without its suffix. `settings`
    are those of the table `[agents.NAME]` in the configuration, JSON values; `known_settings` the JSON Schemas of those
    that the agent has, None where it does not declare any. `package` says which distribution brings it along, empty for
    a folder of one's own.
    """

    name: str
    file: Path
    flow: CompiledFlow
    diagnostics: tuple[Diagnostic, ...] = ()
    actions: Mapping[str, ActionSpec] = field(default_factory=dict)
    validators: Mapping[str, Callable[[Any], bool]] = field(default_factory=dict)
    prompts: PromptLibrary = field(default_factory=PromptLibrary)
    tools: tuple[Any, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    known_settings: Declared | None = None
    package: str = ""

    @property
    def folder(self) -> Path:
        return self.file.parent

    @property
    def address(self) -> str:
        """Where `load` finds it again, from any folder: the name of a built-in or packaged agent, else a path."""
        if self.package or self.file.is_relative_to(_agents_folder()):
            return self.name
        file = plain(self.file)
        return str(file.parent if file.name == FLOW_FILE else file)

    @property
    def takes_files(self) -> bool:
        """Whether it looks at files that a user gives."""
        return looks_at_files(self.folder)

    @property
    def title(self) -> str:
        return self.flow.title or self.name

    def action(self, name: str) -> ActionSpec:
        """The registered action `name`. Raises AgentError when the agent's Python does not have it."""
        if name not in self.actions:
            raise AgentError(
                "no_action",
                f"the flow of {self.name!r} runs action {name!r}, which {self.folder / MODULES[0]} does not define",
                f"Define it with @action, or correct the flow. Known: {', '.join(sorted(self.actions)) or 'none'}.",
            )
        return self.actions[name]

    def validator(self, name: str) -> Callable[[Any], bool]:
        """The registered validator `name`."""
        if name not in self.validators:
            raise AgentError(
                "no_validator",
                f"the flow of {self.name!r} validates by {name!r}, which is not registered",
                "Define it with @validator in nodes.py, or correct the flow.",
            )
        return self.validators[name]

    def tools_for(self, node: str) -> ToolRegistry:
        """The tools that the agent's tools.py declares for a node."""
        from graphwright.tools import ToolRegistry

        return ToolRegistry(t for t in self.tools if node in t.nodes)

    def session(
        self,
        thread: str | None = None,
        *,
        model: str | BaseChatModel | None = None,
        home: Path | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> Session:
        """A session on a thread, a new one when none is named. Use it as an async context manager.

        `clock` gives the time, with time zone, for what should not hang on that of the day.
        """
        from graphwright.runtime.session import Session

        return Session(self, thread, model=model, home=home, clock=clock)


@dataclass(frozen=True, slots=True)
class Outline:
    """What the text of an agent's files says of it. The fields are those of `Agent`; `actions` are names alone."""

    name: str
    file: Path
    flow: CompiledFlow
    diagnostics: tuple[Diagnostic, ...]
    actions: tuple[str, ...]
    package: str

    @property
    def folder(self) -> Path:
        return self.file.parent

    @property
    def title(self) -> str:
        return self.flow.title or self.name


def built_in() -> tuple[str, ...]:
    """The names of the agents that come with Graphwright."""
    return tuple(sorted(p.parent.name for p in _agents_folder().glob(f"*/{FLOW_FILE}")))


def _agents_folder() -> Path:
    return Path(str(files("graphwright"))) / "agents"


def names() -> tuple[str, ...]:
    """The names of all agents: the built-in ones, then those that installed packages bring along."""
    own = built_in()
    return own + tuple(name for name in packaged() if name not in own)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an agent stands. `module` is the Python package of its folder, empty where it is none."""

    file: Path
    name: str
    module: str = ""
    package: str = ""


def find(name: str | Path) -> Path:
    """The flow file of an agent: a name, a flow file, or a folder with a flow.yaml.

    Raises UsageError, and GraphwrightError for a package whose agent cannot be used.
    """
    return _place(name).file


def _place(name: str | Path) -> _Place:
    text = str(name)
    if text in built_in():
        return _Place(_agents_folder() / text / FLOW_FILE, text)
    if isinstance(name, str) and _is_bare(text) and text in packaged():
        return _packaged_place(text)
    file = _path(text)
    return _Place(file, name_of(file))


def _is_bare(text: str) -> bool:
    """Whether it can be a name: paths are recognised without looking at any package."""
    return Path(text).name == text and not text.endswith(FLOW_SUFFIXES)


def _packaged_place(name: str) -> _Place:
    agent, *others = packaged()[name]
    if others:
        both = " and ".join(a.distribution for a in (agent, *others))
        raise UsageError(
            "agent_conflict",
            f"several packages bring an agent {name!r}: {both}",
            "Uninstall all but one of them, or name the agent by its folder.",
        )
    folder, module = folder_of(agent)
    return _Place(folder / FLOW_FILE, name, module, agent.distribution)


def _path(text: str) -> Path:
    """The flow file that a path names."""
    try:
        path = Path(text).expanduser()
        if path.is_dir():
            file = path / FLOW_FILE
            if file.is_file():
                return file
            raise UsageError(
                "no_flow",
                f"the folder {path} has no {FLOW_FILE}",
                "Name a flow file, or make an agent: graphwright init DIR",
            )
        if path.is_file():
            return path
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError("unreadable", f"{text} cannot be read: {error}", "Check the path.") from error
    if os.path.lexists(path):
        raise UsageError("no_such_file", f"{path} is no regular file", "Name a flow file or a folder.")
    if "/" in text or path.suffix in FLOW_SUFFIXES:
        raise UsageError("no_such_file", f"there is no flow file {path}", "Check the path.")
    from difflib import get_close_matches

    near = get_close_matches(text, names(), 1)
    known = f"Did you mean {near[0]!r}? " if near else ""
    raise UsageError(
        "unknown_agent",
        f"there is no agent {text!r}",
        f"{known}Known: {', '.join(names())}. Or name a flow file or a folder with a {FLOW_FILE}.",
    )


def read_flow(file: Path) -> bytes:
    """The bytes of a flow file. Raises UsageError saying why it cannot be read."""
    try:
        with file.open("rb") as stream:
            return stream.read(_MOST_BYTES)
    except OSError as error:
        raise UsageError("unreadable", f"{file} cannot be read: {error.strerror}", "Check the path.") from error


def catalogue_for(file: Path) -> Catalogue | None:
    """What the Python beside a flow file declares, or None where the file stands alone."""
    folder = file.parent
    if not any((folder / name).is_file() for name in (*MODULES, "state.py")):
        return None
    try:
        return read_catalogue(folder)
    except SyntaxError as error:
        raise AgentError(
            "bad_python", f"{error.filename}:{error.lineno}: this is not valid Python: {error.msg}", "Mend the file."
        ) from error


def load(name: str | Path) -> Agent:
    """Load an agent: the name of a built-in or packaged one, a flow file, or a folder with a flow.yaml.

    Raises UsageError (there is no such agent), FlowInvalid (its flow has errors), AgentError (its Python fails),
    ConfigError, and GraphwrightError for a package whose agent cannot be used.
    """
    place = _place(name)
    file = place.file
    flow, diagnostics = _compiled(file, catalogue_for(file))
    actions: dict[str, ActionSpec] = {}
    validators: dict[str, Callable[[Any], bool]] = dict(BUILT_IN_VALIDATORS)
    tools: list[Any] = []
    for module in _modules(file.parent, place.module, MODULES):
        own_actions, own_validators = declared_in(module)
        actions |= own_actions
        validators |= {name: spec.function for name, spec in own_validators.items()}
        tools += _tools_in(module)
    own_prompts = file.parent / "prompts"
    config = current()
    return Agent(
        name=place.name,
        file=file,
        flow=_configured(flow, config),
        diagnostics=diagnostics,
        actions=actions,
        validators=validators,
        prompts=PromptLibrary(own_prompts if own_prompts.is_dir() else None),
        tools=tuple(tools),
        settings=config.agents.get(place.name, {}),
        known_settings=_known_settings(file.parent, place.module),
        package=place.package,
    )


def outline(name: str | Path) -> Outline:
    """Look at an agent without importing its Python, so that what that would raise is not found.

    Raises UsageError, FlowInvalid, AgentError (its Python cannot be parsed) and GraphwrightError as `load` does.
    """
    place = _place(name)
    catalogue = catalogue_for(place.file)
    flow, diagnostics = _compiled(place.file, catalogue)
    actions = tuple(sorted(catalogue.actions)) if catalogue else ()
    return Outline(place.name, place.file, flow, diagnostics, actions, place.package)


def _compiled(file: Path, catalogue: Catalogue | None) -> tuple[CompiledFlow, tuple[Diagnostic, ...]]:
    compilation = compile_text(read_flow(file), name=str(file), catalogue=catalogue)
    if compilation.flow is None:
        raise FlowInvalid(file, compilation.diagnostics)
    return compilation.flow, compilation.diagnostics


def _configured(flow: CompiledFlow, config: Config) -> CompiledFlow:
    """The flow with the path policy of this installation; it stays the same flow, and has the same hash."""
    own = config.path_policies.get(flow.id)
    if own is None:
        return flow
    changes: dict[str, Any] = {name: value if isinstance(value, bool) else float(value) for name, value in own.items()}
    return replace(flow, path_policy=replace(flow.path_policy, **changes))


def _tools_in(module: ModuleType) -> list[Any]:
    if "graphwright.tools" not in sys.modules:
        return []
    from graphwright.tools import Tool

    return [item for item in vars(module).values() if isinstance(item, Tool)]


def _known_settings(folder: Path, module: str) -> Declared | None:
    for found in _modules(folder, module, (SETTINGS_FILE,)):
        try:
            return settings_in(found)
        except TypeError as error:
            raise AgentError("bad_settings", f"{folder / SETTINGS_FILE}: {error}", "Mend the file.") from None
    return None


def _modules(folder: Path, module: str, files_of_it: Sequence[str]) -> list[ModuleType]:
    """Import those files of an agent that it has, as part of its package, or of one of its own where it has none.

    Either way its modules may import each other relatively.
    """
    present = [name.removesuffix(".py") for name in files_of_it if (folder / name).is_file()]
    if not present:
        return []
    home = Path(str(files("graphwright")))
    resolved = folder.resolve()
    if module:
        package = module
    elif resolved.is_relative_to(home):
        package = ".".join(("graphwright", *resolved.relative_to(home).parts))
    else:
        package = f"graphwright_agent_{hashlib.sha256(str(resolved).encode()).hexdigest()[:16]}"
        if package not in sys.modules:
            root = ModuleType(package)
            root.__path__ = [str(resolved)]
            sys.modules[package] = root
    try:
        return [importlib.import_module(f"{package}.{name}") for name in present]
    except (Exception, SystemExit) as error:
        raise AgentError(
            "agent_import",
            f"the Python of {folder} cannot be imported: {type(error).__name__}: {safe_message(error)}",
            "Mend the file; --debug shows the traceback.",
        ) from error
