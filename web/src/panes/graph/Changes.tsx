// The changes of a goal, or of undoing one: many of the same kind are one line that opens.

import "./changes.css";
import { type ReactNode, useMemo, useState } from "react";
import type { JsonObject } from "../../api";
import { numberText, useText } from "../../app/language";
import { hashOf } from "../../app/router";
import { Badge, Disclosure, MoreButton } from "../../ui";
import { visible } from "../../ui/visible";
import type { GraphChange, GraphEdge, GraphNode } from "./api";
import { words } from "./words";

/** The name of a node, which leads to it; it may have been deleted since. */
function NodeLink({ label, name }: { label: string; name: string }): ReactNode {
  return (
    <a className="graph-link" href={hashOf("graph", ["node", label, name])}>
      <bdi>{visible(name)}</bdi>
    </a>
  );
}

const LISTED = 100; // changes at first, and with each "more"

/** The changed element; names are isolated, because one may be written from right to left. */
function Named({ of: each }: { of: GraphNode | GraphEdge }): ReactNode {
  if ("type" in each)
    return (
      <>
        <NodeLink label={each.from_label} name={each.from_key} /> <Badge>{each.type}</Badge>{" "}
        <NodeLink label={each.to_label} name={each.to_key} />
      </>
    );
  return (
    <>
      <NodeLink label={each.label} name={each.key} /> <Badge>{each.label}</Badge>
    </>
  );
}

const textOf = (properties: JsonObject, name: string): string =>
  name in properties ? JSON.stringify(properties[name]) : "∅";

const ALIKE = 8; // changes of the same kind that are still listed one by one

/** The changes by what was done to what; the lists keep their order. */
function alike(changes: readonly GraphChange[]): GraphChange[][] {
  const groups = new Map<string, GraphChange[]>();
  for (const change of changes) {
    const of = (change.after ?? change.before)!;
    const name = JSON.stringify([change.kind, "type" in of ? [of.type] : of.label]);
    const group = groups.get(name);
    if (group) group.push(change);
    else groups.set(name, [change]);
  }
  return [...groups.values()];
}

/** The changes; many of the same kind are one line that opens: "created 275 nodes Guest". */
export function Changes({ of: changes }: { of: GraphChange[] }): ReactNode {
  const say = useText(words);
  const groups = useMemo(() => alike(changes), [changes]);
  const few = groups.filter((each) => each.length <= ALIKE).flat();
  return (
    <>
      {groups
        .filter((each) => each.length > ALIKE)
        .map(([first, ...others], index) => {
          const of = (first!.after ?? first!.before)!;
          const count = numberText(others.length + 1);
          return (
            <Disclosure
              key={index}
              className="graph-alike"
              summary={
                <>
                  <span className={`graph-kind graph-${first!.kind}`}>{say[first!.kind]}</span>
                  <span>
                    {"type" in of ? say.manyEdges(count) : say.manyNodes(count)}{" "}
                    <Badge>{"type" in of ? of.type : of.label}</Badge>
                  </span>
                </>
              }
            >
              {() => <Each of={[first!, ...others]} />}
            </Disclosure>
          );
        })}
      {few.length > 0 && <Each of={few} />}
    </>
  );
}

function Each({ of: changes }: { of: GraphChange[] }): ReactNode {
  const say = useText(words);
  const [most, setMost] = useState(LISTED);
  const list = (
    <ul className="graph-changes">
      {changes.slice(0, most).map((change, index) => {
        const before = change.before?.properties ?? {};
        const after = change.after?.properties ?? {};
        const names = Object.keys({ ...before, ...after }).filter(
          (name) => textOf(before, name) !== textOf(after, name),
        );
        return (
          <li key={index}>
            <span className={`graph-kind graph-${change.kind}`}>{say[change.kind]}</span>
            <span>
              <Named of={(change.after ?? change.before)!} />
            </span>
            <span className="muted graph-values">
              {names.map((name) => (
                <span key={name}>
                  {name}: {change.before && textOf(before, name)} {change.kind === "updated" && "→"}{" "}
                  {change.after && textOf(after, name)}
                </span>
              ))}
            </span>
          </li>
        );
      })}
    </ul>
  );
  return (
    <>
      {list}
      <MoreButton more={changes.length > most ? () => setMost(most + LISTED) : null} />
    </>
  );
}
