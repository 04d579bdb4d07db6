"""Texts for the user: the difference of a goal, the questions of a goal that cannot continue, the answer.

The model writes the answer to a question from rows; the answer is checked against the rows, which are shown below it. A
difference lists deletions first, and marks new and unsupported values.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from graphwright import ActionContext
from graphwright.models import ModelFailure, atext, is_weak
from graphwright.proposals import Policy, exact, ids_not_in, needs_yes, numbers_not_in, occurs
from graphwright_graph import Change, Edge, GraphStore, Node, Schema, open_graph
from graphwright_graph._naming import names_in_changes, names_in_rows
from graphwright_graph._wording import (
    SHORT,
    Names,
    TextLimits,
    cell_text,
    change_text,
    changed_names,
    deletions_first,
    difference_lines,
    element_text,
    name_text,
    properties_text,
    table_lines,
    value_text,
)
from graphwright_graph.graph_editor import view
from graphwright_graph.graph_editor.marks import Marker
from graphwright_graph.graph_editor.schemas import NO_QUESTION
from graphwright_graph.graph_editor.state import Call, Committed, Escalation, Failure, Goal, Option, Result, State
from graphwright_graph.graph_editor.tools import looks_up
from graphwright_graph.graph_editor.wording import counts, say

STEP_BY_STEP, AGAIN, LEAVE = "one_change", "again", "leave"
"""The options of questions, and the names of their titles in the catalogue."""

MOST_LINES = 40  # changes that an answer lists one by one
LONGEST = 4000  # characters of an answer
_IDS = r"\b[A-Za-z]{1,12}[-_]\d[\w-]*"  # what looks like a key in any graph

WHOLE, MOST_NEW = TextLimits(10**9, 10**9, 10**9), 12
MOST_DESCRIBED = 60  # nodes of which a second look sees the properties


def messages_of(state: State) -> list[str]:
    """The user's messages of this goal, with the questions they answer, and the two before it, for references."""
    before = [f"(earlier, dealt with already: {each['request']})" for each in state["recent"][-2:]]
    notes = [f"(asked: {n['asked']}) {n['said']}" if n["asked"] else n["said"] for n in state["goal"]["notes"]]
    return [*before, state["goal"]["text"], *notes]


def lines_of(changes: Iterable[Change], marker: Marker, room: TextLimits = SHORT, *, marked: bool = True) -> list[str]:
    """A line for each change, deletions first, with the names of nodes and its mark."""
    ordered = deletions_first(changes)
    return [change_text(each, room, marker.names) + (marker([each]) if marked else "") for each in ordered]


def told_beside(state: State) -> list[str]:
    """Return the rows that were shown above a difference, which a later request may refer to."""
    if state["goal"]["intent"] not in ("query", "mixed") or not (state["preview"]["needed"] or state["committed"]):
        return []
    return [line for each in state["results"] if not each.get("tried") for line in view.table_lines(each["table"])]


def lines_for_review(changes: Iterable[Change], marker: Marker) -> list[str]:
    """The lines that a second look sees: in parentheses the properties of the nodes that they are about, each once."""
    ordered = deletions_first(changes)
    shown = {each.element.identity[1:] for each in ordered if isinstance(each.element, Node) and each.kind != "updated"}
    lines = []
    for change in ordered:
        ends = change.element.ends if isinstance(change.element, Edge) else (change.element,)
        identities = [(end.label, end.key) for end in ends]
        new = [
            each for each in identities if each in marker.nodes and each not in shown and len(shown) < MOST_DESCRIBED
        ]
        shown.update(new)
        texts = [element_text(marker.nodes[each]) for each in new if marker.nodes[each].properties]
        lines.append(change_text(change, names=marker.names) + (f"   ({'; '.join(texts)})" if texts else ""))
    return lines


