"""The flow document, version 1, as Pydantic models. They check its shape and generate the published JSON Schema."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
    create_model,
    model_validator,
)

from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._json_schemas import SCHEMA_KEYWORDS, kind_of
from graphwright.flow._source import Reporter
from graphwright.flow._validation import fault, without_faults, wrong_type
from graphwright.flow.guards._vocabulary import KEYWORDS, RESERVED_CHANNELS, is_answer_key, is_variable
from graphwright.text.near_names import listed

VERSION = "v1"
"""The version of the language that this compiler reads."""

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def _filled(value: str) -> str:
    if not value or value.isspace():
        raise fault(Code.OUT_OF_RANGE, "{name} is empty.", "Leave the field out, or fill it in.")
    return value


def _id(value: str) -> str:
    if not value.isprintable() or value == "" or value != value.strip():
        why = "it is empty" if not value.strip() else "it has stray blanks"
        hint = "An id has at least one character, no line breaks, no blanks at its ends."
        raise fault(Code.BAD_NAME, f"{{name}} is not a usable id: {why}.", hint)
    return value


def _identifier(value: str) -> str:
    if not IDENTIFIER.match(value):
        tame = re.sub(r"\W+", "_", value, flags=re.ASCII).strip("_") or "name"
        tame = f"_{tame}" if tame[0].isdigit() else tame
        hint = f"Use letters, digits and _, not a digit first: `{tame[:60]}`."
        raise fault(Code.BAD_NAME, f"{{name}}: `{value[:60]}` cannot be used in guards.", hint)
    return value


def _key(value: str) -> str:
    if value in KEYWORDS:
        raise fault(Code.RESERVED_NAME, f"{{name}}: `{value}` is a word of the guard language.", f"Try `{value}_`.")
    return _identifier(value)


def _variable(value: str) -> str:
    if value in RESERVED_CHANNELS:
        message = f"`{value}` is a name that every flow has already."
        raise fault(Code.RESERVED_NAME, message, f"Choose another name, such as `my_{value}`.")
    if (is_answer_key(value) and not is_variable(value)) or value in KEYWORDS:
        message = f"`{value}` is a word of the guard language."
        raise fault(Code.RESERVED_NAME, message, f"Choose another name, such as `{value}_`.")
    return _identifier(value)


def other_version(value: Any) -> tuple[str, str] | None:
    """The message and the hint for a version of the language that this compiler does not read, or None."""
    number = re.fullmatch(r"v(\d{1,6})", value) if isinstance(value, str) else None
    if number is None or value == VERSION:
        return None
    if int(number[1]) > int(VERSION[1:]):
        message = f"The document has version `{value}` of the language; this program reads versions up to `{VERSION}`."
        return message, f"Install a Graphwright that reads `{value}`, or write the document in version `{VERSION}`."
    message = f"The document has version `{value}` of the language; this program runs version `{VERSION}`."
    return message, "Upgrade it with 'graphwright migrate FILE --write'."


def _version(value: Any) -> Any:
    if value == VERSION and isinstance(value, str):
        return value
    message = f"This program reads version `{VERSION}` of the language, not {kind_of(value)}."
    hint = f"Write `version: {VERSION}`, or update Graphwright if the flow is newer."
    raise fault(Code.VERSION, *(other_version(value) or (message, hint)))


def _json_schema(value: Any) -> Any:
    if not isinstance(value, dict | bool):
        raise wrong_type("a JSON Schema (a mapping)", value)
    return value


Id = Annotated[str, AfterValidator(_id), WithJsonSchema({"type": "string", "minLength": 1, "pattern": r"^\S(.*\S)?$"})]
Key = Annotated[str, AfterValidator(_key), WithJsonSchema({"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"})]
VariableName = Annotated[
    str,
    AfterValidator(_variable),
    WithJsonSchema(
        {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$", "not": {"enum": sorted(RESERVED_CHANNELS)}}
    ),
]
Expression = Annotated[
    str, AfterValidator(_filled), WithJsonSchema({"type": "string", "minLength": 1, "pattern": r"\S"})
]
JsonSchema = Annotated[Any, AfterValidator(_json_schema), WithJsonSchema({"type": ["object", "boolean"]})]
Positive = Annotated[float, Field(gt=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1)]


_LEFT_OUT: Any = None
"""The default of a field without one: the document omits the field. It is not accepted as a value."""


class Record(BaseModel):
    """A mapping with known fields. `elsewhere` maps a field of other records to their names, for hints."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)
    called: ClassVar[str] = "This"
    elsewhere: ClassVar[Mapping[str, str]] = {}

    @classmethod
    def checked(cls, data: Any, out: Reporter) -> Any:
        """Return the data without the parts that do not have the shape of the model, and report these parts."""
        try:
            cls.model_validate(data)
        except ValidationError as failure:
            return without_faults(cls, data, failure, out)
        return data


