// The experiments of the UpGrade server: a list with filters, and one of them.

import "./experiments.css";
import { ArrowLeft, FlaskConical, RefreshCw } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { PaneProps } from "../props";
import { AskAgent } from "../../app/AskAgent";
import { useCommands } from "../../app/commands";
import { numberText, useText } from "../../app/language";
import { invalidate, useResource } from "../../app/resource";
import { hashOf } from "../../app/router";
import { Age, Empty, FilterSelect, IconButton, Loaded, SearchField, Skeleton } from "../../ui";
import { AGENT, type Experiments, experimentsApi } from "./api";
import { Opened } from "./Detail";
import { State } from "./State";
import { states, words } from "./words";

const wide = matchMedia("(min-width: 900px)");

export default function ExperimentsPane({ rest }: PaneProps): ReactNode {
  const say = useText(words);
  const chosen = rest[0] ?? "";
  const list = useResource("experiments", () => experimentsApi.list());
  const reload = () => invalidate("experiment");
  useCommands([
    { id: "experiments.reload", group: say.title, title: say.reload, keys: "r", icon: RefreshCw, run: reload },
  ]);
  return (
    <section className="pane">
      <header className="pane-bar">
        {chosen && (
          <a
            className="icon-button experiments-back"
            href={hashOf("experiments")}
            aria-label={say.back}
            title={say.back}
          >
            <ArrowLeft size={16} aria-hidden />
          </a>
        )}
        <h1>{say.title}</h1>
        <IconButton icon={RefreshCw} label={say.reload} keys="r" onClick={reload} />
      </header>
      {list.data === undefined && list.error === undefined ? (
        <Waiting />
      ) : (
        <Loaded of={list}>
          {(found) =>
            found.items.length === 0 && !chosen ? (
              <Empty icon={FlaskConical} title={say.none}>
                <p>{say.noneHint}</p>
                <AskAgent agent={AGENT}>{say.ask}</AskAgent>
              </Empty>
            ) : (
              <All of={found} chosen={chosen} />
            )
          }
        </Loaded>
      )}
    </section>
  );
}

/** The two columns while the experiments load. */
const Waiting = (): ReactNode => (
  <div className="split experiments" data-chosen={false}>
    <nav>
      <Skeleton shape="list" lines={6} />
    </nav>
    <Skeleton lines={4} />
  </div>
);

/** The list with its filters, and the chosen experiment; at first one that is running. */
function All({ of: found, chosen }: { of: Experiments; chosen: string }): ReactNode {
  const say = useText(words);
  const named: Record<string, string> = useText(states);
  const [text, setText] = useState("");
  const [state, setState] = useState("");
  const { items, total, server, local } = found;
  const first = items.find((each) => each.state === "enrolling") ?? items[0];
  const shown = chosen || (wide.matches ? (first?.id ?? "") : "");
  const fitting = items.filter(
    (each) =>
      (!state || each.state === state) &&
      `${each.name} ${each.context}`.toLocaleLowerCase().includes(text.trim().toLocaleLowerCase()),
  );
  return (
    <div className="split experiments" data-chosen={Boolean(chosen)}>
      <nav aria-label={say.title}>
        <div className="split-filters">
          <SearchField label={say.search} value={text} onChange={setText} />
          <FilterSelect
            label={say.state}
            value={state}
            onChange={setState}
            any={say.anyState}
            choices={[...new Set(items.map((each) => each.state))].map((each) => [each, named[each] ?? each])}
          />
        </div>
        <ul className="entries">
          {fitting.map((each) => (
            <li key={each.id}>
              <a href={hashOf("experiments", [each.id])} aria-current={each.id === shown ? "page" : undefined}>
                <span className="experiments-name">
                  {each.name}
                  {items.some((other) => other.name === each.name && other.id !== each.id) && (
                    <code className="faint"> {each.id.slice(0, 8)}</code>
                  )}
                </span>
                <span className="entry-note">
                  <State of={each.state} />
                  <span className="cut">{each.context}</span>
                  <span className="experiments-number">
                    {each.users !== null && say.users(numberText(each.users))}
                    {each.users === null && each.updated && <Age of={each.updated} />}
                  </span>
                </span>
              </a>
            </li>
          ))}
        </ul>
        {fitting.length === 0 && <p className="split-note">{say.noneFound}</p>}
        <p className="split-note">{say.of(fitting.length, total, local ? say.local : server)}</p>
      </nav>
      {shown ? (
        <Opened key={shown} id={shown} row={items.find((each) => each.id === shown)} all={items} />
      ) : (
        !chosen && (
          <Empty icon={FlaskConical} title={say.choose}>
            <p>{say.chooseHint}</p>
          </Empty>
        )
      )}
    </div>
  );
}
