"""Questions and their keys: clashes, options, keys that nothing reads."""

from __future__ import annotations

from collections.abc import Iterator

from graphwright.flow.catalogue import Catalogue
from graphwright.flow.compiled import Kind
from graphwright.flow.diagnostic_catalog import Code
from graphwright.flow.draft import Draft, DraftNode
from graphwright.flow.names import Names
from graphwright.flow.reading import answers_in, expression_texts
from graphwright.flow.reporter import Reporter
from graphwright.flow.schemas import allows_type, option_schema, options
from graphwright.flow.scopes import Scopes

_LIST_OF_OPTIONS = (
    "{type: array, items: {type: object, properties: {value: {type: string}, title: {type: string}}}, default: []}"
)


def check_answers(draft: Draft, scopes: Scopes, catalogue: Catalogue | None, out: Reporter) -> None:
    """Check all questions."""
    for name, first, second in scopes.clashes:
        _report_clash(name, first, second, out)
    for node in draft.nodes.values():
        if node.kind is Kind.QUESTION:
            _check_question(node, draft, out)
    _check_read(draft, catalogue, out)


def _report_clash(name: str, first: DraftNode, second: DraftNode, out: Reporter) -> None:
    related = [("the first one", first.path)]
    if first.kind is Kind.QUESTION and second.kind is Kind.QUESTION:
        message = f"`{first.id}` and `{second.id}` both ask for `{name}`, with different schemas."
        hint = "Give both the same schema, or one of them another key."
        out.add(Code.KEY_TWO_SCHEMAS, (*second.path, "key"), message, hint, related=related)
        return
    field = "as" if second.kind is Kind.SUBGRAPH else "key"
    what = "another subgraph" if first.kind is second.kind else "an answer and a subgraph's answers"
    message = f"`answers.{name}` would stand for {what} (`{first.id}` and `{second.id}`)."
    hint = "Choose another name for one of them."
    out.add(Code.SCOPE_NAME, (*second.path, field), message, hint, related=related)


def _check_question(node: DraftNode, draft: Draft, out: Reporter) -> None:
    schema, read = node.data.get("schema"), node.read
    if "options" in node.data:
        _check_options(node, draft, out)
    elif read == "choice" and not options(schema):
        message = f"`{node.id}` is a choice, but its schema has no options."
        hint = (
            "Write `schema: {enum: [first, second]}`, `oneOf` with a `const` and a `title` each, or `options: CHANNEL`."
        )
        out.add(Code.NO_OPTIONS, (*node.path, "schema" if schema is not None else "read"), message, hint)
    if read == "confirm" and isinstance(schema, dict) and not allows_type(schema, "boolean"):
        message = f"`{node.id}` reads yes or no, but its schema does not allow true and false."
        hint = "Leave the schema out, or write `schema: {type: boolean}`."
        out.add(Code.CONFIRM_SCHEMA, (*node.path, "schema"), message, hint)


def _check_options(node: DraftNode, draft: Draft, out: Reporter) -> None:
    """The channel exists and holds a list of options, and the way of reading replies has a use for options."""
    name, path = node.data["options"], (*node.path, "options")
    if name not in draft.state:
        hint = Names(draft.state).hint(name, f"Declare it under `state`: `{name}: {_LIST_OF_OPTIONS}`.")
        out.add(Code.OPTIONS_CHANNEL, path, f"`{node.id}` takes its options from `{name}`, which is no channel.", hint)
    elif name not in draft.unsound and option_schema(draft.state[name]) is None:
        message = f"`{node.id}` takes its options from `{name}`, which is no list of options."
        related = [("the channel", ("state", name))]
        out.add(Code.OPTIONS_CHANNEL, path, message, f"Declare it as `{_LIST_OF_OPTIONS}`.", related=related)
    if node.read not in ("choice", "extract"):
        message = f"`{node.id}` has options, but `read: {node.read}` does not choose among them."
        out.add(Code.OPTIONS_NOT_READ, (*node.path, "read"), message, "Leave `read` out, or write `read: extract`.")


def _check_read(draft: Draft, catalogue: Catalogue | None, out: Reporter) -> None:
    """Report keys that nothing reads, as far as that can be known: actions without a catalogue may read anything."""
    read: set[str] = set()
    for _, text in expression_texts(draft):
        words, whole = answers_in(text)
        if whole:
            return
        read |= words
    for constraint in draft.data.get("constraints", ()):
        if isinstance(constraint, dict):
            read.update(p for group in constraint.get("one_of", ()) for key in group for p in key.split("."))
    for node in draft.nodes.values():
        if node.kind is Kind.ACTION:
            signature = catalogue.actions.get(node.data.get("run", "")) if catalogue else None
            if signature is None or "answers" in signature.reads:
                return
            read.update(part for name in signature.reads for part in name.split("."))
            read.update(part for name in node.data.get("confirm", {}).get("over", ()) for part in name.split("."))
            read.update(_confirming(draft, node))
    told: set[str] = set()
    for node in draft.nodes.values():
        if node.kind is Kind.QUESTION and node.key and node.key not in read and node.key not in told:
            told.add(node.key)
            message = f"The answer `{node.key}` is collected, but nothing in the flow reads it."
            out.add(Code.KEY_NOT_READ, (*node.path, "key"), message, f"Guards read it as `answers.{node.key}`.")


def _confirming(draft: Draft, node: DraftNode) -> Iterator[str]:
    question = draft.nodes.get(node.data.get("confirm", {}).get("by", ""))
    if question is not None:
        yield question.key
