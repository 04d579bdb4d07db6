"""Assurances: what holds on every way is silent, what fails shows a conversation that plays, all else is unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli_support import Runner
from graphwright.flow import Severity, compile_text
from graphwright.flow.compiled import ActionSignature, Catalogue
from graphwright.host.agent import catalogue_for
from graphwright.host.discovery import find
from graphwright.testing._counterexamples import conversation_text, find_counterexample
from graphwright.testing._suite import run_suite

CATALOGUE = Catalogue(
    actions={
        "price": ActionSignature("price", ("answers.n",), ("total",), effects=False),
        "send": ActionSignature("send", ("answers.n",)),
    },
    missing=frozenset(),
)
ORDERS = """
version: v1
id: flow.orders
state: {total: {type: number, default: 0, scope: conversation}}
nodes:
  - {id: q.n, type: question, key: n, prompt: "How many?", schema: {type: integer, minimum: 1}}
  - {id: price, type: action, run: price, on_error: failed}
  - {id: sg.extra, type: subgraph, ref: extra, as: extra}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "Send {{ answers.n }}?"}
  - {id: send, type: action, run: send, confirm: {by: q.sure, over: [answers.n, total], when: total > 10.0}}
  - {id: sent, type: terminal}
  - {id: left, type: terminal}
  - {id: failed, type: terminal}
edges:
  - {from: q.n, to: price}
  - {from: price, to: sg.extra}
  - {from: sg.extra, to: q.sure, guard: total > 10.0}
  - {from: sg.extra, to: send, guard: else}
  - {from: q.sure, to: send, guard: answers.sure == true}
  - {from: q.sure, to: left, guard: answers.sure == false}
  - {from: q.sure, to: q.sure, guard: else}
  - {from: send, to: sent}
subgraphs:
  extra:
    nodes:
      - {id: q.gift, type: question, key: gift, prompt: "A gift?", schema: {enum: [wine, none]}}
      - {id: wrap, type: decision}
    edges:
      - {from: q.gift, to: wrap, guard: answers.gift == 'wine'}
      - {from: q.gift, to: __exit__, guard: else}
      - {from: wrap, to: __exit__}
assurances:
  - """


def verdict(assurance: str, flow: str = ORDERS) -> str:
    """`holds`, `unknown`, or the conversation that violates the assurance."""
    compiled = compile_text(flow + assurance, catalogue=CATALOGUE, assure=True)
    assert compiled.flow is not None, compiled.errors
    if not compiled.unproven:
        return "holds"
    found = find_counterexample(compiled.flow, compiled.flow.assurances[0])
    return "unknown" if found is None else found.text


@pytest.mark.parametrize(
    "assurance",
    [
        "{never: send, unless: [q.sure, total <= 10.0]}",
        "{never: wrap, unless: answers.gift == 'wine'}",
        "{always_before: send, comes: price}",
        "{always_before: sent, comes: q.gift}",
        "{always_before: sent, comes: answers.n}",
        "{eventually: price}",
        "{eventually: answers.n}",
        "{never: left, unless: answers.sure == false}",
    ],
)
def test_an_assurance_that_every_path_keeps_holds(assurance: str) -> None:
    assert verdict(assurance) == "holds"


@pytest.mark.parametrize(
    ("assurance", "way"),
    [
        ("{never: send, unless: q.sure}", 'q.n = 1 -> price: total = 9 -> q.gift = "wine" -> send'),
        ("{always_before: sent, comes: wrap}", 'q.n = 1 -> price: total = 9 -> q.gift = "none" -> send -> sent'),
        ("{eventually: send}", "q.n = 1 -> price: fails -> failed"),
        (
            "{never: answers.sure, unless: answers.n < 3}",
            'q.n = 3 -> price: total = 11 -> q.gift = "wine" -> q.sure = true',
        ),
    ],
)
def test_a_violated_assurance_fails_with_a_shortest_conversation(assurance: str, way: str) -> None:
    assert verdict(assurance).startswith(way)


def test_calculated_values_of_guards_are_unknown() -> None:
    assert verdict("{never: sg.extra, unless: answers.n * 2 > 0}") == "unknown"


CORRECTED = """
version: v1
id: flow.corrected
nodes:
  - {id: q.n, type: question, key: n, prompt: "How many?", schema: {type: integer, minimum: 1}}
  - {id: q.name, type: question, key: name, prompt: "For whom?"}
  - {id: many, type: terminal}
  - {id: few, type: terminal}
