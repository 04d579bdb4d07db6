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
import { words } from "./words";

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

export default function Figure(props: { address: string; name: string; children: ReactNode }): ReactNode {
  const { address, name, children } = props;
  const page = useResource(`file?${address}`, async () => (await request(address)).text());
  return (
    <figure className="picture">
      <Loaded of={page} lines={6}>
        {(content) => {
          const figure = figureIn(content);
          return figure ? <Plot figure={figure} name={name} /> : <Page content={content} name={name} />;
        }}
      </Loaded>
      {children}
    </figure>
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
    const axis = {
      automargin: true,
      gridcolor: colour("--line"),
      linecolor: colour("--line-strong"),
      zerolinecolor: colour("--line-strong"),
    };
    const template = {
      layout: {
        paper_bgcolor: "transparent",
        plot_bgcolor: "transparent",
        font: { family: "Inter Variable, sans-serif", size: 12, color: colour("--text") },
        colorway: ["#7384f0", "#3fb48a", "#e2a53f", "#e0736f", "#4aa7d8", "#a77be0", "#8b93a3"],
        xaxis: axis,
        yaxis: axis,
        margin: { l: 56, r: 20, t: figure.layout?.title ? 48 : 20, b: 48 },
      },
    };
    const layout = { ...figure.layout, template, autosize: true, width: undefined, height: undefined };
    const options = { displaylogo: false, displayModeBar: "hover" as const };
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
      await plotly.react(element, structuredClone(figure.data), layout, options);
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
