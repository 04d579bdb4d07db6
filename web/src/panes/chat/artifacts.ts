// Which of an answer's files are shown, and how.

import { ChartColumn, Code2, FileText, ImageIcon, type LucideIcon, Table2 } from "lucide-react";
import type { Artifact } from "../../api";

export interface View {
  kind: "figure" | "picture" | "table" | "program" | "text";
  file: Artifact;
}

export const VIEW_ICONS: Readonly<Record<View["kind"], LucideIcon>> = {
  figure: ChartColumn,
  picture: ImageIcon,
  table: Table2,
  program: Code2,
  text: FileText,
};

const SHOWN_BYTES = 2_000_000;

const ending = (name: string): string => /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
const stem = (name: string): string => name.replace(/\.\w+$/, "");

export const fileName = (name: string): string => name.split("/").at(-1) ?? name;

/** The format of a file, as a menu names it. */
export const formatOf = (name: string): string => ending(name).toUpperCase() || fileName(name);

const KINDS: [RegExp, View["kind"]][] = [
  [/^html?$/, "figure"],
  [/^(png|jpe?g|gif|webp)$/, "picture"],
  [/^csv$/, "table"],
  [/^(py|sql)$/, "program"],
  [/^(json|txt|md|yaml|log)$/, "text"],
];

const ORDER = KINDS.map(([, kind]) => kind);

/** The files that can be shown: figures first. Of a figure with a picture, the figure; of a table, its text. */
export function viewsOf(files: readonly Artifact[]): View[] {
  const figures = new Set(files.filter((each) => /^html?$/.test(ending(each.name))).map((each) => stem(each.name)));
  const views = files.flatMap((file): View[] => {
    const kind = KINDS.find(([pattern]) => pattern.test(ending(file.name)))?.[1];
    if (!kind || (kind === "picture" && figures.has(stem(file.name)))) return [];
    return kind === "figure" || kind === "picture" || (file.bytes ?? 0) < SHOWN_BYTES ? [{ kind, file }] : [];
  });
  return views.sort((one, other) => ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind));
}
