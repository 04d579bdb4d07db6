"""The measured flows, as the text of documents, and the Python of their actions."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import graphwright

PURE = 10
"""The number of pure nodes in a turn for the comparison of engines."""

CHANNELS = {
    "name": "Alice",
    "city": "Lisbon",
    "venue": "sports court",
    "street": "Rua do Sol",
    "phone": "0351 555 0100",
    "width": 18,
    "length": 36,
    "height": 9,
    "budget": 5000,
}
"""The nine values of the state besides the answer `colour`, so that every engine has ten values."""

GUARD = "answers.colour == 'red' && budget >= 1000 && city != 'Paris'"
"""The three-term guard of the pure nodes. It is true."""

ACTION = '''"""The action of the measured flows."""

from graphwright import action


@action(reads=["budget"], writes=["budget"])
def act(state, ctx):
    return {"budget": state["budget"] + 1}
'''

_ASKED = (
    '{id: ask, type: question, key: colour, prompt: "Which colour?", '
    "schema: {enum: [red, green, blue]}, read: READ, ask: always}"
)


def document(nodes: list[str], edges: list[str], subgraphs: dict[str, tuple[list[str], list[str]]]) -> str:
    """A flow document of nodes and edges in flow style."""
    lines = ["version: v1", "id: flow.bench", "state:"]
    for name, value in CHANNELS.items():
        kind, default = ("integer", str(value)) if isinstance(value, int) else ("string", f'"{value}"')
        lines.append(f"  {name}: {{type: {kind}, default: {default}}}")
    lines += _graph(nodes, edges, "")
    if subgraphs:
        lines.append("subgraphs:")
        for name, (inner, inner_edges) in subgraphs.items():
            lines += [f"  {name}:", *_graph(inner, inner_edges, "    ")]
    return "\n".join(lines) + "\n"


def _graph(nodes: list[str], edges: list[str], indent: str) -> list[str]:
    return [
        f"{indent}nodes:",
        *(f"{indent}  - {n}" for n in nodes),
        f"{indent}edges:",
        *(f"{indent}  - {e}" for e in edges),
    ]


def one_action(read: str = "choice") -> str:
    """A turn is one question and one action; it does not end."""
    nodes = [_ASKED.replace("READ", read), "{id: act, type: action, run: act}", "{id: done, type: terminal}"]
    edges = [
        f'{{from: ask, to: act, guard: "{GUARD}"}}',
        "{from: ask, to: done, guard: else}",
        "{from: act, to: ask}",
    ]
    return document(nodes, edges, {})


def answered(walked: int, guard: str) -> str:
    """Ten questions, then `walked` decisions from `n1` on, each with a guard that is true, then the end."""
    nodes = [_ASKED.replace("READ", "choice")]
    for key, value in CHANNELS.items():
        kind = "integer" if isinstance(value, int) else "string"
        nodes.append(f"{{id: q_{key}, type: question, key: {key}, prompt: Yes, schema: {{type: {kind}}}}}")
    ways = ["ask", *(f"q_{key}" for key in CHANNELS), *(f"n{number}" for number in range(1, walked + 1)), "done"]
    edges = []
    for here, after in pairwise(ways):
        if here.startswith("n"):
            nodes.append(f"{{id: {here}, type: decision}}")
            edges += [f'{{from: {here}, to: {after}, guard: "{guard}"}}', f"{{from: {here}, to: rest, guard: else}}"]
        else:
            edges.append(f"{{from: {here}, to: {after}}}")
    return document([*nodes, "{id: rest, type: terminal}", "{id: done, type: terminal}"], edges, {})


def pure(walked: int, size: int = 0) -> str:
    """A turn is one question and `walked` decisions, each with a three-term guard that is true; it does not end.

    Further nodes, up to `size`, are not on the walk: groups of five with questions, a decision and an action, or a call
    of a subgraph and its nodes.
    """
    nodes = [_ASKED.replace("READ", "choice")]
    edges = ["{from: ask, to: n1}"]
    for number in range(1, walked + 1):
        after = f"n{number + 1}" if number < walked else "ask"
        nodes.append(f"{{id: n{number}, type: decision}}")
        edges += [f'{{from: n{number}, to: {after}, guard: "{GUARD}"}}', f"{{from: n{number}, to: rest, guard: else}}"]
    nodes += ["{id: rest, type: decision}", "{id: done, type: terminal}"]
    fives = max(0, size - len(nodes)) // 5
    if fives:
        edges.append("{from: rest, to: q0}")
    more, more_edges, subgraphs = _groups(fives)
    nodes, edges = [*nodes, *more], [*edges, *more_edges]
    if not fives:
        edges.append("{from: rest, to: done}")
    return document(nodes, edges, subgraphs)


def interview(groups: int) -> str:
    """Groups of nodes as in `pure`, one after the other: a conversation with one action in each."""
    nodes, edges, subgraphs = _groups(groups)
    return document([*nodes, "{id: done, type: terminal}"], edges, subgraphs)


def _groups(count: int) -> tuple[list[str], list[str], dict[str, tuple[list[str], list[str]]]]:
    """Groups of five nodes, the first of them at `q0`, the last before `done`: nodes, edges and subgraphs.

    A group has questions, a decision and an action; each fourth one is a call of a subgraph with its nodes.
    """
    nodes: list[str] = []
    edges: list[str] = []
    subgraphs: dict[str, tuple[list[str], list[str]]] = {}
    for number in range(count):
        after = f"q{number + 1}" if number + 1 < count else "done"
        if number % 4 == 1:
            nodes.append(f"{{id: q{number}, type: subgraph, ref: sub{number}, as: part{number}}}")
            edges.append(f"{{from: q{number}, to: {after}}}")
            subgraphs[f"sub{number}"] = _four(f"s{number}", "", "__exit__")
            continue
        four, four_edges = _four(f"q{number}", f"_{number}", f"t{number}")
        nodes += [
            *four,
            f"{{id: t{number}, type: question, key: text_{number}, schema: {{type: string}}, read: verbatim, "
            f'prompt: "A word on {{{{ answers.kind_{number} }}}}, {{{{ answers.size_{number} }}}} m?"}}',
        ]
        edges += [
            *four_edges,
            f"{{from: t{number}, to: done, guard: \"answers.text_{number} == 'stop'\"}}",
            f"{{from: t{number}, to: {after}, guard: else}}",
        ]
    return nodes, edges, subgraphs


def _four(first: str, suffix: str, after: str) -> tuple[list[str], list[str]]:
    """Four nodes: two questions whose keys end with `suffix`, a decision over their answers, an action."""
    nodes = [
        f"{{id: {first}, type: question, key: kind{suffix}, prompt: Kind, schema: {{enum: [a, b, c]}}, read: choice}}",
        f"{{id: {first}_size, type: question, key: size{suffix}, prompt: Size, schema: {{type: number, minimum: 0}}}}",
        f"{{id: {first}_which, type: decision}}",
        f"{{id: {first}_act, type: action, run: act}}",
    ]
    guard = f"answers.kind{suffix} == 'a' && answers.size{suffix} > 3.5 && budget >= 1000"
    edges = [
        f"{{from: {first}, to: {first}_size}}",
        f"{{from: {first}_size, to: {first}_which}}",
        f'{{from: {first}_which, to: {first}_act, guard: "{guard}"}}',
        f"{{from: {first}_which, to: {after}, guard: else}}",
        f"{{from: {first}_act, to: {after}}}",
    ]
    return nodes, edges


def written(folder: Path, text: str) -> Path:
    """The folder of an agent, with the flow and its action."""
    folder.mkdir(parents=True)
    (folder / "flow.yaml").write_text(text, "utf-8")
    (folder / "nodes.py").write_text(ACTION, "utf-8")
    return folder


def agent(folder: Path, text: str) -> graphwright.Agent:
    """An agent made of the flow."""
    return graphwright.load(written(folder, text))
