// The user of the page, the permissions, and the requests that wait for another key after a refusal.

import { createContext, useContext } from "react";
import { type Me, type Problem, onRefusedKey } from "../api";
import { texts, useText } from "./language";
import { createStore } from "./store";

const NOBODY: Me = { user: "", role: "viewer", login: true };

/** The user of the page; the shell provides it. */
export const MeContext = createContext<Me>(NOBODY);

export const useMe = (): Me => useContext(MeContext);

/** Whether the user may talk to agents and change data. Actions that the service would refuse are not offered. */
export const useMayWrite = (): boolean => useMe().role !== "viewer";

const EDITS: readonly Me["role"][] = ["author", "publisher", "admin"];

/** Whether the user may edit flows and their tests. */
export const useMayEdit = (): boolean => EDITS.includes(useMe().role);

interface Refused {
  problem: Problem;
  /** Continues the requests that used the old key. */
  goOn(): void;
  over: Promise<void>;
}

/** Why the key was refused during work, until there is another one. */
export const refusedKey = createStore<Refused | null>(null);

/** Asks for another key, over the unchanged page, whenever one is refused. The returned function ends that. */
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

const words = texts({ you: ["you", "Sie"] });

/** The name of a user; the user of the page is "you". */
export function useUserName(): (user: string) => string {
  const say = useText(words);
  const me = useMe().user;
  return (user) => (user === me ? say.you : user);
}
