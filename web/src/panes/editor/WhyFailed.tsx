// Why a conversation does not pass: a sentence in the language of the app, and the English messages below it.

import type { ReactNode } from "react";
import { useText } from "../../app/language";
import { Disclosure } from "../../ui";
import { visible } from "../../ui/visible";
import type { TestResult } from "./api";
import { whyFailed } from "./model/whyFailed";
import { words } from "./words";

export function WhyFailed({ result }: { result: TestResult }): ReactNode {
  const say = useText(words);
  const why = whyFailed(result);
  const messages = [...(result.mismatches ?? []), ...(result.error ? [result.error] : [])];
  return (
    <>
      <p className="bad editor-wrong">{why.word === "testOther" ? say.testOther(why.turn) : say[why.word]}</p>
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
