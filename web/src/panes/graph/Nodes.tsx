// The nodes of the graph: search, the picture, and the chosen node.

import { Search, Waypoints } from "lucide-react";
import { type ReactNode, useCallback, useDeferredValue, useMemo, useRef, useState } from "react";
import type { PaneProps } from "../props";
import { AskAgent } from "../../app/AskAgent";
import { useCommands } from "../../app/commands";
import { useMayWrite } from "../../app/access";
import { numberText, useText } from "../../app/language";
import { useKept, useResource } from "../../app/resource";
import { go, hashOf } from "../../app/router";
import { failed } from "../../app/toasts";
import { Button, Empty, Failure, FilterSelect, Loaded, SearchField, Skeleton, classes } from "../../ui";
import { visible } from "../../ui/visible";
import { type GraphNode, type GraphPart, AGENT, graphApi } from "./api";
import { GraphCanvas } from "./GraphCanvas";
import { coloursOf, firstOf, firstOfLabels, joined, nodeId } from "./layout";
import { firstFound, grouped } from "./listing";
import { NodeDetail } from "./NodeDetail";
import { NodeEntries } from "./NodeEntries";
import { words } from "./words";

const DRAWN = 2000; // maximum number of nodes in the picture; the table has all edges
const OVERVIEW = [150, 500]; // nodes of the whole graph at first, and with "more"
const OF_LABEL = 30; // nodes of a label in the first picture of the whole graph
const AROUND = [40, 200, DRAWN]; // nodes around one at first, and with each "more"

export function Nodes({ rest, query }: PaneProps): ReactNode {
  const say = useText(words);
  const mayWrite = useMayWrite();
  const [, label = "", key = ""] = rest;
  const q = query.get("q") ?? "";
  const of = query.get("label") ?? "";
  const wanted = useDeferredValue(q.trim());
  const [step, setStep] = useState(0);
  const limit = OVERVIEW[step]!;
  const found = useResource(`graph?${of}&${wanted}&${limit}`, () => graphApi.graph({ q: wanted, label: of, limit }));
  const kept = useKept(found.data);
  const overview = useMemo(
    // Of a label with many nodes, all would take the space of the others.
    () => kept && (step === 0 && !wanted && !of ? firstOfLabels(kept, OF_LABEL) : kept),
    [kept, step, wanted, of],
  );
  const box = useRef<HTMLInputElement>(null);
  useCommands([
    {
      id: "graph.search",
      group: say.title,
      title: say.search,
      keys: "/",
      icon: Search,
      run: () => box.current?.focus(),
    },
  ]);
  const set = (change: Record<string, string>) =>
    go(hashOf("graph", rest, { q, label: of, ...change }), { replace: true });
  const colours = useMemo(() => coloursOf(kept?.labels.map((each) => each.label) ?? []), [kept]);
  const counted = kept?.labels.filter((each) => !of || each.label === of) ?? [];
  // The number of results of a search is unknown.
  const total = wanted ? null : counted.reduce((sum, each) => sum + each.count, 0);
  const isLimited = wanted !== "" || of !== "";
  const first = kept?.nodes[0];
  const more = step + 1 < OVERVIEW.length && overview?.truncated ? () => setStep(step + 1) : null;
  return (
    <div className={classes("graph-body", key && "graph-one")}>
      <nav aria-label={say.nodes}>
        <div className="graph-filters">
          <SearchField
            box={box}
            keys="/"
            label={say.search}
            value={q}
            onChange={(text) => set({ q: text })}
            onEnter={() => first && go(hashOf("graph", ["node", first.label, first.key], { q, label: of }))}
          />
          <FilterSelect
            label={say.label}
            value={of}
            onChange={(label) => set({ label })}
            any={say.all}
            choices={(kept?.labels ?? []).map((each) => [each.label, `${each.label} (${numberText(each.count)})`])}
          />
        </div>
        <Loaded of={{ ...found, data: found.error === undefined ? kept : undefined }} shape="list" lines={6}>
          {({ nodes, truncated, similar }) => (
            <>
              {wanted && nodes.length > 0 && (
                <p className="graph-found muted" role="status">
                  {similar ? say.similar : say.found(numberText(nodes.length), truncated)}
                </p>
              )}
              {nodes.length === 0 && (
                <Empty icon={Waypoints} title={q || of ? say.noneFound : say.none}>
                  {q || of ? <p>{say.noneFoundHint}</p> : mayWrite && <p>{say.noneHint}</p>}
                  {!q && !of && <AskAgent agent={AGENT}>{say.ask}</AskAgent>}
                </Empty>
              )}
              {isLimited ? (
                <NodeEntries
                  nodes={firstFound(nodes)}
                  words={wanted}
                  colours={colours}
                  rest={rest}
                  query={{ q, label: of }}
                />
              ) : (
                grouped(nodes).map((group) => {
                  const count = counted.find((each) => each.label === group.label)?.count ?? group.nodes.length;
                  return (
                    <section key={group.label} aria-label={visible(group.label)}>
                      <h2 className="graph-group">
                        <span className={`graph-label graph-colour-${colours.get(group.label) ?? 1}`}>
                          {visible(group.label)}
                        </span>
                        <span>{numberText(count)}</span>
                      </h2>
                      <NodeEntries nodes={group.nodes} words="" colours={null} rest={rest} query={{ q, label: of }} />
                      {count > group.nodes.length && (
                        <Button look="quiet" className="graph-all" onClick={() => set({ label: group.label })}>
                          {say.allOf(numberText(count))}
                        </Button>
                      )}
                    </section>
                  );
                })
              )}
              {(truncated || nodes.length > firstFound(nodes).length) && (
                <p className="muted graph-more">{say.searchHint}</p>
              )}
            </>
          )}
        </Loaded>
      </nav>
      {key ? (
        <Around key={`${label}/${key}`} label={label} name={key} colours={colours} />
      ) : !overview ? (
        found.error === undefined && <Skeleton shape="canvas" lines={4} />
      ) : (
        overview.nodes.length > 0 && (
          <Picture
            part={overview}
            colours={colours}
            of={`${of}&${wanted}&${step}`}
            name={say.overview}
            total={total}
            more={more}
          />
        )
      )}
    </div>
  );
}