edges:
  - {from: q.n, to: q.name, guard: answers.n > 2}
  - {from: q.n, to: few, guard: else}
  - {from: q.name, to: many}
assurances:
  - """


def test_a_correction_takes_the_decision_on_the_way_again() -> None:
    assert verdict("{never: many, unless: answers.n > 2}", CORRECTED) == "holds"
    # A decision is not taken again for an answer that is given after it.
    later = CORRECTED.replace("answers.n > 2", "\"!has(answers.name) || answers.name == 'x'\"")
    assert (
        verdict("{never: many, unless: answers.name == 'x'}", later) == 'q.n = 1 -> q.name = "something else" -> many'
    )


def test_assurances_are_not_part_of_the_hash_of_a_flow() -> None:
    one, other = (
        compile_text(ORDERS + claim, catalogue=CATALOGUE).flow for claim in ("{eventually: price}", "{never: q.n}")
    )
    assert one.hash == other.hash


@pytest.mark.parametrize("agent", ["graph_editor", "upgrade", "data_scientist", "assistant", "intake"])
def test_the_agents_keep_what_they_assure(agent: str) -> None:
    file = find(agent)
    compiled = compile_text(file.read_text("utf-8"), catalogue=catalogue_for(file), assure=True)
    assert compiled.flow is not None
    assert compiled.flow.assurances
    assert compiled.unproven == ()


@pytest.mark.slow
def test_check_writes_a_conversation_that_violates_an_assurance_and_plays(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "flow.yaml").write_text(ORDERS + "{never: send, unless: q.sure}", "utf-8")
    (tmp_path / "nodes.py").write_text(
        "from graphwright import action\n"
        "@action(reads=['answers.n'], writes=['total'], effects=False)\n"
        "def price(state, ctx):\n    return {'total': 1.0}\n"
        "@action(reads=['answers.n'])\ndef send(state, ctx):\n    raise ValueError\n",
        "utf-8",
    )
    out = tmp_path / "bad.conversation.yaml"
    checked = run("check", str(tmp_path), "--counterexample", str(out))
    assert checked.code == 1
    assert "error GW711 `never send unless q.sure` does not hold: q.n = 1 -> price: total = 9" in checked.out
    assert "ok" not in checked.out
    suite = run_suite([out])
    assert (suite.passed, suite.failed, suite.unusable) == (1, 0, 0)
    unwritable = run("check", str(tmp_path), "--counterexample", str(tmp_path / "no" / "x.yaml"))
    assert "cannot be written" in unwritable.err
    (tmp_path / "flow.yaml").write_text(ORDERS + "{eventually: q.n}", "utf-8")
    kept = run("check", str(tmp_path), "--counterexample", str(out))
    assert (kept.code, "was not written" in kept.err) == (0, True)


@pytest.mark.parametrize(
    ("assurance", "code"),
    [
        ("{never: nothing}", "GW710"),
        ("{always_before: send, comes: answers.nothing}", "GW710"),
        ("{never: send, unless: answers.nothing == 1}", "GW302"),
        ("{never: send, eventually: sent}", "GW709"),
        ("{eventually: sent, unless: q.sure}", "GW709"),
        ("{unless: q.sure}", "GW121"),
        ("7", "GW122"),
    ],
)
def test_an_assurance_that_cannot_be_read_is_an_error_at_its_line(assurance: str, code: str) -> None:
    found = [
        d for d in compile_text(ORDERS + assurance, catalogue=CATALOGUE).diagnostics if d.severity is Severity.ERROR
    ]
    assert {(d.code, d.span.line) for d in found} == {(code, ORDERS.count("\n") + 1)}


WISHES = """
version: v1
id: flow.wishes
on_escalate: person
on_abandon: gone
nodes:
  - {id: q.want, type: question, key: want, prompt: "What?", when: "active_path == ''"}
  - {id: way, type: subgraph, ref: $active_path, as: chosen}
  - {id: done, type: terminal}
  - {id: person, type: terminal}
  - {id: gone, type: terminal}
