"""No module of the engine, the host, the service or the command line knows the included agents."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import graphwright
import graphwright_server
from graphwright.host.discovery import built_in

PRODUCTS = ("graphwright_assistant", "graphwright_data", "graphwright_graph", "graphwright_upgrade")
CORE, SERVER = Path(graphwright.__file__).parent, Path(graphwright_server.__file__).parent
MODULES = sorted(
    file
    for folder in (*(CORE / part for part in ("engine", "host", "flow", "store", "cli")), SERVER)
    for file in folder.rglob("*.py")
)
CHANNELS = {"staged", "action_params", "selected_tools"}
EXEMPT = {
    ("graphwright_server/_openai.py", "assistant"): "the role of a message in the protocol of OpenAI",
    ("graphwright_server/shapes/_openai.py", "assistant"): "the same",
    ("graphwright_server/routes/_threads.py", "assistant"): "the role of a message in the store",
    ("graphwright/store/rows.py", "assistant"): "the role of a message in the store",
}
"""Names of agents that mean something else, by module."""


def named(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the texts that decide something: keys, subscripts, and parts of comparisons and cases."""
    for node in nodes:
        match node:
            case ast.Dict():
                deciding = [key for key in node.keys if key]
            case ast.Compare():
                deciding = [node.left, *node.comparators]
            case ast.Subscript():
                deciding = [node.slice]
            case ast.MatchValue():
                deciding = [node.value]
            case ast.Call(func=ast.Attribute(attr="get" | "pop" | "setdefault" | "startswith")):
                deciding = list(node.args[:1])
            case _:
                continue
        yield from (part.value for each in deciding for part in ast.walk(each) if isinstance(part, ast.Constant))


def imports(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def texts(nodes: Iterable[ast.AST]) -> set[str]:
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def names_of_agents(source: str) -> set[str]:
    """Return the imports, names and channels of the included agents in a module."""
    nodes = list(ast.walk(ast.parse(source)))
    agents = {name for name in imports(nodes) if name.startswith(("graphwright.agents", *PRODUCTS))}
    return agents | ({*named(nodes)} & {*built_in()}) | (texts(nodes) & CHANNELS)


def module(file: Path) -> str:
    return "/".join(file.parts[file.parts.index("src") + 1 :])


def test_no_module_knows_an_included_agent() -> None:
    found = {(module(file), name) for file in MODULES for name in names_of_agents(file.read_text("utf-8"))}
    assert (found - set(EXEMPT), set(EXEMPT) - found) == (set(), set())


@pytest.mark.parametrize(
    "source",
    [
        "from graphwright_upgrade.upgrade import server",
        "def f():\n    import graphwright.agents.intake.nodes",
        "if agent == 'upgrade': pass",
        "if agent in ('intake', 'other'): pass",
        "KINDS = {'graph_editor': 1}",
        "match agent:\n    case 'assistant' | 'x': pass",
        "settings['data_scientist']",
        "config.agents.get('assistant', {})",
        "name = 'selected_tools'",
    ],
)
def test_knowledge_of_an_agent_is_found(source: str) -> None:
    assert names_of_agents(source)
