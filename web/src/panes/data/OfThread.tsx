// The data of a conversation: its data sets with columns and first rows, and the files it made.

import { Download } from "lucide-react";
import { type ReactNode, useState } from "react";
import {
  type Artifact,
  type DataColumn,
  type DataSet,
  type Json,
  type NoDataSet,
  address,
  api,
  download,
} from "../../api";
import { bytesText, exactText, numberText, percentText, useText } from "../../app/language";
import { wordsOf } from "../../app/problems";
import { useKept, useResource } from "../../app/resource";
import { Age, Badge, Disclosure, IconButton, Loaded, MoreButton, Table } from "../../ui";
import { withoutMarks } from "../../ui/plain";
import { visible } from "../../ui/visible";
import { failed } from "../../app/toasts";
import { Artifacts } from "../chat/Artifacts";
import { fileName } from "../chat/artifacts";
import { noteText, typeText } from "./reading";
import { words } from "./words";

const ROWS = 20; // of a table at first
const MOST_ROWS = 200; // that the service sends

const fileAddress = (thread: string, sha256: string): string =>
  address(`threads/${encodeURIComponent(thread)}/files/${sha256}`);

export function OfThread({ thread }: { thread: string }): ReactNode {
  const say = useText(words);
  const [rows, setRows] = useState(ROWS);
  const given = useResource(`data/${thread}/given/${rows}`, () => api.datasets(thread, rows));
  const kept = useKept(given.data);
  const files = useResource(`data/${thread}/files`, () => api.files(thread)).data?.items;
  const made = useResource(`data/${thread}/made`, () => api.artifacts(thread));
  return (
    <div className="data">
      <section aria-label={say.given}>
        <h2>{say.given}</h2>
        <Loaded of={{ ...given, data: given.error === undefined ? kept : undefined }}>
          {({ items }) =>
            items.length === 0 ? (
              <p className="muted">{say.noneGiven}</p>
            ) : (
              items.map((each, index) =>
                "problem" in each ? (
                  <Unread key={index} of={each} />
                ) : (
                  <Given
                    key={each.id}
                    of={each}
                    thread={thread}
                    bytes={files?.find((file) => file.sha256 === each.sha256)?.bytes}
                    more={rows < MOST_ROWS ? () => setRows(MOST_ROWS) : null}
                  />
                ),
              )
            )
          }
        </Loaded>
      </section>
      <section aria-label={say.made}>
        <h2>{say.made}</h2>
        <Loaded of={made}>
          {({ items }) =>
            items.length === 0 ? (
              <p className="muted">{say.noneMade}</p>
            ) : (
              <Made thread={thread} items={items.filter((each) => each.bytes !== null)} />
            )
          }
        </Loaded>
      </section>
    </div>
  );
}

/** The files that were made, below the messages that they answer. */
function Made({ thread, items }: { thread: string; items: Artifact[] }): ReactNode {
  const say = useText(words);
  const turns = useResource(`turns of ${thread}`, () => api.turns(thread));
  const numbers = [...new Set(items.map((each) => each.turn ?? 0))];
  return numbers.map((number) => {
    const turn = turns.data?.items.find((each) => each.turn === number);
    return (
      <div key={number} className="data-made">
        <h3>
          {turn?.message ? withoutMarks(turn.message) : say.turn(number)}{" "}
          {turn && (
            <span className="muted">
              <Age of={turn.time} />
            </span>
          )}
        </h3>
        <Artifacts thread={thread} artifacts={items.filter((each) => (each.turn ?? 0) === number)} opened />
      </div>
    );
  });
}

function Unread({ of: each }: { of: NoDataSet }): ReactNode {
  const { text, more } = wordsOf(each.problem);
  return (
    <div className="data-set">
      <h3>{visible(each.file)}</h3>
      <p>{text}</p>
      {more && <p className="muted">{more}</p>}
    </div>
  );
}

const cell = (value: Json | undefined): string =>
  value === null || value === undefined
    ? ""
    : typeof value === "number"
      ? numberText(value, 4)
      : typeof value === "string"
        ? value
        : JSON.stringify(value);