def deleted_shares(changes: Iterable[Change], schema: Schema, language: str) -> str:
    """Return how many of all nodes of a label, and of all edges of a type, are deleted; empty if none are."""
    sizes = {**{one.label: one.count for one in schema.labels}, **{one.type: one.count for one in schema.types}}
    gone = [each.before for each in changes if each.after is None]
    nodes = Counter(each.label for each in gone if isinstance(each, Node))
    edges = Counter(each.type for each in gone if isinstance(each, Edge))
    shares = [
        say(language, "share", part=number, all=sizes.get(name, number), name=name)
        for name, number in (*nodes.items(), *edges.items())
    ]
    return say(language, "deleted", shares=", ".join(shares)) if shares else ""


def new_names(changes: Iterable[Change], schema: Schema, language: str) -> list[str]:
    """Labels, edge types and properties that the graph does not have yet, and what it has that is nearly the same."""
    labels = {one.label: one.properties for one in schema.labels}
    types = {one.type: one.properties for one in schema.types}
    found: dict[str, None] = {}
    for element in (change.after for change in changes if change.after is not None):
        node = isinstance(element, Node)
        name, known = (element.label, labels) if isinstance(element, Node) else (element.type, types)
        if name not in known:
            kind = say(language, "new_label" if node else "new_type", name=name)
            found[f"{kind}{_spelled_alike(name, known, language)}"] = None
            continue
        for each in element.properties:
            if each not in known[name]:
                kind = say(language, "new_property", name=each, of=name)
                found[f"{kind}{_spelled_alike(each, known[name], language)}"] = None
    return list(found)


def _spelled_alike(name: str, known: Iterable[str], language: str) -> str:
    return f" ({say(language, 'there_is', name=same)})" if (same := exact(name, known)) else ""


def preview_text(state: State, ctx: ActionContext, marker: Marker, changes: Sequence[Change], binding: str) -> str:
    """Return the difference as it is shown to the user; if it is shortened, a file of the thread contains all of it."""
    lines = difference_lines(changes, marker, names=marker.names)
    outside, language = " ".join(state["goal"]["out_of_scope"].split()), state["language"]
    parts = [say(language, "outside", text=outside)] if outside else []
    parts += [say(language, "would_change", counts=counts(language, changes)), *lines]
    if any("…" in line for line in lines):
        path = ctx.folder / f"difference-{binding[:12]}.txt"
        path.write_text("\n".join([*lines_of(changes, marker, WHOLE), ""]), "utf-8")
        ctx.artifact(path, kind="difference")
        parts.append(say(language, "complete", path=path))
    parts += marker.directions(changes)
    if shares := deleted_shares(changes, marker.schema, language):
        parts.append(shares)
    if new := new_names(changes, marker.schema, language):
        more = [say(language, "more", n=len(new) - MOST_NEW)] if len(new) > MOST_NEW else []
        parts.append(say(language, "new", names=", ".join([*new[:MOST_NEW], *more])))
    parts += [say(language, "doubtful", doubt=doubt) for doubt in state["doubts"]]
    return "\n".join(parts)


def must_confirm(state: State, marker: Marker, changes: Sequence[Change], policy: Policy, *, weak: bool) -> bool:
    """Whether the difference waits for a yes: a raw statement, an undo, a deletion and an overwriting always do."""
    raw = any(each.get("write") in (None, "Statement") for each in state["staged"])
    overwritten = (name in each.before.properties for each in changes if each.before for name in changed_names(each))
    return needs_yes(
        policy,
        destructive=raw or any(each.after is None for each in changes) or any(overwritten),
        supports=marker.supports(changes),
        weak_model=weak,
        doubts=state["doubted"] or bool(state["doubts"]),
    )


# Questions and answers


