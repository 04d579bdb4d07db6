"""An agent that uses every kind of node, and its messages: for tests of replay and of the steps."""

from __future__ import annotations

from hypothesis import strategies as st

from host_support import reads, unknown

FLOW = """
restart: keep
on_escalate: t.person
state:
  tries: {type: integer, default: 0, scope: conversation}
  log: {type: array, default: [], reduce: append}
  text: {type: [string, "null"], large: true}
  pin: {type: string, default: "", private: true}
constraints: [{one_of: [[email]], message: We need an address.}]
nodes:
  - {id: q.name, type: question, key: name, prompt: Name?, read: verbatim}
  - {id: led, type: subgraph, ref: g, as: led}
  - {id: more, type: subgraph, ref: h}
  - {id: act, type: action, run: act, retry: {attempts: 2}}
  - {id: risky, type: action, run: risky, on_error: q.sure}
  - {id: q.sure, type: question, key: sure, prompt: "Sure, {{ answers.name }}?", read: confirm, ask: always}
  - {id: send, type: action, run: send, confirm: {by: q.sure, over: [log, answers.led.size]}}
  - {id: q.email, type: question, key: email, prompt: E-mail?, schema: {type: string, format: email}, required: false}
  - {id: done, type: terminal, say: "Bye {{ answers.led.size }}"}
  - {id: t.no, type: terminal, say: Not done.}
  - {id: t.person, type: terminal, say: Somebody will call.}
edges:
  - {from: q.name, to: led}
  - {from: led, to: more}
  - {from: more, to: act}
  - {from: act, to: risky}
  - {from: risky, to: q.sure}
  - {from: q.sure, to: send, guard: answers.sure == true}
  - {from: q.sure, to: t.no, guard: answers.sure == false}
  - {from: q.sure, to: act, guard: else}
  - {from: send, to: done}
  - {from: q.email, to: done}
subgraphs:
  g:
    nodes: [{id: q.size, type: question, key: size, prompt: Size?, read: choice, schema: {enum: [small, large]}}]
    edges: [{from: q.size, to: __exit__}]
  h:
    nodes:
      - {id: q.watts, type: question, key: watts, prompt: Watts?, schema: {type: integer, maximum: 300}, max_invalid: 2}
    edges: [{from: q.watts, to: __exit__}]
"""
NODES = """
@action(reads=["tries", "answers.name"], writes=["tries", "log", "text", "pin"])
def act(state, ctx):
    if ctx.attempt == 1:
        raise RuntimeError("first")
    ctx.say("Worked.")
    return {"tries": state["tries"] + 1, "log": [state["answers"]["name"]], "text": "x" * 9, "pin": "hunter2"}

@action(reads=["answers.name"])
async def risky(state, ctx):
    if state["answers"]["name"] == "Xaver":
        raise RuntimeError("not for Xaver")

@action(reads=["answers.led.size"], writes=["log"])
def send(state, ctx):
    if state["answers"]["led"]["size"] == "large" and not (Path(__file__).parent / "open").exists():
        (Path(__file__).parent / "open").touch()
        raise RuntimeError("closed")
    return {"log": Reset(["sent"])}
"""
RULES = (
    reads("100 W", ("watts", 100, "100 W")),
    reads("900 W", ("watts", 900, "900 W")),
    reads("make it large", ("led.size", "large", "large")),
    reads("ann@", ("email", "ann@example.com", "ann@example.com")),
    {"says": "person", "call": {"EscalateToHuman": {"reason": "wants a person"}}},
    {"says": "broken", "fail": "timeout"},
    unknown(".", "watts"),
)
WORDS = (
    "Ann",
    "Xaver",
    "small",
    "large",
    "100 W",
    "900 W",
    "make it large",
    "yes",
    "yes",
    "yes",
    "no",
    "hm",
    "person",
    "broken",
)
TEXTS = st.lists(st.sampled_from(WORDS), max_size=8)
