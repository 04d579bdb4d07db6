// The text that is being written, and what a stopped turn had written.

import type { ReactNode } from "react";
import type { Message } from "../../api";
import { useStore } from "../../app/store";
import { Markdown } from "./Markdown";
import { blocksOf } from "./blocks";
import type { Live } from "./live";
import type { Conversation } from "./session";

/** The text that is being written: only its last block is parsed again when it grows. */
export function Writing({ session }: { session: Conversation }): ReactNode {
  const text = useStore(session.writing);
  if (!text) return null;
  return (
    <div className="writing">
      {blocksOf(text).map((block, index) => (
        <Markdown key={index} text={block} />
      ))}
    </div>
  );
}

/** The texts of a stopped turn that the service did not store: they stay while the page is open. */
export function Unfinished(props: { session: Conversation; live: Live; stored: readonly Message[] }): ReactNode {
  const { session, live, stored } = props;
  const texts = live.said.filter((text) => !stored.some((each) => each.text === text));
  return (
    <>
      {texts.map((text, index) => (
        <Markdown key={index} text={text} />
      ))}
      <Writing session={session} />
    </>
  );
}
