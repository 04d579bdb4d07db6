// An approval: exactly what will happen, with marks on values without support in the user's words; and yes, no, or
// "change this".

import "./Approval.css";
import { Check, PencilLine, ShieldCheck, X } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import type { Approval as Approved } from "../../api";
import { useMayWrite } from "../../app/access";
import { type Command, useCommands } from "../../app/commands";
import { useText } from "../../app/language";
import { Button, Disclosure } from "../../ui";
import { ApprovalContent, Doubts, SIGNS, doubtsOf } from "./ApprovalContent";
import { titleOf } from "./approvalTitle";
import { Exact } from "./Exact";
import type { Conversation } from "./session";
import { words } from "./words";

export { Decision } from "./Decision";

interface Props {
  approval: Approved;
  prompt: string;
  session: Conversation;
  onChange(): void;
}

export function Approval({ approval, prompt, session, onChange }: Props): ReactNode {
  const say = useText(words);
  const mayWrite = useMayWrite();
  const [asked, setAsked] = useState(false);
  const yes = useRef<HTMLButtonElement>(null);
  const no = useRef<HTMLButtonElement>(null);
  const { kind } = approval;
  const isDoubtful = doubtsOf(approval, say).length > 0;
  const Sign = SIGNS[kind];
  const answer = (value: boolean) => {
    setAsked(true);
    void session.decide(value, value ? say.approve : say.reject, approval.hash).then(() => setAsked(false));
  };
  // The palette also only focuses the button, so that no one approves unseen content.
  const decisions: Command[] = [
    {
      id: "approval.yes",
      group: say.approvalRegion,
      title: say.approve,
      keys: "a",
      icon: Check,
      run: () => yes.current?.focus(),
      button: () => yes.current,
    },
    {
      id: "approval.no",
      group: say.approvalRegion,
      title: say.reject,
      keys: "x",
      icon: X,
      run: () => no.current?.focus(),
      button: () => no.current,
    },
    { id: "approval.change", group: say.approvalRegion, title: say.change, keys: "w", icon: PencilLine, run: onChange },
  ];
  useCommands(mayWrite ? decisions : []);
  return (
    <section className="waiting approval" aria-label={`${say.approvalRegion}: ${titleOf(kind, say)}`}>
      <header className="approval-head">
        <Sign size={15} aria-hidden />
        <h2>{titleOf(kind, say)}</h2>
      </header>
      <div className="approval-body">
        <ApprovalContent approval={approval} prompt={prompt} />
        <Disclosure
          className="approval-exact"
          summary={
            <span>
              {say.exact} <span className="mono faint">{approval.hash.slice(0, 12)}</span>
            </span>
          }
        >
          {() => <Exact approval={approval} thread={session.id} />}
        </Disclosure>
      </div>
      <Doubts approval={approval} />
      {mayWrite && (
        <footer className="waiting-actions">
          <Button
            ref={yes}
            look={isDoubtful ? "warn" : "primary"}
            icon={ShieldCheck}
            keys="a"
            busy={asked}
            onClick={() => answer(true)}
          >
            {say.approve}
          </Button>
          <Button ref={no} icon={X} keys="x" disabled={asked} onClick={() => answer(false)}>
            {say.reject}
          </Button>
          <Button look="quiet" icon={PencilLine} keys="w" disabled={asked} onClick={onChange}>
            {say.change}
          </Button>
        </footer>
      )}
    </section>
  );
}
