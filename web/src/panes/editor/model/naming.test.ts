import { expect, test } from "vitest";
import { readFlow } from "./flow";
import { labelled } from "./naming";

const FLOW = `nodes:
  - {id: q.1, type: question, key: q_1, prompt: "How many?"} # new
  - {id: end.1, type: terminal, say: "{{ answers.q_1 }}"}
  - {id: q.big, type: question, key: big, prompt: Big?}
edges:
  - {from: q.1, to: end.1}
`;

test("a new node gets an id and a key that are made of its label", () => {
  const { text, id } = labelled(FLOW, "q.1", "Für wie viele?", null);
  expect(id).toBe("q.fuer_wie_viele");
  expect(text).toContain("{id: q.fuer_wie_viele, type: question, key: fuer_wie_viele");
  expect(text).toContain('say: "{{ answers.fuer_wie_viele }}"');
  expect(text).toContain("{from: q.fuer_wie_viele, to: end.1}");
  expect(text).toContain("# new");
});

test("an id that a person wrote, a published one and a taken one stay apart", () => {
  expect(labelled(FLOW, "q.big", "Large", null).id).toBe("q.big");
  expect(labelled(FLOW, "q.1", "Guests", readFlow(FLOW)).id).toBe("q.1");
  expect(labelled(FLOW, "q.1", "Big", null)).toMatchObject({ id: "q.big.2" });
});
