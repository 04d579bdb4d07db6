// An open draft: its head, the picture, the text, the panels at the side and the problems.

import type { ReactFlowInstance } from "@xyflow/react";
import {
  FlaskConical,
  History,
  Layers as LayersIcon,
  ListTree,
  type LucideIcon,
  MessagesSquare,
  PencilLine,
  SlidersHorizontal,
  WandSparkles,
  X,
} from "lucide-react";
import { type ReactNode, Suspense, lazy, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useCommands } from "../../app/commands";
import { useText } from "../../app/language";
import { useMedia } from "../../app/media";
import { currentPlace } from "../../app/router";
import { useStore } from "../../app/store";
import type { Way } from "../../flow-canvas/nodes";
import { titleOf } from "../../flow-canvas/titles";
import { showAll } from "../../flow-canvas/view";
import { walkOf, wayIn } from "../../flow-canvas/way";
import { Button, IconButton, Loading, classes } from "../../ui";
import { visible } from "../../ui/visible";
import { Canvas } from "./Canvas";
import { Describe } from "./Describe";
import { useDescribing } from "./describing";
import { Head, viewSetting } from "./Head";
import { Inspector } from "./Inspector";
import { Layers } from "./Layers";
import { Leaving } from "./Leaving";
import { isLayered } from "./model/layers";
import { Outline } from "./Outline";
import { ProblemBar, ProblemList, useFindings } from "./Problems";
import { TextView } from "./TextView";
import { Tests, useTestRun } from "./Tests";
import { Toolbar, useEditing } from "./Toolbar";
import { useTrial } from "./trial";
import { useInView } from "./inView";
import { useSession, useSessionState } from "./useSession";
import { Versions } from "./Versions";
import { words } from "./words";

// It shows Markdown and approvals as the chat does, which the editor does not need otherwise.
const Try = lazy(() => import("./Try").then((module) => ({ default: module.Try })));

const PANELS = {
  properties: SlidersHorizontal,
  layers: LayersIcon,
  try: MessagesSquare,
  tests: FlaskConical,
  describe: WandSparkles,
  outline: ListTree,
  versions: History,
} satisfies Record<string, LucideIcon>;
export type Panel = keyof typeof PANELS;

/** The areas of a narrow page, which shows one at a time. */
type Area = "picture" | "text" | "panel" | "problems";

