"""Comparisons with a fixed text of an answer that is free text, or in a format that this text does not have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._json_schemas import allows_type, misfit
from graphwright.flow._source import Path, Reporter
from graphwright.flow.checks._truth_tables import FlowContext, conditions_of, expressions_of
from graphwright.flow.compiled import Action, Node, Question, Terminal
from graphwright.flow.guards import Guard
from graphwright.flow.guards._syntax_tree import Call, show, text_comparisons, unparse
from graphwright.flow.guards._vocabulary import ANSWERS, VALUE

_EXAMPLES = {"date": "2026-01-31", "time": "09:30:00", "date-time": "2026-01-31T09:30:00Z"}
"""An example of each format of dates and times."""

_ORDERS = ("<", "<=", ">", ">=")
_OPERATORS = ("==", "!=", "in", *_ORDERS)

_OPEN_KEYWORDS = frozenset(
    {"type", "title", "description", "examples", "default", "minLength", "maxLength", "$comment", "deprecated"}
)
"""The keywords of a schema that do not restrict the words of a text."""


def check_text_comparisons(context: FlowContext, out: Reporter) -> None:
    """Report each comparison with a fixed text of a free text, a reply of yes or no, or an answer in another format."""
    open_keys = {question.key for question in context.flow.questions if _is_open(question)}
    validated = {(*context.path(each), "validate"): each for each in context.flow.questions if each.validate}
    reported: set[tuple[str, Path]] = set()
    for guard, path in _expressions(context, open_keys):
        for name, texts, comparison in text_comparisons(guard.tree, _OPERATORS):
            read, literals = ".".join(name), [text for text in texts if text]
            asking = [validated[path]] if read == VALUE and path in validated else context.askers(read)
            known = read == VALUE or name[0] == ANSWERS
            orders = comparison.function in _ORDERS
            # `answers.x != ''` is a test whether there is an answer.
            compared = texts if comparison.function in ("==", "in") else literals
            questions = asking if known and compared and read in guard.reads else []
            wrong = [text for text in compared if all(_is_other_format(question, text) for question in questions)]
            if not questions or (read, path) in reported or (orders and not wrong):
                continue
            reported.add((read, path))
            if literals and all(
                question.read == "confirm" and allows_type(question.schema, "string") for question in questions
            ):
                _report_confirm(context, read, comparison, questions[0], path, out)
            elif wrong:
                _report_format(context, read, wrong[0], comparison, questions[0], path, out)
            elif literals and all(map(_is_free, questions)):
                _report_free(context, read, literals, questions[0], path, out)


def _expressions(context: FlowContext, keys: set[str]) -> Iterator[tuple[Guard, Path]]:
    """Every expression of the flow that may compare an answer of these keys, and its place; each predicate once."""
    predicates: dict[str, Guard] = {}
    for node in context.flow.nodes.values():
        guards = list(expressions_of(node))
        for guard in guards:
            predicates.update((name, each) for name, each in guard.predicates.items() if each is not None)
        names = {read.rpartition(".")[2] for guard in guards for read in guard.reads}
        if VALUE in names and isinstance(node, Question):
            names.add(node.key)
        if not keys.isdisjoint(names):
            yield from _of_node(context, node)
    for constraint in context.flow.constraints:
        if constraint.require is not None:
            predicates.update((n, each) for n, each in constraint.require.predicates.items() if each is not None)
    yield from ((guard, ("predicates", name)) for name, guard in predicates.items())


def _of_node(context: FlowContext, node: Node) -> Iterator[tuple[Guard, Path]]:
    path = context.path(node)
    for edge in node.edges:
        if edge.guard is not None:
            yield edge.guard, (*context.edge_path(node, edge), "guard")
    if isinstance(node, Question):
        yield from ((guard, (*path, "when")) for guard in [node.when] if guard is not None)
        yield from ((guard, (*path, "validate")) for guard in [node.validate] if guard is not None)
        yield from ((guard, (*path, "prompt")) for guard in node.prompt.expressions)
    elif isinstance(node, Action):
        yield from ((guard, (*path, "confirm", "when")) for guard in conditions_of(node) if guard not in _guards(node))
    elif isinstance(node, Terminal) and node.say is not None:
        yield from ((guard, (*path, "say")) for guard in node.say.expressions)


def _guards(node: Node) -> list[Guard | None]:
    return [edge.guard for edge in node.edges]


def _is_open(question: Question) -> bool:
    confirms = question.read == "confirm" and allows_type(question.schema, "string")
    return confirms or "format" in question.schema or _is_free(question)


def _is_other_format(question: Question, text: str) -> bool:
    """Whether a text does not have the format that a question asks for."""
    form = question.schema.get("format")
    return form is not None and misfit(text, {"type": "string", "format": form}) != ""


def _is_free(question: Question) -> bool:
    """Whether a reply may have any words."""
    if question.read not in ("extract", "verbatim") or question.validate is not None or question.validator:
        return False
    schema = question.schema
    return schema.get("type") == "string" and not question.options and _OPEN_KEYWORDS.issuperset(schema)


def _report_free(
    context: FlowContext, read: str, literals: Sequence[str], question: Question, path: Path, out: Reporter
) -> None:
    matches = f"{show(literals[0])} matches" if len(literals) == 1 else f"{', '.join(map(show, literals[:3]))} match"
    message = f"`{read}` is free text, so {matches} only where the user's words are exactly that."
    hint = f"List the values at `{question.id}`: `schema: {{enum: [{', '.join(literals[:3])}, ...]}}`."
    related = [("the question", context.path(question))]
    out.add(Code.FREE_TEXT_COMPARED, path, message, hint, related=related)


def _report_format(
    context: FlowContext, read: str, literal: str, comparison: Call, question: Question, path: Path, out: Reporter
) -> None:
    example = _EXAMPLES.get(question.schema["format"])
    then = "the two are compared letter by letter" if comparison.function in _ORDERS else "it never matches"
    message = f"`{read}` has the format {question.schema['format']}, which {show(literal)} does not have: {then}."
    if not literal:
        hint = f"To test whether there is an answer, write `!has({read})`."
    else:
        hint = f"Write it like {show(example)}." if example else "Compare with a text of this format."
    related = [("the question", context.path(question))]
    out.add(Code.NEVER_TRUE, path, message, hint, related=related)


def _report_confirm(
    context: FlowContext, read: str, comparison: Call, question: Question, path: Path, out: Reporter
) -> None:
    message = (
        f"A yes to `{question.id}` is stored as true and a no as false, but `{unparse(comparison)}` compares it with a "
        "text."
    )
    hint = f"Write `{read} == true` or `{read} == false`; `else` takes every other reply."
    out.add(Code.CONFIRM_COMPARED, path, message, hint, related=[("the question", context.path(question))])