def needs_one_of(*names: str) -> Callable[[Any], Any]:
    """Return a check that a record has at least one of these fields, named as in the document."""

    def check(self: Any) -> Any:
        given = {type(self).model_fields[name].alias or name for name in self.model_fields_set}
        if given.isdisjoint(names):
            raise fault(
                Code.MISSING_FIELD, f"{self.called} needs one of the fields {listed(names)}.", "Add one of them."
            )
        return self

    return check


_UI = "What an editor keeps here: place, colour, group. Only pictures use it."


class _Looks(Record):
    label: str = Field("", description="The name in pictures and editors.")
    tags: list[str] = Field(_LEFT_OUT, description="Words for sorting and statistics.")
    ui: dict[str, Any] = Field(_LEFT_OUT, description=_UI)


class _Node(_Looks):
    id: Id = Field(description="The node's id, unique in the whole document. Edges name it.")
    was: Id | Annotated[list[Id], Field(min_length=1)] = Field(
        _LEFT_OUT,
        description="The id, or the ids, that the node had in earlier versions of the flow. By `was`, "
        "waiting conversations carry over.",
    )


_KIND = "The kind of node: `question`, `decision`, `action`, `subgraph` or `terminal`."


class Question(_Node):
    """Asks for the value of one key. Only a value that fits `schema` and `validate` becomes an answer.

    ```yaml
    version: v1
    id: flow.delivery
    nodes:
      - {id: q.day, type: question, key: day, prompt: "When shall we deliver?", schema: {enum: [monday, friday]}}
      - id: q.weight
        type: question
        key: weight
        prompt: How heavy is the parcel, in kg?
        schema: {type: number, exclusiveMinimum: 0}
        validate: value <= 30.0
        invalid_prompt: We carry parcels of up to 30 kg. How heavy is it?
      - {id: t.done, type: terminal, say: "{{ answers.weight }} kg, on {{ answers.day }}."}
    edges:
      - {from: q.day, to: q.weight}
      - {from: q.weight, to: t.done}
    ```
    """

    model_config = ConfigDict(title="question")
    called = "A question"

    type: Literal["question"] = Field(description=_KIND)
    key: Key = Field(description="The name of the answer; guards read it as `answers.KEY`.")
    prompt: str = Field(description="The text of the question. May contain `{{ CEL }}`.")
    schema_: JsonSchema = Field(
        _LEFT_OUT,
        alias="schema",
        description="JSON Schema of the value. By default the value is text (with `read: confirm` also true or "
        "false). Users see the answer under its `title`, by default under the key.",
    )
    read: Literal["extract", "verbatim", "choice", "confirm"] = Field(
        "extract",
        description="How a reply becomes a value: `extract` (default, a model reads it), `verbatim` (the reply "
        "itself), `choice` (one of the options: a model reads a reply that does not exactly match one), "
        "`confirm` (code reads yes or no; anything else stays text).",
    )
    options: Id = Field(
        "",
        description="The channel that contains the options: a list of `{value, title}`, or of plain values. Implies "
        "`read: choice`; with `read: extract` a model may also pick one of them.",
    )
    ask: Literal["once", "always"] = Field(
        "once",
        description="`once` (default) skips a question that has an answer; `always` drops the old answer and asks "
        "again.",
    )
    required: bool = Field(True, description="Must be answered (default true).")
    when: Expression = Field(
        "", description="A guard. If it is not true, the question is skipped and a volunteered answer is rejected."
    )
    validate_: Expression = Field(
        "",
        alias="validate",
        description="CEL over `value`, `answers` and the channels, or the name of a registered validator.",
    )
    invalid_prompt: str = Field(
        "",
        description="The text after an invalid reply. If a value is rejected that was not asked for, only the "
        "sentences that are no questions are shown. If an answer no longer fits and is asked for again in the same "
        "turn, this text is shown instead of `prompt`. May contain `{{ CEL }}`.",
    )
    max_invalid: Count = Field(
        3,
        description="After this many invalid replies the flow goes to `on_invalid`, or, without one, to the flow's "
        "`on_escalate` (default 3).",
    )
    on_invalid: Id = Field("", description="The node, in the same graph, to enter after `max_invalid` invalid replies.")
    priority: int = Field(
        0,
        description="Only for a decision with `pick: question`: the question with the lowest priority is asked first "
        "(default 0).",
    )


