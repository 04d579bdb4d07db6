// The content of an approval: the difference, the calls, the change of an experiment, or the words of the agent.

import { FlaskConical, ListChecks, TriangleAlert, Waypoints, Wrench } from "lucide-react";
import type { ReactNode } from "react";
import type { Approval, Json, JsonObject, Support } from "../../api";
import { useText } from "../../app/language";
import { readable } from "../../app/readable";
import { Disclosure } from "../../ui";
import { JsonView, isObject } from "../../ui/json";
import { visible } from "../../ui/visible";
import { Difference, marksIn } from "./Difference";
import { Exact } from "./Exact";
import { Experiment, fieldName } from "./Experiment";
import { Markdown } from "./Markdown";
import { withoutMarks } from "../../ui/plain";
import { words } from "./words";

export const SIGNS = { graph: Waypoints, experiment: FlaskConical, tools: Wrench, other: ListChecks };

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");

/** The first line of a question, without the signs of Markdown: a heading for the rest. */
const headline = (prompt: string): string => withoutMarks(prompt.trim().split("\n", 1)[0] ?? "");

interface ContentProps {
  approval: Approval;
  prompt: string;
  /** It was decided: its heading is above, and nothing is left to check. */
  decided?: boolean;
}

export function ApprovalContent({ approval, prompt, decided }: ContentProps): ReactNode {
  const { notice } = approval;
  return (
    <>
      {notice && (
        <p className="callout callout-warn">
          <TriangleAlert size={15} aria-hidden />
          <span>{visible(notice)}</span>
        </p>
      )}
      <What
        approval={approval}
        prompt={notice ? prompt.replace(notice, "").trim() : prompt}
        decided={decided ?? false}
      />
    </>
  );
}

function What({ approval, prompt, decided }: ContentProps): ReactNode {
  const { kind, over, marks } = approval;
  // For a graph, an experiment and calls, the content of the approval itself is shown; else the question describes it.
  if (kind === "graph" && isObject(over.preview) && text(over.preview.text))
    return <Difference text={text(over.preview.text)} />;
  const calls = Array.isArray(over.selected_tools) ? over.selected_tools.filter(isObject) : [];
  if (calls.length > 0 && kind === "tools") return <Calls name="selected_tools" calls={calls} marks={marks} />;
  if (kind === "experiment")
    return (
      <>
        {!decided && <p className="approval-headline">{headline(approval.text ?? prompt)}</p>}
        <Experiment over={over} marks={marks} />
      </>
    );
  return <Markdown text={approval.text ?? prompt} />;
}

/** The values that a yes approves, and their hash, when they are opened. */
export function Exactly({ approval, thread }: { approval: Approval; thread: string }): ReactNode {
  const say = useText(words);
  return (
    <Disclosure className="approval-exact" summary={<span>{approval.plain ? say.details : say.exact}</span>}>
      {() => (
        <>
          <Exact approval={approval} thread={thread} />
          <p className="approval-hash faint">
            {say.fingerprint} <code title={approval.hash}>{approval.hash.slice(0, 12)}</code>
          </p>
        </>
      )}
    </Disclosure>
  );
}

/** The content of an approval that was decided, with its marks, and the exact values when they are opened. */
export function DecidedContent({
  approval,
  prompt,
  thread,
}: Omit<ContentProps, "decided"> & { thread: string }): ReactNode {
  return (
    <>
      <ApprovalContent approval={approval} prompt={prompt} decided />
      <Doubts approval={approval} decided />
      <Exactly approval={approval} thread={thread} />
    </>
  );
}

/** The values that the user did not say, each with the name of its place; a difference has them in its text. */
export function doubtsOf({ kind, over, marks }: Approval, say: (typeof words)["en"]): [place: string, value: string][] {
  if (kind === "graph" && isObject(over.preview)) return marksIn(text(over.preview.text)).map((mark) => ["", mark]);
  return Object.entries(marks)
    .filter(([, mark]) => mark === "unsupported")
    .map(([path]) => [placeName(path, say), shown(valueAt(over, path))]);
}

/** The doubts about an approval, which must be read before a yes. */
export function Doubts({ approval, decided }: { approval: Approval; decided?: boolean }): ReactNode {
  const say = useText(words);
  const doubts = doubtsOf(approval, say);
  if (doubts.length === 0) return null;
  return (
    <div className="callout callout-warn doubts" role="note">
      <TriangleAlert size={15} aria-hidden />
      <div>
        <strong>{approval.kind === "graph" ? say.marked : say.unsupported(doubts.length)}</strong>{" "}
        {!decided && say.checkThem}
        <ul>
          {doubts.map(([place, value], index) => (
            <li key={index}>
              {place && <span className="doubt-place">{place}</span>} {value}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

/** The name of the last part of a dotted path that is not a number. */
const placeName = (path: string, say: (typeof words)["en"]): string => {
  const name = path.split(".").findLast((part) => !/^\d+$/.test(part)) ?? path;
  return fieldName(name, say) ?? readable(name);
};

const valueAt = (over: JsonObject, path: string): Json =>
  path
    .split(".")
    .reduce<Json>(
      (value, part) => (Array.isArray(value) ? value[Number(part)] : isObject(value) ? value[part] : undefined) ?? null,
      over,
    );

const shown = (value: Json): string => visible(typeof value === "string" ? value : JSON.stringify(value));

function Calls({
  name,
  calls,
  marks,
}: {
  name: string;
  calls: JsonObject[];
  marks: Record<string, Support>;
}): ReactNode {
  const say = useText(words);
  return (
    <ol className="approval-calls">
      {calls.map((call, index) => {
        const tool = text(call.tool_name) || text(call.tool) || text(call.name);
        const key = ["arguments", "args", "parameters"].find((each) => isObject(call[each]));
        return (
          <li key={index}>
            <code className="approval-tool">{tool}</code>
            {call.asks === false && <p className="faint">{say.onlyReads}</p>}
            {key ? (
              <JsonView value={call[key] ?? null} marks={marks} path={`${name}.${index}.${key}`} />
            ) : (
              <JsonView value={call} marks={marks} path={`${name}.${index}`} />
            )}
          </li>
        );
      })}
    </ol>
  );
}
