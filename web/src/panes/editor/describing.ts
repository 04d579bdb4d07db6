// A described change: the rounds of the model while it works, and its proposal, until it is taken or dismissed.

import { useEffect, useRef, useState } from "react";
import { request } from "../../api";
import type { components } from "../../api/schema";
import { keptByTab } from "../../app/storage";
import { frames } from "../../sse";
import { useSession } from "./useSession";

type Schemas = components["schemas"];

export type Progress = Schemas["DescriptionProgress"];
export type Round = Schemas["DescriptionRound"];
export type Proposal = Schemas["DescriptionProposal"];

async function* events(
  agent: string,
  text: string,
  description: string,
  signal: AbortSignal,
): AsyncGenerator<Schemas["DescriptionEvent"]> {
  const response = await request(`flows/${encodeURIComponent(agent)}/describe`, {
    method: "POST",
    headers: { Accept: "text/event-stream", "Content-Type": "application/json" },
    body: JSON.stringify({ text, description }),
    signal,
  });
  for await (const frame of frames(response)) yield JSON.parse(frame.data) as Schemas["DescriptionEvent"];
}

export interface Describing {
  description: string;
  /** The descriptions of this visit, the last one first. */
  earlier: readonly string[];
  write(description: string): void;
  rounds: readonly Round[];
  /** The present step. */
  progress: Progress | null;
  /** The proposal, and the text that it changes. */
  made: { proposal: Proposal; base: string } | null;
  error: unknown;
  busy: boolean;
  propose(): void;
  stop(): void;
  dismiss(): void;
}

const MOST_EARLIER = 5; // descriptions

/** Lets a model propose the change of the draft as it is now. Nothing changes before the proposal is taken. */
export function useDescribing(): Describing {
  const session = useSession();
  // It outlives a visit of another pane, as the draft does.
  const place = `graphwright.describe.${session.agent}`;
  const [description, setDescription] = useState(() => keptByTab.get(place) ?? "");
  const write = (text: string) => {
    keptByTab.set(place, text || null);
    setDescription(text);
  };
  const [earlier, setEarlier] = useState<readonly string[]>([]);
  const [rounds, setRounds] = useState<readonly Round[]>([]);
  const [progress, setProgress] = useState<Progress | null>(null);
  const [made, setMade] = useState<Describing["made"]>(null);
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const reset = () => {
    setRounds([]);
    setProgress(null);
    setMade(null);
    setError(undefined);
  };
  const work = async (signal: AbortSignal) => {
    const base = session.state.get().text;
    for await (const event of events(session.agent, base, description, signal)) {
      if (event.type === "progress") setProgress(event);
      else if (event.type === "round") setRounds((now) => [...now, event]);
      else if (event.type === "proposal") setMade({ proposal: event, base });
      else if (event.type === "error") {
        const { code, message, hint } = event;
        setError(Object.assign(new Error(message), { code, detail: message, hint }));
      }
    }
  };
  const propose = () => {
    const { signal } = (abort.current = new AbortController());
    reset();
    setEarlier((now) => [description, ...now.filter((each) => each !== description)].slice(0, MOST_EARLIER));
    setBusy(true);
    work(signal)
      .catch((problem: unknown) => !signal.aborted && setError(problem))
      .finally(() => {
        setBusy(false);
        setProgress(null);
      });
  };
  const stop = () => abort.current?.abort();
  return { description, earlier, write, rounds, progress, made, error, busy, propose, stop, dismiss: reset };
}
