// The flow of a new agent in the language of its author: templates are English.

import { readFlow } from "./flow";
import { setSpoken } from "./spoken";
import { setIn } from "./yamlEdit";

const EMPTY: readonly [path: (string | number)[], english: string, german: string][] = [
  [["description"], "Takes a message and keeps it.", "Nimmt eine Nachricht entgegen und behält sie."],
  [["nodes", 0, "prompt"], "What can I do for you?", "Was kann ich für Sie tun?"],
  [["nodes", 2, "say"], "Thank you, I have noted it.", "Vielen Dank, ich habe es notiert."],
];

/** The text of a template in German: it speaks German at first, and the few texts of the empty one are translated. */
export function inGerman(text: string): string {
  const flow = readFlow(text);
  if (!flow) return text;
  const valueAt = (path: (string | number)[]) =>
    path.reduce<unknown>((now, part) => (now as Record<string, unknown> | undefined)?.[part], flow.data);
  return EMPTY.reduce(
    (now, [path, english, german]) => (valueAt(path) === english ? setIn(now, path, german) : now),
    setSpoken(text, flow, "de"),
  );
}
