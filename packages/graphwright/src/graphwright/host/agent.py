"""Loading an agent: its flow compiled, its Python imported; or only looked at."""

from __future__ import annotations

import hashlib
import importlib
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from graphwright.config import current
from graphwright.context import PromptLibrary
from graphwright.engine.host_interface import safe_message
from graphwright.errors import GraphwrightError, UsageError, exception_text, redact
from graphwright.flow import (
    ActionSignature,
    Compilation,
    CompiledFlow,
    Diagnostic,
    Severity,
    compile_layers,
)
from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._schema_validation import BUILT_IN_VALIDATORS
from graphwright.flow.layers import read_layers
from graphwright.host._actions import ActionSpec, declared_in, place_in
from graphwright.host._compiling import CompiledFile, catalogue_for, compiled_file, compiled_now, read_flow
from graphwright.host._definition import (
    SETTINGS,
    AgentDefinition,
    AgentError,
    DeclaredSettings,
    configured,
    settings_in,
)
from graphwright.host._ready_made import ready_made_actions
from graphwright.host._trial import trial_of
from graphwright.host.discovery import (
    FLOW_FILE,
    MODULES,
    AgentPlace,
    folders_of,
    place_of,
    read_file,
)
from graphwright.store.rows import utc_now
from graphwright.text.sentences import many

if TYPE_CHECKING:
    from datetime import datetime

    from langchain_core.language_models import BaseChatModel

    from graphwright.host._session import Session

__all__ = [
    "FlowInvalid",
    "catalogue_for",
    "compiled_draft",
    "load_anew",
    "outline",
    "read_flow",
    "traceback_in",
    "trying",
    "written_id",
]

_LONGEST_READ = 1_000_000
"""Characters of a document in which its id is looked for."""


