"""What the tests of the pictures share: a flow with everything that is drawn, and compiling it."""

from graphwright.flow import CompiledFlow, compile_text

FLOW = """
version: v1
id: flow.lights
title: Lights
on_stuck: t.human
state:
  offer: {type: object, properties: {price: {type: number}}}
nodes:
  - {id: q.kind, type: question, key: kind, prompt: "Which \\"kind\\" <b>?", schema: {enum: [led, other]},
     on_invalid: t.human, ui: {x: 11, y: 22, colour: red}}
  - {id: d, type: decision, label: Which way}
  - {id: sg, type: subgraph, ref: outer}
  - {id: make, type: action, run: make_offer, on_error: t.human}
  - {id: q.sure, type: question, key: sure, prompt: Sure?, read: confirm}
  - {id: send, type: action, run: send_offer, confirm: {by: q.sure, over: [offer]}}
  - {id: end, type: terminal, say: Bye}
  - {id: t.human, type: terminal}
edges:
  - {from: q.kind, to: d}
  - {from: d, to: sg, guard: "answers.kind == 'led'"}
  - {from: d, to: end, guard: else, label: anything else}
  - {from: sg, to: make}
  - {from: make, to: q.sure}
  - {from: q.sure, to: send, guard: answers.sure == true}
  - {from: q.sure, to: end, guard: else}
  - {from: send, to: end}
subgraphs:
  outer:
    title: The outer part
    nodes:
      - {id: q.watt, type: question, key: watt, prompt: Watt?}
      - {id: sg.in, type: subgraph, ref: inner}
    edges:
      - {from: q.watt, to: sg.in}
      - {from: sg.in, to: __exit__}
  inner:
    ui: {position: {x: 700, y: 5}}
    nodes:
      - {id: q.in, type: question, key: deep, prompt: Deep?}
    edges:
      - {from: q.in, to: __exit__}
"""


def compiled(text: str) -> CompiledFlow:
    compilation = compile_text(text)
    assert compilation.flow is not None, compilation.diagnostics
    return compilation.flow