def question_of(
    goal: Goal, failure: Failure, plan: Sequence[Call], options: Sequence[str], language: str
) -> Escalation:
    """Return the question to the user; empty if no answer could help. `options` are those of the model's own."""
    if failure["code"] == "unknown_tool":
        return NO_QUESTION
    own, more, code = options, list[str](), failure["code"]
    if code:
        text = say(language, "not_planned", why=failure["message"])
        own, more = failure["options"], [STEP_BY_STEP, AGAIN, LEAVE]
    elif goal["question"]:
        text, code = goal["question"], "question"
    elif goal["contradictions"]:
        text = say(language, "contradiction", text="; ".join(goal["contradictions"]))
        more, code = [LEAVE], "contradiction"
    elif goal["out_of_scope"] and not plan:
        return NO_QUESTION
    else:
        text, more, code = say(language, "unclear"), [STEP_BY_STEP, LEAVE], "unclear"
    if goal["out_of_scope"]:
        text = f"{goal['out_of_scope']}\n{text}"
    offered: list[Option] = [{"value": "", "title": title} for title in dict.fromkeys(own)]
    offered += [{"value": value, "title": say(language, value)} for value in more]
    lines = [text, *(f"{number}) {option['title']}" for number, option in enumerate(offered, 1))]
    if offered:
        lines.append(say(language, "choose"))
    return {"question": "\n".join(lines), "options": offered, "code": code}


def chosen(reply: str, options: Sequence[Option], language: str) -> Option:
    """The option that a reply names, by its number or its words; one without a value for any other reply.

    Leaving everything as it is can always be chosen by its words: an earlier question may have offered it.
    """
    text = reply.strip().rstrip(".)")
    if text.isdecimal() and len(text) < 3 and 1 <= int(text) <= len(options):
        return options[int(text) - 1]
    known: list[Option] = [*options, {"value": LEAVE, "title": say(language, LEAVE)}]
    title = exact(text, [option["title"] for option in known])
    other: Option = {"value": "", "title": reply}
    return next((option for option in known if option["title"] == title), other)


def done_text(committed: Committed, store: GraphStore, language: str) -> str:
    """The changes that were applied, and how to undo them."""
    changes = [Change.from_json(each) for each in committed["changes"]]
    lines = difference_lines(changes, most=MOST_LINES, names=names_in_changes(store, changes))
    undo = say(language, "to_undo", goal=", ".join(committed["goals"]))
    return "\n".join([say(language, "done", counts=counts(language, changes)), *lines, undo])


def nothing_done(state: State) -> str:
    """Return why a goal ended without rows and without a change."""
    failure, goal, language = state["failure"], state["goal"], state["language"]
    what_i_do = say(language, "what_i_do")
    if failure["code"]:
        return f"{failure['message']}\n{what_i_do}" if failure["code"] == "unknown_tool" else failure["message"]
    if goal["reply"]:
        return str(goal["reply"])
    if state["stopped"] or state["preview"]["needed"]:
        return say(language, "nothing_done")
    if state["staged"] and not state["changes"]:
        outside = [say(language, "not_done", text=goal["out_of_scope"])] if goal["out_of_scope"] else []
        return "\n".join([say(language, "already"), *outside])
    if goal["out_of_scope"]:
        return f"{say(language, 'cannot', text=goal['out_of_scope'])}\n{what_i_do}"
    why = state["plan"]["rationale"] or " ".join(state["failures"][-1]["findings"] if state["failures"] else [])
    # To a question the reason is the answer.
    return why if why and goal["intent"] == "query" else " ".join(filter(None, [say(language, "nothing_done"), why]))


def table_text(result: Result, names: Names, language: str, *, answered: bool) -> str:
    """Return the kept rows of a look-up, how many it found, and which of its names the graph does not have.

    If it is `answered` in words, these say what was not found.
    """
    table = result["table"]
    rows, columns = table["rows"], table["columns"]
    if not rows and answered:
        lines = []
    elif not rows:
        sought = result.get("because", "")
        words = value_text(sought, TextLimits(200))
        lines = [say(language, "not_found_for" if sought else "not_found", words=words)]
    elif columns[:1] == ["node"] and columns in (["node"], ["node", "edge", "related"]):
        lines = [f"- {cell_text(row[0])}{_related_text(row, names)}" for row in rows]
    else:
        lines = table_lines(_headings(columns), rows, view.MOST_ROWS, names)
    more = table["count"] - len(rows)
    if more or table["truncated"]:
        sentence = "and_more" if not more else "more_at_least" if table["truncated"] else "more_rows"
        lines.append(f"… {say(language, sentence, n=more)}")
    return "\n".join([*lines, *table.get("notes", ())])