interface AroundProps {
  label: string;
  name: string;
  colours: ReadonlyMap<string, number>;
}

function Around({ label, name, colours }: AroundProps): ReactNode {
  const say = useText(words);
  const [step, setStep] = useState(0);
  const limit = AROUND[step]!;
  const found = useResource(`graph/node/${limit}/${label}/${name}`, () => graphApi.node(label, name, limit));
  const kept = useKept(found.data);
  if (!kept)
    return found.error === undefined ? (
      <Skeleton shape="canvas" lines={4} />
    ) : (
      <Failure error={found.error} retry={found.reload} />
    );
  const centre = nodeId(kept.node);
  const more = step + 1 < AROUND.length && kept.truncated ? () => setStep(step + 1) : null;
  return (
    <Picture
      part={kept}
      colours={colours}
      of={`${centre}&${step}`}
      name={say.around(centre)}
      centre={kept.node}
      total={null}
      more={more}
    />
  );
}

interface PictureProps {
  part: GraphPart;
  /** What is shown. Its layout is a new one when this changes, such as with many more nodes at once. */
  of: string;
  name: string;
  centre?: GraphNode;
  colours: ReadonlyMap<string, number>;
  /** The number of nodes that there are; null if it is not known. */
  total: number | null;
  more: (() => void) | null;
}

/** A picture that grows: choosing a node adds what is around it. */
function Picture({ part, colours, of, name, centre, total, more }: PictureProps): ReactNode {
  const say = useText(words);
  const [added, setAdded] = useState<GraphPart>({ nodes: [], edges: [], truncated: false });
  const [chosen, setChosen] = useState<GraphNode | null>(centre ?? null);
  const all = useMemo(() => joined(part, added), [part, added]);
  const drawn = useMemo(() => firstOf(all, DRAWN), [all]);
  const isFull = all.nodes.length >= DRAWN;
  const choose = useCallback(
    (node: GraphNode) => {
      setChosen(node);
      if (!isFull) graphApi.node(node.label, node.key).then((found) => setAdded((now) => joined(now, found)), failed);
    },
    [isFull],
  );
  return (
    <>
      <div className="graph-picture" role="group" aria-label={name}>
        <div className="graph-frame">
          <GraphCanvas
            part={drawn}
            colours={colours}
            of={of}
            label={name}
            chosen={chosen ? nodeId(chosen) : ""}
            onChoose={choose}
          />
        </div>
        <p className="graph-hint muted">
          <span>
            <b>
              {total !== null && total > all.nodes.length
                ? say.some(numberText(all.nodes.length), numberText(total))
                : say.count(numberText(all.nodes.length))}
            </b>{" "}
            {total === null && all.truncated && `${say.cut} `}
            {all.nodes.length > DRAWN ? say.full(numberText(DRAWN), numberText(all.nodes.length)) : say.expandHint}
          </span>
          {more && <Button onClick={more}>{say.more}</Button>}
        </p>
      </div>
      {chosen && (
        <NodeDetail
          key={nodeId(chosen)}
          node={chosen}
          part={all}
          centre={centre ? nodeId(centre) : ""}
          more={more}
          onClose={() => setChosen(null)}
        />
      )}
    </>
  );
}
