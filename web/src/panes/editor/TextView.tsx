// The text of a draft, whose CodeMirror belongs to the session.

import { type ReactNode, useEffect, useRef } from "react";
import { useText } from "../../app/language";
import { useSession } from "./useSession";
import { words } from "./words";

export function TextView(): ReactNode {
  const session = useSession();
  const say = useText(words);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    session.view.scrollDOM.tabIndex = 0;
    place.current?.append(session.view.dom);
  }, [session]);
  return (
    <div ref={place} className="editor-text">
      <small className="editor-text-hint">{say.leaveText}</small>
    </div>
  );
}
