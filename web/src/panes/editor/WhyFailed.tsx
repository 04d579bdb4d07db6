// Why a conversation does not pass: its first difference as a sentence with links, and all English messages below it.

import type { ReactNode } from "react";
import { useText } from "../../app/language";
import type { Flow } from "../../flow-canvas/flow";
import { Disclosure } from "../../ui";
import { visible } from "../../ui/visible";
import type { TestResult } from "./api";
import { formWords } from "./formWords";
import { useNodeTitles } from "./nodeTitles";
import { type Why, whyFailed } from "./model/whyFailed";
import { useSession, useSessionState } from "./useSession";
import { words } from "./words";

export function WhyFailed({ result }: { result: TestResult }): ReactNode {
  const say = useText(words);
  const { shown } = useSessionState();
  const messages = [...(result.mismatches ?? []), ...(result.error ? [result.error] : [])];
  return (
    <>
      <p className="bad editor-wrong">{shown && <Sentence why={whyFailed(result)} flow={shown} />}</p>
      {messages.length > 0 && (
        <Disclosure summary={say.testDetails}>
          {() => (
            <ul className="test-messages" lang="en">
              {messages.map(({ message }, index) => (
                <li key={index}>{visible(message)}</li>
              ))}
            </ul>
          )}
        </Disclosure>
      )}
    </>
  );
}

function Sentence({ why, flow }: { why: Why; flow: Flow }): ReactNode {
  const session = useSession();
  const say = useText(words);
  const forms = useText(formWords);
  const titleOf = useNodeTitles(flow);
  if (why.word === "testOther") return say.testOther(why.turn);
  if (!("said" in why)) return say[why.word];
  const said = { true: forms.yes, false: forms.no }[why.said] ?? why.said;
  const after = said ? forms.testAfter(visible(said)) : forms.testBegins;
  if (why.word === "testReply") return forms.testReply(after, visible(why.got), visible(why.expected));
  if (why.word === "testValue")
    return forms.testValue(after, visible(why.name), visible(why.got), visible(why.expected));
  const node = (id: string) =>
    flow.nodes.has(id) ? (
      <button type="button" className="test-node" onClick={() => session.select({ kind: "nodes", ids: [id] })}>
        {titleOf(id)}
      </button>
    ) : (
      visible(id)
    );
  return (
    <>
      {forms.testAt(after)} {node(why.got)}, {forms.testNotAt} {node(why.expected)}.
    </>
  );
}
