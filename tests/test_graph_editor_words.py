"""What code reads in a request by itself: verbs, questions, opposites, keys, quotes, tools, labels and edge types."""

from __future__ import annotations

import pytest

from graphwright.agents.graph_editor.evidence import said
from graphwright.agents.graph_editor.mentions import (
    apart,
    asked_about,
    candidates,
    clauses,
    find_mentions,
    key_like,
    names_type,
    orders,
    quoted,
)
from graphwright.agents.graph_editor.words import is_question, is_stop, opposites_in, singular, tokens, writes_asked
from graphwright.graphstore import Schema
from graphwright.graphstore.elements import LabelSchema, TypeSchema

SCHEMA = Schema(
    (LabelSchema("SalesOrder", 2, {"due": ("text",)}), LabelSchema("Ticket", 3, {"status": ("text",)})),
    (TypeSchema("ASSIGNED_TO", 2), TypeSchema("BLOCKS", 1)),
)
TOOLS = ("add_node", "query_graph")


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Create a ticket T-9", {"create"}),
        ("Please delete bob", {"delete"}),
        ("Bitte lösche das Ticket T-9", {"delete"}),
        ("チケット T-9 を削除してください", {"delete"}),
        ("Which tickets are open?", set()),
        ("find 'delete me' in the titles", set()),
        ("the assignment of a task", set()),
    ],
)
def test_a_request_asks_for_the_kinds_of_writing_that_it_has_words_for(text: str, kinds: set[str]) -> None:
    assert writes_asked(text) == kinds


@pytest.mark.parametrize(
    "text", ["Which tickets are open", "wer arbeitet an T-1", "list all users", "T-1 と T-2 はどこですか", "T-1 open?"]
)
def test_a_question_is_seen_by_its_beginning_or_its_end(text: str) -> None:
    assert is_question(text)


def test_an_order_is_no_question() -> None:
    assert not is_question("Close T-1 and tell nobody")


def test_opposites_are_found_in_the_order_of_the_text() -> None:
    assert opposites_in("it is closed and it is open") == ("closed", "open")
    assert opposites_in("it is open and urgent") is None


@pytest.mark.parametrize("reply", ["no", "Stop.", "leave it", "Nein", "やめて"])
def test_a_reply_that_ends_the_goal_is_recognised(reply: str) -> None:
    assert is_stop(reply)
    assert not is_stop("no, T-2 instead")


def test_keys_are_recognised_by_their_form_and_keep_it() -> None:
    assert key_like("Close TICKET-12 of john.doe, not P104 or wh_north, by 2026") == (
        "TICKET-12",
        "john.doe",
        "P104",
        "wh_north",
    )


def test_quotes_of_all_kinds_are_read_and_apostrophes_are_none() -> None:
    assert quoted("the 'Fix login' and \"B\" and „C“, don't and Ann's 'D'") == ("Fix login", "B", "C", "D")


def test_names_of_several_words_are_candidates_without_their_genitive() -> None:
    found = candidates("assign Ann Lee's ticket to bob")
    assert {"Ann Lee", "bob", "ticket"} <= set(found)


def test_japanese_names_are_candidates_without_their_particles() -> None:
    assert {"田中", "TICKET-1"} <= set(candidates("田中さんをTICKET-1に割り当てて"))


def test_clauses_end_at_and_then_but_not_inside_quotes() -> None:
    assert clauses("Add A, then delete 'B and C' and close D.") == ["Add A", "delete 'B and C'", "close D"]


def test_a_key_belongs_to_the_verb_of_its_clause_or_the_one_before() -> None:
    text = "Create users ann, bob and carl. Assign T-1 to dora."
    assert asked_about(text, "carl") == {"create"}
    assert asked_about(text, "dora") == {"connect"}


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Which tickets are in Sprint 8? Set their priority to low.", {"update"}),
        ("Find T-1 and close it", {"update"}),
        ("what is open and assigned to ann?", set()),
        ("Can you delete T-1?", {"delete"}),
        ("is T-1 assigned to ann", set()),
    ],
)
def test_an_order_is_told_from_a_question_in_the_same_text(text: str, kinds: set[str]) -> None:
    assert orders(text) == kinds


def test_a_value_belongs_to_what_was_named_last() -> None:
    names = ["SPRINT-8", "SPRINT-9"]
    text = "Sprint 8 is over, set its state to closed. Sprint 9 is active now."
    assert not apart(text, "SPRINT-8", "closed", names)
    assert apart(text, "SPRINT-9", "closed", names)
    assert apart("Close T-1 and assign T-10 to bob.", "T-10", "close", ["T-1", "T-10"])


def test_labels_and_types_are_named_by_their_words() -> None:
    found = find_mentions("which sales orders are assigned to ann and which ticket blocks T-2?", SCHEMA, (), TOOLS)
    assert found.labels == ("SalesOrder", "Ticket")
    assert found.types == ("ASSIGNED_TO", "BLOCKS")
    assert not names_type("BLOCKS", set(tokens("a block of wood is not the same as a blockade")) - {"block"})


@pytest.mark.parametrize(
    "text",
    [
        "Use the `send_email` tool to tell them",
        "use send_email to tell them",
        "please call send_email",
        "send_email ツールを使って",
    ],
)
def test_a_tool_that_does_not_exist_is_found(text: str) -> None:
    assert find_mentions(text, SCHEMA, (), TOOLS).unknown_tool == "send_email"


@pytest.mark.parametrize(
    "text",
    [
        "use the query_graph tool",
        "use ASSIGNED_TO for it",
        "set due_date to Monday",
        "connect a to b with a WORKS_ON edge",
    ],
)
def test_tools_and_types_that_exist_are_no_unknown_tools(text: str) -> None:
    assert not find_mentions(text, SCHEMA, (), TOOLS).unknown_tool


@pytest.mark.parametrize(
    ("value", "text", "is_said"),
    [
        ("john.doe", "add John Doe", True),
        ("in progress", "it is IN PROGRESS now", True),
        ("low", "everything below ten", False),
        (5, "five of them", True),
        (1500, "costs 1,500 EUR", True),
        (12.5, "es kostet 12,5 Euro", True),
        (7, "ticket T-71", False),
        (["a", "b"], "tags a and b", True),
        ("high", "it is urgent", False),
        ("営業", "部署は営業です", True),
    ],
)
def test_a_value_is_said_when_the_text_states_it(value: object, text: str, is_said: bool) -> None:
    assert said(value, text) is is_said


def test_plurals_become_singular() -> None:
    assert [singular(word) for word in ("tickets", "categories", "boxes", "class", "address")] == [
        "ticket",
        "category",
        "box",
        "class",
        "address",
    ]
