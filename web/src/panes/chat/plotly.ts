// Plotly, loaded when there is a figure: the published edition that does not generate code from texts.

import source from "plotly.js-strict-dist-min/plotly-strict.min.js?url";

export interface Figure {
  data: object[];
  layout?: Record<string, unknown>;
}

interface Plotly {
  react(element: HTMLElement, data: object[], layout: object, options: object): Promise<void>;
  purge(element: HTMLElement): void;
  Plots: { resize(element: HTMLElement): Promise<void> };
}

let loading: Promise<Plotly> | null = null;

export function loadPlotly(): Promise<Plotly> {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = source;
    script.onload = () => resolve((window as unknown as { Plotly: Plotly }).Plotly);
    script.onerror = () => {
      loading = null;
      reject(new Error("Plotly could not be loaded."));
    };
    document.head.append(script);
  });
  return loading;
}