edges:
  - {from: q.want, to: way, guard: "active_path != ''"}
  - {from: q.want, to: q.want, guard: else}
  - {from: way, to: done}
paths: {buy: {ref: buying, description: Buying}, fix: {ref: repairing, description: Repairing}}
subgraphs:
  buying:
    nodes: [{id: q.watts, type: question, key: watts, prompt: "Watts?"}]
    edges: [{from: q.watts, to: __exit__}]
  repairing:
    nodes: [{id: q.defect, type: question, key: defect, prompt: "Defect?"}]
    edges: [{from: q.defect, to: __exit__}]
assurances:
  - """


@pytest.mark.parametrize(
    ("assurance", "way"),
    [
        ("{never: q.defect}", "q.want: I mean fix. -> q.want: I mean fix. -> q.defect"),
        ("{always_before: person, comes: q.want}", "q.want: I want to talk to a person. -> person"),
        ("{never: gone, unless: has(answers.want)}", "q.want: I do not need it any more. -> gone"),
    ],
)
def test_a_violation_after_a_wish_of_the_user_is_found_and_plays(assurance: str, way: str, tmp_path: Path) -> None:
    assert verdict(assurance, WISHES) == way
    flow = compile_text(WISHES + assurance).flow
    assert flow is not None
    (tmp_path / "flow.yaml").write_text(WISHES + assurance, "utf-8")
    found = find_counterexample(flow, flow.assurances[0])
    assert found is not None
    conversation = tmp_path / "bad.conversation.yaml"
    conversation.write_text(conversation_text(found, "."), "utf-8")
    suite = run_suite([conversation])
    assert (suite.passed, suite.failed, suite.unusable) == (1, 0, 0)


DATED = """
version: v1
id: flow.dated
nodes:
  - {id: q.kind, type: question, key: kind, prompt: "Which?", schema: {enum: [dog, horse]}}
  - {id: q.stable, type: question, key: stable, when: answers.kind == 'horse', prompt: "Which stable?"}
  - {id: q.day, type: question, key: day, prompt: "Which day?", schema: {type: string, format: date}, validate: JUDGE}
  - {id: booked, type: terminal}
edges: [{from: q.kind, to: q.stable}, {from: q.stable, to: q.day}, {from: q.day, to: booked}]
assurances: [{always_before: booked, comes: answers.stable}]
"""


@pytest.mark.parametrize(
    ("judge", "day"),
    [
        ("date(value) > date(now)", "2026-02-01"),
        ("date(value) <= date(now)", "2026-01-31"),
        ("date(value) < date(now)", "2026-01-30"),
        ("date(value) > now.addDays(20)", "2026-03-02"),
    ],
)
def test_a_violation_behind_a_date_that_depends_on_the_present_is_found_and_plays(
    judge: str, day: str, tmp_path: Path
) -> None:
    text = DATED.replace("JUDGE", judge)
    flow = compile_text(text).flow
    assert flow is not None
    found = find_counterexample(flow, flow.assurances[0])
    assert found is not None
    assert found.text == f'q.kind = "dog" -> q.day = "{day}" -> booked'
    (tmp_path / "flow.yaml").write_text(text, "utf-8")
    conversation = tmp_path / "bad.conversation.yaml"
    conversation.write_text(conversation_text(found, "."), "utf-8")
    assert run_suite([conversation]).passed == 1


MAPPED = """
version: v1
id: flow.mapped
state:
  place: {type: string, default: "", scope: conversation}
  weather: {type: string, default: "", scope: conversation}
  weathers: {type: array, items: {type: [string, 'null']}, default: [], scope: conversation}