def _related_text(row: Sequence[Any], names: Names) -> str:
    """Return the edge of a found node and its other end: ` -[REPORTS]-> Ticket T-1 "Roof leaks"`."""
    if len(row) == 1:
        return ""
    node, edge = row[0], Edge(**row[1])
    begin, end = edge.ends
    onwards = (begin.label, begin.key) == (node["label"], node["key"])
    inner = f"[{edge.type} {properties_text(edge.properties)}".rstrip() + "]"
    other = name_text(end if onwards else begin, names=names)
    return f" -{inner}-> {other}" if onwards else f" <-{inner}- {other}"


def _headings(columns: Sequence[str]) -> list[str]:
    """Return the columns without their variables, `status` for `t.status`, unless two would then be the same."""
    short = [each.rpartition(".")[2] if each.replace(".", "").isidentifier() else each for each in columns]
    return [one if short.count(one) == 1 else column for one, column in zip(short, columns, strict=True)]


async def result_parts(state: State, ctx: ActionContext) -> list[str]:
    """Return the answer in words, if there is a model that is not weak, and the rows of the last look-ups."""
    language = state["language"]
    last = state["results"][-max(1, sum(map(looks_up, state["plan"]["tools"]))) :]
    store = await asyncio.to_thread(open_graph, ctx.home)
    cells = [row for each in last for row in each["table"]["rows"]]
    names = await asyncio.to_thread(names_in_rows, store, cells)
    try:
        # A weak model contradicts its rows.
        text = "" if state["guided"] or is_weak(ctx.model) else await _written(state, ctx)
    except ModelFailure:
        text = ""
    shown = [table for each in last if (table := table_text(each, names, language, answered=bool(text)))]
    rows = "\n\n".join(dict.fromkeys(shown)) or ("" if text else say(language, "no_rows"))
    parts = [part for part in (text, rows) if part]
    return [f"{say(language, 'as_changed')}\n{parts[0]}", *parts[1:]] if _read_with_changes(state, last) else parts


def _read_with_changes(state: State, results: Sequence[Result]) -> bool:
    """Whether results were read with staged changes that are not made."""
    return state["committed"] is None and any(each.get("tried") for each in results)


async def _written(state: State, ctx: ActionContext) -> str:
    from langchain_core.messages import AIMessage, HumanMessage

    goal, tables = state["goal"], [each["table"] for each in state["results"]]
    said = [goal["text"], *(note["said"] for note in goal["notes"])]
    # The answer may name the search terms, above all if nothing was found.
    sought = [each["call"]["arguments"] for each in state["results"]]
    texts = [line for table in tables for line in view.table_lines(table)] + list(map(json.dumps, sought))
    values = [*([table["rows"], table["count"]] for table in tables), sought]
    shared = {"request": goal["text"], "notes": goal["notes"], "today": f"{ctx.now:%Y-%m-%d}"}
    unmade = [] if state["committed"] is not None else [bool(each.get("tried")) for each in state["results"]]
    messages = ctx.prompt("answer", results=view.result_turns(state["results"]), with_changes=unmade, **shared)
    for _ in range(2):
        text = (await atext(ctx.model, messages))[:LONGEST].strip()
        # Numbers and keys that neither the results nor the words of the user hold.
        ids = [each for each in ids_not_in(text, (), _IDS) if not occurs(each, [*said, *texts])]
        numbers = [each for each in numbers_not_in(text, values, also=said) if not any(each in one for one in ids)]
        wrong = ", ".join([*ids, *numbers][:8])
        if not wrong:
            return text
        note = f"Neither the rows nor the question hold {wrong}. Write the answer again from the rows alone."
        messages = [*messages, AIMessage(text), HumanMessage(note)]
    return f"{text}\n{say(state['language'], 'not_in_rows', wrong=wrong)}"
