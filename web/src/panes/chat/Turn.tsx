// A finished turn: the user's message, the answer with its files and sources, and what can be done with them.

import { GitBranch, Pencil, RotateCcw } from "lucide-react";
import { type ReactNode, Suspense, lazy, memo, useEffect, useRef } from "react";
import type { Branch, Decided, Message, RunEvent, WaitingFor } from "../../api";
import { useMayWrite } from "../../app/access";
import { useText } from "../../app/language";
import { Age, CopyButton, IconButton, Skeleton, classes } from "../../ui";
import { visible } from "../../ui/visible";
import { Artifacts } from "./Artifacts";
import { BranchSwitch } from "./BranchSwitch";
import type { Shown } from "./Decision";
import { FailedTurn } from "./FailedTurn";
import { Feedback } from "./Feedback";
import { Markdown } from "./Markdown";
import { Recorded } from "./Recorded";
import { WithSources } from "./Sources";
import { Steps } from "./Steps";
import { Unfinished } from "./Writing";
import { type Live, endOf, failureIn, textsAfterFailure } from "./live";
import type { Conversation } from "./session";
import { useDetails } from "./useDetails";
import { words } from "./words";

// With the card of the approval, which was loaded before: the service may be away when the decision is shown.
const Decision = lazy(() => import("./Approval").then((module) => ({ default: module.Decision })));
const EditMessage = lazy(() => import("./EditMessage"));
const UndoOffer = lazy(() => import("../graph/Undoing").then((module) => ({ default: module.UndoOffer })));

interface TurnProps {
  session: Conversation;
  number: number;
  messages: Message[];
  decides: Decided | null;
  /** The turns whose steps are shown with the answer; none if a later answer shows those of this turn. */
  steps: readonly number[];
  /** The turn as it was followed, if it has just failed or was stopped. */
  ended: Live | null;
  title: string;
  isLast: boolean;
  /** A question that is shown elsewhere. */
  asked: string | null;
  /** The decision about that question, which is in progress. */
  deciding: Live["decision"];
  family: readonly Branch[];
  /** The question or approval that waits after this turn; its controls are the children. */
  asks: WaitingFor | null;
  children: ReactNode;
  /** Its message is being changed. */
  isEdited: boolean;
  onEdit(turn: number | null): void;
  /** Says another message in place of that of the turn. */
  onInstead(turn: number, text: string): Promise<unknown>;
  onRepeat(turn: number, text: string): void;
}

/** Whether two lists have the same messages: an unchanged turn is not drawn again. */
const sameTurn = (one: TurnProps, other: TurnProps): boolean =>
  one.isLast === other.isLast &&
  one.isEdited === other.isEdited &&
  one.ended === other.ended &&
  one.steps.join() === other.steps.join() &&
  one.asked === other.asked &&
  one.asks === other.asks &&
  one.deciding === other.deciding &&
  one.title === other.title &&
  one.family === other.family &&
  one.decides?.time === other.decides?.time &&
  one.messages.length === other.messages.length &&
  one.messages.every((message, index) => message === other.messages[index]);