/** A value as in the data, in the user's language: exact, without thousands separators, a day without its time. */
function exact(value: Json | undefined, type: string): ReactNode {
  if (value === null || value === undefined) return <span className="faint">–</span>;
  if (typeof value === "number") return exactText(value);
  const text = cell(value);
  return <span className="data-cell">{type === "date" ? text.replace(/ 00:00:00$/, "") : text}</span>;
}

/** The most frequent values with their numbers, and a bar of their parts of all rows, or of the numbers. */
function Frequent({ top, rows, bins }: Pick<DataColumn, "top" | "bins"> & { rows: number }): ReactNode {
  return (
    <span className="data-frequent">
      {bins.length > 0 ? <Bins of={bins} /> : top.length > 0 && <Shares top={top} rows={rows} />}
      {top.map(([value, count]) => `${cell(value)} (${numberText(count)})`).join(", ")}
    </span>
  );
}

function Shares({ top, rows }: { top: DataColumn["top"]; rows: number }): ReactNode {
  return (
    <span className="data-shares" aria-hidden>
      {top.map(([value, count], index) => (
        <span
          key={index}
          style={{ width: `${(100 * count) / Math.max(1, rows)}%` }}
          title={`${cell(value)}: ${percentText(count, rows)}`}
        />
      ))}
    </span>
  );
}

/** The values of a column of numbers in parts of the same width, from the lowest to the highest. */
function Bins({ of: bins }: { of: readonly number[] }): ReactNode {
  const most = Math.max(...bins, 1);
  return (
    <span className="data-bins" aria-hidden>
      {bins.map((count, index) => (
        <span key={index} title={numberText(count)} style={{ height: `${(100 * count) / most}%` }} />
      ))}
    </span>
  );
}

interface GivenProps {
  of: DataSet;
  thread: string;
  /** The size of its file; unknown at first. */
  bytes: number | undefined;
  /** Loads more rows; null if all that can be shown are there. */
  more: (() => void) | null;
}

function Given({ of: each, thread, bytes, more }: GivenProps): ReactNode {
  const say = useText(words);
  const keep = () => void download(fileAddress(thread, each.sha256), fileName(each.file)).catch(failed);
  const names = each.columns.map((column) => column.name);
  const profile = ({ name, type, missing, distinct, low, high, mean, median, top, bins }: DataColumn): ReactNode[] => [
    <span className="data-cell">{name}</span>,
    <Badge>{typeText(type)}</Badge>,
    cell(missing),
    cell(distinct),
    ...[low, high].map((value) => (value === null ? "" : typeof value === "number" ? cell(value) : exact(value, type))),
    cell(mean),
    cell(median),
    <Frequent top={top.slice(0, 3)} rows={each.rows} bins={bins} />,
  ];
  return (
    <div className="data-set">
      <h3>
        {visible(each.name)} {each.file !== each.name && <span className="muted">{visible(each.file)}</span>}
      </h3>
      <p className="muted data-size">
        {say.size(numberText(each.rows), numberText(names.length))}
        {bytes !== undefined && ` · ${bytesText(bytes)}`}
        <IconButton icon={Download} label={say.keep(visible(each.file))} onClick={keep} />
      </p>
      {each.notes.map((note) => (
        <p key={note.text} className="muted">
          {noteText(note)}
        </p>
      ))}
      <Disclosure summary={say.columns} open>
        {() => (
          <Table
            label={`${each.name}: ${say.columns}`}
            columns={[
              say.column,
              say.type,
              say.missing,
              say.distinct,
              say.low,
              say.high,
              say.mean,
              say.median,
              say.distribution,
            ]}
            numeric={[2, 3, 4, 5, 6, 7]}
            rows={each.columns.map(profile)}
          />
        )}
      </Disclosure>
      <Disclosure summary={say.head(numberText(each.head.length))}>
        {() => (
          <>
            <Table
              label={`${each.name}: ${say.head(numberText(each.head.length))}`}
              columns={names}
              rows={each.head.map((row) => each.columns.map(({ name, type }) => exact(row[name], type)))}
            />
            <MoreButton more={each.rows > each.head.length ? more : null} />
          </>
        )}
      </Disclosure>
    </div>
  );
}