class Decision(_Node):
    """Asks nothing and does nothing: it takes one of its edges. With `pick: question` all targets are questions
    except that of the `else` edge, the way out when none is left.

    ```yaml
    version: v1
    id: flow.contact
    nodes:
      - {id: d.next, type: decision, pick: question}
      - {id: q.name, type: question, key: name, prompt: "Your name?", priority: 1}
      - {id: q.email, type: question, key: email, prompt: "Your e-mail?", when: has(answers.name), priority: 2}
      - {id: t.done, type: terminal, say: "Thank you, {{ answers.name }}: {{ answers.email }}."}
    edges:
      - {from: d.next, to: q.name}
      - {from: d.next, to: q.email}
      - {from: d.next, to: t.done, guard: else}
      - {from: q.name, to: d.next}
      - {from: q.email, to: d.next}
    ```
    """

    model_config = ConfigDict(title="decision")
    called = "A decision"

    type: Literal["decision"] = Field(description=_KIND)
    pick: Literal["question"] = Field(
        _LEFT_OUT,
        description="`question`: go to the applicable, unanswered question among the targets; to `else` when none is "
        "left.",
    )


class Retry(Record):
    called = "`retry`"

    attempts: Count = Field(1, description="The number of attempts, including the first one (default 1).")
    backoff: Annotated[float, Field(ge=0)] = Field(
        0, description="Seconds before the second attempt; doubled before each further attempt (default 0)."
    )


class Confirm(Record):
    called = "`confirm`"

    by: Id = Field(description="The question, with `read: confirm` and in the same graph, whose yes the action needs.")
    over: Annotated[list[Id], Field(min_length=1)] = Field(
        description="The channels and answers (`answers.KEY`) whose content is confirmed. A later change voids the "
        "confirmation."
    )
    when: Expression = Field(
        "",
        description="A guard, evaluated just before the action runs. If it is false, no confirmation is needed; if "
        "it cannot be evaluated, a confirmation is needed.",
    )


class Map(Record):
    called = "`map`"

    over: Id = Field(description="The list: a channel, or an answer (`answers.KEY`).")
    as_: VariableName = Field(
        alias="as",
        description="The channel that holds the item, for this run only. Its schema is that of an item, "
        "or a wider one if the list has no `items`.",
    )
    result: VariableName = Field(
        "",
        description="The channel whose value is the result of an item (default: the only one that the action writes).",
    )
    into: VariableName = Field(
        "", description="The channel that gets the list of the results, in the order of the items."
    )
    errors: VariableName = Field(
        "", description="The channel that gets the list of the items that failed, each `{index, error}`."
    )
    at_once: Annotated[int, Field(ge=1, le=32)] = Field(
        4, description="The number of items that run at once (default 4)."
    )


class Action(_Node):
    """Runs a function of the agent, which reads and writes channels.

    ```yaml
    version: v1
    id: flow.offer
    state: {quote: {type: [string, "null"]}}
    nodes:
      - {id: a.quote, type: action, run: make_quote, timeout: 30, retry: {attempts: 3, backoff: 0.5}}
      - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "Send {{ quote }}?"}
      - {id: a.send, type: action, run: send_offer, confirm: {by: q.sure, over: [quote]}}
      - {id: t.done, type: terminal, say: Done.}
    edges:
      - {from: a.quote, to: q.sure}
      - {from: q.sure, to: a.send, guard: answers.sure == true}
      - {from: q.sure, to: t.done, guard: else}
      - {from: a.send, to: t.done}
    ```
    """

    model_config = ConfigDict(title="action")
    called = "An action"

    type: Literal["action"] = Field(description=_KIND)
    run: Id = Field(description="The name of the registered or ready-made action.")
    retry: Retry = Field(_LEFT_OUT, description="How many attempts, and the pause between them.")
    timeout: Positive = Field(_LEFT_OUT, description="The time limit of one attempt, in seconds.")
    on_error: Id = Field("", description="The node, in the same graph, to enter after the last attempt has failed.")
    confirm: Confirm = Field(_LEFT_OUT, description="The confirmation that the action needs and uses up.")
    map: Map = Field(_LEFT_OUT, description="Runs the action for every item of a list, once for each.")
    with_: dict[str, Any] = Field(
        _LEFT_OUT,
        alias="with",
        description="The parameters of a ready-made action (`ask_model`, `call_tool`, `http_request`, `record`, "
        "`hand_over`, `say`).",
    )


