// The conversations that a proposal was tested with, and those that it adds.

import { CircleCheck, CircleX } from "lucide-react";
import type { ReactNode } from "react";
import { useText } from "../../app/language";
import { Badge, CopyButton, Disclosure } from "../../ui";
import { visible } from "../../ui/visible";
import { describeWords } from "./describeWords";
import type { Proposal } from "./describing";

/** The conversations of a proposal: whether they pass, and the files of new ones. */
export function Conversations({ proposal }: { proposal: Proposal }): ReactNode {
  const say = useText(describeWords);
  const shown = proposal.conversations;
  const files = Object.keys(proposal.files);
  if (shown.length === 0 && files.length === 0) return null;
  return (
    <>
      <h3>{say.conversations}</h3>
      <ul className="describe-conversations">
        {shown.map((each) => (
          <li key={each.file}>
            <span className="editor-row">
              {each.passed ? (
                <CircleCheck size={15} className="editor-good" aria-hidden />
              ) : (
                <CircleX size={15} className="bad" aria-hidden />
              )}
              <span className="cut editor-grow">{visible(nameOf(each.file))}</span>
              {each.file in proposal.files && <Badge tone="accent">{say.newFile}</Badge>}
            </span>
            {each.problems.map((problem, index) => (
              <p key={index} className="bad editor-wrong">
                {visible(problem)}
              </p>
            ))}
          </li>
        ))}
      </ul>
      {files.length > 0 && <p className="faint">{say.files}</p>}
      {files.map((file) => (
        <Disclosure key={file} summary={visible(file)}>
          {() => (
            <div className="describe-file">
              <CopyButton text={proposal.files[file] ?? ""} />
              <pre>{visible(proposal.files[file] ?? "")}</pre>
            </div>
          )}
        </Disclosure>
      ))}
    </>
  );
}

const nameOf = (file: string): string => file.replace(/^tests\//, "").replace(/\.conversation\.yaml$/, "");
