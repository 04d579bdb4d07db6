"""Finding agents, built in, in packages and by path, and reading from its text what an agent's Python declares."""

from __future__ import annotations

import ast
import errno
import hashlib
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from graphwright.context._prompts import SUFFIX
from graphwright.errors import GraphwrightError, UsageError, exception_text
from graphwright.extras import packages_hint
from graphwright.hooks import AGENTS, Packaged, declared
from graphwright.host._action_code import (
    always_returned,
    answer_keys,
    demanded_answers,
    list_lengths,
    may_tell,
    returned_values,
    used_names,
)
from graphwright.text.python_source import syntax_tree

if TYPE_CHECKING:
    from graphwright.flow import ActionSignature, Catalogue

__all__ = ["name_of", "address_of", "names", "find"]

FLOW_FILE = "flow.yaml"
"""The flow document of an agent's folder."""

FLOW_SUFFIXES = (".yaml", ".yml", ".json")


def plain(file: Path) -> Path:
    """The absolute path. Symbolic links are kept, because a link has its own name, unless the path contains `..`."""
    return file.resolve() if ".." in file.parts else file.absolute()


def folders_of(file: Path, layers: Sequence[Path]) -> tuple[Path, ...]:
    """The folders of a flow file and of the layers that it is merged from: lowest first, its own last, each once."""
    own = file.parent
    lower = (layer.parent for layer in layers if layer.parent.absolute() != own.absolute())
    return (*dict.fromkeys(lower), own)


def name_of(file: Path) -> str:
    """The name of an agent: its folder's name, or the name of a single flow file without the suffix."""
    return plain(file).parent.name if file.name == FLOW_FILE else file.stem


def short(address: str) -> str:
    """The name in an address, for people."""
    path = Path(address)
    return path.stem if path.is_absolute() and path.suffix in FLOW_SUFFIXES else path.name


def built_in() -> tuple[str, ...]:
    """The names of the installed agents that belong to Graphwright, sorted."""
    return tuple(name for name, found in packaged().items() if any(agent.own for agent in found))


def _built_in_place(name: str) -> AgentPlace:
    folder, module = folder_of(next(agent for agent in packaged()[name] if agent.own))
    return AgentPlace(folder / FLOW_FILE, name, module)


def address_of(file: Path, name: str) -> str:
    """How a thread remembers its agent: a built-in one by its name, any other by the absolute path of its flow."""
    if _named(file) is not None:
        return name
    file = plain(file)
    return str(file.parent if file.name == FLOW_FILE else file)


def names() -> tuple[str, ...]:
    """The names of all agents: the built-in ones, then those of other packages."""
    own = built_in()
    return own + tuple(name for name in packaged() if name not in own)


@dataclass(frozen=True, slots=True)
class AgentPlace:
    """The location of an agent. `module` is the Python package of its folder, empty if the folder is not a package."""

    file: Path
    name: str
    module: str = ""
    package: str = ""


def find(name: str | Path) -> Path:
    """The flow file of an agent: a name, a flow file, or a folder with a flow.yaml.

    Raises UsageError, and GraphwrightError for a package whose agent cannot be used.
    """
    return place_of(name).file


def place_of(name: str | Path) -> AgentPlace:
    """The location of an agent. Raises the same errors as `find`."""
    text = str(name)
    if _is_bare(text):
        if text in built_in():
            return _built_in_place(text)
        if isinstance(name, str) and text in packaged():
            return _packaged_place(text)
    file = _path(text)
    return _named(file) or AgentPlace(file, name_of(file))


def _named(file: Path) -> AgentPlace | None:
    """The place of the built-in agent with this flow file, or None."""
    name = name_of(file)
    if not (file.with_name("__init__.py").is_file() and name in built_in()):
        return None
    place = _built_in_place(name)
    return place if place.file.resolve() == file.resolve() else None


def _is_bare(text: str) -> bool:
    """Whether it can be a name: paths are recognised without looking at any package."""
    return Path(text).name == text and not text.endswith(FLOW_SUFFIXES)


def _packaged_place(name: str) -> AgentPlace:
    agent, *others = packaged()[name]
    if others:
        both = " and ".join(a.distribution for a in (agent, *others))
        raise UsageError(
            "agent_conflict",
            f"Several packages bring an agent {name!r}: {both}.",
            "Uninstall all but one of them, or name the agent by its folder.",
        )
    folder, module = folder_of(agent)
    return AgentPlace(folder / FLOW_FILE, name, module, agent.distribution)


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
                f"The folder {path} has no {FLOW_FILE}.",
                "Name a flow file, or make an agent: graphwright init DIR",
            )
        if path.is_file():
            return path
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError("unreadable", f"{text} cannot be read: {exception_text(error)}.", "Check the path.") from error
    if os.path.lexists(path):
        raise UsageError("no_such_file", f"{path} is not a regular file.", "Name a flow file or a folder.")
    if "/" in text or path.suffix in FLOW_SUFFIXES:
        raise UsageError("no_such_file", f"There is no flow file {path}.", "Check the path.")
    from graphwright.text.near_names import nearest

    near = nearest(text, [*names(), *_flows_here()], most=1)
    known = f"Did you mean {near[0]!r}? " if near else ""
    hint = f"{known}Known: {', '.join(names())}. Or name a flow file or a folder with a {FLOW_FILE}. {packages_hint()}"
    raise UsageError("unknown_agent", f"There is no agent {text!r}.", hint.rstrip())


