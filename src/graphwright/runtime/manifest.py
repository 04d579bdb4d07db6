"""What an agent's Python declares, read from its text: nothing of the agent is imported to check its flow."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from pathlib import Path

from graphwright.flow import ActionSignature, Catalogue
from graphwright.runtime.validators import BUILT_IN_VALIDATORS

MODULES = ("nodes.py", "tools.py")
"""The files of an agent's folder in which actions and validators may stand."""


def read_catalogue(folder: Path) -> Catalogue:
    """The actions, validators and state fields of an agent's folder.

    Only declarations in their plain form are seen: `@action(reads=[...], writes=[...])` with literal lists,
    `@validator`, and a class `State` with annotated fields. A file that is not valid Python raises SyntaxError.
    """
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
    return Catalogue(actions=actions, validators=frozenset(validators), state_fields=_state_fields(folder / "state.py"))


def imported(folder: Path, modules: Collection[str]) -> frozenset[str]:
    """Which of these modules, or modules in them, are imported anywhere in an agent's folder.

    Only files in which the last part of such a name stands are parsed. Raises SyntaxError for one that is not valid
    Python.
    """
    found: set[str] = set()
    for path in sorted(folder.glob("*.py")):
        content = path.read_bytes()
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


def looks_at_files(folder: Path) -> bool:
    """Whether an agent's Python looks at the files that a user gives: at `ctx.files`, in any module of its folder.

    Raises SyntaxError for a file that is not valid Python.
    """
    trees = (_parse(path) for path in sorted(folder.glob("*.py")) if b".files" in path.read_bytes())
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == "files"
        and isinstance(node.value, ast.Name)
        and node.value.id in ("ctx", "context")
        for tree in trees
        if tree
        for node in ast.walk(tree)
    )


def _parse(path: Path) -> ast.Module | None:
    """The syntax tree of a file, None where there is none. Raises SyntaxError with the file's path and a line."""
    if not path.is_file():
        return None
    content = path.read_bytes()
    try:
        return ast.parse(content, str(path))
    except SyntaxError as error:
        error.filename, error.lineno = str(path), error.lineno or _odd_line(content)
        raise
    except (ValueError, RecursionError) as error:
        # Of a null byte Python 3.11 says this.
        raise SyntaxError(str(error), (str(path), _odd_line(content), 1, None)) from None


def _odd_line(content: bytes) -> int:
    """The line, from 1, of the first byte that is no text; 1 where every byte is."""
    try:
        end = content.index(0)
    except ValueError:
        try:
            content.decode("utf-8")
            return 1
        except UnicodeDecodeError as error:
            end = error.start
    return content.count(b"\n", 0, end) + 1


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
    given = {k.arg: k.value for k in decorator.keywords if k.arg} if isinstance(decorator, ast.Call) else {}
    name = given.get("name")
    return ActionSignature(
        name=name.value if isinstance(name, ast.Constant) and isinstance(name.value, str) else function.name,
        reads=_texts(given.get("reads")),
        writes=_texts(given.get("writes")),
    )


def _texts(node: ast.expr | None) -> tuple[str, ...]:
    if not isinstance(node, ast.List | ast.Tuple):
        return ()
    return tuple(e.value for e in node.elts if isinstance(e, ast.Constant) and isinstance(e.value, str))


def _state_fields(path: Path) -> frozenset[str] | None:
    tree = _parse(path)
    for node in tree.body if tree else ():
        if isinstance(node, ast.ClassDef) and node.name == "State":
            return frozenset(
                item.target.id
                for item in node.body
                if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
            ) - {"answers", "message", "active_path"}
    return None