export function Workbench({ mayPublish }: { mayPublish: boolean }): ReactNode {
  const session = useSession();
  const { current, flow, shown, selection, editing } = useSessionState();
  const say = useText(words);
  const view = useStore(viewSetting);
  const narrow = useMedia("(max-width: 900px)");
  const medium = useMedia("(max-width: 1200px)");
  const [area, setArea] = useState<Area>("picture");
  // Without a panel that was opened, that of the properties is open while something is chosen.
  const [panel, setPanel] = useState<Panel | null>(() => {
    const asked = currentPlace().query.get("panel") ?? "";
    return asked in PANELS ? (asked as Panel) : null;
  });
  const open = panel ?? (selection === null && !narrow ? null : "properties");
  useEffect(() => {
    if (editing) setPanel((now) => now && "properties");
  }, [editing]);
  const [listed, setListed] = useState<boolean | null>(null);
  const instance = useRef<ReactFlowInstance | null>(null);
  const run = useTestRun();
  const trial = useTrial();
  const describing = useDescribing();
  const [again, setAgain] = useState("");
  const [played, setPlayed] = useState<Way | null>(null);
  const tried = useMemo(
    () => (open === "try" && shown && trial.events.length > 0 ? wayIn(shown, walkOf(trial.events)) : null),
    [open, shown, trial.events],
  );
  useEditing(() => instance.current && showAll(instance.current));
  useFindings();
  const place = useRef<HTMLDivElement>(null);
  const way = open === "tests" ? played : tried;
  const moved = useInView(instance, place, way?.active ?? "");
  const onMoved = useCallback((isWhole: boolean) => void (moved.current = !isWhole), [moved]);
  const panels: Record<Panel, () => ReactNode> = {
    properties: () => <Inspector />,
    layers: () => <Layers />,
    outline: () => <Outline />,
    describe: () => <Describe describing={describing} />,
    try: () => (
      <Suspense fallback={<Loading />}>
        <Try trial={trial} again={again} onRecorded={() => setAgain("")} />
      </Suspense>
    ),
    tests: () => <Tests run={run} onWay={setPlayed} onTry={record} />,
    versions: () => <Versions />,
  };
  const offered = (Object.keys(PANELS) as Panel[]).filter((each) => each !== "layers" || isLayered(flow));
  const choose = (each: Panel) => {
    setPanel(each);
    setArea("panel");
  };
  useCommands(
    offered.map((each) => ({
      id: `editor.panel.${each}`,
      group: say.group,
      title: say[each],
      icon: PANELS[each],
      run: () => choose(each),
    })),
  );
  const record = (name: string) => {
    setAgain(name);
    choose("try");
  };
  const close = () => {
    setPanel(null);
    session.select(null);
  };
  return (
    <section className={classes("pane editor", narrow && "editor-narrow")}>
      <Head
        narrow={narrow}
        mayPublish={mayPublish}
        run={run}
        onPanel={choose}
        onView={(each) => {
          // A panel that replaces the text makes room for it.
          if (each === "both" && medium) close();
        }}
        onProblems={() => {
          setArea("problems");
          setListed(true);
        }}
      />
      <div className={classes("editor-body", narrow ? `area-${area}` : `only-${view}`, open && "with-side")}>
        {narrow && (
          <div className="tabs editor-areas" role="tablist" aria-label={say.view}>
            {(["picture", "text"] as const).map((each) => (
              <button key={each} type="button" role="tab" aria-selected={area === each} onClick={() => setArea(each)}>
                {say[each]}
              </button>
            ))}
            {offered.map((each) => (
              <button
                key={each}
                type="button"
                role="tab"
                aria-selected={area === "panel" && open === each}
                onClick={() => choose(each)}
              >
                {say[each]}
              </button>
            ))}
          </div>
        )}
        <div ref={place} className="editor-picture">
          <Toolbar narrow={narrow} />
          {!current && <p className="editor-stale-note">{say.syntax}</p>}
          <Canvas
            coverage={open === "tests" && !run.isOld ? run.coverage : null}
            way={way}
            onReady={(ready) => (instance.current = ready)}
            onMoved={onMoved}
          />
          {narrow && <Chosen onOpen={() => choose("properties")} />}
        </div>
        <TextView />
        {open && (
          <aside className="editor-side" aria-label={say[open]}>
            {!narrow && (
              <header>
                <h2>{say[open]}</h2>
                <IconButton icon={X} label={say.closePanel} onClick={close} />
              </header>
            )}
            <div className="editor-panel" key={open}>
              {panels[open]()}
            </div>
          </aside>
        )}
        {!narrow && (
          <div className="editor-rail" role="tablist" aria-orientation="vertical" aria-label={say.panels}>
            {offered.map((each) => {
              const Icon = PANELS[each];
              return (
                <button key={each} type="button" role="tab" aria-selected={open === each} onClick={() => choose(each)}>
                  <Icon size={18} strokeWidth={1.8} aria-hidden />
                  {say[each]}
                </button>
              );
            })}
          </div>
        )}
        {narrow ? (
          area === "problems" && <ProblemList onGo={() => setArea("picture")} />
        ) : (
          <ProblemBar open={listed} onOpen={setListed} />
        )}
        <Leaving />
      </div>
    </section>
  );
}

/** On a narrow page: the way from the chosen node to its properties. */
function Chosen({ onOpen }: { onOpen(): void }): ReactNode {
  const { shown, selection } = useSessionState();
  const say = useText(words);
  const node = selection?.kind === "nodes" ? shown?.nodes.get(selection.ids[0] ?? "") : undefined;
  const edge = selection?.kind === "edge" ? shown?.edges.get(selection.key) : undefined;
  if (!node && !edge) return null;
  const name = node ? titleOf(node) : edge ? say.edge(edge.from, edge.to) : "";
  return (
    <Button className="editor-chosen" icon={PencilLine} look="primary" onClick={onOpen}>
      <span className="cut">{say.openProperties(visible(name))}</span>
    </Button>
  );
}
