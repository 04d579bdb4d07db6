// A conversation with the draft, and the way of its last turn.

import { useEffect, useState } from "react";
import { type RunEvent, type Thread, api, client, content } from "../../api";
import { Conversation } from "../chat/session";
import { useSession, useSessionState } from "./useSession";

const of = (agent: string) => ({ params: { path: { agent } } });

const trialApi = {
  latest: async (agent: string): Promise<Thread | undefined> =>
    (await content(client.GET("/api/v1/flows/{agent}/trials", of(agent)))).items[0],
  begin: (agent: string): Promise<Thread> => content(client.POST("/api/v1/flows/{agent}/trials", of(agent))),
};

/** A conversation whose turns are answered by the text as it is: it is saved before each. */
class DraftConversation extends Conversation {
  constructor(
    id: string,
    private readonly save: () => Promise<void>,
  ) {
    super(id);
  }

  override async say(...given: Parameters<Conversation["say"]>): Promise<boolean> {
    await this.save();
    return super.say(...given);
  }

  override async answer(...given: Parameters<Conversation["answer"]>): Promise<boolean> {
    await this.save();
    return super.answer(...given);
  }

  override async decide(...given: Parameters<Conversation["decide"]>): Promise<boolean> {
    await this.save();
    return super.decide(...given);
  }
}

export interface Trial {
  /** Null before the first message. */
  conversation: Conversation | null;
  /** The events of the turn in progress, or of the last one. */
  events: readonly RunEvent[];
  error: unknown;
  /** Whether it is known if there is a conversation already. */
  ready: boolean;
  /** Begins a new conversation. */
  begin(): Promise<Conversation>;
}

const MOST_EVENTS = 500;

/** The author's conversation with the draft of an agent. It outlives the page; a new one replaces it. */
export function useTrial(): Trial {
  const session = useSession();
  const { agent } = session;
  const [conversation, setConversation] = useState<Conversation | null>(null);
  const [events, setEvents] = useState<readonly RunEvent[]>([]);
  const [error, setError] = useState<unknown>();
  const [ready, setReady] = useState(false);
  // The state of a conversation is that of the agent with the draft, which is none while the draft has errors.
  const { checked, checkedText, server } = useSessionState();
  const isSound = checked?.ok === true && checkedText === server.text;
  const [mayOpen, setMayOpen] = useState(false);
  if (isSound && !mayOpen) setMayOpen(true);

  useEffect(() => {
    let gone = false;
    trialApi.latest(agent).then(
      (thread) => {
        if (gone) return;
        if (thread) setConversation((now) => now ?? new DraftConversation(thread.thread, () => session.save()));
        setReady(true);
      },
      (problem: unknown) => !gone && setError(problem),
    );
    return () => void (gone = true);
  }, [agent, session]);

  useEffect(() => {
    if (!conversation || !mayOpen) return;
    setEvents([]);
    let known = 0; // the last turn whose events are shown
    let heard = false; // whether the events of the turn in progress are shown
    const look = () => {
      const { live, thread } = conversation.shown.get();
      if (live) {
        if (live.events.length === 0) return;
        setEvents(live.events);
        heard = true;
        return;
      }
      const turn = thread?.turns ?? 0;
      // A turn that was not heard is in the trace: the page was opened again, or another page sent the message.
      if (turn !== known && !heard)
        void api.trace(conversation.id, { turn, limit: MOST_EVENTS }).then(
          ({ items }) => known === turn && !heard && setEvents(items.map((row) => row.event)),
          () => undefined,
        );
      known = turn;
      heard = false;
    };
    const unsubscribe = conversation.shown.subscribe(look);
    const close = conversation.open();
    return () => {
      unsubscribe();
      close();
    };
  }, [conversation, mayOpen]);

  const begin = async () => {
    await session.save();
    const made = new DraftConversation((await trialApi.begin(agent)).thread, () => session.save());
    setConversation(made);
    setMayOpen(true);
    return made;
  };
  return { conversation, events, error, ready, begin };
}
