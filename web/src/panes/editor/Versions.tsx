// The published versions of a flow, compared with the draft; an earlier one can be restored.

import { ArrowRight, Columns2, FileText, History, RotateCcw } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useText } from "../../app/language";
import { useResource } from "../../app/resource";
import { told } from "../../app/toasts";
import { Age, Badge, Button, Dialog, Empty, Loaded, Select } from "../../ui";
import { visible } from "../../ui/visible";
import { editorApi, withPlainBreaks } from "./api";
import { Compare } from "./Compare";
import { lineChanges } from "./model/lineChanges";
import { useSession, useSessionState } from "./useSession";
import { words } from "./words";

const COUNTED = 20; // versions whose changed lines are counted

/** The author of a version that was the file of the folder. */
const FILE = "file";

/** One of two compared documents: a version by its number, the file of the folder, or the draft. */
type Side = number | "file" | "draft";

export function Versions(): ReactNode {
  const session = useSession();
  const state = useSessionState();
  const say = useText(words);
  const [sides, setSides] = useState<[Side, Side] | null>(null);
  const versions = useResource(`versions:${session.agent}`, () => editorApi.versions(session.agent));
  /** A version and the draft; the version before and this one if the draft is the active version. */
  const comparison = (items: readonly { number: number }[], index: number): [Side, Side] => {
    const [number, before] = [items[index]!.number, items[index + 1]?.number];
    return index === 0 && before !== undefined && state.text === state.server.active
      ? [before, number]
      : [number, "draft"];
  };
  const named = state.flow?.data.title;
  const title = visible(typeof named === "string" && named ? named : session.agent);
  return (
    <div className="editor-versions">
      <p className="muted">{say.versionsWhat}</p>
      <Loaded of={versions}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={History} title={say.noneYet}>
              <p>{say.noVersions}</p>
            </Empty>
          ) : (
            <ul>
              {items.map((each, index) => (
                <li key={each.number}>
                  <button
                    type="button"
                    title={comparison(items, index)[1] === "draft" ? say.compareVersion : say.compareBefore}
                    onClick={() => setSides(comparison(items, index))}
                  >
                    <strong className="version-number">{each.number}</strong>
                    <span className="editor-grow">
                      {each.author === FILE ? say.fileThen : visible(each.note)}
                      <small className="faint">
                        {each.author !== FILE && `${visible(each.author)} · `}
                        <Age of={each.created} />
                        {index < COUNTED && (items[index + 1] ?? null) !== null && (
                          <Changed number={each.number} before={items[index + 1]!.number} />
                        )}
                      </small>
                    </span>
                    {index === 0 && <Badge tone="good">{say.active}</Badge>}
                    <span className="version-compare">
                      <Columns2 size={15} aria-hidden /> {say.compare}
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {state.server.file !== state.server.active && (
        <Button icon={FileText} onClick={() => setSides(["file", "draft"])}>
          {say.compareFile}
        </Button>
      )}
      {sides && (
        <CompareSides
          title={title}
          sides={sides}
          numbers={versions.data?.items.map((each) => each.number) ?? []}
          onSides={setSides}
        />
      )}
    </div>
  );
}

/** How many lines a version changed. */
function Changed({ number, before }: { number: number; before: number }): ReactNode {
  const { agent } = useSession();
  const say = useText(words);
  const { data } = useResource(`version lines:${agent}:${number}`, async () => {
    const [now, then] = await Promise.all([editorApi.version(agent, number), editorApi.version(agent, before)]);
    return lineChanges(withPlainBreaks(then.text), withPlainBreaks(now.text));
  });
  if (!data) return null;
  return (
    <span className="version-lines" title={say.linesChanged(data.added, data.removed)}>
      <ins>+{data.added}</ins> <del>−{data.removed}</del>
    </span>
  );
}

interface CompareSidesProps {
  title: string;
  sides: [Side, Side];
  /** Of all versions. */
  numbers: readonly number[];
  onSides(sides: [Side, Side] | null): void;
}

/** Two versions, or one and the draft, compared; both can be chosen. */
function CompareSides({ title, sides, numbers, onSides }: CompareSidesProps): ReactNode {
  const session = useSession();
  const { text, server } = useSessionState();
  const say = useText(words);
  const named = (side: Side) => (side === "file" ? say.file : side === "draft" ? say.theDraft : say.version(side));
  const [before, after] = sides;
  const texts = useResource(`versions:${session.agent}:${before}:${after}`, () =>
    Promise.all(
      sides.map((side) =>
        typeof side === "number"
          ? editorApi.version(session.agent, side).then((found) => withPlainBreaks(found.text))
          : null,
      ),
    ),
  );
  const now = (side: Side, fetched: string | null | undefined) => (side === "draft" ? text : (fetched ?? server.file));
  const choices = (["draft", ...(server.file !== server.active ? ["file"] : []), ...numbers] as Side[]).map((side) => ({
    value: String(side),
    title: side === "draft" ? say.draft : named(side),
  }));
  const choose = (at: 0 | 1) => (value: string) => {
    const side: Side = value === "draft" || value === "file" ? value : Number(value);
    onSides(at === 0 ? [side, after] : [before, side]);
  };
  const restore = (earlier: string) => {
    session.replace(earlier);
    onSides(null);
    told(say.restored);
  };
  return (
    <Dialog
      title={say.compareTitle(title, named(before), named(after))}
      onClose={() => onSides(null)}
      className="compare-dialog"
    >
      <Loaded of={texts}>
        {([first, second]) => {
          const [earlier, later] = [now(before, first), now(after, second)];
          return (
            <Compare
              before={earlier}
              after={later}
              titles={[named(before), after === "draft" ? say.draft : named(after)]}
            >
              <Select label={say.compareFrom} value={String(before)} choices={choices} onChoose={choose(0)} />
              <ArrowRight size={14} aria-hidden />
              <Select label={say.compareTo} value={String(after)} choices={choices} onChoose={choose(1)} />
              {session.mayEdit && before !== "draft" && earlier !== text && (
                <Button icon={RotateCcw} onClick={() => restore(earlier)}>
                  {say.restore}
                </Button>
              )}
            </Compare>
          );
        }}
      </Loaded>
    </Dialog>
  );
}
