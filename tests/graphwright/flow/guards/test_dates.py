"""The clock `now` and the functions for dates, in flows: one time for each turn, typed, and the same in replay."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphwright.engine.replay import fold
from graphwright.flow import compile_text
from graphwright.flow.guards import Language, Vocabulary
from host_support import agent, scripted

FLOW = """
nodes:
  - {id: q, type: question, key: day, read: verbatim, prompt: "When? Today is {{ now.format('%d.%m.') }}",
     schema: {type: string, format: date}, validate: date(value) >= date(now)}
  - {id: q.soon, type: question, key: rush, read: verbatim, prompt: Rush?,
     when: date(now).daysUntil(date(answers.day)) < 3}
  - {id: t, type: terminal, say: "{{ answers.day }} {{ has(answers.rush) }} {{ date(answers.day).weekday() }}"}
edges:
  - {from: q, to: q.soon}
  - {from: q.soon, to: t, guard: "now.getHours() == 9"}
"""


def at(text: str):
    return lambda: datetime.fromisoformat(text).astimezone()


@pytest.mark.anyio
async def test_guards_validate_when_and_templates_read_the_time_of_the_turn(tmp_path):
    made = agent(tmp_path / "a", FLOW)
    async with made.session("t", model=scripted(), home=tmp_path / "home", clock=at("2026-11-30T09:59:59")) as session:
        assert "30.11." in (await session.start()).reply
        assert (await session.send("2026-11-29")).waiting_for.node == "q"
        assert (await session.send("2026-12-01")).waiting_for.node == "q.soon"
        ended = await session.send("yes please")
        assert ended.reply.endswith("2026-12-01 true tuesday")
        rows = await session.history()
    before = fold(rows, -1).state
    assert before.now.startswith("2026-11-30T09:59:59")
    assert {row.event["now"] for row in rows if row.event["type"] == "turn_started"} == {before.now}


def test_the_limit_of_a_date_is_known():
    language = Language({"": Vocabulary({})})
    guard = language.guard("date(value) > now", value={"type": "string"})
    bounds = guard.bounds(("value",), {"answers": {}, "now": "2026-11-30T10:00:00+01:00"})
    assert (bounds.found, bounds.exact) == ([(">", "2026-11-30")], True)


def test_a_channel_cannot_have_the_name_of_the_clock():
    found = compile_text(
        "version: v1\nid: f\nstate: {now: {type: string}}\nnodes: [{id: t, type: terminal}]\nedges: []"
    )
    assert [each.code for each in found.errors] == ["GW126"]


@given(st.dates(), st.integers(-3000, 3000))
def test_adding_days_and_counting_them_are_inverse(day, days):
    language = Language({"": Vocabulary({"day": {"type": "string"}, "n": {"type": "integer"}})})
    guard = language.guard("date(answers.day).daysUntil(date(answers.day).addDays(answers.n)) == answers.n")
    verdict = guard.evaluate({"answers": {"day": day.isoformat(), "n": days}})
    assert verdict.opens or "outside the years" in verdict.error
