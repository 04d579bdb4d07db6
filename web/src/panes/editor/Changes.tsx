// The list of what differs between two documents, with what was removed and added in each value.

import "./changes.css";
import { ArrowRight, Minus, PencilLine, Plus } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import { useText } from "../../app/language";
import { edgeKeys } from "../../flow-canvas/edges";
import { type Fields, type Flow, flowOf } from "../../flow-canvas/flow";
import { ICONS, kindOf } from "../../flow-canvas/nodes";
import { titleOf } from "../../flow-canvas/titles";
import { words as canvasWords, kindWords } from "../../flow-canvas/words";
import { classes } from "../../ui";
import { visible } from "../../ui/visible";
import type { ChangeLine, Compared } from "./api";
import { useFieldName } from "./fieldWords";
import { type Change, type ChangeGroup, changesOf } from "./model/changes";
import { words } from "./words";

/** Both documents of a comparison as flows, and the keys of their edges by the ids of the compiler. */
export interface Sides {
  before: Flow;
  after: Flow;
  keys: { before: Map<string, string>; after: Map<string, string> };
}

export function sidesOf(compared: Compared): Sides {
  const [before, after] = [flowOf(compared.before as Fields), flowOf(compared.after as Fields)];
  return { before, after, keys: { before: edgeKeys(before), after: edgeKeys(after) } };
}

const SIGNS = { added: Plus, removed: Minus, changed: PencilLine };

interface ListProps {
  groups: readonly ChangeGroup[];
  sides?: Sides;
  /** The entry that the pictures show. */
  chosen?: Change | null;
  onChoose?: (change: Change) => void;
}

export function ChangeList({ groups, sides, chosen = null, onChoose }: ListProps): ReactNode {
  const say = useText(words);
  const headings: Record<string, string> = {
    nodes: say.nodes,
    edges: say.edges,
    document: say.document,
    actions: say.actions,
  };
  if (groups.length === 0) return <p className="muted changes-none">{say.noDifference}</p>;
  return (
    <div className="changes" role="region" aria-label={say.meaning} tabIndex={0}>
      {groups.map((group) => (
        <section key={group.heading}>
          <h3>{headings[group.heading] ?? (group.changes.length === 0 ? say.onlyLayout : group.heading)}</h3>
          <ul>
            {group.changes.map((change, index) => (
              <li key={index} className={classes(`change change-${change.tone}`, chosen === change && "is-chosen")}>
                <Head change={change} sides={sides} {...(onChoose && change.part ? { onChoose } : {})} />
                {change.head.pieces.length > 0 && <Detail line={change.head} />}
                {change.details.map((line, at) => (
                  <Detail key={at} line={line} />
                ))}
              </li>
            ))}
          </ul>
          {group.notes.map((note, index) => (
            <p key={index} className="faint">
              {visible(note)}
            </p>
          ))}
        </section>
      ))}
    </div>
  );
}

interface HeadProps {
  change: Change;
  sides: Sides | undefined;
  onChoose?: (change: Change) => void;
}

function Head({ change, sides, onChoose }: HeadProps): ReactNode {
  const tones = useText(canvasWords);
  const Sign = SIGNS[change.tone];
  const content = (
    <>
      <Sign size={14} className="change-sign" aria-label={tones[change.tone]} />
      <span className="change-name">
        {(sides && <Named change={change} sides={sides} />) || <Written change={change} />}
      </span>
    </>
  );
  return onChoose ? (
    <button type="button" className="change-head" onClick={() => onChoose(change)}>
      {content}
    </button>
  ) : (
    <div className="change-head">{content}</div>
  );
}

/** The head of an entry as the compiler writes it. */
function Written({ change: { text } }: { change: Change }): ReactNode {
  const kinds = useText(kindWords);
  const found = /^(.*) \((question|decision|action|subgraph|terminal)\b(.*)\)$/s.exec(text);
  const kind = kindOf(found?.[2] ?? "");
  if (!found || !kind) return <strong>{visible(text.replaceAll(" -> ", " → "))}</strong>;
  return (
    <>
      <strong>{visible(found[1] ?? "")}</strong> <span className="faint">{kinds[kind] + visible(found[3] ?? "")}</span>
    </>
  );
}

