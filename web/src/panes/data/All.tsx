// The conversations that were given files or made some, with the sizes of their tables and their last figure.

import { FileSpreadsheet, Search, Table2 } from "lucide-react";
import { type ReactNode, useDeferredValue, useState } from "react";
import { type Thread, api } from "../../api";
import { useMe } from "../../app/access";
import { useAgentOf, useAgents } from "../../app/agents";
import { useMayWrite } from "../../app/access";
import { numberText, useText } from "../../app/language";
import { useKept, usePages, useResource } from "../../app/resource";
import { hashOf } from "../../app/router";
import { useSeen } from "../../app/seen";
import { Age, Empty, Failure, FilterSelect, MoreButton, SearchField, Skeleton } from "../../ui";
import { withoutMarks } from "../../ui/plain";
import { visible } from "../../ui/visible";
import { AgentTile } from "../chat/agentLook";
import { FilePicture, isPicture } from "../chat/FilePicture";
import { VIEW_ICONS, viewsOf } from "../chat/artifacts";
import { words } from "./words";

const FEW = 4; // conversations, below which the list says how data gets here

/** The conversations that were given files or made some. */
export function All(): ReactNode {
  const say = useText(words);
  const mayWrite = useMayWrite();
  const [search, setSearch] = useState("");
  const [agent, setAgent] = useState("");
  const agents = useAgents();
  const q = useDeferredValue(search.trim());
  const list = usePages<Thread>(`threads?data&${agent}&${q}`, (cursor) =>
    api.threads({ q, agent, files: true, cursor, limit: 50 }),
  );
  const items = useKept(list.loading || list.error !== undefined ? undefined : list.items);
  if (list.error !== undefined) return <Failure error={list.error} retry={list.reload} />;
  if (!items) return <Skeleton shape="list" lines={6} />;
  if (items.length === 0 && !search && !agent)
    return (
      <Empty icon={Table2} title={say.none}>
        {mayWrite && (
          <>
            <p>{say.noneHint}</p>
            <a className="button" href={hashOf("chat")}>
              {say.begin}
            </a>
          </>
        )}
        <ToRecords />
      </Empty>
    );
  return (
    <>
      <div className="filters">
        <SearchField most={200} label={say.search} value={search} onChange={setSearch} />
        <FilterSelect
          label={say.agent}
          value={agent}
          onChange={setAgent}
          any={say.allAgents}
          choices={(agents.data ?? []).filter((each) => each.takes_files).map((each) => [each.name, each.title])}
        />
      </div>
      {items.length === 0 && <Empty icon={Search} title={say.noneFound} />}
      <table className="list-table" hidden={items.length === 0}>
        <thead>
          <tr>
            <th scope="col">{say.conversation}</th>
            <th scope="col">{say.agent}</th>
            <th scope="col" className="numeric">
              {say.givenHead}
            </th>
            <th scope="col" className="numeric">
              {say.madeHead}
            </th>
            <th scope="col" className="numeric">
              {say.updated}
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((each) => (
            <Row key={each.thread} of={each} />
          ))}
        </tbody>
      </table>
      <MoreButton more={list.more} />
      {items.length < FEW && !search && !agent && (
        <p className="data-few muted">
          {say.noneHint} <a href={hashOf("chat")}>{say.begin}</a>
        </p>
      )}
    </>
  );
}

/** The way to the records of actions, for those who may read them. */
function ToRecords(): ReactNode {
  const say = useText(words);
  const isAdmin = useMe().role === "admin";
  const found = useResource(isAdmin ? "records" : null, api.collections);
  const count = found.data?.items.reduce((sum, each) => sum + each.records, 0) ?? 0;
  return count > 0 && <a href={hashOf("logs", ["records"])}>{say.toRecords(count)}</a>;
}

function Row({ of: each }: { of: Thread }): ReactNode {
  const say = useText(words);
  const agent = useAgentOf()(each.agent);
  const [row, seen] = useSeen<HTMLTableRowElement>();
  const picture = each.files?.last.find((file) => isPicture(file.name));
  const counted = (count: number) => (count > 0 ? say.files(count) : "");
  return (
    <tr ref={row}>
      <td>
        <span className="list-name">
          <AgentTile name={each.agent} agent={agent} size={22} />
          <a href={hashOf("data", [each.thread])}>
            {withoutMarks(each.title || each.thread)}
            <Files of={each} seen={seen} />
          </a>
          {picture && (
            <span className="data-thumb" aria-hidden>
              {seen && <FilePicture address={api.artifactAddress(each.thread, picture.id)} name="" />}
            </span>
          )}
        </span>
      </td>
      <td>{agent?.title || each.agent}</td>
      <td className="numeric" data-name={say.givenHead}>
        {counted(each.files?.given ?? 0)}
      </td>
      <td className="numeric" data-name={say.madeHead}>
        {counted(each.files?.made ?? 0)}
      </td>
      <td className="numeric">
        <Age of={each.updated} />
      </td>
    </tr>
  );
}

const NAMED = 4; // made files named in the list

/** The names of the files: the tables that were given with their sizes, and the last files that were made. */
function Files({ of: { thread, files }, seen }: { of: Thread; seen: boolean }): ReactNode {
  const say = useText(words);
  const sets = useResource(seen && files && files.given > 0 ? `data/${thread}/sizes` : null, () =>
    api.datasets(thread, 0),
  );
  const sizes = new Map<string, string>();
  for (const each of sets.data?.items ?? [])
    if ("columns" in each && !sizes.has(each.file))
      sizes.set(each.file, say.sizeShort(numberText(each.rows), numberText(each.columns.length)));
  // A program has the same name in every answer.
  const views = new Map(viewsOf(files?.last ?? []).map((each) => [each.file.name, each]));
  const made = [...views.values()].slice(0, NAMED);
  const others = (files?.made ?? 0) - made.length;
  return (
    <span className="data-names">
      {files?.names.map((name) => (
        <span key={name}>
          <FileSpreadsheet size={13} aria-hidden />
          {visible(name)}
          {sizes.has(name) && <span className="faint">{sizes.get(name)}</span>}
        </span>
      ))}
      {made.map(({ kind, file }) => {
        const Icon = VIEW_ICONS[kind];
        return (
          <span key={file.id}>
            <Icon size={13} aria-hidden />
            {visible(file.name)}
          </span>
        );
      })}
      {made.length > 0 && others > 0 && <span>{say.others(others)}</span>}
    </span>
  );
}
