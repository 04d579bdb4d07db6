// Entries of the list of nodes: the name of each, and below it the text by which it is known or was found.

import type { ReactNode } from "react";
import { hashOf } from "../../app/router";
import { Marked } from "../../ui";
import { visible } from "../../ui/visible";
import type { GraphNode } from "./api";
import { nodeId } from "./layout";
import { noteOf } from "./listing";

interface Props {
  nodes: readonly GraphNode[];
  /** The words of the search. */
  words: string;
  /** The colours of the labels; null below a heading with the label. */
  colours: ReadonlyMap<string, number> | null;
  /** The address of the pane, and its filters. */
  rest: readonly string[];
  query: Record<string, string>;
}

export function NodeEntries({ nodes, words, colours, rest, query }: Props): ReactNode {
  const [, label = "", key = ""] = rest;
  return (
    <ul className="graph-entries">
      {nodes.map((each) => {
        const note = noteOf(each, words);
        return (
          <li key={nodeId(each)}>
            <a
              className="graph-entry"
              href={hashOf("graph", ["node", each.label, each.key], query)}
              aria-current={each.label === label && each.key === key ? "page" : undefined}
            >
              <bdi className="graph-name">
                <Marked text={visible(each.key)} letters={words} />
              </bdi>
              {colours && (
                <span className={`graph-label graph-colour-${colours.get(each.label) ?? 1}`}>
                  {visible(each.label)}
                </span>
              )}
              {note && (
                <span className="graph-note cut">
                  {note.name && `${visible(note.name)}: `}
                  <bdi>
                    <Marked text={visible(note.text)} letters={words} />
                  </bdi>
                </span>
              )}
            </a>
          </li>
        );
      })}
    </ul>
  );
}
