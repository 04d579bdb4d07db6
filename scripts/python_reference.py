"""The reference pages of the Python API, generated from signatures and docstrings of public names."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import sys
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from typing import Any

PACKAGES = (
    "graphwright",
    "graphwright.flow",
    "graphwright.flow.guards",
    "graphwright.flow.drawing",
    "graphwright.models",
    "graphwright.context",
    "graphwright.tools",
    "graphwright.tools.mcp",
    "graphwright.proposals",
    "graphwright.store",
    "graphwright.store.interactions",
    "graphwright.testing",
    "graphwright.testing.store_suite",
    "graphwright_files",
    "graphwright_graph",
    "graphwright_assistant.retrieval",
    "graphwright_confined",
    "graphwright_upgrade.client",
)
"""The packages whose `__all__` is public, in the order of the menu."""
_WIDEST = 100
"""Characters of a signature on one line."""


def pages() -> Iterator[tuple[str, str]]:
    """Every page: its path on the site, and its text in Markdown."""
    lines = [f"- [{name}]({name}.md): {_first_line(import_module(name))}" for name in PACKAGES]
    yield (
        "reference/index.md",
        "\n".join(
            [
                "# Reference\n",
                "[Every command](commands.md) is generated from the program's `--help`, the pages of the Python "
                "packages from their docstrings. A name that is not listed is not public. "
                "[The Python API](../python-api.md) introduces the names of `graphwright`.\n",
                *lines,
                "",
            ]
        ),
    )
    for name in PACKAGES:
        yield f"reference/{name}.md", package_page(name)


def package_page(name: str) -> str:
    """The page of a package: each public name with its signature, description, fields and methods."""
    package = import_module(name)
    parts = [f"# {name}\n", inspect.cleandoc(package.__doc__ or "") + "\n"]
    for public in package.__all__:
        parts += _entry(public, getattr(package, public), package)
    return "\n".join(parts)


def _first_line(thing: Any) -> str:
    return (inspect.getdoc(thing) or "").splitlines()[0]


def _entry(name: str, thing: Any, package: Any) -> Iterator[str]:
    yield f"## {name}\n"
    if inspect.isclass(thing):
        yield from _class(name, thing)
    elif inspect.isroutine(thing):
        yield _signature(name, thing)
        yield description(thing)
    else:
        yield f"```python\n{name} = {_value(thing)}\n```\n"
        yield from (f"{text}\n" for text in (_documented(package, name),) if text)


def _class(name: str, thing: type) -> Iterator[str]:
    yield _signature(name, thing)
    yield description(thing)
    notes = {key: text for base in reversed(thing.__mro__) for key, text in _notes_in_class(base).items()}
    if dataclasses.is_dataclass(thing) and any(field.name in notes for field in dataclasses.fields(thing)):
        rows = (
            f"| `{field.name}` | {_cell(notes.get(field.name, ''))} |"
            for field in dataclasses.fields(thing)
            if not field.name.startswith("_")
        )
        yield "\n".join(["| field | description |", "|---|---|", *rows, ""])
    for key, member in members(thing):
        yield f"### {name}.{key}\n"
        if isinstance(member, property | cached_property):
            yield f"Property. {description(member)}"
        else:
            yield _signature(key, member)
            yield description(member)


def members(thing: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties of a class and of its bases in the project, each once."""
    seen: set[str] = set()
    for base in thing.__mro__:
        if not base.__module__.startswith("graphwright"):
            continue
        for key, raw in vars(base).items():
            member = raw if isinstance(raw, property | cached_property) else getattr(thing, key, raw)
            described = inspect.isroutine(member) or isinstance(member, property | cached_property)
            if key.startswith("_") or key in seen or not described:
                continue
            seen.add(key)
            yield key, member


def _signature(name: str, thing: Any) -> str:
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return f"```python\n{name}\n```\n"
    kept = [p for p in signature.parameters.values() if p.name != "self"]
    shown = [_parameter(p) for p in kept]
    kinds = [p.kind for p in kept]
    if inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        shown.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    result = ""
    if not inspect.isclass(thing) and signature.return_annotation is not inspect.Signature.empty:
        result = f" -> {_text(signature.return_annotation)}"
    head = "async " if inspect.iscoroutinefunction(thing) else ""
    line = f"{head}{name}({', '.join(shown)}){result}"
    if len(line) > _WIDEST:
        line = f"{head}{name}(\n" + "".join(f"    {each},\n" for each in shown) + f"){result}"
    return f"```python\n{line}\n```\n"


def _parameter(parameter: inspect.Parameter) -> str:
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    text = stars + parameter.name
    if parameter.annotation is not inspect.Parameter.empty:
        text += f": {_text(parameter.annotation)}"
    if parameter.default is not inspect.Parameter.empty:
        default = repr(parameter.default)
        text += f" = {'...' if default.startswith('<') else default}"
    return text


def _text(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def description(thing: Any) -> str:
    """The docstring; empty for the one that a dataclass generates, because it repeats the signature."""
    own = thing.__dict__.get("__doc__") if inspect.isclass(thing) else thing.__doc__
    if not own or (inspect.isclass(thing) and own.startswith(f"{thing.__name__}(")):
        return ""
    return inspect.cleandoc(own) + "\n"


def _notes_in_class(thing: type) -> dict[str, str]:
    """The texts below the fields of a class, by field."""
    if not thing.__module__.startswith("graphwright"):
        return {}
    tree = ast.parse(inspect.cleandoc("\n" + inspect.getsource(thing)))
    (body,) = (node.body for node in tree.body if isinstance(node, ast.ClassDef))
    return _notes(body)


def _documented(package: Any, name: str) -> str:
    """The text below the assignment of a constant, in the package or in the module that it is imported from."""
    for module in [package, *(m for key, m in sys.modules.items() if key.startswith(f"{package.__name__}."))]:
        if vars(module).get(name) is not None and module.__file__:
            tree = ast.parse(inspect.getsource(module))
            if text := _notes(tree.body).get(name):
                return text
    return ""


def _notes(body: list[ast.stmt]) -> dict[str, str]:
    found = {}
    for statement, after in pairwise(body):
        match statement, after:
            case (
                ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                found[name] = inspect.cleandoc(text)
    return found


def _value(thing: Any) -> str:
    return thing.__module__ + "." + thing.__name__ if inspect.ismodule(thing) else str(repr(thing))


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|")
