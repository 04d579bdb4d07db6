// Who is at the page, what they may do, and what waits for another key where theirs does not hold any more.

import { createContext, useContext } from "react";
import { type Me, type Problem, onRefusedKey } from "../api";
import { createStore } from "./store";

const NOBODY: Me = { user: "", role: "viewer", login: true };

/** Who is at the page; the shell provides it. */
export const MeContext = createContext<Me>(NOBODY);

export const useMe = (): Me => useContext(MeContext);

/** Whether they may talk to agents and change anything. Who may not is not offered what the service would refuse. */
export const useMayWrite = (): boolean => useMe().role !== "viewer";

interface Refused {
  problem: Problem;
  /** Lets go on what was asked with the old key. */
  goOn(): void;
  over: Promise<void>;
}

/** Why the key was refused in the middle of work, until there is another one. */
export const refusedKey = createStore<Refused | null>(null);

/** Asks for another key, over the page as it stands, whenever one is refused. The function ends that. */
export function askWhenRefused(): () => void {
  onRefusedKey((problem) => {
    const now = refusedKey.get();
    if (now) return now.over;
    let goOn = () => undefined as void;
    const over = new Promise<void>((resolve) => {
      goOn = () => (refusedKey.set(null), resolve());
    });
    refusedKey.set({ problem, goOn, over });
    return over;
  });
  return () => onRefusedKey(null);
}