nodes:
  - {id: q.n, type: question, key: n, prompt: "How many?", schema: {type: integer, minimum: 0}}
  - {id: q.places, type: question, key: places, prompt: "Where?", schema: {type: array, items: {enum: [ulm, bonn]}LEAST}}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "{{ answers.places }}?"}
  - {id: each, type: subgraph, ref: sg, map: {over: answers.places, as: place, result: weather, into: weathers}, confirm: {by: q.sure, over: [answers.places]}}
  - {id: file, type: action, run: record, with: {collection: c, value: {w: "{{ string(size(weathers)) }}"}}}
  - {id: done, type: terminal, say: "{{ weathers }}"}
edges:
  - {from: q.n, to: q.places}
  - {from: q.places, to: q.sure}
  - {from: q.sure, to: each, guard: answers.sure == true}
  - {from: q.sure, to: done, guard: answers.sure == false}
  - {from: q.sure, to: q.sure, guard: else}
  - {from: each, to: file}
  - {from: file, to: done}
subgraphs:
  sg:
    nodes:
      - {id: d, type: decision}
      - {id: look, type: action, run: http_request, with: {url: "https://w.example/{{ place }}", into: weather}}
      - {id: note, type: action, run: record, on_error: left, with: {collection: d, value: {w: "{{ weather }}"}}}
      - {id: left, type: decision}
    edges:
      - {from: d, to: look, guard: answers.n > 0}
      - {from: d, to: __exit__, guard: else}
      - {from: look, to: note, guard: "weather != ''"}
      - {from: look, to: __exit__, guard: else}
      - {from: note, to: __exit__}
      - {from: left, to: __exit__}
assurances:
  - """  # noqa: E501


@pytest.mark.parametrize(
    ("assurance", "way", "least"),
    [
        ("{always_before: note, comes: look}", "holds", 0),
        ("{always_before: look, comes: answers.places}", "holds", 0),
        ("{always_before: file, comes: each}", "holds", 0),
        ("{never: note, unless: \"weather != ''\"}", "holds", 0),
        ("{never: note, unless: answers.n > 0}", "holds", 0),
        ("{never: look, unless: q.sure}", "holds", 0),
        ("{always_before: file, comes: d}", "holds", 1),
        ("{always_before: file, comes: d}", "q.n = 0 -> q.places = [] -> q.sure = true -> file", 0),
        ("{never: left, unless: look}", "holds", 0),
        ("{never: look, unless: \"place == 'ulm'\"}", "unknown", 0),
        ("{never: d}", 'q.n = 0 -> q.places = ["ulm"] -> q.sure = true -> file -> d', 1),
        (
            "{never: left}",
            'q.n = 1 -> q.places = ["ulm"] -> q.sure = true -> look: weather = "something else" -> note: fails -> file '
            "-> left",
            1,
        ),
    ],
)
def test_nodes_that_run_for_each_item_of_a_list_are_followed(
    assurance: str, way: str, least: int, tmp_path: Path
) -> None:
    text = MAPPED.replace("LEAST", f", minItems: {least}" if least else "") + assurance
    assert verdict(assurance, text.removesuffix(assurance)) == way
    if "->" in way:
        (tmp_path / "flow.yaml").write_text(text, "utf-8")
        compiled = compile_text(text).flow
        found = find_counterexample(compiled, compiled.assurances[0])
        conversation = tmp_path / "bad.conversation.yaml"
        conversation.write_text(conversation_text(found, "."), "utf-8")
        suite = run_suite([conversation])
        assert (suite.passed, suite.failed, suite.unusable) == (1, 0, 0)


def test_a_list_with_an_item_leads_through_its_subgraph() -> None:
    flow = MAPPED.replace("LEAST", ", minItems: 1").replace(
        "confirm: {by: q.sure, over: [answers.places]}", "on_error: done"
    )
    assert verdict("{eventually: d}", flow) != "holds"  # the user may say no
    certain = flow.replace("{from: q.places, to: q.sure}", "{from: q.places, to: each}").replace(", on_error: done", "")
    assert verdict("{eventually: d}", certain) == "holds"
    assert verdict("{eventually: look}", certain).startswith("q.n = 0 -> ")


PICKED = """
version: v1
id: flow.picked
nodes:
  - {id: next, type: decision, pick: question}
  - {id: q.name, type: question, key: name, prompt: "Name?"}
  - {id: q.hours, type: question, key: hours, prompt: "Hours?", schema: {type: integer}}
  - {id: q.mail, type: question, key: mail, required: false, prompt: "Mail?"}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "{{ answers.hours }}?"}
  - {id: note, type: action, run: record, confirm: {by: q.sure, over: [answers]}, with: {collection: c, value: {h: "{{ answers.hours }}", n: "{{ answers.name }}"}}}
  - {id: done, type: terminal}
