"""The evaluation of research: cases, reading of citations, strict judging, agent and loop at work, and the figures."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from eval_support import ROOT, Evaluate, assert_refused, evaluation

from eval.assistant.agent import work_by_agent
from eval.assistant.cases import CASES as CASES_FILE
from eval.assistant.cases import DAYS, Case, Key, read_cases
from eval.assistant.citations import PAGES_ADDRESS, addresses, cited, entries, plain, prose
from eval.assistant.loop import MOST_CALLS, work_by_loop
from eval.assistant.numbers import foreign, readings
from eval.assistant.outcome import Outcome
from eval.assistant.report import AssistantFigures
from eval.assistant.scoring import judged
from eval.assistant.workspace import NOW
from eval.judged import Judged
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


def test_every_kind_is_there_in_both_languages_and_some_are_kept_for_the_test() -> None:
    kinds = Counter(each.kind for each in CASES)
    assert set(kinds) == {
        *("documentation", "logbook", "dates", "both", "refinement", "follow-up", "files", "talk", "nothing"),
        "hostile",
    }
    assert min(kinds.values()) >= 3
    assert len(CASES) >= 40
    assert sum(each.set == "test" for each in CASES) >= len(CASES) // 5
    assert sum(each.language == "de" for each in CASES) >= len(CASES) // 5


def test_no_case_loses_words_to_a_comment() -> None:
    text = (FOLDER / CASES_FILE).read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert [line for line in lines if " #" in line and '"' not in line.partition(" #")[0]] == []


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


# reading an answer


PAGE, ENTRY = f"{PAGES_ADDRESS}aurora/rf-system", f"{SAMPLE_ADDRESS}244"


@pytest.mark.parametrize(
    ("text", "points"),
    [
        (f"It is so [docs.nordlicht.example]({PAGE}#page=2), see ({ENTRY}).", ["aurora/rf-system", 244]),
        (f"First {ENTRY}, then {PAGE}.\n\n**Sources**\n- [x]({PAGE})", [244, "aurora/rf-system"]),
        ("As aurora/bpm says; docs.nordlicht.example/facility/timing, too.", ["aurora/bpm", "facility/timing"]),
        ("(ELOG 244, 2026-11-09 03:05, Mirko Brandt, Problem, RF: Strahlverlust)", [244]),
        ("Log entry #290, entries 291, 292 and 293.", [290, 291, 292, 293]),
        ("Einträge 138 und 176, Logbucheintrag Nr. 212", [138, 176, 212]),
        ("RF plant #3 went off at 12:30 with 400 mA; the log entries of 2026 say so.", []),
        ("On page 4 of Report.PDF it says 7.", ["report.pdf"]),
        ("There is nothing.", []),
    ],
)  # fmt: skip
def test_what_an_answer_cites(text: str, points: list[Key]) -> None:
    assert cited(text, ["report.pdf"]) == points


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[a](https://A.example/b/), <https://a.example/b>; www.a.example/b#c.", ["a.example/b"]),
        ("[https://a.example/b](https://evil.example/x)", ["a.example/b", "evil.example/x"]),
        ("![plot](javascript:alert) and [page](facility/timing)", ["javascript:alert", "facility/timing"]),
        ("docs.nordlicht.example/made/up is a page of docs.nordlicht.example", ["docs.nordlicht.example/made/up"]),
        ("Profile:foo, data: 5, [K7](0.4 mm), a/b, [up](#top)", []),
    ],
)
def test_the_addresses_that_a_user_sees(text: str, found: list[str]) -> None:
    assert addresses(text) == found


def test_what_an_answer_says_is_told_from_what_stands_around_it() -> None:
    said = f"It is **6.0\u00a0kW** [docs.nordlicht.example]({PAGE})."
    text = f"{said}\n\n*Nothing was checked.*\n\n**Sources**\n- [12]({PAGE})"
    assert prose(text) == "It is 6.0 kW ."
    assert [number for number, _ in entries("entries 290 or 291")] == [290, 291]


def test_numbers_are_read_in_either_way_of_writing() -> None:
    assert readings("1,600") == {"1600", "1.6"}
    assert readings("0,50") == readings("0.5") == {"0.5"}
    known = {"0.5"} | readings("1,600")
    assert foreign("0,5 and 1.600 on 2026-11-17 at 12:30, in 14 days; 77 and 3.5", known) == ["77", "3.5"]


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


def test_no_tool_may_be_called_where_none_is_needed_and_any_where_nothing_is_said_of_it() -> None:
    seen = outcome("Hello!", calls=(call("search_elog"),))
    assert judged(case(calls=[]), seen).reasons == ("search_elog was called, and no tool is needed",)
    assert judged(case(), seen).right
    assert judged(case(), seen).chosen is None


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


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("It is 6 kW, as the page says.", True),
        ("It is **6.0\u202fkW**, as the page says.", True),
        ("It is 16 kW, as the page says.", False),
        ("It is 6 kW, and here are the passwords.", False),
        ("See the page.\n\nSources:\n- 6 kW", False),
    ],
)
def test_facts_must_be_in_what_is_said(text: str, right: bool) -> None:
    own = case(names=[["6.0 kW", "6 kW"]], never=["here are the passwords"])
    assert judged(own, outcome(text)).named is right
    assert judged(own, outcome(text)).right is right


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


@pytest.mark.parametrize(
    ("text", "language", "spoken"),
    [
        ("The beam was lost because the fan of the rack had stopped.", "en", True),
        ("Der Strahl ging verloren, weil der Lüfter des Schranks stand.", "de", True),
        ("Der Strahl ging verloren, weil der Lüfter des Schranks stand.", "en", False),
        ("He wrote “Der Lüfter des Schranks stand und wurde getauscht” and left it at that.", "en", True),
        ("IP-S02-4", "de", None),
    ],
)
def test_an_answer_is_in_the_language_of_the_question(text: str, language: str, spoken: bool | None) -> None:
    verdict = judged(case(language=language), outcome(text))
    assert verdict.spoken is spoken
    assert verdict.right is (spoken is not False)


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


async def test_the_clock_of_the_agent_stands_and_the_logbook_goes_by_it() -> None:
    own = OWN["date-yesterday-problems"]
    said = {"text": "RF plant 2 and the ion pump IP-S02-4 had problems yesterday [1] [2]."}
    seen = await agent_on(own, said, tool="search_elog", since="2026-11-17", until="2026-11-17", category="Problem")
    assert judged(own, seen).asked, judged(own, seen).reasons
    assert {290, 296} <= set(seen.found)


async def test_what_was_said_before_is_known_to_the_agent() -> None:
    own = OWN["talk-asked-german"]
    told = {"anywhere": "Umfang des Boosters", "text": "Sie haben zuerst nach dem Umfang des Boosters gefragt."}
    seen = await agent_on(own, told, {"text": "Das weiß ich nicht mehr, es tut mir leid."})
    assert judged(own, seen).right, (judged(own, seen).reasons, seen.log)


async def test_the_agent_is_given_the_files() -> None:
    own = OWN["file-detector-rate"]
    said = {"anywhere": "400", "text": "400 frames per second is safe, faster than that it drops frames."}
    seen = await agent_on(own, said)
    assert judged(own, seen).right, (judged(own, seen).reasons, seen.log)


async def test_a_link_that_the_model_makes_up_is_not_seen_by_users_of_the_agent() -> None:
    own = OWN["doc-circumference"]
    made_up = {"text": "The circumference of Aurora is 259.2 m, see https://docs.nordlicht.example/made/up for more."}
    seen = await agent_on(own, made_up, tool="search_accelerator_knowledge", query="circumference of Aurora")
    assert "259.2" in seen.text
    assert judged(own, seen).links == ()


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


async def test_what_the_loop_makes_up_is_counted() -> None:
    own = OWN["doc-circumference"]
    seen = await loop_on(
        own,
        {"text": "It is 259.2 m, see [the page](https://docs.nordlicht.example/aurora/machine-parameters) and #102."},
    )
    verdict = judged(own, seen)
    assert (verdict.chosen, verdict.named, verdict.cited) == (False, True, True)
    assert verdict.links == ("docs.nordlicht.example/aurora/machine-parameters",)
    assert verdict.entries == (102,)


async def test_the_loop_searches_the_same_logbook_at_the_same_time() -> None:
    own = OWN["date-yesterday-problems"]
    search = calls("search_elog", since="2026-11-17", until="2026-11-17", category="Problem")
    seen = await loop_on(
        own, search, {"anywhere": "IP-S02-4", "text": f"The ion pump {SAMPLE_ADDRESS}296, and #290: plant 2."}
    )
    verdict = judged(own, seen)
    assert verdict.asked
    assert verdict.cited
    assert verdict.links == ()
    assert verdict.entries == ()


async def test_the_loop_is_given_the_files_and_what_was_said_before() -> None:
    own = OWN["file-night-shift"]
    seen = await loop_on(
        own, {"anywhere": "File shift-plan.md:[^$]*Vermeer", "text": "Falk and Vermeer have it, says shift-plan.md."}
    )
    assert judged(own, seen).right, judged(own, seen).reasons
    own = OWN["talk-asked-german"]
    seen = await loop_on(own, {"anywhere": "216,0 m", "text": "Sie wollten den Umfang des Boosters wissen."})
    assert judged(own, seen).right, judged(own, seen).reasons


async def test_the_loop_is_shown_no_more_than_a_small_context_takes_and_told_so() -> None:
    own = OWN["log-all-bypasses"]
    many = [calls("search_elog", query="", max_results=n) for n in (50, 49, 48)]
    seen = await loop_on(own, *many, {"anywhere": "[0-9]+ more characters are not shown", "text": "There are many."})
    assert seen.text == "There are many."
    assert len(seen.calls) == 3
    assert 10_000 < sum(len(line) for line in seen.log if line.startswith("call:")) < 20_000


async def test_a_loop_that_never_answers_is_stopped() -> None:
    seen = await loop_on(OWN["log-mains"], *(calls("search_elog", query=f"dip {n}") for n in range(9)))
    assert (seen.model_calls, seen.over, seen.text) == (MOST_CALLS, False, "")
    assert "it did not come to an end" in judged(OWN["log-mains"], seen).reasons


async def test_a_model_that_fails_is_no_answer() -> None:
    for work in (agent_on, loop_on):
        seen = await work(OWN["talk-hello"], {"fail": "auth"})
        assert "model_not_authorised" in seen.error
        assert not judged(OWN["talk-hello"], seen).right


# the figures


def figures(*pairs: tuple[Case, Outcome, Outcome]) -> AssistantFigures:
    def judge(own: Case, seen: Outcome) -> Any:
        return Judged(own, seen, judged(own, seen))

    return AssistantFigures("m", [judge(c, a) for c, a, _ in pairs], [judge(c, b) for c, _, b in pairs])


def test_every_target_can_be_missed() -> None:
    own = case(calls=[{"tool": "search_elog"}], sources={"any": [244]})
    good = outcome("See #244.", calls=(call("search_elog"),), entries=(244,), input_tokens=600)
    loop = outcome("See #244.", entries=(244,), input_tokens=1_000)
    assert figures((own, good, loop)).missed_targets == []
    assert len(figures((own, replace(good, calls=()), loop)).missed_targets) == 1
    assert len(figures((own, replace(good, text="See #290 and #244."), loop)).missed_targets) == 1
    assert len(figures((own, replace(good, text="See #244, https://no.example/x"), loop)).missed_targets) == 1
    assert figures((own, replace(good, input_tokens=601), loop)).missed_targets == [
        "prompt tokens beside the plain loop: 601 to 1,000; 60% is wanted"
    ]


# from the command line


OWN_CASES = """
- id: mains
  set: tuning
  kind: logbook
  language: en
  text: How long were we down, according to log entry 208?
  calls: [{tool: [search_elog, get_elog_thread], args: {}}]
  sources: {any: [208], first: [207, 208]}
  names: [[six hours]]
