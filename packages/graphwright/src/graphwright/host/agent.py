"""Loading an agent: its flow compiled, its Python imported; or only looked at."""

from __future__ import annotations

import hashlib
import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from graphwright.config import current
from graphwright.context import PromptLibrary
from graphwright.engine.host_interface import safe_message
from graphwright.errors import GraphwrightError, UsageError, exception_text
from graphwright.flow import ActionSignature, Catalogue, CompiledFlow, Diagnostic, Severity, compile_text
from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._schema_validation import BUILT_IN_VALIDATORS
from graphwright.host._actions import ActionSpec, declared_in, place_in
from graphwright.host._definition import (
    SETTINGS,
    AgentDefinition,
    AgentError,
    DeclaredSettings,
    configured,
    settings_in,
)
from graphwright.host.discovery import DECLARING, MODULES, content_hash, place_of, read_catalogue
from graphwright.store.rows import utc_now

if TYPE_CHECKING:
    from datetime import datetime

    from langchain_core.language_models import BaseChatModel

    from graphwright.host._session import Session

__all__ = ["outline"]

_MOST_BYTES = 64 * 1024 * 1024
"""Far above what a flow document may have, so that naming a disk image by mistake does not fill the memory."""


class FlowInvalid(GraphwrightError):
    """The flow of an agent has errors. `diagnostics` has all findings, warnings included; `file` is its path.

    `lacks_packages` is whether packages that are not installed are the only errors.
    """

    def __init__(self, file: Path, diagnostics: Sequence[Diagnostic]) -> None:
        errors = [d for d in diagnostics if d.severity is Severity.ERROR]
        first = errors[0]
        more = f" {len(errors) - 1} more errors follow." if len(errors) > 1 else ""
        super().__init__(
            "flow_invalid",
            f"{file}:{first.span.line}:{first.span.column}: {first.code} {first.message}{more}",
            first.hint if first.code == Code.PACKAGE_MISSING else f"Run: graphwright check {file}",
        )
        self.file = file
        self.lacks_packages = all(d.code == Code.PACKAGE_MISSING for d in errors)
        self.diagnostics = tuple(diagnostics)