export const Turn = memo(function Turn(props: TurnProps): ReactNode {
  const { session, number, messages, decides, title, isLast, asked, deciding, family } = props;
  const say = useText(words);
  const mayWrite = useMayWrite();
  const section = useRef<HTMLElement>(null);
  const wasEdited = useRef(false);
  useEffect(() => {
    // The field that had the focus is gone.
    if (wasEdited.current && !props.isEdited) section.current?.querySelector<HTMLElement>(".edit")?.focus();
    wasEdited.current = props.isEdited;
  }, [props.isEdited]);
  const own = number > 0 ? [number] : [];
  // A turn that was interrupted and finished later has more details than before.
  const details = useDetails(session.id, own, messages.at(-1)?.seq ?? 0, section, isLast);
  const earlier = useDetails(session.id, props.steps.slice(0, -1), 0, section, isLast);
  const { events } = details;
  const said = messages.find((each) => each.role === "user");
  const replies = messages.filter((each) => each.role !== "user");
  const artifacts = messages.flatMap((each) => each.artifacts ?? []);
  const files = filesIn(events);
  const failure = props.ended ? endOf(props.ended) : failureIn(events);
  const told = events.length > 0 ? events : (props.ended?.events ?? []);
  const failedAt = replies.length - (failure ? textsAfterFailure(told) : 0);
  const reply = (each: Message) => (
    <Reply key={each.seq} session={session} message={each} asked={asked} deciding={deciding} />
  );
  // The card of an approval shows its decision. It is not said again, and neither is a message with files.
  const isButton = decides !== null && said?.by_value === true;
  const mayRepeat = mayWrite && number > 0 && decides === null && files.length === 0;
  const rated = replies.at(-1);
  const hides = replies.length > 0 && replies.every((each) => each.text === asked || each.approval);
  return (
    <section ref={section} className={classes("turn", isLast && "turn-last")}>
      {said && props.isEdited && (
        <Suspense fallback={<UserMessage text={said.text} />}>
          <EditMessage
            text={said.text}
            onCancel={() => props.onEdit(null)}
            onSend={(text) => props.onInstead(number, text)}
          />
        </Suspense>
      )}
      {said && !isButton && !props.isEdited && (
        <UserMessage seq={said.seq} text={said.text} time={said.time} files={files}>
          {number > 0 && <BranchSwitch thread={session.id} turn={number} family={family} />}
          {mayRepeat && isLast && !failure && (
            <IconButton icon={RotateCcw} label={say.retry} keys="r" onClick={() => props.onRepeat(number, said.text)} />
          )}
          {mayRepeat && (
            <IconButton
              icon={isLast ? Pencil : GitBranch}
              label={say.edit}
              keys={isLast ? "e" : undefined}
              className="edit"
              onClick={() => props.onEdit(number)}
            />
          )}
          <CopyButton text={said.text} />
        </UserMessage>
      )}
      {(replies.length > 0 || failure) && (
        <article className="message message-agent" aria-label={title}>
          <WithSources sources={details.sources}>{replies.slice(0, failedAt).map(reply)}</WithSources>
          {props.ended?.ending === "run_cancelled" && (
            <Unfinished session={session} live={props.ended} stored={messages} />
          )}
          {artifacts.length > 0 && <Artifacts thread={session.id} artifacts={artifacts} />}
          {failure && (
            <FailedTurn
              thread={session.id}
              turn={number}
              problem={failure}
              onRetry={isLast ? () => session.retry() : undefined}
            />
          )}
          <Recorded events={events} />
          {details.goals.map((each) => (
            <Suspense key={each} fallback={null}>
              <UndoOffer goal={each} />
            </Suspense>
          ))}
          {replies.slice(failedAt).map(reply)}
          {props.children}
          {!(hides && props.steps.length === 0) && (
            <div className={classes("message-foot", hides && "message-foot-quiet")}>
              <div className="past-steps">
                {events.length > 0 && props.steps.length > 0 && (
                  <Steps
                    events={[...earlier.events, ...events]}
                    cost={earlier.cost + details.cost}
                    currency={details.currency}
                    seconds={earlier.seconds + details.seconds}
                  />
                )}
              </div>
              {!hides && rated && (
                <div className="message-actions">
                  {replies[0] && <Age of={replies[0].time} />}
                  <CopyButton text={replies.map((each) => each.text).join("\n\n")} />
                  {mayWrite && number > 0 && (
                    <Feedback session={session} turn={number} given={rated?.feedback ?? null} />
                  )}
                </div>
              )}
            </div>
          )}
        </article>
      )}
      {replies.length === 0 && !failure && props.children}
    </section>
  );
}, sameTurn);

interface ReplyProps {
  session: Conversation;
  message: Message;
  asked: string | null;
  deciding: Live["decision"];
}

/** A text of the agent; an approval that was decided is shown as a card. */
function Reply({ session, message, asked, deciding }: ReplyProps): ReactNode {
  const decided = message.approval ?? (message.text === asked && deciding ? inProgress(deciding) : null);
  if (decided)
    return (
      <Suspense fallback={<Skeleton lines={2} />}>
        <Decision thread={session.id} decided={decided} prompt={message.text} />
      </Suspense>
    );
  if (message.text === asked) return null;
  return (
    <div data-seq={message.seq}>
      <Markdown text={message.text} />
    </div>
  );
}

/** A decision of the user that the service has not confirmed yet. */
const inProgress = ({ decision, hash, plain }: NonNullable<Live["decision"]>): Shown => ({
  ...{ at: -1, node: "", actions: [], user: "", outcome: "", plain },
  ...{ decision, hash, time: new Date().toISOString(), yours: true },
});

export function UserMessage({
  seq,
  text,
  time,
  files,
  children,
}: {
  seq?: number;
  text: string;
  time?: string;
  files?: string[];
  children?: ReactNode;
}): ReactNode {
  const say = useText(words);
  return (
    <article className="message message-user" aria-label={say.you} data-seq={seq}>
      <div className="bubble">
        <Markdown text={text} plain />
        {files && files.length > 0 && <div className="bubble-files">{visible(files.join(" · "))}</div>}
      </div>
      {children && (
        <div className="message-actions">
          {time && <Age of={time} />}
          {children}
        </div>
      )}
    </article>
  );
}

const filesIn = (events: readonly RunEvent[]): string[] =>
  events.filter((each) => each.type === "file_given").map((each) => String(each.name));
