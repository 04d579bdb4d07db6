// The colours of the app in figures of Plotly, which were made with the colours of Plotly.

/** The colours that Plotly gives to traces, in order. */
const PLOTLY = "#636efa #ef553b #00cc96 #ab63fa #ffa15a #19d3f3 #ff6692 #b6e880 #ff97ff #fecb52".split(" ");

/** The first colour of the scale that Plotly Express gives to numbers. */
const PLASMA = "#0d0887";

/** A part of a figure with the colours of a palette in place of Plotly's own. Colours that an author chose stay. */
export function recoloured<T>(part: T, palette: readonly string[], scale: readonly string[]): T {
  const walk = (value: unknown): unknown => {
    if (typeof value === "string") {
      const at = PLOTLY.indexOf(value.toLowerCase());
      return at < 0 ? value : palette[at % palette.length];
    }
    if (Array.isArray(value)) return isPlasma(value) ? stops(scale) : value.map(walk);
    // Typed arrays are data.
    if (value === null || typeof value !== "object" || ArrayBuffer.isView(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, walk(inner)]));
  };
  return walk(part) as T;
}

const isPlasma = (value: readonly unknown[]): boolean => {
  const [first] = value;
  return Array.isArray(first) && first[0] === 0 && first[1] === PLASMA;
};

const stops = (scale: readonly string[]): [number, string][] =>
  scale.map((colour, index) => [index / Math.max(1, scale.length - 1), colour]);