def _flows_here() -> list[str]:
    """Return the agents' folders and flow files of the current folder, as `ask` takes them."""
    try:
        entries = sorted(Path().iterdir())
    except OSError:
        return []
    flows = [each for each in entries if each.suffix in FLOW_SUFFIXES or (each / FLOW_FILE).is_file()]
    return [f"./{each.name}" for each in flows]


def packaged() -> Mapping[str, tuple[Packaged, ...]]:
    """The agents of installed packages, by name. Several packages may declare the same name."""
    return declared(AGENTS)


def folder_of(agent: Packaged) -> tuple[Path, str]:
    """The folder of a packaged agent, and the Python package that its modules belong to. Nothing is imported.

    Raises GraphwrightError (`agent_package`).
    """
    module, colon, _ = agent.value.partition(":")
    parts = module.strip().split(".")
    if colon or not all(part.isidentifier() for part in parts):
        raise _broken(agent, f"{agent.value!r} is no Python package", 'An entry reads: my_agent = "my_package.agent"')
    try:
        spec = find_spec(parts[0])
    except (ImportError, ValueError) as error:
        raise _broken(agent, f"the package {parts[0]!r} cannot be found: {exception_text(error)}") from error
    if spec is None or spec.submodule_search_locations is None:
        raise _broken(agent, f"there is no package {parts[0]!r}")
    for location in spec.submodule_search_locations:
        folder = Path(location, *parts[1:])
        if folder.is_dir():
            return _with_flow(agent, folder), ".".join(parts)
        if len(parts) > 1 and folder.with_suffix(".py").is_file():
            return _with_flow(agent, folder.parent), ".".join(parts[:-1])
    raise _broken(agent, f"there is no folder for {module!r} in the package {parts[0]!r}")


def _with_flow(agent: Packaged, folder: Path) -> Path:
    if not (folder / FLOW_FILE).is_file():
        raise _broken(agent, f"the folder {folder} has no {FLOW_FILE}")
    return folder


def _broken(agent: Packaged, why: str, hint: str = "") -> GraphwrightError:
    return GraphwrightError(
        "agent_package",
        f"The agent {agent.name!r} of {agent.distribution} cannot be used: {why}.",
        hint or "Install another version of the package, or tell its author.",
    )


MODULES = ("nodes.py", "tools.py")
"""The files of an agent's folder that may define actions and validators."""

PROMPTS = "prompts"
"""The folder of an agent's prompt files."""

DECLARING = (*MODULES, "state.py")
"""The files of an agent's folder that `read_catalogue` reads."""


MOST_BYTES = 64 * 1024 * 1024
"""Far above what a flow document may have, so that naming a disk image by mistake does not fill the memory."""


def read_file(path: str | Path) -> bytes:
    """The content of a flow file that another one extends. Raises OSError, also if it is not a regular file."""
    file = Path(path)
    if file.is_dir():
        raise IsADirectoryError(errno.EISDIR, "it is a folder, not a flow document", str(path))
    if file.exists() and not file.is_file():
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    with file.open("rb") as stream:
        return stream.read(MOST_BYTES)


def content_hash(contents: Iterable[bytes | None]) -> str:
    """A hash of several files' contents; None is a file that does not exist."""
    found = hashlib.sha256()
    for content in contents:
        found.update(b"-" if content is None else b"%d:%b" % (len(content), content))
    return found.hexdigest()


def has_python(folders: Iterable[Path]) -> bool:
    """Whether one of the folders has a file that declares actions, validators or the state."""
    return any((folder / name).is_file() for folder in folders for name in DECLARING)


def catalogue_of(folders: Sequence[Path]) -> Catalogue:
    """Return the declarations of the Python in the folders of a flow's layers, lowest first. Raises SyntaxError.

    An action of a higher layer replaces that of the same name. The typed view of the state is that of the highest.
    """
    from graphwright.flow import Catalogue

    found = [read_catalogue(folder) for folder in folders]
    actions = {name: signature for each in found for name, signature in each.actions.items()}
    validators = frozenset[str]().union(*(each.validators for each in found))
    prompts = {name: text for each in found for name, text in (each.prompts or {}).items()}
    return Catalogue(actions=actions, validators=validators, state_fields=found[-1].state_fields, prompts=prompts)