edges:
  - {from: next, to: q.name}
  - {from: next, to: q.hours}
  - {from: next, to: q.mail}
  - {from: next, to: q.sure, guard: else}
  - {from: q.name, to: next}
  - {from: q.hours, to: next}
  - {from: q.mail, to: next}
  - {from: q.sure, to: note, guard: answers.sure == true}
  - {from: q.sure, to: done, guard: answers.sure == false}
  - {from: q.sure, to: next, guard: else}
  - {from: note, to: done}
assurances:
  - """  # noqa: E501


def test_an_answer_that_a_decision_picked_is_there_after_all_corrections() -> None:
    assert verdict("{always_before: note, comes: answers.hours}", PICKED) == "holds"
    assert "q.mail: I do not know." in verdict("{always_before: note, comes: answers.mail}", PICKED)


@pytest.mark.parametrize(
    ("assurance", "edit", "holds"),
    [
        ("{eventually: answers.hours}", ("", ""), True),
        ("{eventually: done}", ("", ""), True),
        ("{always_before: done, comes: q.name}", ("", ""), True),
        ("{always_before: done, comes: q.mail}", ("", ""), False),
        ("{eventually: answers.mail}", ("", ""), False),
        ("{eventually: done}", ("{from: q.hours, to: next}", "{from: q.hours, to: q.hours}"), False),
        ("{eventually: done}", ("prompt: \"Hours?\"", "ask: always, prompt: \"Hours?\""), False),
        ("{always_before: done, comes: q.name}", ("to: q.name}", "to: q.name, guard: answers.hours > 9}"), False),
    ],
)  # fmt: skip
def test_a_decision_that_picks_questions_ends_once_all_have_answers(
    assurance: str, edit: tuple[str, str], holds: bool
) -> None:
    assert (verdict(assurance, PICKED.replace(*edit)) == "holds") is holds


def test_a_conversation_that_has_a_path_never_has_none_again() -> None:
    flow = """
version: v1
id: flow.shop
nodes:
  - {id: d.path, type: decision}
  - {id: q.what, type: question, key: what, ask: always, prompt: "What do you need?"}
  - {id: call, type: subgraph, ref: $active_path}
  - {id: done, type: terminal}
edges:
  - {from: d.path, to: call, guard: "active_path != ''"}
  - {from: d.path, to: q.what, guard: else}
  - {from: q.what, to: d.path}
  - {from: call, to: done}
paths: {led: {ref: led, description: Buying LED lights}, repair: {ref: repair, description: Having a light repaired}}
subgraphs:
  led:
    nodes: [{id: q.size, type: question, key: size, prompt: "Size?"}]
    edges: [{from: q.size, to: __exit__}]
  repair:
    nodes: [{id: q.defect, type: question, key: defect, prompt: "Defect?"}]
    edges: [{from: q.defect, to: __exit__}]
assurances:
  - """
    assert verdict("{never: call, unless: \"active_path != ''\"}", flow) == "holds"
    assert verdict("{never: call, unless: \"active_path == 'led'\"}", flow) != "holds"
