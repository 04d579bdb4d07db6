"""Agent cards: the description of each agent, what it needs from outside its folder, and whether it is ready."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from graphwright.errors import GraphwrightError
from graphwright.extras import extra_problem
from graphwright.hooks import RESOURCES

if TYPE_CHECKING:
    from graphwright.flow import CompiledFlow
    from graphwright.host.agent import Outline

__all__ = ["Card", "unusable", "card"]

_MCP = "graphwright.tools.mcp"
"""The module that an agent imports if it calls tools of MCP servers."""


@dataclass(frozen=True, slots=True)
class Card:
    """An entry in the list of agents. `needs` are its needs outside its folder: `model`, `mcp`, and names of resources.

    `problem` says why the agent is not ready; `problems` are the single causes, each `{code, message, hint, facts}`.
    `package` is the distribution that provides it, empty for a built-in agent or a folder. `addresses` are the
    locations of the resources it works on, by name. `measured` is the measured quality with the model in use, empty if
    it was not measured; `score` has its numbers `{right, cases}`. `examples` are first messages, `icon` the name in
    `ui.icon` of the flow, `texts` by language what lists show instead, from `ui.texts`.
    """

    name: str
    package: str = ""
    title: str = ""
    description: str = ""
    examples: tuple[str, ...] = ()
    icon: str = ""
    texts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    file: str = ""
    nodes: int = 0
    questions: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    takes_files: bool = False
    needs: tuple[str, ...] = ()
    addresses: Mapping[str, str] = field(default_factory=dict)
    measured: str = ""
    score: Mapping[str, int] | None = None
    ready: bool = False
    problem: str = ""
    problems: tuple[Mapping[str, Any], ...] = ()


def unusable(name: str, error: GraphwrightError, package: str = "") -> Card:
    """The card of an agent that cannot be loaded."""
    return Card(name, package, problem=error.full_text, problems=(_problem_json(error),))


def cards() -> list[Card]:
    """The cards of the built-in agents, then of those from packages. The card of a broken agent says why."""
    from graphwright.host.discovery import built_in, packaged

    included = built_in()
    # Of two agents with one name the included one is used; the doctor says so.
    others = {name: found[0].distribution for name, found in packaged().items() if name not in included}
    found = []
    for name, package in {**dict.fromkeys(included, ""), **others}.items():
        try:
            found.append(card(name))
        except GraphwrightError as error:
            found.append(unusable(name, error, package))
    return found


def card(name: str, model: str | None = None, published: CompiledFlow | None = None) -> Card:
    """The card of an agent with `model`, by default the configured one.

    `published` is the version of its flow that is served in place of its file. An agent that is not built in is
    loaded, since its Python may be broken.
    """
    from graphwright.flow import Question
    from graphwright.host.agent import load, outline
    from graphwright.host.discovery import built_in, folder_use
    from graphwright.models._loading import require

    if name not in built_in():
        load(name)
    agent = outline(name)
    flow = published or agent.flow
    resources = dict(RESOURCES.usable())
    modules = (*(each.module for each in resources.values()), _MCP)
    used = [folder_use(folder, modules) for folder in agent.folders]
    uses = frozenset[str]().union(*(each.imports for each in used))
    needs, addresses = list[str](), dict[str, str]()
    problems: list[GraphwrightError | None] = []
    # To read replies, or for the agent's own Python, which has prompts then.
    reads = any(question.read == "extract" for question in flow.questions)
    if reads or any(any((folder / "prompts").glob("*.j2")) for folder in agent.folders):
        needs.append("model")
        problems.append(_problem(lambda: require(model)))
    for name_of_resource, resource in resources.items():
        if resource.module in uses:
            needs.append(name_of_resource)
            problems.append(resource.problem())
            if address := resource.address():
                addresses[name_of_resource] = address
    if _MCP in uses:
        needs.append("mcp")
        problems.append(extra_problem("mcp"))
    found = [each for each in problems if each is not None]
    return Card(
        name=agent.name,
        package=agent.package,
        title=flow.title or agent.title,
        description=flow.description,
        examples=flow.examples,
        icon=_icon(flow.document.get("ui")),
        texts=_texts(flow.document.get("ui")),
        file=str(agent.file),
        nodes=len(flow.nodes),
        questions=tuple(node.key for node in flow.nodes.values() if isinstance(node, Question)),
        actions=agent.actions,
        takes_files=any(each.files for each in used),
        needs=tuple(needs),
        addresses=addresses,
        **_measured(agent, model),
        ready=not found,
        problem=" ".join(each.full_text for each in found),
        problems=tuple(map(_problem_json, found)),
    )


def _icon(ui: object) -> str:
    """The name of an icon in the `ui` of a flow, for clients that know it."""
    icon = ui.get("icon") if isinstance(ui, Mapping) else None
    return icon if isinstance(icon, str) else ""


def _texts(ui: object) -> dict[str, dict[str, Any]]:
    """The texts by language in the `ui` of a flow. What has another form is left out, as `ui` is not checked."""
    given = ui.get("texts") if isinstance(ui, Mapping) else None
    found = {}
    for language, texts in given.items() if isinstance(given, Mapping) else ():
        if isinstance(texts, Mapping):
            found[language] = {name: texts[name] for name in _TEXTS if isinstance(texts.get(name), str)}
            examples = texts.get("examples")
            if isinstance(examples, list) and all(isinstance(each, str) for each in examples):
                found[language]["examples"] = list(examples)
    return found


_TEXTS = ("title", "about", "description")


def _problem(check: Callable[[], object]) -> GraphwrightError | None:
    """The error that a check raises, or None."""
    try:
        check()
    except GraphwrightError as error:
        return error
    return None


def _problem_json(error: GraphwrightError) -> dict[str, Any]:
    return {**error.to_json(), "facts": dict(error.facts)}


def _measured(agent: Outline, model: str | None) -> dict[str, Any]:
    """The measured quality of a built-in agent with the model in use, on unseen cases; empty if it was not measured."""
    from graphwright.models._loading import default_model

    file = agent.folder / "measured.json"
    if agent.package or not file.is_file():
        return {}
    model = model or default_model()
    right, cases = json.loads(file.read_text("utf-8")).get(model, (0, 0))
    if not cases:
        return {}
    return {"measured": f"{right} of {cases} right with {model}", "score": {"right": right, "cases": cases}}