class Subgraph(_Node):
    """Calls another graph, and goes on with its own edges when that one returns by an edge to `__exit__`.

    ```yaml
    version: v1
    id: flow.two_rooms
    nodes:
      - {id: s.hall, type: subgraph, ref: room, as: hall}
      - {id: s.office, type: subgraph, ref: room, as: office}
      - {id: t.done, type: terminal, say: "{{ answers.hall.lamps + answers.office.lamps }} lamps."}
    edges:
      - {from: s.hall, to: s.office}
      - {from: s.office, to: t.done}
    subgraphs:
      room:
        nodes:
          - {id: q.lamps, type: question, key: lamps, prompt: "How many lamps?", schema: {type: integer, minimum: 1}}
        edges:
          - {from: q.lamps, to: __exit__}
    ```
    """

    model_config = ConfigDict(title="subgraph")
    called = "A subgraph"

    type: Literal["subgraph"] = Field(description=_KIND)
    ref: Id = Field(description="The called subgraph, or `$active_path` for the subgraph of the chosen path.")
    as_: Key = Field(
        "",
        alias="as",
        description="The name for its answers, `answers.NAME`. Without `as` the answers are shared with the caller.",
    )
    map: Map = Field(
        _LEFT_OUT,
        description="Runs the subgraph for every item of a list. Then it must not contain a question, confirmation or "
        "terminal.",
    )
    on_error: Id = Field("", description="With `map`: the node, in the same graph, to enter if an item has failed.")
    confirm: Confirm = Field(_LEFT_OUT, description="With `map`: the confirmation that all items need and use up.")


class Terminal(_Node):
    """Ends the conversation, inside a subgraph too.

    ```yaml
    version: v1
    id: flow.hello
    nodes:
      - {id: q.name, type: question, key: name, prompt: "What is your name?"}
      - {id: t.done, type: terminal, say: "Hello, {{ answers.name }}."}
    edges:
      - {from: q.name, to: t.done}
    ```
    """

    model_config = ConfigDict(title="terminal")
    called = "A terminal"

    type: Literal["terminal"] = Field(description=_KIND)
    say: str = Field("", description="The final text. May contain `{{ CEL }}`.")


NODES: Mapping[str, type[Record]] = {
    model.__name__.lower(): model for model in (Question, Decision, Action, Subgraph, Terminal)
}
"""The model of each kind of node."""

Node = Annotated[Question | Decision | Action | Subgraph | Terminal, Field(discriminator="type")]


class Edge(_Looks):
    called = "An edge"
    elsewhere = {"when": "a question; an edge has a `guard`", "condition": "no part; an edge has a `guard`"}

    from_: Id = Field(alias="from", description="The source node.")
    to: Id = Field(description="The target node, in the same graph; in a subgraph also `__exit__`.")
    guard: Expression | None = Field(
        None, description="A CEL expression, or `else`. Without a guard (or null) the edge is always open."
    )
    id: Id = Field("", description="The id, unique among the edges (default: made from the two nodes).")
    priority: int = Field(
        0, description="Among several open edges the highest wins, then the order of the document (default 0)."
    )


class _Graph(Record):
    entry: Id = Field("", description="The node at which the flow begins (default: the first one).")
    nodes: list[Node] = Field(description="The nodes.")
    edges: list[Edge] = Field(description="The transitions between them.")
    title: str = Field("", description="The name that users see.")
    ui: dict[str, Any] = Field(_LEFT_OUT, description=_UI)


class Graph(_Graph):
    called = "A subgraph"

    label: str = Field("", description="A short name that users see.")