class Agent(AgentDefinition):
    """A loaded agent, as `load` returns it.

    `flow` is its compiled flow, `diagnostics` the warnings and remarks of the compiler. `actions`, `validators`,
    `tools` and `prompts` are the declarations of its Python code and its `prompts/`. `settings` is its table
    `[agents.NAME]` of the configuration, and `known_settings` the JSON Schemas of the settings that it declares.
    `package` is the distribution that provides it, such as `acme 1.0`, or empty.
    """

    __slots__ = ()

    def session(
        self,
        thread: str | None = None,
        *,
        model: str | BaseChatModel | None = None,
        home: str | Path | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> Session:
        """Return a session on a thread, to be opened with `async with`.

        `thread` is the id of the thread, by default a new one. `model` is a name, as for `--model`, or a LangChain chat
        model; the default is the configured or the embedded model, loaded at the first call. `home` is the data folder,
        by default the configured one. `clock` returns the current time, with time zone; tests use it to move time
        forward. Raises UsageError (`bad_thread`) for an invalid id.
        """
        from graphwright.host._session import Session

        return Session(self, thread, model=model, home=home, clock=clock)


@dataclass(frozen=True, slots=True)
class Outline:
    """An agent as read from its files, without importing them. Fields as in `Agent`; `actions` are names."""

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


def read_flow(file: Path) -> bytes:
    """The bytes of a flow file. Raises UsageError saying why it cannot be read."""
    try:
        with file.open("rb") as stream:
            return stream.read(_MOST_BYTES)
    except OSError as error:
        raise UsageError("unreadable", f"{file} cannot be read: {error.strerror}.", "Check the path.") from error


def catalogue_for(file: Path) -> Catalogue | None:
    """The actions and validators declared in the Python files next to a flow file; None if there are no such files."""
    folder = file.parent
    if not any((folder / name).is_file() for name in DECLARING):
        return None
    try:
        return read_catalogue(folder)
    except SyntaxError as error:
        raise AgentError(
            "bad_python", f"{error.filename}:{error.lineno}: this is not valid Python: {error.msg}.", "Mend the file."
        ) from error


def load(name: str | Path) -> Agent:
    """Load an agent: compile its flow and import its Python. Calls no model.

    `name` is the name of a built-in agent or of an agent of an installed package, a flow file, or a folder with a
    `flow.yaml`.

    Raises UsageError (`unknown_agent`), FlowInvalid (the flow has errors), AgentError (importing its Python fails),
    ConfigError (`graphwright.toml` is invalid), and GraphwrightError if the agent of a package cannot be used.
    """
    place = place_of(name)
    file = place.file
    flow, diagnostics, _ = _compiled(file)
    actions: dict[str, ActionSpec] = {}
    validators: dict[str, Callable[[Any], bool]] = dict(BUILT_IN_VALIDATORS)
    tools: list[Any] = []
    for module in _modules(file.parent, place.module, MODULES):
        own_actions, own_validators = declared_in(module)
        actions |= own_actions
        validators |= own_validators
        tools += _tools_in(module)
    own_prompts = file.parent / "prompts"
    config = current()
    return Agent(
        name=place.name,
        file=file,
        flow=_with_declarations(configured(flow, config), actions),
        diagnostics=diagnostics,
        actions=actions,
        validators=validators,
        prompts=PromptLibrary(own_prompts if own_prompts.is_dir() else None),
        tools=tuple(tools),
        settings=config.agents.get(place.name, {}),
        known_settings=_known_settings(file.parent, place.module),
        package=place.package,
    )


def _with_declarations(flow: CompiledFlow, actions: Mapping[str, ActionSpec]) -> CompiledFlow:
    """Complete the signatures of actions whose `reads` or `writes` the compiler could not read from the source.

    A correction marks the channels of an action stale by these names.
    """
    signatures = dict(flow.signatures)
    for name, spec in actions.items():
        known = signatures.get(name, ActionSignature(name, complete=False))
        if not known.complete:
            signatures[name] = replace(known, reads=spec.reads, writes=spec.writes, effects=spec.effects)
    return flow if signatures == flow.signatures else replace(flow, signatures=signatures)


def outline(name: str | Path) -> Outline:
    """Look at an agent without importing its Python, so that what that would raise is not found.

    Raises UsageError, FlowInvalid, AgentError (its Python cannot be parsed) and GraphwrightError as `load` does.
    """
    place = place_of(name)
    flow, diagnostics, catalogue = _compiled(place.file)
    actions = tuple(sorted(catalogue.actions)) if catalogue else ()
    return Outline(place.name, place.file, flow, diagnostics, actions, place.package)


_Compiled = tuple[CompiledFlow, tuple[Diagnostic, ...], Catalogue | None]


@dataclass(frozen=True, slots=True)
class _Source:
    """A flow file and the files that its compilation reads, by the hash of their contents."""

    file: Path
    folder: Path
    digest: str
    text: bytes = field(compare=False, repr=False)


def _compiled(file: Path) -> _Compiled:
    text, folder = read_flow(file), file.parent.absolute()
    digest = content_hash([text, *map(_bytes, (folder / name for name in DECLARING))])
    return _compiled_once(_Source(file, folder, digest, text))


@lru_cache(maxsize=64)
def _compiled_once(source: _Source) -> _Compiled:
    catalogue = catalogue_for(source.file)
    compilation = compile_text(source.text, name=str(source.file), catalogue=catalogue)
    if compilation.flow is None:
        raise FlowInvalid(source.file, compilation.diagnostics)
    return compilation.flow, compilation.diagnostics, catalogue


def _bytes(file: Path) -> bytes | None:
    return file.read_bytes() if file.is_file() else None


def _tools_in(module: ModuleType) -> list[Any]:
    if "graphwright.tools" not in sys.modules:
        return []
    from graphwright.tools import Tool

    return [item for item in vars(module).values() if isinstance(item, Tool)]


def _known_settings(folder: Path, module: str) -> DeclaredSettings | None:
    for found in _modules(folder, module, (SETTINGS,)):
        try:
            return settings_in(found)
        except TypeError as error:
            raise AgentError(
                "bad_settings", f"{folder / SETTINGS}: {exception_text(error)}.", "Correct the file."
            ) from None
    return None


def _modules(folder: Path, module: str, files_of_it: Sequence[str]) -> list[ModuleType]:
    """Import the given files of an agent as part of its package. An agent without a package gets one.

    The modules may import each other relatively.
    """
    present = [name.removesuffix(".py") for name in files_of_it if (folder / name).is_file()]
    if not present:
        return []
    resolved = folder.resolve()
    package = module
    if not package:
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
            f"The Python of {folder} cannot be imported: {safe_message(error)} "
            f"({place_in(error, folder) or 'in a package that it imports'}).",
            "Correct that line; --debug shows the traceback.",
        ) from error