/** The title and kind of the node, or the ends of the edge, that an entry is about. */
function Named({ change: { part }, sides }: { change: Change; sides: Sides }): ReactNode {
  const kinds = useText(kindWords);
  const say = useText(words);
  if (!part) return null;
  if (part.what === "node") {
    const node = sides.after.nodes.get(part.after) ?? sides.before.nodes.get(part.before);
    const kind = node && kindOf(node.type);
    if (!node || !kind) return null;
    const Icon = ICONS[kind];
    return (
      <>
        <strong>{visible(titleOf(node))}</strong>
        <span className={`change-kind flow-${kind}`}>
          <Icon size={13} aria-hidden /> {kinds[kind]}
        </span>
        {part.before && part.after && part.before !== part.after && (
          <span className="faint">{say.was(visible(part.before))}</span>
        )}
      </>
    );
  }
  const edge = (side: "before" | "after") => sides[side].edges.get(sides.keys[side].get(part[side]) ?? "");
  const [before, after] = [edge("before"), edge("after")];
  const shown = after ?? before;
  if (!shown) return null;
  const nameOf = (id: string) => {
    const node = sides.after.nodes.get(id) ?? sides.before.nodes.get(id);
    return visible(node ? titleOf(node) : id);
  };
  const isMoved = before && after && (before.from !== after.from || before.to !== after.to);
  return (
    <>
      <strong>
        {nameOf(shown.from)} <ArrowRight size={13} aria-hidden /> {nameOf(shown.to)}
      </strong>
      {isMoved && <span className="faint">{say.was(`${nameOf(before.from)} → ${nameOf(before.to)}`)}</span>}
      {typeof shown.data.guard === "string" && <code className="faint">{visible(shown.data.guard)}</code>}
    </>
  );
}

/** A line about a value: its field, and what was removed and added. */
function Detail({ line }: { line: ChangeLine }): ReactNode {
  const [first, ...rest] = line.pieces;
  const isNamed = first?.kind === "same" && first.text.endsWith(": ");
  const written = line.text.trim();
  const { label, name } = useFieldName(isNamed ? first.text.slice(0, -2) : written.replace(/:$/, ""));
  if (line.pieces.length === 0)
    return (
      <p className="change-detail">
        {label === name ? visible(written) : <span className="change-field">{label}</span>}
      </p>
    );
  return (
    <p className="change-detail">
      {isNamed && <span className="change-field">{visible(label)}</span>}
      {(isNamed ? rest : line.pieces).map((piece, index) => {
        const text = visible(piece.text);
        return piece.kind === "removed" ? (
          <del key={index}>{text}</del>
        ) : piece.kind === "added" ? (
          <ins key={index}>{text}</ins>
        ) : (
          <span key={index}>{text}</span>
        );
      })}
    </p>
  );
}

/** How much was added, removed and changed. */
export function Counts({ groups }: { groups: readonly ChangeGroup[] }): ReactNode {
  const tones = useText(canvasWords);
  const all = groups.flatMap((each) => each.changes);
  return (
    <span className="change-counts">
      {(["added", "removed", "changed"] as const).map((tone) => {
        const count = all.filter((each) => each.tone === tone).length;
        return (
          count > 0 && (
            <span key={tone} className={`flow-tone tone-${tone}`}>
              {count} {tones[tone]}
            </span>
          )
        );
      })}
    </span>
  );
}

interface MeaningProps {
  lines: readonly ChangeLine[];
  /** Both documents, once they are compared: then the entries have the titles of nodes. */
  compared: Compared | undefined;
}

/** The lines of a difference. */
export function Meaning({ lines, compared }: MeaningProps): ReactNode {
  const groups = useMemo(() => changesOf(compared ?? { lines: [...lines], parts: [] }), [lines, compared]);
  const sides = useMemo(() => compared && sidesOf(compared), [compared]);
  return <ChangeList groups={groups} {...(sides ? { sides } : {})} />;
}