class ChannelOptions(Record):
    default: Any = Field(
        None,
        description="The initial value (by default null; an empty list with `reduce: append`).",
    )
    scope: Literal["thread", "conversation"] = Field(
        "thread",
        description="`conversation`: reset to the default when a new conversation begins on the thread. `thread` "
        "(default): the value is kept.",
    )
    reduce: Literal["replace", "append"] = Field(
        "replace", description="`append`: values that actions write are added to the list (default `replace`)."
    )
    large: bool = Field(
        False,
        description="Stored separately from the state, once for each content; loaded only by guards and actions that "
        "read it.",
    )
    was: Id | Annotated[list[Id], Field(min_length=1)] = Field(
        _LEFT_OUT,
        description="The name, or the names, that the channel had in earlier versions of the flow. By `was`, waiting "
        "conversations keep its value.",
    )
    private: bool = Field(False, description="Omitted from `--json`, `Turn.values`, `threads trace` and the service.")


_TYPING = ("type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref")
"""The keywords of which a channel needs one."""


class _Channel(ChannelOptions):
    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": [name]} for name in _TYPING]})
    called = "A channel"

    type: Any = Field(
        None,
        description="The JSON Schema type, or a list of types. Further JSON Schema keywords may follow.",
    )
    _any = model_validator(mode="after")(needs_one_of(*_TYPING))


_KEYWORD_FIELDS: dict[str, Any] = {
    f"keyword_{number}": (Any, Field(None, alias=keyword, description="As in JSON Schema."))
    for number, keyword in enumerate(sorted(SCHEMA_KEYWORDS - {"type", "default"}))
}
Channel = create_model("Channel", __base__=_Channel, __module__=__name__, **_KEYWORD_FIELDS)


class Constraint(Record):
    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": ["one_of"]}, {"required": ["require"]}]})
    called = "A constraint"

    one_of: Annotated[list[Annotated[list[Id], Field(min_length=1)]], Field(min_length=1)] = Field(
        _LEFT_OUT,
        description="Groups of answer keys (`email`, `led.wattage`); all keys of at least one group must be answered.",
    )
    exactly: bool = Field(False, description="With `one_of`: exactly one group, not several (default false).")
    require: Id = Field("", description="The name of a predicate that must be true.")
    message: str = Field("", description="The text if the constraint is not met.")
    id: Id = Field(
        "", description="The id by which a layer changes it (default: its predicate, or its groups of keys)."
    )
    _any = model_validator(mode="after")(needs_one_of("one_of", "require"))


_CLAIMS = ("never", "always_before", "eventually")
"""The fields of an assurance of which it needs one."""


class Assurance(Record):
    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": [name]} for name in _CLAIMS]})
    called = "An assurance"

    never: Id = Field(
        "",
        description="A node, an action or an answer (`answers.KEY`) that is never reached, or only as `unless` says.",
    )
    unless: Expression | Annotated[list[Expression], Field(min_length=1)] = Field(
        _LEFT_OUT,
        description="With `never`: a condition at that moment, a question that was answered (a confirmation: with "
        "yes), or a node or action that was done before. In a list, one entry is enough.",
    )
    always_before: Id = Field("", description="A node, an action or an answer that is reached only after `comes`.")
    comes: Id = Field("", description="With `always_before`: the node, action or answer that comes first.")
    eventually: Id = Field(
        "",
        description="A node, an action or an answer (`answers.KEY`) that every conversation reaches before it ends, "
        "unless the user gives up or asks for a person.",
    )
    _any = model_validator(mode="after")(needs_one_of(*_CLAIMS))


class ChosenPath(Record):
    called = "A path"

    ref: Id = Field(description="The subgraph that `ref: $active_path` enters.")
    description: str = Field("", description="The purpose of the path; the model chooses by it.")


class PathPolicy(Record):
    called = "`path_policy`"

    lock_threshold: Positive = Field(2, description="The weight of votes that makes the choice final (default 2).")
    allow_switch_before_lock: bool = Field(
        True, description="Whether the leading path may change before the choice is final (default true)."
    )
    decay: Share = Field(
        0.5, description="After a vote, the votes for all other paths are multiplied by this factor (default 0.5)."
    )
    min_confidence: Share = Field(0, description="Votes with less confidence do not count (default 0).")


