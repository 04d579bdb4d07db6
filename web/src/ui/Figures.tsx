// The main numbers of a pane, each below its name.

import "./Figures.css";
import type { ReactNode } from "react";
import { type Tone, classes } from ".";

export interface FigureShown {
  name: string;
  value: string;
  tone?: Tone;
}

export function Figures({ of: figures, small = false }: { of: readonly FigureShown[]; small?: boolean }): ReactNode {
  return (
    <dl className={classes("figures", small && "figures-small")}>
      {figures.map(({ name, value, tone }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className={tone === "bad" ? "bad-text" : undefined}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
