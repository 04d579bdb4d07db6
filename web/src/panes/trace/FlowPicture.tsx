// The drawing of the flow, with the way that was taken and the present node.

import { Maximize, ZoomIn, ZoomOut } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { request } from "../../api";
import { useCommands } from "../../app/commands";
import { language, useText } from "../../app/language";
import { readable } from "../../app/readable";
import { useResource } from "../../app/resource";
import { useStore } from "../../app/store";
import { IconButton, Loaded } from "../../ui";
import { germanLine, germanNeeds, germanNote, germanTitle } from "./drawingWords";
import type { Way } from "./trace";
import { words } from "./words";

const drawing = async (thread: string): Promise<string> =>
  (await request(`threads/${encodeURIComponent(thread)}/drawing.svg`, { headers: { Accept: "image/svg+xml" } })).text();

const STEP = 1.25;
const [SMALLEST, LARGEST] = [0.02, 3];

interface Props {
  thread: string;
  way: Way;
  /** A node of the drawing was clicked. */
  onNode(node: string): void;
}

export function FlowPicture({ thread, way, onNode }: Props): ReactNode {
  const picture = useResource(`drawing:${thread}`, () => drawing(thread));
  const spoken = useStore(language);
  return (
    <Loaded of={picture}>
      {(text) => <Drawn key={spoken} text={text} way={way} onNode={onNode} german={spoken === "de"} />}
    </Loaded>
  );
}

/** Translates the drawing's own words into German, except its description, because the region has a name. */
function toGerman(picture: Element): void {
  const put = (of: string, words: (text: string) => string) => {
    for (const each of picture.querySelectorAll(of)) each.textContent = words(each.textContent ?? "");
  };
  put("g > title", germanTitle);
  put(".gw-note .gw-text, .gw-jump .gw-text", germanNote);
  put(".gw-action .gw-text", germanNeeds);
  put(".gw-question .gw-text, .gw-decision .gw-text, .gw-subgraph .gw-text, .gw-frame text", germanLine);
  picture.querySelector("desc")?.remove();
}

/** Nodes without a label have their ids in the drawing; here they get the same names as in the rest of the app. */
function nameNodes(picture: Element): void {
  for (const node of picture.querySelectorAll<SVGElement>("[data-node]")) {
    const [title, id = ""] = [node.querySelector(":scope > .gw-title"), node.dataset.node];
    if (title?.textContent === id) title.textContent = readable(id);
  }
}

interface DrawnProps {
  text: string;
  german: boolean;
  way: Way;
  onNode(node: string): void;
}

function Drawn({ text, german, way, onNode }: DrawnProps): ReactNode {
  const say = useText(words);
  const frame = useRef<HTMLDivElement>(null);
  const [scale, setScale] = useState(1);
  useEffect(() => {
    const read = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    // Its own colours follow the system; here they follow the theme of the app.
    for (const each of read.querySelectorAll("style, script")) each.remove();
    if (german) toGerman(read);
    nameNodes(read);
    frame.current?.replaceChildren(document.importNode(read, true));
  }, [text, german]);
  useEffect(() => {
    const picture = frame.current?.querySelector("svg");
    if (picture) picture.style.width = `${picture.viewBox.baseVal.width * scale}px`;
  }, [text, scale]);
  useEffect(() => {
    const box = frame.current;
    if (!box) return;
    const nodes = [...box.querySelectorAll<SVGElement>("[data-node]")];
    for (const each of nodes) {
      const id = each.dataset.node ?? "";
      each.classList.toggle("way-node", way.nodes.has(id));
      each.classList.toggle("way-active", id === way.active);
    }
    for (const each of box.querySelectorAll(".gw-way")) {
      const title = each.querySelector("title")?.textContent?.split("\n")[0] ?? "";
      each.classList.toggle("way-edge", way.edges.has(title));
    }
    const active = nodes.find((each) => each.dataset.node === way.active);
    if (!active) return;
    const [inner, outer] = [active.getBoundingClientRect(), box.getBoundingClientRect()];
    box.scrollTo({
      left: box.scrollLeft + inner.left - outer.left - (outer.width - inner.width) / 2,
      top: box.scrollTop + inner.top - outer.top - (outer.height - inner.height) / 2,
      behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth",
    });
  }, [text, way, scale]);
  const zoom = (by: number) => setScale((now) => Math.min(LARGEST, Math.max(SMALLEST, now * by)));
  const fit = () => {
    const [box, picture] = [frame.current, frame.current?.querySelector("svg")?.viewBox.baseVal];
    if (!box || !picture) return;
    const room = Math.min(box.clientWidth / picture.width, box.clientHeight / picture.height);
    setScale(Math.min(1, Math.max(SMALLEST, room)));
  };
  const tools = [
    { id: "trace.larger", title: say.larger, keys: "+", icon: ZoomIn, run: () => zoom(STEP) },
    { id: "trace.smaller", title: say.smaller, keys: "-", icon: ZoomOut, run: () => zoom(1 / STEP) },
    { id: "trace.whole", title: say.whole, keys: "0", icon: Maximize, run: fit },
  ];
  useCommands(tools.map((each) => ({ ...each, group: say.group })));
  return (
    <div className="trace-drawing">
      <div
        ref={frame}
        className="trace-flow"
        role="region"
        aria-label={say.flow}
        tabIndex={0}
        // A link inside the drawing leads to one of its nodes; following it would change the app's address.
        onClick={(event) => {
          const target = event.target as Element;
          const link = target.closest("a");
          if (link) {
            event.preventDefault();
            frame.current?.querySelector(link.getAttribute("href") ?? "")?.scrollIntoView({ block: "center" });
          } else {
            const node = target.closest<SVGElement>("[data-node]")?.dataset.node;
            if (node) onNode(node);
          }
        }}
      />
      <div className="trace-tools">
        {tools.map((each) => (
          <IconButton key={each.id} icon={each.icon} label={each.title} keys={each.keys} onClick={each.run} />
        ))}
      </div>
    </div>
  );
}
