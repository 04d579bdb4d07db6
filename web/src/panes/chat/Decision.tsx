// An approval that was decided: what it was about, the decision, by whom, when, and the hash of the content.

import "./Approval.css";
import { Check, CircleSlash, PencilLine, TriangleAlert, X } from "lucide-react";
import type { ReactNode } from "react";
import { type Approval, type Decided, api } from "../../api";
import { useText } from "../../app/language";
import { useNodeNames } from "../../app/nodes";
import { useResource } from "../../app/resource";
import { Age, Disclosure, Loaded, classes } from "../../ui";
import { plainLine } from "../../ui/plain";
import { visible } from "../../ui/visible";
import { DecidedContent } from "./ApprovalContent";
import { Difference, changesIn } from "./Difference";
import { Markdown } from "./Markdown";
import { words } from "./words";

const SIGN = { approved: Check, rejected: X, replaced: PencilLine, answered: PencilLine };

/** A decision; one that is in progress was `answered` in words, whose meaning is not known yet. */
export type Shown = Omit<Decided, "decision"> & { decision: Decided["decision"] | "answered" };

export function Decision({ thread, decided, prompt }: { thread: string; decided: Shown; prompt: string }): ReactNode {
  const say = useText(words);
  const { plain } = decided;
  const counts = decided.outcome !== "superseded";
  const Sign = counts ? SIGN[decided.decision] : TriangleAlert;
  const decision = {
    approved: plain ? say.yes : say.approved,
    rejected: plain ? say.no : say.rejected,
    replaced: say.replaced,
    answered: say.answered,
  }[decided.decision];
  const what = counts ? decision : say.notUsed(decision);
  const nameOf = useNodeNames();
  const act = decided.actions.map(nameOf).join(", ");
  const who = decided.yours ? say.byYou : decided.user ? say.by(visible(decided.user)) : "";
  return (
    <section
      className={classes("decision", counts && `decision-${decided.decision}`)}
      aria-label={`${plain ? say.question : say.approvalRegion}: ${what}`}
    >
      <header className="decision-head">
        <span className="decision-sign">
          <Sign size={14} aria-hidden />
        </span>
        <div>
          <p className="decision-facts">
            <strong>{act && !plain ? `${what}: ${act}` : what}</strong> {who && <>{who} · </>}
            <Age of={decided.time} />
          </p>
          <What decided={decided} prompt={prompt} />
        </div>
      </header>
      <Outcome outcome={decided.outcome} />
      {decided.at >= 0 && (
        <Disclosure className="decision-more" summary={<span>{say.whatWasAsked}</span>}>
          {() => <Content thread={thread} decided={decided} prompt={prompt} />}
        </Disclosure>
      )}
    </section>
  );
}

const FEW = 8; // lines of a change

/** The subject of the approval: the change, unless it was made and the answer shows it; otherwise the question. */
function What({ decided, prompt }: { decided: Shown; prompt: string }): ReactNode {
  const changes = changesIn(prompt);
  if (changes.length === 0) return <p className="decision-what">{plainLine(prompt)}</p>;
  if (decided.decision === "approved" && decided.outcome === "performed") return null;
  return <Difference text={[...changes.slice(0, FEW), ...(changes.length > FEW ? ["…"] : [])].join("\n")} />;
}

/** The failure of the approved actions; nothing if they were performed. */
function Outcome({ outcome }: { outcome: Decided["outcome"] }): ReactNode {
  const say = useText(words);
  if (outcome === "" || outcome === "performed") return null;
  const Icon = outcome === "failed" ? CircleSlash : TriangleAlert;
  const text = {
    failed: say.actionFailed,
    unknown: say.actionUnknown,
    changed: say.actionChanged,
    superseded: say.superseded,
  }[outcome];
  return (
    <p className="callout callout-warn">
      <Icon size={15} aria-hidden />
      <span>{text}</span>
    </p>
  );
}

/** The content of the approval at that time, with its marks. */
function Content({ thread, decided, prompt }: { thread: string; decided: Shown; prompt: string }): ReactNode {
  const key = `approval?${thread}&${decided.at}`;
  const then = useResource(key, async () => (await api.stateAt(thread, decided.at)).waiting_for?.approval ?? null);
  return (
    <Loaded of={then}>
      {(approval: Approval | null) =>
        approval ? <DecidedContent approval={approval} prompt={prompt} thread={thread} /> : <Markdown text={prompt} />
      }
    </Loaded>
  );
}