class FlowInvalid(GraphwrightError):
    """The flow of an agent has errors. `diagnostics` has all findings, warnings included; `file` is its path.

    `lacks_packages` is whether packages that are not installed are the only errors.
    """

    def __init__(self, file: Path, diagnostics: Sequence[Diagnostic]) -> None:
        errors = [d for d in diagnostics if d.severity is Severity.ERROR]
        first = errors[0]
        more = f" After it: {many(len(errors) - 1, 'more error')}." if len(errors) > 1 else ""
        super().__init__(
            "flow_invalid",
            f"{first.file or file}:{first.span.line}:{first.span.column}: {first.code} {first.message}{more}",
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
    layers: tuple[Path, ...] = ()

    @property
    def folder(self) -> Path:
        return self.file.parent

    @property
    def folders(self) -> tuple[Path, ...]:
        return folders_of(self.file, self.layers)

    @property
    def title(self) -> str:
        return self.flow.title or self.name


def written_id(text: str) -> str:
    """The id that a document gives its flow; empty if it has none, or a syntax error before it.

    The document need not compile.
    """
    import yaml

    depth, last = 0, ""
    with suppress(yaml.YAMLError, RecursionError):
        for event in yaml.parse(text[:_LONGEST_READ]):
            match event:
                case yaml.CollectionStartEvent():
                    depth, last = depth + 1, ""
                case yaml.CollectionEndEvent():
                    depth, last = depth - 1, ""
                case yaml.ScalarEvent() if depth == 1:
                    if last == "id":
                        return str(event.value)
                    # Keys and values take turns.
                    last = "" if last else str(event.value)
    return ""


def load(name: str | Path, *, shadow: str | Path | None = None, document: str | None = None) -> Agent:
    """Load an agent: compile its flow and import its Python. Calls no model.

    `name` is the name of a built-in agent or of an agent of an installed package, a flow file, or a folder with a
    `flow.yaml`. `shadow` is the file of an older flow or a checklist that answers in its place, while the flow walks in
    its shadow; by default the `shadow` of the flow document, if it has one. `document` is the text of a flow that
    replaces that of the file, such as a draft; its `shadow` is ignored.

    Raises UsageError (`unknown_agent`, `no_shadow`), FlowInvalid (the flow has errors), AgentError (importing its
    Python fails), ConfigError (`graphwright.toml` is invalid), and GraphwrightError if the agent of a package cannot be
    used.
    """
    agent = load_itself(name, document=document)
    place = place_of(name)
    named = agent.flow.document.get("shadow", "") if document is None else ""
    if shadow is None and not named:
        return agent
    return _answered(agent, place, place.file.parent / named if shadow is None else Path(shadow))


_OF_FOLDERS = "graphwright_agent_"
"""The names of the packages of folders begin with it."""


def load_anew(name: str | Path) -> Agent:
    """Load an agent as `load` does, with the Python of folders, its own and those of its layers, imported again.

    If that fails, what was imported before stays in use.
    """
    folder = place_of(name).file.parent.resolve()
    own = {
        module: loaded
        for module, loaded in sys.modules.copy().items()
        if module.startswith(_OF_FOLDERS) or any(Path(path).is_relative_to(folder) for path in _paths_of(loaded))
    }
    for module in own:
        del sys.modules[module]
    importlib.invalidate_caches()
    try:
        return load(name)
    except BaseException:
        sys.modules.update(own)
        raise


def _paths_of(module: ModuleType) -> list[str]:
    """The file of a module, and the folders of a package: a package keeps its modules as attributes."""
    paths = getattr(module, "__path__", None)
    folders = [path for path in paths if isinstance(path, str)] if isinstance(paths, list) else []
    file = getattr(module, "__file__", None)
    return [*folders, file] if isinstance(file, str) else folders


def traceback_in(error: BaseException, folder: Path) -> str:
    """Return the traceback of an exception from its first line in a folder on; empty if no line is in the folder."""
    error = error.__cause__ if isinstance(error, GraphwrightError) and error.__cause__ is not None else error
    frames = traceback.extract_tb(error.__traceback__)
    root = folder.resolve()
    own = next((n for n, frame in enumerate(frames) if Path(frame.filename).resolve().is_relative_to(root)), None)
    if own is None:
        return ""
    text = [*traceback.format_list(frames[own:]), *traceback.format_exception_only(error)]
    return redact("Traceback (most recent call last):\n" + "".join(text)).rstrip()


def load_itself(name: str | Path, *, document: str | None = None) -> Agent:
    """Load an agent as `load` does, but with its own flow also if another one answers in its place."""
    place = place_of(name)
    flow, compiled = _compiled(place.file, document)
    return _with_python(place, flow, compiled.compilation.diagnostics, compiled.layers)


def _answered(agent: Agent, place: AgentPlace, file: Path) -> Agent:
    """The agent with another flow, which answers in its place; its own flow walks in the shadow."""
    from graphwright.engine._flow_versions import versions
    from graphwright.engine._shadow import Beside
    from graphwright.host._run import run_validator
    from graphwright.host._shadow import read_answering

    file = file / FLOW_FILE if file.is_dir() else file
    if not file.is_file():
        hint = "Correct `shadow` of the flow document, or the option --shadow."
        raise UsageError("no_shadow", f"There is no file {file}, which is to answer.", hint)
    answering = read_answering(file, read_flow(file), agent.flow.id)
    same = file.parent.resolve() == place.file.parent.resolve()
    read = read_layers(answering.text, name=str(file), read=read_file)
    layers = tuple(Path(each).absolute() for each in read.files)
    catalogue = None if answering.is_checklist else catalogue_for(file, layers=layers)
    compilation = compile_layers(read, name=str(file), catalogue=catalogue)
    if compilation.flow is None:
        raise FlowInvalid(file, compilation.diagnostics)
    other = AgentPlace(file, place.name, place.module if same else place_of(file).module, place.package)
    old = _with_python(other, compilation.flow, compilation.diagnostics, layers)
    check = partial(run_validator, agent)
    pair = versions(old.flow, agent.flow)
    beside = Beside(flow=agent.flow, check=check, pair=pair, any_end=answering.is_checklist)
    # The thread belongs to the agent: when the shadow is over, it goes on with its own flow.
    read_too = (*layers, file.absolute())
    return replace(old, file=agent.file, layers=read_too, beside=beside, remarks=answering.losses)


def _with_python(
    place: AgentPlace, flow: CompiledFlow, diagnostics: tuple[Diagnostic, ...], layers: tuple[Path, ...]
) -> Agent:
    """The agent of a compiled flow, with the Python of its folder and of those of its layers."""
    file = place.file
    folders = folders_of(file, layers)
    actions: dict[str, ActionSpec] = {}
    validators: dict[str, Callable[[Any], bool]] = dict(BUILT_IN_VALIDATORS)
    tools: list[Any] = []
    modules = [_modules(each, place.module if each == file.parent else "", MODULES) for each in folders]
    for module in chain.from_iterable(modules):
        own_actions, own_validators = declared_in(module)
        actions |= own_actions
        validators |= own_validators
        tools += _tools_in(module)
    actions |= ready_made_actions(flow)
    prompts = [folder / "prompts" for folder in reversed(folders)]
    config = current()
    return Agent(
        name=place.name,
        file=file,
        flow=_with_declarations(configured(flow, config), actions),
        diagnostics=diagnostics,
        actions=actions,
        validators=validators,
        prompts=PromptLibrary(*prompts),
        tools=tuple(tools),
        settings=config.agents.get(place.name, {}),
        known_settings=_known_settings(folders, place.module),
        package=place.package,
        layers=layers,
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


def trying(draft: Agent, name: str, active: CompiledFlow) -> Agent:
    """The agent of a draft for conversations that try it. `active` is the flow of the served agent `name`.

    Their threads belong to `draft:NAME`, their records to the collections `draft:NAME:COLLECTION`. An action with
    effects is performed only after a yes to its confirmation, or if the active flow performs the same without one.
    """
    return replace(draft, trial=trial_of(name, active))


def outline(name: str | Path) -> Outline:
    """Look at an agent without importing its Python, so that what that would raise is not found.

    Raises UsageError, FlowInvalid, AgentError (its Python cannot be parsed) and GraphwrightError as `load` does.
    """
    place = place_of(name)
    flow, compiled = _compiled(place.file)
    actions = tuple(sorted(compiled.catalogue.actions)) if compiled.catalogue else ()
    found = compiled.compilation.diagnostics
    return Outline(place.name, place.file, flow, found, actions, place.package, compiled.layers)


def compiled_draft(name: str | Path, document: str) -> Compilation:
    """Compile a flow document as that of an agent: with the actions and validators of its Python, which is not run.

    The document can extend only what the flow file of the agent extends.
    """
    return compiled_now(place_of(name).file, document.encode(), is_file=False).compilation


def _compiled(file: Path, document: str | None = None) -> tuple[CompiledFlow, CompiledFile]:
    compiled = compiled_file(file, document)
    flow = compiled.compilation.flow
    if flow is None:
        raise FlowInvalid(file, compiled.compilation.diagnostics)
    return flow, compiled


def _tools_in(module: ModuleType) -> list[Any]:
    if "graphwright.tools" not in sys.modules:
        return []
    from graphwright.tools import Tool

    return [item for item in vars(module).values() if isinstance(item, Tool)]


def _known_settings(folders: Sequence[Path], module: str) -> DeclaredSettings | None:
    """The settings that the highest layer with a settings.py declares."""
    for folder in reversed(folders):
        for found in _modules(folder, module if folder == folders[-1] else "", (SETTINGS,)):
            try:
                return settings_in(found)
            except TypeError as error:
                message = f"{folder / SETTINGS}: {exception_text(error)}."
                raise AgentError("bad_settings", message, "Correct the file.") from None
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
        package = f"{_OF_FOLDERS}{hashlib.sha256(str(resolved).encode()).hexdigest()[:16]}"
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
