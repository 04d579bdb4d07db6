// A Plotly figure, drawn in the colours of the app; any other page of an agent, in an isolated frame.

import { type ReactNode, useEffect, useRef } from "react";
import { request } from "../../api";
import { useText } from "../../app/language";
import { useResource } from "../../app/resource";
import { useStore } from "../../app/store";
import { theme } from "../../app/theme";
import { failed } from "../../app/toasts";
import { Loaded } from "../../ui";
import { type Figure as PlotlyFigure, loadPlotly } from "./plotly";
import { recoloured } from "./palette";
import { words } from "./words";

const NARROW = 520; // px
const COLOURS = 8; // of the palette in styles/tokens.css

/** The data of a figure's page. It is parsed, and none of its scripts is run. */
function figureIn(page: string): PlotlyFigure | null {
  const text = new DOMParser().parseFromString(page, "text/html").querySelector("script#data[type='application/json']");
  try {
    const figure = JSON.parse(text?.textContent ?? "") as PlotlyFigure;
    return Array.isArray(figure.data) ? figure : null;
  } catch {
    return null;
  }
}

export default function Figure({ address, name }: { address: string; name: string }): ReactNode {
  const page = useResource(`file?${address}`, async () => (await request(address)).text());
  return (
    <Loaded of={page} lines={6}>
      {(content) => {
        const figure = figureIn(content);
        return figure ? <Plot figure={figure} name={name} /> : <Page content={content} name={name} />;
      }}
    </Loaded>
  );
}

function Plot({ figure, name }: { figure: PlotlyFigure; name: string }): ReactNode {
  const say = useText(words);
  const ref = useRef<HTMLDivElement>(null);
  const colours = useStore(theme);
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const style = getComputedStyle(document.documentElement);
    const colour = (token: string) => style.getPropertyValue(token).trim();
    const palette = Array.from({ length: COLOURS }, (_, index) => colour(`--chart-${index + 1}`));
    const scale = [colour("--accent-soft"), colour("--chart-1")];
    const axis = {
      automargin: true,
      title: { font: { size: 12, color: colour("--text-soft") }, standoff: 10 },
      tickfont: { color: colour("--text-soft") },
      gridcolor: colour("--line"),
      linecolor: colour("--line-strong"),
      zerolinecolor: colour("--line-strong"),
    };
    const template = {
      layout: {
        paper_bgcolor: "transparent",
        plot_bgcolor: "transparent",
        font: { family: "Inter Variable, sans-serif", size: 12, color: colour("--text") },
        colorway: palette,
        hoverlabel: {
          bgcolor: colour("--raised"),
          bordercolor: colour("--line-strong"),
          font: { color: colour("--text") },
        },
        legend: { bgcolor: "transparent", title: { font: { size: 12 } } },
        bargap: 0.36,
        bargroupgap: 0.08,
        barcornerradius: 3,
        title: { font: { size: 14, weight: 600 }, x: 0, xanchor: "left", xref: "container", pad: { l: 16 } },
        xaxis: axis,
        yaxis: axis,
        margin: { l: 56, r: 20, t: figure.layout?.title ? 44 : 20, b: 60 },
      },
    };
    const layout = {
      ...recoloured(figure.layout ?? {}, palette, scale),
      template,
      autosize: true,
      width: undefined,
      height: undefined,
      // Beside the figure its legend would take half of a narrow screen.
      ...(element.clientWidth < NARROW ? { legend: { orientation: "h", y: -0.28, title: { text: "" } } } : {}),
    };
    const options = { displaylogo: false, displayModeBar: false };
    let shown = true;
    let width = element.clientWidth;
    // A second pane changes the width without resizing the window.
    const observer = new ResizeObserver(() => {
      if (element.clientWidth === width || element.clientWidth === 0) return;
      width = element.clientWidth;
      void loadPlotly().then((plotly) => (shown ? plotly.Plots.resize(element) : undefined), failed);
    });
    const draw = async () => {
      const plotly = await loadPlotly();
      if (!shown) return;
      width = element.clientWidth;
      await plotly.react(element, recoloured(structuredClone(figure.data), palette, scale), layout, options);
      if (shown) observer.observe(element);
    };
    draw().catch(failed);
    return () => {
      shown = false;
      observer.disconnect();
      void loadPlotly().then(
        (plotly) => plotly.purge(element),
        () => undefined,
      );
    };
  }, [figure, colours]);
  return <div ref={ref} className="plot" role="group" aria-label={`${say.figure} ${name}`} />;
}

/** Scripts of the page may run, but in a separate origin, without our storage, our address or the network. */
function Page({ content, name }: { content: string; name: string }): ReactNode {
  const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:">`;
  return (
    <iframe
      className="page-frame"
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      srcDoc={policy + content}
      title={name}
    />
  );
}
