// In and out: a document is imported with a report, and the draft is exported in several formats.

import { Download, Upload } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import { texts, useText } from "../../app/language";
import { failed, told } from "../../app/toasts";
import { Badge, Button, Dialog, DialogActions, Failure, IconButton, Loading } from "../../ui";
import { visible } from "../../ui/visible";
import { type DraftChecked, LONGEST, editorApi, withPlainBreaks } from "./api";
import { TextDifference } from "./Compare";
import { pngOf, saveBlob, saveText } from "./files";
import { useHeadline } from "./headlines";
import { setField } from "./model/commands";
import { readFlow } from "./model/flow";
import { useSession, useSessionState } from "./useSession";
import { words } from "./words";

const MOST_SHOWN = 30; // findings of an imported document
const FORMATS = ["yaml", "json", "svg", "png", "mermaid"] as const;

type Format = (typeof FORMATS)[number];

const formatWords = texts({
  yaml: ["The text of the draft", "Der Text des Entwurfs"],
  json: ["The whole document, with what it extends", "Das ganze Dokument, mit den Schichten darunter"],
  svg: ["The picture, for documents and the web", "Das Bild, für Dokumente und das Web"],
  png: ["The picture in pixels", "Das Bild in Pixeln"],
  mermaid: ["The picture as text, for Markdown", "Das Bild als Text, für Markdown"],
});

/** The buttons of the toolbar for import and export. */
export function Transfer(): ReactNode {
  const session = useSession();
  const say = useText(words);
  const picker = useRef<HTMLInputElement>(null);
  const [file, setFile] = useState<File | null>(null);
  const [exporting, setExporting] = useState(false);
  return (
    <>
      <input
        ref={picker}
        type="file"
        accept=".yaml,.yml,.json"
        hidden
        aria-label={say.importFile}
        onChange={(event) => {
          setFile(event.currentTarget.files?.[0] ?? null);
          event.currentTarget.value = "";
        }}
      />
      <IconButton
        icon={Upload}
        label={say.importFile}
        onClick={() => picker.current?.click()}
        disabled={!session.mayEdit}
      />
      <IconButton icon={Download} label={say.exportFile} onClick={() => setExporting(true)} />
      {file && <Import key={file.name} file={file} onClose={() => setFile(null)} />}
      {exporting && <Export onClose={() => setExporting(false)} />}
    </>
  );
}

interface Read {
  text: string;
  checked: DraftChecked;
  /** The id that the document had, if it was that of another flow. */
  from: string | null;
}

/** The id of a document if it is that of another flow. It cannot be published here. */
function otherFlow(text: string, own: string): string | null {
  const id = readFlow(text)?.data.id;
  return typeof id === "string" && id !== own ? id : null;
}

/** An imported document and its report, before it takes the place of the draft. */
function Import({ file, onClose }: { file: File; onClose(): void }): ReactNode {
  const session = useSession();
  const { text: now } = useSessionState();
  const say = useText(words);
  const [read, setRead] = useState<Read | null>(null);
  const [error, setError] = useState<unknown>();
  const begun = useRef(false);
  const load = async () => {
    try {
      if (file.size > 4 * LONGEST) throw new Error(say.importLarge);
      const text = withPlainBreaks((await file.text()).replace(/^\uFEFF/, ""));
      if (text.length > LONGEST) throw new Error(say.importLarge);
      if (text.includes("\u0000")) throw new Error(say.importBinary);
      const from = otherFlow(text, session.state.get().server.flow);
      const own = from === null ? text : setField(text, [], "id", session.state.get().server.flow);
      const checked = await editorApi.check(session.agent, own, new AbortController().signal);
      setRead({ text: own, checked, from });
    } catch (problem) {
      setError(problem);
    }
  };
  if (!begun.current) {
    begun.current = true;
    void load();
  }
  return (
    <Dialog title={say.importTitle(visible(file.name))} onClose={onClose} className="editor-compare">
      {error !== undefined && <Failure error={error} />}
      {error === undefined && !read && <Loading />}
      {read && <Report read={read} />}
      {read && <TextDifference before={now} after={read.text} titles={[say.draft, file.name]} />}
      {read && (
        <DialogActions onCancel={onClose}>
          <Button
            look="primary"
            onClick={() => {
              session.replace(read.text);
              told(say.imported);
              onClose();
            }}
          >
            {say.importTake}
          </Button>
        </DialogActions>
      )}
    </Dialog>
  );
}

function Report({ read: { text, checked, from } }: { read: Read }): ReactNode {
  const session = useSession();
  const say = useText(words);
  const headline = useHeadline();
  const flow = readFlow(text);
  const count = (severity: string) => checked.diagnostics.filter((each) => each.severity === severity).length;
  return (
    <div className="import-report">
      <p>
        {flow ? say.importContent(flow.nodes.size, flow.edges.size) : say.importUnreadable}{" "}
        <Badge tone={checked.ok ? "good" : "bad"}>{say.problems(count("error"), count("warning"))}</Badge>
      </p>
      {from !== null && (
        <p className="warn">{say.importOther(visible(from), visible(session.state.get().server.flow))}</p>
      )}
      <ul>
        {checked.diagnostics.slice(0, MOST_SHOWN).map((each, index) => (
          <li key={index} className={`problem-${each.severity}`}>
            <code>
              {each.code} {each.line}:{each.column}
            </code>{" "}
            {headline(each)} <span lang="en">{visible(each.message)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Export({ onClose }: { onClose(): void }): ReactNode {
  const session = useSession();
  const { text, checked } = useSessionState();
  const say = useText(words);
  const formats = useText(formatWords);
  const [busy, setBusy] = useState<Format | null>(null);
  const save = async (format: Format) => {
    setBusy(format);
    const { agent } = session;
    try {
      if (format === "yaml") saveText(`${agent}.yaml`, text, "application/yaml");
      else {
        const made = await editorApi.export(agent, text, format === "png" ? "svg" : format);
        if (format === "png") saveBlob(`${agent}.png`, await pngOf(made));
        else saveText(`${agent}.${format === "mermaid" ? "mmd" : format}`, made);
      }
      onClose();
    } catch (error) {
      failed(error);
    } finally {
      setBusy(null);
    }
  };
  return (
    <Dialog title={say.exportFile} onClose={onClose}>
      <div className="dialog-content">
        {checked?.ok === false && <p className="warn">{say.exportErrors}</p>}
        <ul className="export-formats">
          {FORMATS.map((each) => (
            <li key={each}>
              <Button
                busy={busy === each}
                disabled={busy !== null || (each !== "yaml" && checked?.ok === false)}
                onClick={() => void save(each)}
              >
                {each === "mermaid" ? "Mermaid" : each.toUpperCase()}
              </Button>
              <span className="faint">{formats[each]}</span>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}
