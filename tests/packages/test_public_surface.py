"""The public surface: public modules, and the names in their `__all__`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
AGENTS = ("graph_editor", "data_scientist", "assistant", "upgrade", "intake", "template")
"""Folders of agents: the names of their modules are fixed, and no other package imports them."""


def _name(file: Path) -> str:
    parts = file.relative_to(next(each for each in file.parents if each.name == "src")).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {_name(file): file for file in sorted(ROOT.glob("packages/*/src/**/*.py"))}
PUBLIC = [
    name
    for name, file in MODULES.items()
    if not any(part.startswith("_") or part in AGENTS for part in file.with_suffix("").parts[-4:-1])
    and not file.name.startswith("_")
]
"""The public modules that are not packages."""


def imports(file: Path) -> Iterator[tuple[str, str]]:
    """Yield module and name of each import of a package of this workspace; the name is empty for a module."""
    own = file.relative_to(ROOT).parts[3] if "packages" in file.parts else ""
    text = file.read_text("utf-8")
    if set(re.findall(r"\bgraphwright\w*", text)) <= {own}:
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found = [(node.module, alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            found = [(alias.name, "") for alias in node.names]
        else:
            continue
        for module, name in found:
            package = module.partition(".")[0]
            if module in MODULES and package != own:
                yield (f"{module}.{name}", "") if f"{module}.{name}" in MODULES else (module, name)


def exported(module: ModuleType) -> list[str]:
    return list(getattr(module, "__all__", []))


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_module_lists_names_that_exist(name: str) -> None:
    module = import_module(name)
    names = exported(module)
    assert names
    assert len(names) == len(set(names))
    assert [each for each in names if each.startswith("_") or not hasattr(module, each)] == []


def test_pages_name_only_what_is_public() -> None:
    private = re.compile(r"(?:from|import) (graphwright[\w.]*\._\w+)|`(graphwright[\w.]*\._\w[\w.()]*)`")
    folders = ("*.md", "docs/**/*.md", "examples/**/*.md", "packages/*/*.md", "packages/*/src/*/*/*.md")
    pages = [page for folder in folders for page in ROOT.glob(folder)]
    assert [(str(page), found) for page in pages if (found := private.findall(page.read_text("utf-8")))] == []


def test_other_packages_import_only_what_is_public() -> None:
    users = [*ROOT.glob("packages/*/src/**/*.py"), *ROOT.glob("examples/**/*.py")]
    hidden = sorted(
        f"{file.relative_to(ROOT)}: {module} {name}"
        for file in users
        for module, name in imports(file)
        if any(part.startswith("_") for part in module.split("."))
        or (name and name not in exported(import_module(module)))
    )
    assert hidden == []