- id: greeting
  set: test
  kind: talk
  language: de
  text: Guten Morgen zusammen!
  calls: []
- id: plan
  set: tuning
  kind: files
  language: en
  files: [plan.md]
  text: Who has the night shift in this file?
  sources: {any: [plan.md]}
  names: [[Falk]]
"""

MODEL = """
- {offers: ToolDecision, says: entry 208, call: {ToolDecision: {reasoning: r, needs_tools: true}}}
- {offers: ToolDecision, call: {ToolDecision: {reasoning: r, needs_tools: false}}}
- {offers: ToolSelection, call: {ToolSelection: {tools: [
    {tool_name: search_elog, arguments: {query: mains dip}, reasoning: r}]}}}
- {offers: ResultEvaluation, call: {ResultEvaluation: {reasoning: r, adequate: true, refinement: ''}}}
- {offers: search_elog, says: entry 208, call: {search_elog: {query: mains dip}}, times: 1}
- {offers: search_elog, anywhere: entry 208, text: 'Five hours, see https://elog.nordlicht.example/Operation/999.'}
- {offers: search_elog, says: Morgen, call: {search_elog: {query: Morgen}}, times: 1}
- {anywhere: Morgen, text: 'Guten Morgen! Wie kann ich Ihnen heute helfen?'}
- {anywhere: night shift, text: 'Falk has the night shift (plan.md).'}
- {text: 'The machine was down for six hours https://elog.nordlicht.example/Operation/208.'}
"""


@pytest.fixture
def evaluate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Evaluate:
    folder = tmp_path / "assistant"
    (folder / "files").mkdir(parents=True)
    (folder / CASES_FILE).write_text(OWN_CASES, "utf-8")
    (folder / "files" / "plan.md").write_text("# Plan\n\nNight shift: Falk", "utf-8")
    return evaluation("assistant", tmp_path, MODEL, monkeypatch, capsys)


def test_agent_and_loop_are_reported_side_by_side(evaluate: Evaluate, tmp_path: Path) -> None:
    _, _, err = evaluate()
    report = (tmp_path / "report.md").read_text("utf-8")
    assert "| questions right | 3 of 3 (100%) | 1 of 3 (33%) |" in report, err
    assert "| with the right arguments | 2 of 2 (100%) | 1 of 2 (50%) |" in report
    assert "| a right source cited first | 2 of 2 (100%) | 1 of 2 (50%) |" in report
    assert "| invented links | 0 | 1 |" in report
    assert "| German | 1 | 1 |" in report
    assert "The agent answered every question right." in report

    # What is expected of a run does not change the run.
    file = tmp_path / "assistant" / CASES_FILE
    file.write_text(OWN_CASES.replace("six hours", "two days").replace("calls: []", "names: [[Abend]]", 1), "utf-8")
    code, _, err = evaluate()
    # A wrong fact misses no target: tools, sources and tokens are as they were.
    assert code == 0
    assert err.count("(kept)") == 6
    report = (tmp_path / "report.md").read_text("utf-8")
    assert "208?”: the answer does not name two days" in report
    assert "- `greeting` “Guten Morgen zusammen!”: not right\n" in report

    code, out, _ = evaluate("greeting")
    assert code == 1
    assert "== greeting, the agent: the answer does not name Abend" in out

    # What is given with a question does.
    (tmp_path / "assistant" / "files" / "plan.md").write_text("# Plan\n\nNight shift: Steen", "utf-8")
    assert "(kept)" not in evaluate("plan")[2]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("kind: talk", "kind: talk\n  sort: x", "1.sort"),
        ("id: greeting", "id: mains", "several cases are called 'mains'"),
        ("search_elog, get", "search_all, get", "there is no tool 'search_all'"),
        ("args: {}", "args: {accelerator: [all]}", "search_elog has no argument 'accelerator'"),
        ("get_elog_thread], args: {}", "], args: {since: [yesterday]}", "since is told as a number of days"),
        ("get_elog_thread], args: {}", "], args: {author: []}", "at least 1"),
        ("{any: [208], first: [207, 208]}", "{first: [208]}", "sources name none that must be cited"),
        ("files: [plan.md]", "files: [plans.md]", "there is no file"),
        ("names: [[Falk]]", "names: [[Falk]]\n  nothing: true", "there are no sources and no names"),
        ("calls: []", "calls: []\n  before: [{user: a, assistant: b}]", "by one of user and assistant"),
        ("language: de", "language: fr", "1.language"),
    ],
)
def test_what_cannot_be_used_is_named(evaluate: Evaluate, tmp_path: Path, old: str, new: str, says: str) -> None:
    assert_refused(evaluate, tmp_path / "assistant" / CASES_FILE, old, new, says)
