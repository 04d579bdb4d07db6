// The property graph: its nodes, the neighbourhood of one, and the journal.

import "./graph.css";
import type { ReactNode } from "react";
import type { PaneProps } from "../props";
import { useCommands } from "../../app/commands";
import { useText } from "../../app/language";
import { go, hashOf } from "../../app/router";
import { Missing } from "../../ui";
import { Journal } from "./Journal";
import { Nodes } from "./Nodes";
import { words } from "./words";

export default function Graph({ rest, query }: PaneProps): ReactNode {
  const say = useText(words);
  const inJournal = rest[0] === "journal";
  const toNodes = () => go(hashOf("graph"));
  const toJournal = () => go(hashOf("graph", ["journal"]));
  useCommands([
    { id: "graph.nodes", group: say.title, title: say.nodes, keys: "1", run: toNodes },
    { id: "graph.journal", group: say.title, title: say.journal, keys: "2", run: toJournal },
  ]);
  return (
    <section className="pane graph">
      <header className="pane-bar">
        <h1>{say.title}</h1>
        <div className="tabs" role="tablist" aria-label={say.title}>
          <button type="button" role="tab" aria-selected={!inJournal} onClick={toNodes}>
            {say.nodes}
          </button>
          <button type="button" role="tab" aria-selected={inJournal} onClick={toJournal}>
            {say.journal}
          </button>
        </div>
      </header>
      {inJournal ? (
        <Journal chosen={rest[1] ?? ""} />
      ) : rest.length === 0 || (rest[0] === "node" && rest.length === 3) ? (
        <Nodes rest={rest} query={query} />
      ) : (
        <Missing />
      )}
    </section>
  );
}
