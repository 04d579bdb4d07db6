// The findings of the compiler in the draft, with their places.

import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import type { LucideIcon } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { useText } from "../../app/language";
import { visible } from "../../ui/visible";
import type { Finding } from "./api";
import { revealFinding, showFindings } from "./codemirror";
import { ofPointer } from "./model/flow";
import { useSession, useSessionState } from "./useSession";
import { words } from "./words";

const ICONS: Record<Finding["severity"], LucideIcon> = { error: CircleAlert, warning: TriangleAlert, info: Info };

/** The count of errors and warnings, for the bar. */
export function ProblemCount(): ReactNode {
  const { checked, checkedText, text } = useSessionState();
  const say = useText(words);
  if (!checked || checkedText !== text) return <span className="faint">{say.checking}</span>;
  const count = (severity: string) => checked.diagnostics.filter((each) => each.severity === severity).length;
  const [errors, warnings] = [count("error"), count("warning")];
  if (errors + warnings === 0)
    return (
      <span className="editor-good">
        <CircleCheck size={14} aria-hidden /> {say.noProblems}
      </span>
    );
  return <span className={errors > 0 ? "bad" : "warn"}>{say.problems(errors, warnings)}</span>;
}

export function Problems(): ReactNode {
  const session = useSession();
  const { checked, checkedText, text, flow, current } = useSessionState();
  const say = useText(words);
  const fresh = checked && checkedText === text;
  useEffect(() => {
    if (fresh) showFindings(session.view, checked.diagnostics);
  }, [session, checked, fresh]);
  const go = (finding: Finding) => {
    revealFinding(session.view, finding);
    const place = flow && current ? ofPointer(flow, finding.pointer) : undefined;
    if (place) session.select("id" in place ? { kind: "nodes", ids: [place.id] } : { kind: "edge", key: place.key });
  };
  const found = checked?.diagnostics ?? [];
  if (found.length === 0) return <p className="muted editor-note">{checked ? say.noProblems : say.checking}</p>;
  return (
    <ul className="problems">
      {found.map((each, index) => {
        const Icon = ICONS[each.severity];
        return (
          <li key={index}>
            <button type="button" onClick={() => go(each)}>
              <Icon size={15} className={`problem-${each.severity}`} aria-label={each.severity} />
              <span>
                {visible(each.message)}
                {each.hint && <small>{visible(each.hint)}</small>}
              </span>
              <code>
                {each.code} {each.line}:{each.column}
              </code>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
