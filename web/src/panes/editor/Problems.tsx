// The findings of the compiler in the draft, with their places and quick fixes.

import { ChevronDown, ChevronUp, CircleCheck, Wand } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { language, useText } from "../../app/language";
import { SIGNS } from "../../flow-canvas/nodes";
import { Button, Disclosure, IconButton, classes } from "../../ui";
import { titleOf } from "../../flow-canvas/titles";
import { failed } from "../../app/toasts";
import { visible } from "../../ui/visible";
import type { FlowEdge, FlowNode } from "../../flow-canvas/flow";
import type { Finding } from "./api";
import { applyFix, revealFinding, showFindings } from "./codemirror";
import { useHeadline } from "./headlines";
import { ofPointer } from "./model/flow";
import { SELF } from "./model/layers";
import { newTexts } from "./model/newTexts";
import { type Repair, repairOf } from "./model/repairs";
import { spokenIn } from "./model/spoken";
import type { Session } from "./session";
import { useSession, useSessionState } from "./useSession";
import { words } from "./words";

/** Marks the findings in the text. */
export function useFindings(): void {
  const session = useSession();
  const { checked, checkedText, text, layers } = useSessionState();
  const headline = useHeadline();
  const fresh = checked && checkedText === text;
  useEffect(() => {
    if (fresh) showFindings(session.view, checked.diagnostics, headline, layers?.conflicts ?? []);
  }, [session, checked, fresh, headline, layers]);
}

type Words = typeof words.en;

const counted = (found: readonly Finding[]) => {
  const count = (severity: Finding["severity"]) => found.filter((each) => each.severity === severity).length;
  return { errors: count("error"), warnings: count("warning"), remarks: count("info") };
};

/** The count of errors and warnings, for the bar; it leads to them. */
export function ProblemCount({ narrow, onOpen }: { narrow: boolean; onOpen(): void }): ReactNode {
  const { checked, checkedText, text } = useSessionState();
  const say = useText(words);
  if (!checked || checkedText !== text) return <span className="faint problem-count">{say.checking}</span>;
  const { errors, warnings } = counted(checked.diagnostics);
  if (errors + warnings === 0)
    return (
      <span className="editor-good problem-count">
        <CircleCheck size={15} aria-hidden /> <span>{say.noProblems}</span>
      </span>
    );
  const worst = errors > 0 ? "error" : "warning";
  const Icon = SIGNS[worst];
  const summary = say.problems(errors, warnings);
  return (
    <button type="button" className={`problem-count problem-${worst}`} aria-label={summary} onClick={onOpen}>
      <Icon size={15} aria-hidden /> {narrow ? errors || warnings : summary}
    </button>
  );
}

interface BarProps {
  /** Null until somebody opens or closes it: then it is open if there are errors. */
  open: boolean | null;
  onOpen(open: boolean): void;
}

/** The problems below the picture and the text; nothing without any. */
export function ProblemBar({ open, onOpen }: BarProps): ReactNode {
  const { checked } = useSessionState();
  const say = useText(words);
  const found = checked?.diagnostics ?? [];
  if (found.length === 0) return null;
  const { errors, warnings, remarks } = counted(found);
  const isOpen = open ?? errors > 0;
  const summary = [say.problems(errors, warnings), remarks > 0 && say.remarks(remarks)].filter(Boolean).join(", ");
  return (
    <div className={classes("editor-problems", isOpen && "is-open")}>
      <header>
        <h2>{say.problemList}</h2>
        <span className="faint">{summary}</span>
        <IconButton
          icon={isOpen ? ChevronDown : ChevronUp}
          label={isOpen ? say.hideProblems : say.showProblems}
          aria-expanded={isOpen}
          onClick={() => onOpen(!isOpen)}
        />
      </header>
      {isOpen && <ProblemList />}
    </div>
  );
}