class Document(_Graph):
    model_config = ConfigDict(title="Graphwright flow document, version 1")
    called = "The document"

    version: Annotated[Any, AfterValidator(_version), WithJsonSchema({"const": VERSION})] = Field(
        description="The version of the language: `v1`."
    )
    id: Id = Field(description="The id of the flow, such as `flow.sales`.")
    description: str = Field(
        "",
        description="What the agent does and what it does not do, in one to three sentences. People, and models that "
        "call it, choose by it. It is not part of the flow's hash: waiting conversations continue after "
        "a change.",
    )
    examples: list[Annotated[str, Field(min_length=1, max_length=200)]] = Field(
        _LEFT_OUT,
        max_length=8,
        description="First messages that users may send as they are, at most 8. They are not part of the flow's hash.",
    )
    ui: dict[str, Any] = Field(
        _LEFT_OUT,
        description=f"{_UI} The web app shows its `icon`: `book`, `bulb`, `chart`, `code`, `flask`, `graph`, `mail`, "
        "`search`, `shop`, `support` or `tool`, and its `texts`: by language `title`, `about` (one line), "
        "`description` and `examples`.",
    )
    restart: Literal["keep", "clear"] = Field(
        "clear",
        description="What happens to the answers, and to declined questions, when a message reaches an ended thread: "
        "`clear` (default) deletes them, `keep` keeps them.",
    )
    on_change: Literal["carry", "pin", "ask"] = Field(
        "carry",
        description="What happens to a conversation that waits in an earlier version of the flow: `carry` (default) "
        "carries it over at its next message if its position and answers still fit, otherwise it finishes in its "
        "version; `pin`: it always finishes in its version; `ask`: it stays in its version until an operator migrates "
        "it.",
    )
    max_actions: Count = Field(
        500,
        description="The largest number of actions in one turn (default 500); a turn with more fails.",
    )
    state: dict[VariableName, Channel] = Field(  # type: ignore[valid-type]
        _LEFT_OUT, description="The channels: typed state in addition to the answers, by name."
    )
    predicates: dict[VariableName, Expression] = Field(
        _LEFT_OUT, description="Named guards, usable in guards, templates and constraints."
    )
    constraints: list[Constraint] = Field(
        _LEFT_OUT,
        description="Conditions at the terminals outside of subgraphs. If a condition is not met, the first unanswered "
        "key that can be asked is asked; if there is none, the flow goes to `on_stuck`.",
    )
    assurances: list[Assurance] = Field(
        _LEFT_OUT, description="Promises about every conversation. `graphwright check` decides whether they hold."
    )
    paths: dict[Id, ChosenPath] = Field(
        _LEFT_OUT, description="The alternatives among which the path policy chooses, by id."
    )
    path_policy: PathPolicy = Field(_LEFT_OUT, description="When the choice of a path is final.")
    on_stuck: Id = Field("", description="The node, outside of subgraphs, to enter when no edge is open.")
    on_escalate: Id = Field("", description="The node, outside of subgraphs, to enter when a person must take over.")
    on_abandon: Id = Field(
        "", description="The node, outside of subgraphs, to enter when the user gives up the whole request."
    )
    status: VariableName = Field(
        "", description="The text channel that is part of the reply to a user's question, unless it is empty."
    )
    language: VariableName = Field(
        "",
        description="The text channel in which actions write the language of the user, as a tag such as `de`; the "
        "engine's own sentences and options follow it. Its default is the language in which a conversation begins.",
    )
    deterministic: bool = Field(
        False, description="If true, two open edges are an error instead of a recorded ambiguity (default false)."
    )
    subgraphs: dict[Id, Graph] = Field(_LEFT_OUT, description="Graphs that subgraph nodes call, by id.")
    shadow: Id = Field(
        "",
        description="The file of an older flow or a checklist, as a path from the folder of this document. The older "
        "one answers the users, and this flow is only compared with it. `shadow` is not part of the flow's hash.",
    )


def _owners() -> dict[str, str]:
    """For each field that only some kinds of node have: the names of these kinds, as words."""
    owners: dict[str, list[str]] = {}
    for model in NODES.values():
        for name, field in model.model_fields.items():
            called = model.called
            owners.setdefault(field.alias or name, []).append(called[0].lower() + called[1:])
    return {"guard": "an edge", **{name: " or ".join(kinds) for name, kinds in owners.items()}}


for _model in NODES.values():
    _model.elsewhere = _owners()
