// The records that actions keep beyond their threads, such as bookings and conversations handed over to people.

import { Archive, Download, RefreshCw, Search } from "lucide-react";
import { type ReactNode, useDeferredValue, useState } from "react";
import { type Json, type JsonObject, type KeptRecord, api } from "../../api";
import { useTitleOf } from "../../app/agents";
import { numberText, useText } from "../../app/language";
import { useKept, usePages, useResource } from "../../app/resource";
import { go, hashOf } from "../../app/router";
import { ofTrial } from "../../app/trials";
import { failed } from "../../app/toasts";
import { Age, Button, Empty, Failure, IconButton, Loaded, MoreButton, SearchField, Skeleton, Table } from "../../ui";
import { JsonView, columnsOf } from "../../ui/json";
import { visible } from "../../ui/visible";
import { saveText } from "../editor/files";
import { Tabs } from "./Tabs";
import { type Format, exported } from "./export";
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

/** All records of a collection, page by page. */
async function allOf(collection: string): Promise<KeptRecord[]> {
  const all: KeptRecord[] = [];
  let cursor: string | undefined;
  do {
    const page = await api.records(collection, cursor);
    all.push(...page.items);
    cursor = page.next ?? undefined;
  } while (cursor);
  return all;
}

function Kept({ collection, count }: { collection: string; count: number }): ReactNode {
  const say = useText(words);
  const titleOf = useTitleOf();
  const [letters, setLetters] = useState("");
  const wanted = useDeferredValue(letters.trim().toLocaleLowerCase());
  const key = `records/${collection}/${count}`;
  const list = usePages<KeptRecord>(key, (cursor) => api.records(collection, cursor));
  // A search and an export are about all of them.
  const all = useResource(wanted ? `${key}/all` : null, () => allOf(collection));
  const error = list.error ?? (wanted ? all.error : undefined);
  const items = useKept(list.loading || list.error !== undefined ? undefined : list.items);
  if (error !== undefined) return <Failure error={error} retry={list.reload} />;
  if (!items) return <Skeleton shape="table" lines={4} />;
  const isFound = (each: KeptRecord) =>
    `${JSON.stringify(each.value)} ${titleOf(each.agent)}`.toLocaleLowerCase().includes(wanted);
  const shown = wanted ? (all.data ?? items).filter(isFound) : items;
  const columns = columnsOf(shown.map((each) => each.value));
  const save = (format: Format) =>
    void allOf(collection).then(
      (records) => saveText(`${collection}.${format}`, exported(wanted ? records.filter(isFound) : records, format)),
      failed,
    );
  return (
    <>
      <div className="filters">
        <SearchField label={say.searchRecords} value={letters} onChange={setLetters} />
        {(["csv", "json"] as const).map((format) => (
          <Button key={format} icon={Download} onClick={() => save(format)}>
            {format.toUpperCase()}
          </Button>
        ))}
      </div>
      {shown.length === 0 ? (
        <Empty icon={Search} title={say.noRecordFound} />
      ) : (
        <Table
          label={visible(collection)}
          columns={[say.when, ...(columns?.map(visible) ?? [say.value]), say.agent, say.session]}
          rows={shown.map((each) => [
            <Age key="" of={each.created} />,
            ...(columns?.map((name) => <Cell key={name} value={(each.value as JsonObject)[name]} />) ?? [
              <JsonView key="value" value={each.value} />,
            ]),
            visible(titleOf(each.agent)),
            each.thread ? <RecordLink key="link" of={each} /> : "",
          ])}
        />
      )}
      {!wanted && <MoreButton more={list.more} />}
    </>
  );
}

/** A value; nothing for a text that is empty. */
const Cell = ({ value = "" }: { value: Json | undefined }): ReactNode => value !== "" && <JsonView value={value} />;

/** Leads to the conversation of a record. */
function RecordLink({ of: { collection, thread } }: { of: KeptRecord }): ReactNode {
  const say = useText(words);
  const trial = ofTrial(collection);
  const href = trial ? hashOf("editor", [trial.agent], { panel: "try" }) : hashOf("chat", [thread]);
  return (
    <a href={href} title={say.open}>
      {say.openShort}
    </a>
  );
}
