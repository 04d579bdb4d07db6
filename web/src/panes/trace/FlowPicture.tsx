// The drawing of the flow, with the way that was taken and the node where the walk stands.

import { type ReactNode, useEffect, useRef } from "react";
import { request } from "../../api";
import { useResource } from "../../app/resource";
import { Loaded } from "../../ui";
import type { Way } from "./trace";

const drawing = async (agent: string): Promise<string> =>
  (await request(`flows/${encodeURIComponent(agent)}/drawing.svg`, { headers: { Accept: "image/svg+xml" } })).text();

interface Props {
  agent: string;
  way: Way;
  label: string;
}

export function FlowPicture({ agent, way, label }: Props): ReactNode {
  const picture = useResource(`drawing:${agent}`, () => drawing(agent));
  return <Loaded of={picture}>{(text) => <Drawn text={text} way={way} label={label} />}</Loaded>;
}

function Drawn({ text, way, label }: { text: string; way: Way; label: string }): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const read = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    // Its own colours follow the system; here they follow the theme of the app.
    for (const each of read.querySelectorAll("style, script")) each.remove();
    frame.current?.replaceChildren(document.importNode(read, true));
  }, [text]);
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
  }, [text, way]);
  return (
    <div
      ref={frame}
      className="trace-flow"
      role="region"
      aria-label={label}
      tabIndex={0}
      // A link inside the drawing leads to a node of it; followed, it would change the app's address.
      onClick={(event) => {
        const link = (event.target as Element).closest("a");
        if (!link) return;
        event.preventDefault();
        frame.current?.querySelector(link.getAttribute("href") ?? "")?.scrollIntoView({ block: "center" });
      }}
    />
  );
}
