// An approval: exactly what will happen, with marks on values without support in the user's words; and yes, no, or
// "change this".

import "./Approval.css";
import {
  Check,
  FlaskConical,
  ListChecks,
  PencilLine,
  ShieldCheck,
  TriangleAlert,
  Waypoints,
  Wrench,
  X,
} from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import type { Approval as Approved, Json, JsonObject, Support } from "../../api";
import { useMayWrite } from "../../app/access";
import { type Command, useCommands } from "../../app/commands";
import { useText } from "../../app/language";
import { Badge, Button, Disclosure } from "../../ui";
import { JsonView, isObject } from "../../ui/json";
import { Difference } from "./Difference";
import { Markdown } from "./Markdown";
import type { Conversation } from "./session";
import { words } from "./words";

const SIGNS = { graph: Waypoints, experiment: FlaskConical, tools: Wrench, other: ListChecks };

export const titleOf = (kind: Approved["kind"], say: (typeof words)["en"]): string =>
  ({
    graph: say.approvalGraph,
    experiment: say.approvalExperiment,
    tools: say.approvalTools,
    other: say.approvalOther,
  })[kind];

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
  const unsupported = Object.values(approval.marks).filter((mark) => mark === "unsupported").length;
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
        {unsupported > 0 && (
          <Badge tone="warn">
            <TriangleAlert size={11} aria-hidden /> {say.unsupported(unsupported)}
          </Badge>
        )}
      </header>
      <div className="approval-body">
        <What approval={approval} prompt={prompt} />
        <Disclosure
          className="approval-exact"
          summary={
            <span>
              {say.exact} <span className="mono faint">{approval.hash.slice(0, 12)}</span>
            </span>
          }
        >
          {() => <JsonView value={approval.over} marks={approval.marks} />}
        </Disclosure>
      </div>
      {mayWrite && (
        <footer className="waiting-actions">
          <Button ref={yes} look="primary" icon={ShieldCheck} keys="a" busy={asked} onClick={() => answer(true)}>
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

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");

function What({ approval, prompt }: { approval: Approved; prompt: string }): ReactNode {
  const { kind, over, marks } = approval;
  // For a graph and for calls, the content of the approval itself is shown; otherwise the question describes it.
  if (kind === "graph" && isObject(over.preview) && text(over.preview.text))
    return <Difference text={text(over.preview.text)} />;
  const calls = Array.isArray(over.selected_tools) ? over.selected_tools.filter(isObject) : [];
  return (
    <>
      {calls.length > 0 && kind === "tools" ? (
        <Calls name="selected_tools" calls={calls} marks={marks} />
      ) : (
        <Markdown text={approval.text ?? prompt} />
      )}
      {kind === "experiment" && <Experiment over={over} marks={marks} />}
    </>
  );
}

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

/** An experiment before and after: a row for each field that the action sets. */
function Experiment({ over, marks }: { over: JsonObject; marks: Record<string, Support> }): ReactNode {
  const say = useText(words);
  const given = isObject(over.action_params) ? over.action_params : {};
  const before = isObject(over.about) ? over.about : {};
  const plain = (name: string): string => name.replace(/^new_/, "");
  const now = (name: string): Json | undefined => before[plain(name)];
  const set = Object.entries(given).filter(([name, value]) => value !== null && name !== "experiment_id");
  const known = set.some(([name]) => now(name) !== undefined);
  return (
    <>
      <p className="approval-action">
        <code>{text(over.action_needed)}</code>
        {text(before.name) && <strong> {text(before.name)}</strong>}
        {text(over.place) && <span className="faint"> · {text(over.place)}</span>}
      </p>
      <div className="table-frame" role="region" aria-label={say.approvalExperiment} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{say.field}</th>
              {known && <th scope="col">{say.before}</th>}
              <th scope="col">{say.after}</th>
            </tr>
          </thead>
          <tbody>
            {set.map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{plain(name)}</th>
                {known && (
                  <td className="before">
                    {now(name) === undefined ? (
                      <span className="faint">{say.none}</span>
                    ) : (
                      <JsonView value={now(name) ?? null} />
                    )}
                  </td>
                )}
                <td>
                  <JsonView value={value} marks={marks} path={`action_params.${name}`} before={now(name)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
