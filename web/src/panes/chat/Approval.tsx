// An approval: exactly what will happen, with marks on values without support in the user's words; and yes, no, or
// "change this".

import "./Approval.css";
import { Check, PencilLine, ShieldCheck, X } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import type { Approval as Approved } from "../../api";
import { useMayWrite } from "../../app/access";
import { type Command, useCommands } from "../../app/commands";
import { useText } from "../../app/language";
import { Button } from "../../ui";
import { ApprovalContent, Doubts, Exactly, SIGNS, doubtsOf } from "./ApprovalContent";
import { nameOf, titleOf } from "./approvalTitle";
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
  const { kind, plain } = approval;
  const [yesWord, noWord] = plain ? [say.yes, say.no] : [say.approve, say.reject];
  const isDoubtful = doubtsOf(approval, say).length > 0;
  const Sign = SIGNS[kind];
  const answer = (value: boolean) => {
    setAsked(true);
    void session.decide(value, value ? yesWord : noWord, approval).then(() => setAsked(false));
  };
  // The palette also only focuses the button, so that no one approves unseen content.
  const decisions: Command[] = [
    {
      id: "approval.yes",
      group: plain ? say.question : say.approvalRegion,
      title: yesWord,
      keys: "a",
      icon: Check,
      run: () => yes.current?.focus(),
      button: () => yes.current,
    },
    {
      id: "approval.no",
      group: plain ? say.question : say.approvalRegion,
      title: noWord,
      keys: "x",
      icon: X,
      run: () => no.current?.focus(),
      button: () => no.current,
    },
    {
      id: "approval.change",
      group: plain ? say.question : say.approvalRegion,
      title: say.change,
      keys: "w",
      icon: PencilLine,
      run: onChange,
    },
  ];
  useCommands(mayWrite ? decisions : []);
  return (
    <section className="waiting approval" aria-label={titleOf(approval, say)}>
      {!plain && (
        <header className="approval-head">
          <Sign size={15} aria-hidden />
          <h2>{nameOf(approval, say)}</h2>
        </header>
      )}
      <div className="approval-body">
        <ApprovalContent approval={approval} prompt={prompt} />
        <Exactly approval={approval} thread={session.id} />
      </div>
      <Doubts approval={approval} />
      {mayWrite && (
        <footer className="waiting-actions">
          <Button
            ref={yes}
            look={isDoubtful ? "warn" : "primary"}
            icon={plain ? Check : ShieldCheck}
            keys="a"
            busy={asked}
            onClick={() => answer(true)}
          >
            {yesWord}
          </Button>
          <Button ref={no} icon={X} keys="x" disabled={asked} onClick={() => answer(false)}>
            {noWord}
          </Button>
          <Button look="quiet" icon={PencilLine} keys="w" disabled={asked} onClick={onChange}>
            {say.change}
          </Button>
        </footer>
      )}
    </section>
  );
}
