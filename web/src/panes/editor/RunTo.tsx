// Run from here: a new conversation with sample answers, up to the chosen node.

import { Crosshair } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { Json, WaitingFor } from "../../api";
import { useText } from "../../app/language";
import { failed } from "../../app/toasts";
import { type Fields, fields } from "../../flow-canvas/flow";
import { Button, Disclosure } from "../../ui";
import { visible } from "../../ui/visible";
import type { Conversation } from "../chat/session";
import { YamlInput } from "./fields";
import { titlesOf } from "../../flow-canvas/titles";
import { walkOf, wayIn } from "../../flow-canvas/way";
import { sampleOfSchema } from "./model/samples";
import { useSamples } from "./samples";
import type { Trial } from "./trial";
import { useSession, useSessionState } from "./useSession";
import { words } from "./words";

const MOST_TURNS = 50;

interface Props {
  trial: Trial;
  disabled: boolean;
}

export function RunTo({ trial, disabled }: Props): ReactNode {
  const session = useSession();
  const { shown, selection } = useSessionState();
  const say = useText(words);
  const node = selection?.kind === "nodes" && selection.ids.length === 1 ? selection.ids[0] : undefined;
  const { answers, set } = useSamples(node ?? "");
  const [busy, setBusy] = useState(false);
  const stopped = useRef(false);
  useEffect(() => () => void (stopped.current = true), []);
  if (!node || !shown?.nodes.has(node)) return null;
  const titled = titlesOf(shown.nodes.values());

  const run = async () => {
    setBusy(true);
    stopped.current = false;
    try {
      const conversation = await trial.begin();
      const why = await drive(conversation, node, answers, () => {
        const { shown: flow } = session.state.get();
        const live = conversation.shown.get().live;
        return flow && live ? wayIn(flow, walkOf(live.events)).nodes : new Set<string>();
      });
      if (why) failed(new Error(why === "end" ? say.runToEnded(titled(node)) : say.runToLacks(titled(why))));
    } catch (error) {
      failed(error);
    } finally {
      setBusy(false);
    }
  };
  const drive = async (
    conversation: Conversation,
    target: string,
    given: Fields,
    passed: () => ReadonlySet<string>,
  ): Promise<string> => {
    if (!(await conversation.say(null))) return "";
    let through = await over(conversation, passed);
    let refused = "";
    for (let turn = 0; turn < MOST_TURNS && !stopped.current; turn += 1) {
      const waiting = conversation.shown.get().state?.waiting_for;
      if (through.has(target) || waiting?.node === target) return "";
      if (!waiting || (waiting.kind === "message" && turn > 0)) return "end";
      const value = answerTo(waiting, given);
      // What has effects is confirmed by the author alone, and a refused answer is not sent again.
      if (value === undefined || waiting.approval || waiting.node === refused) return waiting.node;
      refused = waiting.node;
      const sent =
        waiting.kind === "message"
          ? conversation.say(say.sampleMessage)
          : conversation.answer(value, JSON.stringify(value));
      if (!(await sent)) return "";
      through = await over(conversation, passed);
    }
    return "";
  };
  return (
    <div className="run-to">
      <Button icon={Crosshair} busy={busy} disabled={disabled || busy} onClick={() => void run()}>
        {say.runTo(visible(titled(node)))}
      </Button>
      <Disclosure summary={say.samples}>
        {() => (
          <YamlInput
            label={say.samples}
            hint={say.samplesWhat}
            value={answers}
            disabled={disabled}
            onChange={(value) => set(fields(value))}
          />
        )}
      </Disclosure>
    </div>
  );
}

/** The sample under the key of a question, or the first of its options if it is none of them. */
function answerTo(waiting: WaitingFor, answers: Fields): Json | undefined {
  const { key, options } = waiting;
  const value = answers[key] ?? key.split(".").reduce<Json | undefined>((found, part) => fields(found)[part], answers);
  if (options.length && !options.some((each) => each.value === value)) return options[0]?.value;
  return value ?? sampleOfSchema(waiting.schema ?? {});
}

/** Waits until a turn is over; returns the nodes that it passed. Raises its problem. */
function over(conversation: Conversation, passed: () => ReadonlySet<string>): Promise<ReadonlySet<string>> {
  let through: ReadonlySet<string> = new Set();
  return new Promise((resolve, reject) => {
    let unsubscribe = () => undefined as unknown;
    const look = () => {
      const { live } = conversation.shown.get();
      if (live) through = passed();
      if (live && live.ending === null) return;
      unsubscribe();
      if (live?.problem) reject(new Error(live.problem.detail));
      else resolve(through);
    };
    unsubscribe = conversation.shown.subscribe(look);
    look();
  });
}
