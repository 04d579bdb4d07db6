"""The compiled flow: frozen data that the engine walks and the host serves; and the catalogue of actions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, ClassVar, Literal

from graphwright.flow.guards import Guard, Template
from graphwright.flow.guards._templates import Parameters

__all__ = ["Action", "Kind", "Question"]

ROOT = ""
"""The id of the root graph; every other graph is a subgraph and carries its own id."""

EXIT = "__exit__"
"""The edge target that returns from a subgraph to its caller."""

CHOSEN_PATH = "$active_path"
"""The `ref` that enters the subgraph of the chosen path."""

MAX_ACTIONS = 500
"""The default maximum of actions in one turn."""


class Kind(StrEnum):
    """The five kinds of node."""

    QUESTION = "question"
    DECISION = "decision"
    ACTION = "action"
    SUBGRAPH = "subgraph"
    TERMINAL = "terminal"


Read = Literal["extract", "verbatim", "choice", "confirm"]

OnChange = Literal["carry", "pin", "ask"]
"""The treatment of conversations that wait in an earlier version of a flow."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Edge:
    """A transition. `guard` is None if the edge is always open; an `is_else` edge opens only if no other edge does."""

    id: str
    source: str
    target: str
    guard: Guard | None = None
    is_else: bool = False
    priority: int = 0
    index: int = 0
    label: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Node:
    """The common fields of every node.

    `edges` are its guarded and open edges, highest priority first, then document order.

    `otherwise` is its else edge. `graph` is the id of its graph (`ROOT` or a subgraph's id).
    """

    id: str
    graph: str = ROOT
    label: str = ""
    tags: tuple[str, ...] = ()
    edges: tuple[Edge, ...] = ()
    otherwise: Edge | None = None
    kind: ClassVar[Kind]

    @property
    def all_edges(self) -> tuple[Edge, ...]:
        return self.edges if self.otherwise is None else (*self.edges, self.otherwise)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Question(Node):
    """Asks for the value of `key`. `schema` is the JSON Schema of the value; empty means any text.

    `options` is the channel that holds the options, a list of `{value, title}` or of plain values; empty if none.
    """

    kind: ClassVar[Kind] = Kind.QUESTION
    key: str
    prompt: Template
    schema: Mapping[str, Any] = field(default_factory=dict)
    read: Read = "extract"
    options: str = ""
    ask_always: bool = False
    required: bool = True
    when: Guard | None = None
    validate: Guard | None = None
    validator: str = ""
    invalid_prompt: Template | None = None
    max_invalid: int = 3
    on_invalid: str = ""
    priority: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Decision(Node):
    """Chooses an edge; with `pick_question` the applicable, unanswered question among its targets."""

    kind: ClassVar[Kind] = Kind.DECISION
    pick_question: bool = False


@dataclass(frozen=True, slots=True)
class Confirm:
    """The confirmation that an action demands: a yes to question `by`, over the present content of `over`.

    With `when` it is demanded unless that guard is false. If the guard cannot be evaluated, it is demanded.
    """

    by: str
    over: tuple[str, ...]
    when: Guard | None = None