export function ProblemList({ onGo }: { onGo?: () => void }): ReactNode {
  const session = useSession();
  const { checked, checkedText, text, flow, current } = useSessionState();
  const say = useText(words);
  const fresh = checked !== null && checkedText === text;
  const go = (finding: Finding) => {
    if (finding.file === SELF) revealFinding(session.view, finding);
    const place = flow && current ? ofPointer(flow, finding.pointer) : undefined;
    if (place) session.select("id" in place ? { kind: "nodes", ids: [place.id] } : { kind: "edge", key: place.key });
    onGo?.();
  };
  const found = checked?.diagnostics ?? [];
  return (
    <div className="problem-list" role="region" aria-label={say.problemList} tabIndex={0}>
      {found.length === 0 && (
        <p className="editor-good problem-none">
          <CircleCheck size={15} aria-hidden /> {checked ? say.noProblems : say.checking}
        </p>
      )}
      <ul className="problems">
        {alike(found).map(([first, ...others], index) => (
          <li key={index}>
            <Problem finding={first} onGo={go} mayFix={session.mayEdit && fresh} />
            {others.length > 0 && (
              <Disclosure className="problem-others" summary={say.moreAlike(others.length, first.code)}>
                {() => (
                  <ul className="problems">
                    {others.map((each, at) => (
                      <li key={at}>
                        <Problem finding={each} onGo={go} mayFix={session.mayEdit && fresh} />
                      </li>
                    ))}
                  </ul>
                )}
              </Disclosure>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

const MANY = 5; // findings with one code that are listed without opening them

/** The findings, the worst first, those with a code that many have together. */
function alike(found: readonly Finding[]): [Finding, ...Finding[]][] {
  const groups = new Map<string, [Finding, ...Finding[]]>();
  for (const each of found) {
    const key = `${each.severity} ${each.code}`;
    const group = groups.get(key);
    if (group) group.push(each);
    else groups.set(key, [each]);
  }
  const rank = ([{ severity }]: [Finding, ...Finding[]]) => Object.keys(SIGNS).indexOf(severity);
  const sorted = [...groups.values()].sort((one, other) => rank(one) - rank(other));
  return sorted.flatMap((group) => (group.length > MANY ? [group] : group.map((each): [Finding] => [each])));
}

/** The findings of a node or an edge, with their fixes. */
export function PartProblems({ of }: { of: FlowNode | FlowEdge }): ReactNode {
  const session = useSession();
  const { checked, checkedText, text, flow, current } = useSessionState();
  const say = useText(words);
  if (!checked || !flow || !current) return null;
  const mayFix = session.mayEdit && checkedText === text;
  const key = (part: FlowNode | FlowEdge | undefined) => part?.path.join("/");
  const found = checked.diagnostics.filter(
    (each) => each.file === SELF && key(ofPointer(flow, each.pointer)) === key(of),
  );
  if (found.length === 0) return null;
  return (
    <ul className="problems problems-of-part" aria-label={say.problemList}>
      {found.map((each, index) => (
        <li key={index}>
          <Problem finding={each} onGo={(finding) => revealFinding(session.view, finding)} mayFix={mayFix} />
        </li>
      ))}
    </ul>
  );
}

interface ProblemProps {
  finding: Finding;
  mayFix: boolean;
  onGo(finding: Finding): void;
}

function Problem({ finding, mayFix, onGo }: ProblemProps): ReactNode {
  const session = useSession();
  const say = useText(words);
  const isTranslated = useHeadline()(finding) !== "";
  const { shown, layers, flow, current } = useSessionState();
  const { severity, code, file, line, column, fix } = finding;
  const repair = shown && !layers ? repairOf(shown, finding, newTexts(spokenIn(shown), language.get())) : null;
  const part = flow && current && file === SELF ? ofPointer(flow, finding.pointer) : undefined;
  const named = (id: string) => {
    const node = flow?.nodes.get(id);
    return node ? titleOf(node) : id;
  };
  const place = !part ? "" : "id" in part ? titleOf(part) : say.edge(named(part.from), named(part.to));
  const Icon = SIGNS[severity];
  return (
    <>
      <button type="button" className="problem" onClick={() => onGo(finding)}>
        <Icon size={15} className={`problem-${severity}`} aria-label={say.severity(severity)} />
        <ProblemText finding={finding} place={place} id={part && "id" in part ? part.id : ""} />
        <span className="problem-place">
          {code} {file !== SELF && visible(file)} {line}:{column}
        </span>
      </button>
      {repair && file === SELF && mayFix && (
        <Button icon={Wand} className="problem-fix" onClick={() => repaired(session, repair)}>
          {titleOfRepair(say, repair)}
        </Button>
      )}
      {fix && file === SELF && mayFix && (
        <Button icon={Wand} className="problem-fix" onClick={() => applyFix(session.view, fix)}>
          {say.fix(visible(fix.text))}
        </Button>
      )}
      {isTranslated && (
        <Disclosure className="problem-others" summary={say.rawMessage}>
          {() => (
            <p lang="en" className="problem-raw">
              <WithCode text={`${finding.message} ${finding.hint}`.trim()} />
            </p>
          )}
        </Disclosure>
      )}
    </>
  );
}

function repaired(session: Session, { command }: Repair): void {
  try {
    session.apply(command);
  } catch (error) {
    failed(error);
  }
}

const titleOfRepair = (say: Words, { title, name = "" }: Repair): string => {
  const text = say[title];
  return typeof text === "string" ? text : text(visible(name));
};

/** The sentence in the language of the app, after the name of its place; in English the message and its hint. */
function ProblemText({ finding, place, id }: { finding: Finding; place: string; id: string }): ReactNode {
  const headline = useHeadline()(finding, id);
  if (headline)
    return (
      <span className="problem-text">
        {place && <strong>{visible(place)}: </strong>}
        <WithCode text={headline} />
      </span>
    );
  return (
    <span className="problem-text" lang="en">
      <WithCode text={finding.message} />
      {finding.hint && (
        <small>
          {" "}
          <WithCode text={finding.hint} />
        </small>
      )}
    </span>
  );
}

/** A message, whose names between backticks are shown as code. */
export function WithCode({ text }: { text: string }): ReactNode {
  return visible(text)
    .split("`")
    .map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}