def read_catalogue(folder: Path) -> Catalogue:
    """The actions, validators and state fields of an agent's folder.

    Only declarations in their plain form are seen: `@action(reads=[...], writes=[...])` with literal lists,
    `@validator`, and a class `State` with annotated fields. The fields of a generated state.py are not compared.
    A file that is not valid Python raises SyntaxError.
    """
    # Not at the top: the command line finds agents before it knows whether it reads a flow.
    from graphwright.flow import Catalogue
    from graphwright.flow._schema_validation import BUILT_IN_VALIDATORS

    actions: dict[str, ActionSignature] = {}
    validators = set(BUILT_IN_VALIDATORS)
    for name in MODULES:
        for function, decorator in _decorated(folder / name):
            match _called(decorator):
                case "action":
                    signature = _signature(function, decorator)
                    actions[signature.name] = signature
                case "validator":
                    validators.add(function.name)
    return Catalogue(
        actions=actions,
        validators=frozenset(validators),
        state_fields=_state_fields(folder / "state.py"),
        prompts={
            file.name.removesuffix(SUFFIX): file.read_text("utf-8", "replace")
            for file in (folder / PROMPTS).glob(f"*{SUFFIX}")
        },
    )


@dataclass(frozen=True, slots=True)
class FolderUse:
    """Modules that the Python of a folder imports, and whether it uses `ctx.files`, the files that users give."""

    imports: frozenset[str]
    files: bool


def folder_use(folder: Path, modules: Sequence[str]) -> FolderUse:
    """Return which of these modules, or modules in them, an agent's folder imports, and whether it uses `ctx.files`.

    Computed once per content of the folder's Python files. Raises SyntaxError for one that is not valid Python.
    """
    contents = {path: path.read_bytes() for path in sorted(folder.glob("*.py"))}
    return _folder_use(_Folder(folder, content_hash(contents.values()), contents), tuple(modules))


@dataclass(frozen=True, slots=True)
class _Folder:
    path: Path
    digest: str
    contents: Mapping[Path, bytes] = field(compare=False, repr=False)


@lru_cache(maxsize=64)
def _folder_use(folder: _Folder, modules: tuple[str, ...]) -> FolderUse:
    contents = folder.contents
    files = any(re.search(rb"\b(ctx|context)\.files\b", content) for content in contents.values())
    return FolderUse(_imported(contents, modules), files)


def _imported(contents: Mapping[Path, bytes], modules: Collection[str]) -> frozenset[str]:
    found: set[str] = set()
    for path, content in contents.items():
        # Parsing takes long: only files that contain the last part of a name are parsed.
        sought = [name for name in modules if name not in found and name.rpartition(".")[2].encode() in content]
        tree = _parse(path) if sought else None
        names = {name for node in (ast.walk(tree) if tree else ()) for name in _imports(node)}
        found.update(module for module in sought if any(f"{name}.".startswith(f"{module}.") for name in names))
    return frozenset(found)


def _imports(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _parse(path: Path) -> ast.Module | None:
    """The syntax tree of a file, or None if it does not exist. Raises SyntaxError with the path and the line."""
    if not path.is_file():
        return None
    try:
        return syntax_tree(path.read_bytes(), str(path))
    except SyntaxError as error:
        error.filename, error.lineno = str(path), error.lineno or 1
        raise
    except (ValueError, RecursionError) as error:
        # Of a null byte Python 3.11 says this.
        raise SyntaxError(str(error), (str(path), 1, 1, None)) from None


def _decorated(path: Path) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, ast.expr]]:
    tree = _parse(path)
    for node in tree.body if tree else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for decorator in node.decorator_list:
                yield node, decorator


def _called(decorator: ast.expr) -> str:
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    if isinstance(target, ast.Attribute):
        return target.attr
    return target.id if isinstance(target, ast.Name) else ""


def _signature(function: ast.FunctionDef | ast.AsyncFunctionDef, decorator: ast.expr) -> ActionSignature:
    from graphwright.flow import ActionSignature

    given = {k.arg: k.value for k in decorator.keywords if k.arg} if isinstance(decorator, ast.Call) else {}
    name, effects, reads = given.get("name"), given.get("effects"), _texts(given.get("reads"))
    return ActionSignature(
        name=name.value if isinstance(name, ast.Constant) and isinstance(name.value, str) else function.name,
        reads=reads,
        writes=_texts(given.get("writes")),
        effects=not (isinstance(effects, ast.Constant) and effects.value is False),
        returns=returned_values(function),
        lengths=list_lengths(function),
        complete=all(_is_written_out(given.get(field)) for field in ("reads", "writes")),
        answer_keys=answer_keys(function) if "answers" in reads else None,
        uses=used_names(function),
        demands=demanded_answers(function),
        always=always_returned(function),
        tells=may_tell(function),
    )


def _texts(node: ast.expr | None) -> tuple[str, ...]:
    if not isinstance(node, ast.List | ast.Tuple):
        return ()
    return tuple(e.value for e in node.elts if isinstance(e, ast.Constant) and isinstance(e.value, str))


def _is_written_out(node: ast.expr | None) -> bool:
    """Whether a list of names holds nothing but texts."""
    if node is None:
        return True
    return isinstance(node, ast.List | ast.Tuple) and len(_texts(node)) == len(node.elts)


def _state_fields(path: Path) -> frozenset[str] | None:
    from graphwright.flow._typed_state import generated_from

    tree = _parse(path)
    if tree is None or generated_from(path.read_bytes().decode("utf-8", "replace")):
        return None
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == "State":
            return frozenset(
                item.target.id
                for item in node.body
                if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
            ) - {"answers", "message", "active_path", "now"}
    return None