@dataclass(frozen=True, slots=True)
class Map:
    """Runs an action, or the subgraph `graph`, for every item of the list `over`, a channel or `answers.KEY`.

    `item` is the channel that holds the item during its run, `result` the one with its result; empty for the only one
    that the action writes. `into` gets the results and `errors` the failed items; both may be empty.
    """

    over: str
    item: str
    result: str = ""
    into: str = ""
    errors: str = ""
    at_once: int = 4
    graph: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Action(Node):
    """Runs the action `run`. `timeout` and `backoff` are seconds; `attempts` counts the first one too.

    `parameters` are those of a ready-made action; None for an action of the agent's Python. A subgraph node with `map`
    is an action, too: it performs all that the subgraph does for each item.
    """

    kind: ClassVar[Kind] = Kind.ACTION
    run: str
    attempts: int = 1
    backoff: float = 0.0
    timeout: float | None = None
    on_error: str = ""
    confirm: Confirm | None = None
    parameters: Parameters | None = None
    map: Map | None = None

    @property
    def function(self) -> str:
        """The name of its signature and of its code: that of a ready-made action is the node's, as is its code."""
        return self.run if self.parameters is None else self.id


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Call(Node):
    """A subgraph node: calls the graph `ref`; with `scope` its answers are under `answers.SCOPE`."""

    kind: ClassVar[Kind] = Kind.SUBGRAPH
    ref: str
    scope: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Terminal(Node):
    """Ends the conversation, saying `say`."""

    kind: ClassVar[Kind] = Kind.TERMINAL
    say: Template | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Graph:
    """The root graph or a subgraph.

    `keys` are its answer keys, including those of subgraphs it calls without `as`: inside a call with `as` they are
    looked up in the call's own scope, every other key in the scopes around it. `scopes` are the names (`as`) of its
    calls, found the same way.
    """

    id: str
    entry: str
    nodes: Mapping[str, Node]
    keys: frozenset[str]
    scopes: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """A named, typed part of the flow state, in addition to the answers. `was` are its earlier names."""

    name: str
    schema: Mapping[str, Any]
    default: Any = None
    per_conversation: bool = False
    append: bool = False
    large: bool = False
    private: bool = False
    was: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Constraint:
    """A condition at a root terminal: a `require` predicate, or one of several groups of keys.

    `keys` are its dotted answer keys, in the order in which they are asked if it is unmet.
    """

    keys: tuple[str, ...]
    require: Guard | None = None
    one_of: tuple[tuple[str, ...], ...] = ()
    exactly: bool = False
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Assurance:
    """A property of every conversation: `claim` is `never`, `always_before` or `eventually`, `of` is its subject.

    `of` and `before` name a node, an action or `answers.KEY`. `before` are the names of `unless` or `comes`, `unless`
    the conditions. `text` is the assurance in words.
    """

    claim: Literal["never", "always_before", "eventually"]
    of: str
    before: tuple[str, ...] = ()
    unless: tuple[Guard, ...] = ()

    @property
    def text(self) -> str:
        if self.claim == "always_before":
            return f"always before {self.of} comes {self.before[0]}"
        names = [*self.before, *(guard.text for guard in self.unless)]
        return f"{self.claim} {self.of}" + (f" unless {' or '.join(names)}" if names else "")


@dataclass(frozen=True, slots=True)
class Path:
    """One of the alternatives that the path policy chooses from."""

    id: str
    ref: str
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PathPolicy:
    """The rules that decide when a path is chosen."""

    lock_threshold: float = 2.0
    allow_switch_before_lock: bool = True
    decay: float = 0.5
    min_confidence: float = 0.0


@dataclass(frozen=True, kw_only=True, eq=False)
class CompiledFlow:
    """A flow that can run. `nodes` has the nodes of all graphs (ids are unique in a document).

    `guard_reads` are the channels that a guard or template reads, or that hold the options of a question. `max_actions`
    limits the actions of one turn. `renamed` maps the earlier ids of nodes (`was`) to their present ones. `signatures`
    are the registered actions by name, if they are known.
    """

    id: str
    graphs: Mapping[str, Graph]
    nodes: Mapping[str, Node]
    channels: Mapping[str, Channel]
    title: str = ""
    description: str = ""
    examples: tuple[str, ...] = ()
    keep_answers: bool = False
    max_actions: int = MAX_ACTIONS
    constraints: tuple[Constraint, ...] = ()
    assurances: tuple[Assurance, ...] = ()
    paths: Mapping[str, Path] = field(default_factory=dict)
    path_policy: PathPolicy = field(default_factory=PathPolicy)
    on_stuck: str = ""
    on_escalate: str = ""
    on_abandon: str = ""
    status: str = ""
    language: str = ""
    deterministic: bool = False
    guard_reads: frozenset[str] = frozenset()
    on_change: OnChange = "carry"
    renamed: Mapping[str, str] = field(default_factory=dict)
    document: Mapping[str, Any] = field(default_factory=dict)
    signatures: Mapping[str, ActionSignature] = field(default_factory=dict)

    @cached_property
    def canonical_text(self) -> str:
        """The document as canonical JSON without what does not change how it runs, as `canonical_text` describes."""
        return canonical_text(self.document)

    @cached_property
    def hash(self) -> str:
        """The SHA-256 of `canonical_text`: fields that it leaves out do not change the hash."""
        return hashlib.sha256(self.canonical_text.encode()).hexdigest()

    @property
    def root(self) -> Graph:
        """The graph in which conversations begin."""
        return self.graphs[ROOT]

    def callees(self, node: Call) -> list[str]:
        """The graphs that a call may enter: one, or with `$active_path` those of all paths."""
        if node.ref != CHOSEN_PATH:
            return [node.ref]
        return list(dict.fromkeys(path.ref for path in self.paths.values()))

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """All questions, in document order."""
        return tuple(n for n in self.nodes.values() if isinstance(n, Question))

    def question(self, node: str) -> Question:
        """The question node of this id."""
        question = self.nodes[node]
        assert isinstance(question, Question)
        return question

    def action(self, node: str) -> Action:
        """The action node of this id."""
        action = self.nodes[node]
        assert isinstance(action, Action)
        return action

    def resolve(self, scopes: Sequence[tuple[str, str]], name: str) -> tuple[str, ...]:
        """Return the path of the answer that a graph reads as `name`. `scopes` are the open ones: (name, graph)."""
        parts = tuple(name.split("."))
        for depth in range(len(scopes), 0, -1):
            graph = self.graphs[scopes[depth - 1][1]]
            if parts[0] in graph.keys or parts[0] in graph.scopes:
                return (*(scope for scope, _ in scopes[:depth]), *parts)
        return parts

    def confirmed_by(self, question: str) -> tuple[Action, ...]:
        """The actions that a yes to this question allows to run."""
        return self._confirmed.get(question, ())

    @cached_property
    def _confirmed(self) -> Mapping[str, tuple[Action, ...]]:
        """The actions that need a yes, by the question that asks for it."""
        found: dict[str, tuple[Action, ...]] = {}
        for node in self.nodes.values():
            if isinstance(node, Action) and node.confirm is not None:
                found[node.confirm.by] = (*found.get(node.confirm.by, ()), node)
        return found


