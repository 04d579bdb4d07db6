// The waiting content of a conversation: an approval, a choice, a value, or a yes or no.

import "./Waiting.css";
import { TriangleAlert } from "lucide-react";
import { type ReactNode, Suspense, lazy, useLayoutEffect, useRef } from "react";
import type { Json, Option, WaitingFor } from "../../api";
import { useMayWrite } from "../../app/access";
import { useCommands } from "../../app/commands";
import { useText } from "../../app/language";
import { Button, Keys, Skeleton } from "../../ui";
import { typeOf, wantsForm } from "./checking";
import type { Conversation } from "./session";
import { words } from "./words";
import { visible } from "../../ui/visible";

const Approval = lazy(() => import("./Approval").then((module) => ({ default: module.Approval })));
const ValueForm = lazy(() => import("./ValueForm"));

interface Props {
  waiting: WaitingFor;
  session: Conversation;
  /** The user wants to describe a change in words. */
  onChange(): void;
}

/** The waiting content; `onGone` is called if it disappears while it has the focus, which would be lost. */
export function Waiting({ onGone, ...props }: Props & { onGone(): void }): ReactNode {
  const say = useText(words);
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = place.current;
    return () => {
      if (element?.contains(document.activeElement)) onGone();
    };
  }, [onGone]);
  return (
    <div ref={place}>
      {props.waiting.outdated && props.waiting.kind !== "message" && (
        <p className="callout callout-warn" role="status">
          <TriangleAlert size={15} aria-hidden />
          <span>{say.outdated}</span>
        </p>
      )}
      <Card {...props} />
    </div>
  );
}

function Card({ waiting, session, onChange }: Props): ReactNode {
  const mayWrite = useMayWrite();
  if (waiting.kind === "message") return null;
  if (waiting.approval)
    return (
      <Suspense fallback={<Skeleton lines={4} />}>
        <Approval approval={waiting.approval} prompt={waiting.prompt} session={session} onChange={onChange} />
      </Suspense>
    );
  if (!mayWrite) return null;
  return (
    <>
      <Value waiting={waiting} session={session} />
      {waiting.optional && <Skip session={session} />}
    </>
  );
}

/** The controls for the value of a question; nothing if it is written as a message. */
function Value({ waiting, session }: Pick<Props, "waiting" | "session">): ReactNode {
  const say = useText(words);
  // Its options are the same yes and no, in the words of the flow's engine.
  const isBoolean = waiting.schema !== undefined && typeOf(waiting.schema) === "boolean";
  const yesNo = [
    { value: true, title: say.yes },
    { value: false, title: say.no },
  ];
  const { prompt, options } = waiting;
  if (waiting.kind === "confirm" || isBoolean)
    return <Choice name={say.question} options={yesNo} prompt={prompt} session={session} />;
  if (options.length > 0) return <Choice name={say.choose} options={options} prompt={prompt} session={session} />;
  if (!waiting.schema) return null;
  if (!wantsForm(waiting.schema)) return null;
  return (
    <Suspense fallback={<Skeleton lines={1} />}>
      <ValueForm waiting={waiting} schema={waiting.schema} session={session} />
    </Suspense>
  );
}

/** Whether a question has controls, so that an answer in the composer is the second way. */
export const hasControls = ({ kind, options, schema }: WaitingFor): boolean =>
  kind === "confirm" ||
  options.length > 0 ||
  (schema !== undefined && (typeOf(schema) === "boolean" || wantsForm(schema)));

/** Leaves an optional question open. */
function Skip({ session }: { session: Conversation }): ReactNode {
  const say = useText(words);
  return (
    <section className="waiting" aria-label={say.question}>
      <Button onClick={() => void session.answer(null, say.skip)}>{say.skip}</Button>
    </section>
  );
}

interface ChoiceProps {
  name: string;
  options: readonly Option[];
  prompt: string;
  session: Conversation;
}

function Choice({ name, options, prompt, session }: ChoiceProps): ReactNode {
  const say = useText(words);
  const group = useRef<HTMLDivElement>(null);
  const choose = (value: Json, title: string) => void session.answer(value, title);
  useCommands(
    options.slice(0, 9).map((option, index) => ({
      id: `choice.${index}`,
      group: say.choose,
      title: option.title,
      keys: String(index + 1),
      run: () => choose(option.value, option.title),
      button: () => group.current?.querySelectorAll("button")[index],
    })),
  );
  return (
    <section className="waiting" aria-label={name}>
      <div ref={group} className="choices" role="group" aria-label={prompt}>
        {options.map((option, index) => (
          <button key={index} type="button" className="choice" onClick={() => choose(option.value, option.title)}>
            {index < 9 && <Keys keys={String(index + 1)} />}
            <span>{visible(option.title)}</span>
          </button>
        ))}
      </div>
    </section>
  );
}
