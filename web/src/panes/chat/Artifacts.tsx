// The files of an answer, on one card: figures, tables and programs in tabs, and a menu that downloads each of them.

import "./Artifacts.css";
import * as Ariakit from "@ariakit/react";
import { Download } from "lucide-react";
import { type ReactNode, Suspense, lazy, useState } from "react";
import { type Artifact, api, download, request } from "../../api";
import { decimalSign, useText } from "../../app/language";
import { useResource } from "../../app/resource";
import { failed } from "../../app/toasts";
import { IconButton, Loaded, Menu, MenuItem, Skeleton, Table } from "../../ui";
import { visible } from "../../ui/visible";
import { plainCell } from "../../values";
import { Code } from "./Code";
import { FilePicture } from "./FilePicture";
import { VIEW_ICONS, type View, fileName, formatOf, viewsOf } from "./artifacts";
import { csvRows } from "./csv";
import { words } from "./words";

const Figure = lazy(() => import("./Figure"));
const SHOWN_ROWS = 100;

interface Props {
  thread: string;
  artifacts: Artifact[];
  /** Whether the first file is shown although it is neither a figure nor a picture. */
  opened?: boolean;
}

export function Artifacts({ thread, artifacts, opened = false }: Props): ReactNode {
  const say = useText(words);
  const views = viewsOf(artifacts.map((each) => ({ ...each, name: visible(each.name) })));
  const seen =
    views.find((each) => each.kind === "figure" || each.kind === "picture") ?? (opened ? views[0] : undefined);
  // The answer has the numbers of its table already, so a table opens at a click.
  const [chosen, setChosen] = useState<string | null>(seen?.file.id ?? null);
  const names = { figure: say.figure, picture: say.pictureTab, table: say.table, program: say.program, text: "" };
  const count: Partial<Record<View["kind"], number>> = {};
  const titles = views.map(({ kind, file }) => {
    const number = (count[kind] = (count[kind] ?? 0) + 1);
    return kind === "text" ? fileName(file.name) : number > 1 ? `${names[kind]} ${number}` : names[kind];
  });
  const keep = (file: Artifact) =>
    void download(api.artifactAddress(thread, file.id), fileName(file.name)).catch(failed);
  return (
    <section className="artifacts" aria-label={say.filesOfAnswer}>
      <Ariakit.TabProvider selectedId={chosen} setSelectedId={(id) => setChosen(id ?? null)} selectOnMove={false}>
        <header className="artifacts-head">
          <Ariakit.TabList className="artifacts-tabs" aria-label={say.filesOfAnswer}>
            {views.map((each, index) => {
              const Icon = VIEW_ICONS[each.kind];
              return (
                <Ariakit.Tab
                  key={each.file.id}
                  id={each.file.id}
                  className="artifacts-tab"
                  data-tip={each.file.name}
                  onClick={() => each.file.id === chosen && each !== seen && setTimeout(() => setChosen(null))}
                >
                  <Icon size={14} aria-hidden />
                  {titles[index]}
                </Ariakit.Tab>
              );
            })}
          </Ariakit.TabList>
          <Menu label={say.download} button={<IconButton icon={Download} label={say.download} />}>
            {() =>
              artifacts.map((each) => (
                <MenuItem key={each.id} icon={Download} onSelect={() => keep(each)}>
                  {formatOf(each.name)} <span className="faint">{fileName(visible(each.name))}</span>
                </MenuItem>
              ))
            }
          </Menu>
        </header>
        {views.map(
          (each) =>
            each.file.id === chosen && (
              <Ariakit.TabPanel key={each.file.id} tabId={each.file.id} className="artifacts-panel">
                <Suspense fallback={<Skeleton lines={6} />}>
                  <Shown view={each} address={api.artifactAddress(thread, each.file.id)} />
                </Suspense>
              </Ariakit.TabPanel>
            ),
        )}
      </Ariakit.TabProvider>
    </section>
  );
}

function Shown({ view: { kind, file }, address }: { view: View; address: string }): ReactNode {
  if (kind === "figure") return <Figure address={address} name={file.name} />;
  if (kind === "picture") return <FilePicture address={address} name={file.name} />;
  return <Content kind={kind} address={address} name={file.name} />;
}

/** A cell of a table of a file, with the decimal sign of the user's language if it is a number. */
const localCell = (cell: string): string => {
  const plain = plainCell(cell);
  return /^-?\d+\.\d+$/.test(plain) ? plain.replace(".", decimalSign()) : plain;
};

function Content({ kind, address, name }: { kind: View["kind"]; address: string; name: string }): ReactNode {
  const say = useText(words);
  const text = useResource(`file?${address}`, async () => (await request(address)).text());
  return (
    <Loaded of={text}>
      {(content) => {
        const type = formatOf(name).toLowerCase();
        if (kind !== "table") return <Code code={content} language={type === "py" ? "python" : type} />;
        const [columns = [], ...rows] = csvRows(content);
        return (
          <>
            <Table label={name} columns={columns} rows={rows.slice(0, SHOWN_ROWS).map((row) => row.map(localCell))} />
            {rows.length > SHOWN_ROWS && <p className="faint">{say.rows(SHOWN_ROWS, rows.length)}</p>}
          </>
        );
      }}
    </Loaded>
  );
}
