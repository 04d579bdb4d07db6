// The records that actions keep beyond their threads, such as bookings and conversations handed over to people.

import { Archive, RefreshCw } from "lucide-react";
import type { ReactNode } from "react";
import { type Json, type JsonObject, type KeptRecord, api } from "../../api";
import { useTitleOf } from "../../app/agents";
import { numberText, useText } from "../../app/language";
import { useKept, usePages, useResource } from "../../app/resource";
import { go, hashOf } from "../../app/router";
import { ofTrial } from "../../app/trials";
import { Age, Empty, Failure, IconButton, Loaded, MoreButton, Skeleton, Table } from "../../ui";
import { JsonView, columnsOf } from "../../ui/json";
import { visible } from "../../ui/visible";
import { Tabs } from "./Tabs";
import { words } from "./words";

export function Records({ collection }: { collection: string }): ReactNode {
  const say = useText(words);
  const agentOf = useTitleOf();
  const found = useResource("records", api.collections);
  const titleOf = (name: string): string => {
    const trial = ofTrial(name);
    return trial ? say.ofTrial(visible(agentOf(trial.agent)), visible(trial.name)) : visible(name);
  };
  return (
    <section className="pane logs">
      <header className="pane-bar">
        <h1>{say.title}</h1>
        <Tabs records />
        <IconButton icon={RefreshCw} label={say.reload} onClick={() => void found.reload()} />
      </header>
      <div className="pane-body">
        <Loaded of={found}>
          {({ items }) => {
            const ordered = [...items].sort(
              (one, other) => Number(ofTrial(one.name) !== null) - Number(ofTrial(other.name) !== null),
            );
            const [first] = ordered;
            if (!first)
              return (
                <Empty icon={Archive} title={say.noRecords}>
                  <p>{say.noRecordsHint}</p>
                </Empty>
              );
            const chosen = items.find((each) => each.name === collection) ?? first;
            const trial = ofTrial(chosen.name);
            return (
              <>
                <div className="filters">
                  <select
                    className="input"
                    aria-label={say.collection}
                    value={chosen.name}
                    onChange={(event) => go(hashOf("logs", ["records", event.target.value]), { replace: true })}
                  >
                    {ordered.map(({ name, records }) => (
                      <option key={name} value={name}>
                        {titleOf(name)} ({numberText(records)})
                      </option>
                    ))}
                  </select>
                </div>
                {trial && (
                  <p className="muted">
                    {say.ofTrialWhat} <a href={hashOf("editor", [trial.agent], { panel: "try" })}>{say.toTrial}</a>
                  </p>
                )}
                <Kept key={`${chosen.name} ${chosen.records}`} collection={chosen.name} count={chosen.records} />
              </>
            );
          }}
        </Loaded>
      </div>
    </section>
  );
}

function Kept({ collection, count }: { collection: string; count: number }): ReactNode {
  const say = useText(words);
  const titleOf = useTitleOf();
  const list = usePages<KeptRecord>(`records/${collection}/${count}`, (cursor) => api.records(collection, cursor));
  const items = useKept(list.loading || list.error !== undefined ? undefined : list.items);
  if (list.error !== undefined) return <Failure error={list.error} retry={list.reload} />;
  if (!items) return <Skeleton lines={4} />;
  const columns = columnsOf(items.map((each) => each.value));
  return (
    <>
      <Table
        label={visible(collection)}
        columns={[say.when, ...(columns?.map(visible) ?? [say.value]), say.agent]}
        rows={items.map((each) => [
          each.thread ? <RecordLink key="" of={each} /> : <Age key="" of={each.created} />,
          ...(columns?.map((name) => <Cell key={name} value={(each.value as JsonObject)[name]} />) ?? [
            <JsonView key="value" value={each.value} />,
          ]),
          visible(titleOf(each.agent)),
        ])}
      />
      <MoreButton more={list.more} />
    </>
  );
}

/** A value; nothing for a text that is empty. */
const Cell = ({ value = "" }: { value: Json | undefined }): ReactNode => value !== "" && <JsonView value={value} />;

/** The time of a record, which leads to its conversation. */
function RecordLink({ of: { collection, created, thread } }: { of: KeptRecord }): ReactNode {
  const trial = ofTrial(collection);
  const href = trial ? hashOf("editor", [trial.agent], { panel: "try" }) : hashOf("chat", [thread]);
  return (
    <a href={href} title={useText(words).open}>
      <Age of={created} />
    </a>
  );
}
