// The content of a decision in the audit, in the words of the card that asked.

import type { ReactNode } from "react";
import { Problem, api } from "../../api";
import { useText } from "../../app/language";
import { useResource } from "../../app/resource";
import { Loaded } from "../../ui";
import { DecidedContent } from "../chat/ApprovalContent";
import "../chat/Approval.css";
import { words } from "./words";

export default function Asked({ number }: { number: number }): ReactNode {
  const say = useText(words);
  const found = useResource(`audit?content&${number}`, () => api.auditedContent(number));
  if (found.error instanceof Problem && found.error.status === 404) return <p className="muted">{say.notThere}</p>;
  return (
    <Loaded of={found}>
      {({ approval, prompt }) => <DecidedContent approval={approval} prompt={prompt} thread="" />}
    </Loaded>
  );
}
