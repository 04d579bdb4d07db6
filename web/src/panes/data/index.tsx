// The data of a conversation: its data sets with columns and first rows, and the files it made.

// The files look as they do below an answer.
import "../chat/chat.css";
import "./data.css";
import { MessageSquare, RefreshCw, Table2 } from "lucide-react";
import type { ReactNode } from "react";
import type { PaneProps } from "..";
import { type DataColumn, type DataSet, type Json, type NoDataSet, api } from "../../api";
import { useTitleOf } from "../../app/agents";
import { useCommands } from "../../app/commands";
import { numberText, texts, useText } from "../../app/language";
import { wordsOf } from "../../app/problems";
import { invalidate, useResource } from "../../app/resource";
import { hashOf } from "../../app/router";
import { Age, Badge, Disclosure, Empty, IconButton, Loaded, Table } from "../../ui";
import { plainNumber } from "../../values";
import { Artifacts } from "../chat/Artifacts";
import { noteText, typeText } from "./reading";
import { visible } from "../../ui/visible";

const words = texts({
  title: ["Data", "Daten"],
  reload: ["Look again", "Erneut nachsehen"],
  choose: ["Choose a conversation", "Wählen Sie ein Gespräch"],
  noThreads: ["There is no conversation yet", "Es gibt noch kein Gespräch"],
  begin: ["Begin one in the chat", "Im Chat eine beginnen"],
  open: ["Open the conversation", "Gespräch öffnen"],
  given: ["Data sets it was given", "Erhaltene Datensätze"],
  noneGiven: [
    "None. Drop a CSV, Excel or Parquet file on the chat.",
    "Keine. Ziehen Sie eine CSV-, Excel- oder Parquet-Datei auf den Chat.",
  ],
  made: ["Files it made", "Erzeugte Dateien"],
  noneMade: ["None. Ask for a table or a figure.", "Keine. Bitten Sie um eine Tabelle oder ein Diagramm."],
  size: [
    (rows: string, columns: string) => `${rows} rows, ${columns} columns`,
    (rows: string, columns: string) => `${rows} Zeilen, ${columns} Spalten`,
  ],
  columns: ["Columns", "Spalten"],
  head: [(n: string) => `First ${n} rows`, (n: string) => `Erste ${n} Zeilen`],
  column: ["Column", "Spalte"],
  type: ["Type", "Art"],
  missing: ["Missing", "Fehlend"],
  distinct: ["Distinct", "Verschieden"],
  low: ["Lowest", "Kleinster Wert"],
  high: ["Highest", "Größter Wert"],
  mean: ["Mean", "Mittelwert"],
  median: ["Median", "Median"],
  top: ["Most frequent", "Häufigste"],
});

export default function Data({ rest, beside }: PaneProps): ReactNode {
  const say = useText(words);
  const thread = rest[0] ?? "";
  const reload = () => invalidate(`data/${thread}/`);
  // Next to the chat, the key belongs to the chat.
  useCommands([
    {
      id: "data.reload",
      group: say.title,
      title: say.reload,
      ...(beside ? {} : { keys: "r" }),
      icon: RefreshCw,
      run: reload,
    },
  ]);
  return (
    <section className={beside ? "pane data-beside" : "pane"}>
      {!beside && (
        <header className="pane-bar">
          <h1>{say.title}</h1>
          {thread && <a href={hashOf("chat", [thread])}>{say.open}</a>}
          <IconButton icon={RefreshCw} label={say.reload} keys="r" onClick={reload} />
        </header>
      )}
      <div className="pane-body">{thread ? <OfThread key={thread} thread={thread} /> : <Choice />}</div>
    </section>
  );
}

function Choice(): ReactNode {
  const say = useText(words);
  const titleOf = useTitleOf();
  const threads = useResource("threads?data", () => api.threads({ limit: 30 }));
  return (
    <Loaded of={threads} lines={6}>
      {({ items }) => (
        <>
          <Empty icon={items.length > 0 ? Table2 : MessageSquare} title={items.length > 0 ? say.choose : say.noThreads}>
            {items.length === 0 && <a href={hashOf("chat")}>{say.begin}</a>}
          </Empty>
          <ul className="entries data-threads">
            {items.map((each) => (
              <li key={each.thread}>
                <a href={hashOf("data", [each.thread])}>
                  {visible(each.title || each.thread)}
                  <span className="entry-note">
                    <span>
                      {titleOf(each.agent)} · <Age of={each.updated} />
                    </span>
                  </span>
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </Loaded>
  );
}

function OfThread({ thread }: { thread: string }): ReactNode {
  const say = useText(words);
  const given = useResource(`data/${thread}/given`, () => api.datasets(thread));
  const made = useResource(`data/${thread}/made`, () => api.artifacts(thread));
  return (
    <div className="data">
      <section aria-label={say.given}>
        <h2>{say.given}</h2>
        <Loaded of={given}>
          {({ items }) =>
            items.length === 0 ? (
              <p className="muted">{say.noneGiven}</p>
            ) : (
              items.map((each, index) =>
                "problem" in each ? <Unread key={index} of={each} /> : <Given key={each.id} of={each} />,
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
              <Artifacts thread={thread} artifacts={items.filter((each) => each.bytes !== null)} />
            )
          }
        </Loaded>
      </section>
    </div>
  );
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

/** A value as in the data: exact, without thousands separators, a day without its time. */
function exact(value: Json | undefined, type: string): ReactNode {
  if (value === null || value === undefined) return <span className="faint">–</span>;
  if (typeof value === "number") return plainNumber(value);
  const text = cell(value);
  return <span className="data-cell">{type === "date" ? text.replace(/ 00:00:00$/, "") : text}</span>;
}

function Given({ of: each }: { of: DataSet }): ReactNode {
  const say = useText(words);
  const names = each.columns.map((column) => column.name);
  const profile = ({ name, type, missing, distinct, low, high, mean, median, top }: DataColumn): ReactNode[] => [
    <span className="data-cell">{name}</span>,
    <Badge>{typeText(type)}</Badge>,
    cell(missing),
    cell(distinct),
    ...[low, high].map((value) => (value === null ? "" : exact(value, type))),
    cell(mean),
    cell(median),
    top
      .slice(0, 3)
      .map(([value, count]) => `${cell(value)} (${numberText(count)})`)
      .join(", "),
  ];
  return (
    <div className="data-set">
      <h3>
        {visible(each.name)} {each.file !== each.name && <span className="muted">{visible(each.file)}</span>}
      </h3>
      <p className="muted">{say.size(numberText(each.rows), numberText(names.length))}</p>
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
              say.top,
            ]}
            rows={each.columns.map(profile)}
          />
        )}
      </Disclosure>
      <Disclosure summary={say.head(numberText(each.head.length))}>
        {() => (
          <Table
            label={`${each.name}: ${say.head(numberText(each.head.length))}`}
            columns={names}
            rows={each.head.map((row) => each.columns.map(({ name, type }) => exact(row[name], type)))}
          />
        )}
      </Disclosure>
    </div>
  );
}