def canonical_text(document: Mapping[str, Any]) -> str:
    """Return the parts of a document that determine how a conversation runs, as JSON with sorted keys.

    Without `ui` fields, its `description`, `examples`, `shadow` and `assurances`.
    """
    bare = _bare_graph(document)
    for name in ("description", "examples", "shadow", "assurances"):
        bare.pop(name, None)
    if "subgraphs" in bare:
        bare["subgraphs"] = {name: _bare_graph(graph) for name, graph in bare["subgraphs"].items()}
    return json.dumps(bare, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _bare_graph(graph: Mapping[str, Any]) -> dict[str, Any]:
    bare = {**_without_ui(graph)}
    for part in ("nodes", "edges"):
        if part in bare:
            bare[part] = [_without_ui(item) for item in bare[part]]
    return bare


def _without_ui(record: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: value for name, value in record.items() if name != "ui"} if "ui" in record else record


@dataclass(frozen=True, slots=True)
class ActionSignature:
    """A registered action and the state it declares to read and write.

    `reads` are channel names, `answers` for all answers, or dotted keys such as `answers.led.wattage`; `writes` are
    channel names. An action without `effects` changes only the channels it writes. The other fields come from the code:
    `returns` (the channels that it returns, with literal values), `lengths` (channels to which it returns lists with
    written items, and the highest number of these), `answer_keys` (names that include the answers it uses; None: it may
    use any), `uses` (channels and answers that it reads from its state by a literal name), `demands` (answers without
    which it always fails), `always` (channels that it always returns), and `tells` (it may show a computed text).
    `complete` is false if `reads` or `writes` contain more names than the literal ones.
    """

    name: str
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    effects: bool = True
    returns: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    lengths: Mapping[str, int] = field(default_factory=dict)
    answer_keys: frozenset[str] | None = None
    uses: frozenset[str] = frozenset()
    demands: frozenset[str] = frozenset()
    complete: bool = True
    always: frozenset[str] = frozenset()
    tells: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """Actions by name, names of validators, and the field names of the typed state view, or None without one.

    `missing` are the packages of formats and units that are not installed; None for those of this installation.
    `prompts` are the texts of the prompt files of the folder by name, or None if they are not known.
    """

    actions: Mapping[str, ActionSignature] = field(default_factory=dict)
    validators: frozenset[str] = frozenset()
    state_fields: frozenset[str] | None = None
    missing: frozenset[str] | None = None
    prompts: Mapping[str, str] | None = None
