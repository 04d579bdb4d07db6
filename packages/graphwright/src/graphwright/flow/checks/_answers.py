"""Questions, and the constraints and paths that refer to their answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from graphwright.flow._answer_scopes import Scopes
from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._draft import Draft, DraftNode, words_by_graph
from graphwright.flow._expressions import Expressions
from graphwright.flow._graph_algorithms import reachable
from graphwright.flow._json_schemas import allows_type, option_schema, options
from graphwright.flow._ready_made import signature_from
from graphwright.flow._source import Reporter
from graphwright.flow.checks._control_flow import ControlFlow
from graphwright.flow.checks._definite_assignment import Assignment
from graphwright.flow.checks._truth_tables import FlowContext
from graphwright.flow.compiled import CHOSEN_PATH, ROOT, Call, Catalogue, Kind
from graphwright.flow.guards._value_types import type_of_schema
from graphwright.flow.guards._vocabulary import ACTIVE_PATH
from graphwright.text.near_names import Names, listed

_LIST_OF_OPTIONS = (
    "{type: array, items: {type: object, properties: {value: {type: string}, title: {type: string}}}, default: []}"
)


def check_answers(control: ControlFlow, scopes: Scopes, out: Reporter) -> None:
    """Check all questions."""
    for name, first, second in scopes.clashes:
        _report_clash(name, first, second, out)
    for node in control.draft.nodes.values():
        if node.kind is Kind.QUESTION:
            _check_question(node, control.draft, out)
            if "max_invalid" in node.data:
                _check_way_out(node, control, out)


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
    if read == "verbatim" and isinstance(schema, dict) and not allows_type(schema, "string"):
        message = f"`{node.id}` takes a reply as it is, which is a text, but its schema does not allow texts."
        hint = "Leave `read: verbatim` out: a value is then read from the reply. Or write `schema: {type: string}`."
        out.add(Code.VERBATIM_SCHEMA, (*node.path, "schema"), message, hint)


def _check_way_out(node: DraftNode, control: ControlFlow, out: Reporter) -> None:
    """Check that too many invalid replies lead somewhere else than, over decisions alone, to the same question."""
    nodes = control.draft.nodes
    target = node.data.get("on_invalid", control.draft.data.get("on_escalate"))
    ways = (
        reachable([target], lambda name: control.next[name] if nodes[name].kind is Kind.DECISION else ())
        if target in nodes
        else set()
    )
    if target is not None and {name for name in ways if nodes[name].kind is not Kind.DECISION} != {node.id}:
        return
    then = "the turn fails" if target is None else "the same question is asked again"
    message = f"After `max_invalid` invalid replies to `{node.id}` {then}."
    hint = "Add `on_invalid: NODE`, or `on_escalate: NODE` to the flow."
    if target is not None:
        hint = "Lead `on_invalid` to a node that helps or ends the conversation."
    out.add(Code.NO_WAY_OUT, (*node.path, "max_invalid"), message, hint, key=True)


def _check_options(node: DraftNode, draft: Draft, out: Reporter) -> None:
    """Check that the channel exists and holds a list of options, and that the `read` of the question uses options."""
    name, path = node.data["options"], (*node.path, "options")
    if name not in draft.state:
        hint = Names(draft.state).hint(name, f"Declare it under `state`: `{name}: {_LIST_OF_OPTIONS}`.")
        out.add(
            Code.OPTIONS_CHANNEL, path, f"`{node.id}` takes its options from `{name}`, which is not a channel.", hint
        )
    elif name not in draft.unsound and option_schema(draft.state[name]) is None:
        message = f"`{node.id}` takes its options from `{name}`, which is not a list of options."
        related = [("the channel", ("state", name))]
        out.add(Code.OPTIONS_CHANNEL, path, message, f"Declare it as `{_LIST_OF_OPTIONS}`.", related=related)
    if node.read not in ("choice", "extract"):
        message = f"`{node.id}` has options, but `read: {node.read}` does not choose among them."
        out.add(Code.OPTIONS_NOT_READ, (*node.path, "read"), message, "Leave `read` out, or write `read: extract`.")


def check_unread(draft: Draft, expressions: Expressions, catalogue: Catalogue | None, out: Reporter) -> None:
    """Report keys that nothing reads; those that may be used by an action that reads all answers once for the action.

    Nothing is known without a catalogue, or if a declaration is not written out. All expressions must be compiled.
    """
    read = {part for name in expressions.reads() for part in name.split(".")}
    taken: set[str] = set()
    declared = False
    for constraint in draft.data.get("constraints", ()):
        if isinstance(constraint, dict):
            read.update(p for group in constraint.get("one_of", ()) for key in group for p in key.split("."))
    everything: list[DraftNode] = []
    for node in draft.nodes.values():
        read.update(str(node.data.get("map", {}).get("over", "")).split("."))
        if node.kind is Kind.ACTION:
            signature = catalogue.actions.get(node.data.get("run", "")) if catalogue else None
            if node.is_ready_made:
                signature = signature_from(node, expressions.templates)
            if signature is None or not signature.complete:
                return
            if "answers" in signature.reads and signature.answer_keys is None:
                everything.append(node)
            read.update(signature.answer_keys or () if "answers" in signature.reads else ())
            declared = declared or not node.is_ready_made
            names = (*signature.reads, *node.data.get("confirm", {}).get("over", ()))
            read.update(part for name in names for part in name.split("."))
            taken.update(name for name in names if name.startswith("answers."))
            read.update(_confirming(draft, node))
    unread = {node.key: node for node in reversed(draft.nodes.values()) if node.kind is Kind.QUESTION and node.key}
    unread = {key: unread[key] for key in reversed(unread) if key not in read and not _votes(unread[key])}
    if everything and unread:
        _report_named_nowhere(everything[0], unread, out)
        return
    for key, node in unread.items():
        message = f"The answer `{key}` is collected, but nothing in the flow reads it."
        scope = _scope_of(draft, node.graph)
        name = f"answers.{scope}.{key}" if scope else f"answers.{key}"
        where = f" outside of `{node.graph}`" if scope else ""
        code, hint = Code.KEY_NOT_READ, f"Guards read it as `{name}`{where}."
        if taken and not _takes_corrections(node):
            code = Code.ANSWER_NOT_PASSED_ON
            given = f"Add `{name}` to the `reads`" if declared else f"Write `{{{{ {name} }}}}` in the `with`"
            hint = f"{given} of the action that needs it{where}, show it in a text, or do not ask."
        out.add(code, (*node.path, "key"), message, hint)


def _scope_of(draft: Draft, graph: str) -> str:
    """The scope (`as`) of a call of a graph; empty if it has none, or is called without one."""
    calls = [node for node in draft.nodes.values() if node.kind is Kind.SUBGRAPH and graph in draft.callees(node)]
    return str(calls[0].data.get("as", "")) if calls and all("as" in call.data for call in calls) else ""


def _takes_corrections(node: DraftNode) -> bool:
    """Whether a question is asked again and again in free words: its reply may give or correct other answers."""
    free = type_of_schema(node.schema).kind in ("text", "any") and not options(node.schema)
    return node.data.get("ask") == "always" and node.read == "extract" and free and "options" not in node.data


def _votes(node: DraftNode) -> bool:
    """Whether a question is asked until a path is chosen: its reply votes, and its answer is of no use."""
    return ACTIVE_PATH in str(node.data.get("when", ""))


def _report_named_nowhere(action: DraftNode, unread: Mapping[str, DraftNode], out: Reporter) -> None:
    message = f"Only `{action.id}`, which reads all `answers`, may use {listed(unread)}; nothing reads them by name."
    hint = f"List the answers that it uses in its `reads`, such as `answers.{next(iter(unread))}`: "
    hint += "a correction of another one then leaves it as it is, and `check` finds answers that nothing uses."
    related = [(f"`{key}` is asked here", node.path) for key, node in list(unread.items())[:5]]
    out.add(Code.KEY_NOT_READ, (*action.path, "run"), message, hint, related=related)


def _confirming(draft: Draft, node: DraftNode) -> Iterator[str]:
    question = draft.nodes.get(node.data.get("confirm", {}).get("by", ""))
    if question is not None:
        yield question.key


def check_constraints(draft: Draft, scopes: Scopes, out: Reporter) -> None:
    """Check the constraints."""
    predicates = Names(draft.predicates)
    keys: Names | None = None
    for place, constraint in enumerate(draft.data.get("constraints", ())):
        if not isinstance(constraint, dict):
            continue
        path = ("constraints", place)
        if "one_of" in constraint and "require" in constraint:
            hint = "Make two constraints of it."
            out.add(Code.CONSTRAINT_FORM, path, "A constraint has `one_of` or `require`, not both.", hint)
        if "exactly" in constraint and "require" in constraint and "one_of" not in constraint:
            message = "`exactly` speaks of the groups of `one_of`, and this constraint has none."
            out.add(Code.CONSTRAINT_FORM, (*path, "exactly"), message, "Remove it.", key=True)
        name = constraint.get("require")
        if name is not None and name not in draft.predicates:
            otherwise = f"There is {listed(draft.predicates)}." if draft.predicates else "Add it under `predicates`."
            message = f"There is no predicate `{name[:80]}`."
            out.add(Code.UNKNOWN_PREDICATE, (*path, "require"), message, predicates.hint(name, otherwise))
        for group_place, group in enumerate(constraint.get("one_of", ())):
            for key_place, key in enumerate(group):
                if scopes.questions(key, draft):
                    continue
                keys = keys or Names(scopes.names(ROOT, draft))
                where = (*path, "one_of", group_place, key_place)
                message = f"No question asks for `{key}`."
                hint = keys.hint(key.removeprefix("answers."), "Name the key of a question (`email`, `led.wattage`).")
                out.add(Code.CONSTRAINT_KEY, where, message, hint)


def check_paths(draft: Draft, scopes: Scopes, expressions: Expressions, out: Reporter) -> None:
    """Check that a chosen path is used, and that a used path can be chosen. References are checked elsewhere."""
    if draft.paths:
        _check_use(draft, out)
        _check_shared_keys(draft, scopes, out)
        return
    if "path_policy" in draft.data:
        message = "`path_policy` says how a path is chosen, but the flow declares no `paths`."
        out.add(Code.UNUSED_PATHS, ("path_policy",), message, "Add `paths`, or remove the policy.", key=True)
    reads = {path: guard.reads for path, guard in expressions.guards.items()}
    reads |= {path: template.reads for path, template in expressions.templates.items()}
    for path, names in reads.items():
        if ACTIVE_PATH in names:
            message = f"`{ACTIVE_PATH}` is always '' here: the flow declares no `paths`."
            out.add(Code.NO_PATH_TO_READ, path, message, "Add `paths: {name: {ref: a_subgraph}}`, or do without it.")


def _check_use(draft: Draft, out: Reporter) -> None:
    refs = {node.data.get("ref") for node in draft.nodes.values()}
    if CHOSEN_PATH in refs:
        return
    # Search the text, because an expression with an error was not compiled.
    if not any(ACTIVE_PATH in words for words in words_by_graph(draft).values()):
        message = "The flow declares `paths`, but nothing depends on which one is chosen."
        hint = f"Enter it by a subgraph node with `ref: {CHOSEN_PATH}`, or read `{ACTIVE_PATH}` in a guard."
        out.add(Code.UNUSED_PATHS, ("paths",), message, hint, key=True)
        return
    for name, path in draft.paths.items():
        if path.get("ref") in draft.graphs and path["ref"] not in refs:
            message = f"The path `{name}` can be chosen, but nothing enters its subgraph `{path['ref']}`."
            hint = f"Call it by a subgraph node, or enter the chosen path by one with `ref: {CHOSEN_PATH}`."
            out.add(Code.PATH_NOT_ENTERED, ("paths", name), message, hint, key=True)


def check_entered_paths(context: FlowContext, assigned: Assignment, out: Reporter) -> None:
    """Report paths whose subgraph is called only where guards on every way exclude the path."""
    calls = [node for node in context.flow.nodes.values() if isinstance(node, Call)]
    entered = {node.ref for node in calls}
    for node in calls:
        if node.ref == CHOSEN_PATH:
            known = assigned.on_entering.values(node, ACTIVE_PATH) if node in assigned.entering else None
            entered |= {path.ref for name, path in context.flow.paths.items() if known is None or name in known[0]}
    for name, path in context.flow.paths.items() if calls else ():
        if path.ref not in entered and CHOSEN_PATH in entered:
            message = f"The path `{name}` can be chosen, but guards exclude it wherever the chosen path is entered."
            hint = f"Let a guard that reads `{ACTIVE_PATH}` let it through, or remove the path."
            out.add(Code.PATH_NOT_ENTERED, ("paths", name), message, hint, key=True)


def _check_shared_keys(draft: Draft, scopes: Scopes, out: Reporter) -> None:
    """Report keys for which paths have different schemas. Without `as` these are clashes, checked elsewhere."""
    reported: set[tuple[str, str]] = set()
    for node in draft.nodes.values():
        if node.data.get("ref") != CHOSEN_PATH or "as" not in node.data:
            continue
        for name, first, second in _differing(draft, scopes, draft.callees(node), node.data["as"], set()):
            if (first.id, second.id) not in reported:
                reported.add((first.id, second.id))
                message = (
                    f"`{first.id}` and `{second.id}` ask for `{name}` on different paths, with different schemas: "
                    "after a correction of the path the answer to one of them stands for the other."
                )
                hint = "Give both the same schema, or one of them another key."
                related = [("the other one", first.path)]
                out.add(Code.PATHS_SHARE_KEY, (*second.path, "key"), message, hint, related=related)


def _differing(
    draft: Draft, scopes: Scopes, graphs: list[str], name: str, seen: set[tuple[str, ...]]
) -> Iterator[tuple[str, DraftNode, DraftNode]]:
    """The dotted keys for which graphs with one scope `name` have different schemas, and the two questions."""
    if len(graphs) < 2 or tuple(graphs) in seen:
        return
    seen.add(tuple(graphs))
    keys: dict[str, DraftNode] = {}
    inner: dict[str, dict[str, None]] = {}
    for graph in graphs:
        for key, asked in scopes.own[graph].keys.items():
            if keys.setdefault(key, asked).schema != asked.schema:
                yield f"{name}.{key}", keys[key], asked
        for scope, call in scopes.own[graph].names.items():
            inner.setdefault(scope, {}).update(dict.fromkeys(draft.callees(call)))
    for scope, callees in inner.items():
        yield from _differing(draft, scopes, list(callees), f"{name}.{scope}", seen)
