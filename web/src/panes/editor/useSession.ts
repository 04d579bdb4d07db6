// The session of a pane as React reads it.

import { createContext, useContext, useSyncExternalStore } from "react";
import type { Session, SessionState } from "./session";

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("There is no draft here.");
  return session;
}

export const useSessionState = (): SessionState => {
  const { state } = useSession();
  return useSyncExternalStore(state.subscribe, state.get);
};
