// The sample answers of an open draft, and what its guards make of them.

import { useEffect, useMemo, useState } from "react";
import type { Fields } from "../../flow-canvas/flow";
import { createStore, useStore } from "../../app/store";
import { type GuardResults, editorApi } from "./api";
import { samplesFor } from "./model/samples";
import { useSession, useSessionState } from "./useSession";

/** The answers that a person wrote, by agent; without them they are made from the document. */
const written = createStore<Readonly<Record<string, Fields>>>({});

export interface Samples {
  answers: Fields;
  set(answers: Fields): void;
}

/** The sample answers; those made lead to `target`. */
export function useSamples(target: string): Samples {
  const session = useSession();
  const { shown } = useSessionState();
  const own = useStore(written)[session.agent];
  const made = useMemo(() => (shown ? samplesFor(shown, target) : {}), [shown, target]);
  return {
    answers: own ?? made,
    set: (answers) => written.set({ ...written.get(), [session.agent]: answers }),
  };
}

/** The results of the guards with these answers; null while they are not known, as in a draft with errors. */
export function useGuards(answers: Fields): GuardResults["guards"] | null {
  const session = useSession();
  const { checked, checkedText, text } = useSessionState();
  const [found, setFound] = useState<GuardResults["guards"] | null>(null);
  const ok = checked?.ok === true && checkedText === text;
  useEffect(() => {
    if (!ok) return;
    const abort = new AbortController();
    editorApi
      .guards(session.agent, text, answers, abort.signal)
      .then(({ guards }) => !abort.signal.aborted && setFound(guards))
      .catch(() => undefined); // The next change asks again.
    return () => abort.abort();
  }, [session, text, ok, answers]);
  return ok ? found : null;
}
