// What the app uses of Plotly, which comes without types.
declare module "plotly.js-strict-dist-min" {
  export interface Figure {
    data: object[];
    layout?: Record<string, unknown>;
  }
  const Plotly: {
    react(element: HTMLElement, data: object[], layout: object, options: object): Promise<void>;
    purge(element: HTMLElement): void;
  };
  export default Plotly;
}
