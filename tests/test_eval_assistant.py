"""The evaluation of research: its cases, strict judging, and agent and loop at work."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from eval_support import ROOT

from eval.assistant.agent import work_by_agent
from eval.assistant.cases import DAYS, Case, Key, read_cases
from eval.assistant.citations import PAGES_ADDRESS, plain
from eval.assistant.loop import work_by_loop
from eval.assistant.outcome import Outcome
from eval.assistant.scoring import judged
from eval.assistant.workspace import NOW
from graphwright.knowledge.finding import SAMPLE
from graphwright.logbook.builtin import SAMPLE_ADDRESS
from graphwright.logbook.words import SAMPLE as LOG_SAMPLE
from graphwright.models.scripted import ScriptedModel

FOLDER = ROOT / "eval" / "assistant"
CASES = read_cases(FOLDER)
OWN = {case.id: case for case in CASES}


def case(**fields: Any) -> Case:
    return Case(**{"id": "c", "set": "tuning", "kind": "any", "language": "en", "text": "please", **fields})


def outcome(text: str = "", **fields: Any) -> Outcome:
    """An outcome as it is read from a file of results."""
    return Outcome.from_json(json.loads(json.dumps(Outcome("c", text=text, **fields).to_json())))


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"tool": tool, "arguments": arguments, "ok": True}


def address_of(key: Key) -> str:
    return f"{SAMPLE_ADDRESS}{key}" if isinstance(key, int) else f"{PAGES_ADDRESS}{key}"


# the cases that come with it


def test_the_sources_of_the_cases_are_there() -> None:
    lines = (LOG_SAMPLE / "entries.jsonl").read_text("utf-8").splitlines()
    log = {json.loads(line)["id"] for line in lines if line.strip()}
    pages = {file.relative_to(SAMPLE).with_suffix("").as_posix() for file in SAMPLE.rglob("*.*")}
    for own in CASES:
        there = log | pages | set(own.files)
        assert set((*own.sources.named, *own.sources.leading) if own.sources else ()) <= there, own.id


@pytest.mark.parametrize("own", CASES, ids=lambda own: own.id)
def test_a_right_answer_to_a_case_is_right_and_any_other_is_not(own: Case) -> None:
    right = perfect(own)
    assert judged(own, right).right, judged(own, right).reasons
    assert not judged(own, replace(right, error="timeout: no answer")).right
    assert not judged(own, replace(right, text="")).right
    link = replace(right, text=f"{right.text} See https://docs.nordlicht.example/no/such-page.")
    assert judged(own, link).links == ("docs.nordlicht.example/no/such-page",)
    assert not judged(own, link).right
    if own.sources:
        assert judged(own, replace(right, text="Here you are.")).cited is False
    if own.calls is not None:
        calls = () if own.calls else (call("search_elog"),)
        assert judged(own, replace(right, calls=calls)).chosen is False


def perfect(own: Case) -> Outcome:
    made = []
    for wanted in own.calls or ():
        given = {name: next((v for v in values if v is not None), None) for name, values in wanted.args.items()}
        for name in DAYS:
            if (days := given.get(name)) is not None:
                given[name] = f"{NOW - timedelta(days=int(days)):%Y-%m-%d}"
        made.append(call(wanted.tool[0], **given))
    sources = own.sources
    keys = [*sources.leading[:1], *sources.all, *sources.any[:1]] if sources else []
    links = [key if key in own.files else f"[source]({address_of(key)})" for key in keys]
    said = (
        "Dazu wurde in den Quellen leider nichts gefunden." if own.language == "de" else "Nothing was found about it."
    )
    if not own.nothing:
        opening = "Das steht so in den Quellen:" if own.language == "de" else "This is what the sources say about it:"
        said = f"{opening} {'; '.join(spellings[0] for spellings in own.names)} {' '.join(links)}"
    found = tuple(key for key in keys if key not in own.files)
    return outcome(said, calls=tuple(made), found=found, addresses=tuple(plain(address_of(key)) for key in found))


PAGE, ENTRY = f"{PAGES_ADDRESS}aurora/rf-system", f"{SAMPLE_ADDRESS}244"


# judging


SEARCH = case(calls=[{"tool": "search_elog", "args": {"since": [1], "until": [1, 0, None], "category": ["Problem"]}}])


@pytest.mark.parametrize(
    ("calls", "chosen", "asked"),
    [
        ([call("search_elog", since="2026-11-17", category="Problem")], True, True),
        ([call("search_elog", since="2026-11-17", until="2026-11-18", category="problem")], True, True),
        ([call("search_elog", since="2026-11-17", until="", category="Problem", query="any")], True, True),
        ([call("search_elog", since="2026-11-16", category="Problem")], True, False),
        ([call("search_elog", since="2026-11-17", until="2026-11-16", category="Problem")], True, False),
        ([call("search_elog", category="Problem")], True, False),
        # One of several calls will do, and others beside it are no mistake.
        ([call("search_elog"), call("search_elog", since="2026-11-17", category="Problem")], True, True),
        ([call("search_accelerator_knowledge", query="x")], False, False),
        ([], False, False),
    ],
)
def test_calls_are_right_with_the_right_arguments(calls: list[Any], chosen: bool, asked: bool) -> None:
    verdict = judged(SEARCH, outcome("There it is.", calls=tuple(calls)))
    assert (verdict.chosen, verdict.asked, verdict.right) == (chosen, asked, asked), verdict.reasons


SOURCED = case(sources={"all": [244], "any": ["aurora/rf-system", "aurora/bpm"], "first": ["aurora/bpm"]})
KNOWN = {"addresses": tuple(map(plain, (PAGE, ENTRY))), "entries": (244,), "found": ("aurora/bpm",)}


@pytest.mark.parametrize(
    ("text", "right", "first"),
    [
        (f"See {PAGE} and {ENTRY}", True, False),
        (f"See aurora/bpm, {PAGE} and #244", True, True),
        (f"See {PAGE}", False, False),
        (f"See {ENTRY}", False, False),
        ("I know it by heart.", False, False),
    ],
)
def test_sources_must_be_cited(text: str, right: bool, first: bool) -> None:
    verdict = judged(SOURCED, outcome(text, **KNOWN))
    assert (verdict.cited, verdict.right, verdict.first, verdict.reached) == (right, right, first, True)


def test_links_and_log_entries_that_nothing_gave_are_invented() -> None:
    verdict = judged(case(), outcome(f"See {PAGE}, {ENTRY}, https://nowhere.example/x and #299.", **KNOWN))
    assert verdict.links == ("nowhere.example/x",)
    assert verdict.entries == (299,)
    assert verdict.reasons == ("invented link: nowhere.example/x", "invented log entry: 299")


NOTHING = case(nothing=True, text="Which pulse energy does the laser have?")


@pytest.mark.parametrize(
    ("text", "admitted", "figures"),
    [
        ("I found nothing about that.", True, ()),
        ("The documentation does not mention a laser. The ring has 259.2 m.", True, ()),
        ("There is no laser, but its pulse energy is 3.5 mJ.", True, ("3.5",)),
        ("No entries were found in the last 14 days (since 2026-11-04).", True, ()),
        ("The pulse energy is 3.5 mJ.", False, ("3.5",)),
        ("Dazu habe ich nichts gefunden.", True, ()),
        # A remark below the answer takes nothing of it back.
        ("The laser is the pride of the institute.\n\n*Nothing fits all restrictions.*", False, ()),
    ],
)
def test_where_there_is_nothing_it_must_be_said(text: str, admitted: bool, figures: tuple[str, ...]) -> None:
    own = NOTHING if "Dazu" not in text else NOTHING.model_copy(update={"language": "de"})
    verdict = judged(own, outcome(text, numbers=("259.2",)))
    assert (verdict.admitted, verdict.figures) == (admitted, figures)
    assert verdict.right is (admitted and not figures)


# at work


async def agent_on(own: Case, *texts: dict[str, Any], tool: str = "", **arguments: Any) -> Outcome:
    """What the agent makes of a question where the model wants this call, or none, and then says these texts."""
    decided = {"reasoning": "r", "needs_tools": bool(tool)}
    enough = {"reasoning": "r", "adequate": True, "refinement": ""}
    chosen = {"tool_name": tool, "arguments": arguments, "reasoning": "r"}
    rules = [
        {"offers": "ToolDecision", "call": {"ToolDecision": decided}},
        {"offers": "ToolSelection", "call": {"ToolSelection": {"tools": [chosen]}}},
        {"offers": "ResultEvaluation", "call": {"ResultEvaluation": enough}},
        *texts,
    ]
    return await work_by_agent(own, FOLDER, ScriptedModel.from_rules(rules))


async def test_the_agent_is_right_with_a_right_answer() -> None:
    own = OWN["log-entry-275"]
    said = {"anywhere": "0.84", "text": "A bump was left in, and the orbit was 0.84 mm out [1]."}
    seen = await agent_on(own, said, tool="get_elog_thread", id=275)
    verdict = judged(own, seen)
    assert verdict.right, (verdict.reasons, seen.log)
    assert seen.calls[0] == call("get_elog_thread", id=275)
    assert seen.found[0] == 275
    assert seen.model_calls >= 1
    assert seen.input_tokens > 0
    assert any(line.startswith("call: get_elog_thread") for line in seen.log)


async def loop_on(own: Case, *rules: dict[str, Any]) -> Outcome:
    return await work_by_loop(own, FOLDER, ScriptedModel.from_rules(list(rules)))


def calls(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"call": {tool: arguments}, "times": 1}


async def test_the_loop_calls_tools_until_it_answers() -> None:
    own = OWN["doc-circumference"]
    tool, link = "search_accelerator_knowledge", f"[page]({PAGES_ADDRESS}aurora/machine-parameters)"
    seen = await loop_on(
        own,
        calls(tool, query="circumference", limit="many") | {"anywhere": "Wednesday, 2026-11-18 09:30"},
        calls(tool, query="circumference of the ring", accelerator="aurora") | {"anywhere": "Error: "},
        {"anywhere": r"Circumference \| 259.2 m", "text": f"It is 259.2 m {link}."},
    )
    verdict = judged(own, seen)
    assert verdict.right, (verdict.reasons, seen.log)
    assert [each["ok"] for each in seen.calls] == [False, True]
    assert (seen.model_calls, seen.over) == (3, True)
    assert "aurora/machine-parameters" in seen.found
    assert seen.input_tokens > 0
