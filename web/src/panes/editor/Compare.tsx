// Two documents compared: by meaning, painted on two canvases that move together, and as text.

import "./compare.css";
import { MergeView, goToNextChunk, goToPreviousChunk } from "@codemirror/merge";
import { ChevronDown, ChevronUp } from "lucide-react";
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useText } from "../../app/language";
import { useMedia } from "../../app/media";
import { useResource } from "../../app/resource";
import { wordsOfError } from "../../app/problems";
import { IconButton, Skeleton } from "../../ui";
import { type Compared, editorApi } from "./api";
import { ChangeList, Counts, sidesOf } from "./Changes";
import { ComparedPictures } from "./ComparedPictures";
import { compared as extensions } from "./codemirror";
import { type Change, changesOf } from "./model/changes";
import { WithCode } from "./Problems";
import { useSession } from "./useSession";
import { words } from "./words";

interface Props {
  before: string;
  after: string;
  titles: [string, string];
}

interface CompareProps extends Props {
  /** Buttons for the earlier document, such as restoring it. */
  children?: ReactNode;
}

type View = "picture" | "text";

/** Two documents of an agent, compared by the service. */
export const useCompared = (agent: string, before: string, after: string) =>
  useResource(`compare:${agent}:${before}:${after}`, () => editorApi.compare(agent, before, after));

export function Compare({ before, after, titles, children }: CompareProps): ReactNode {
  const session = useSession();
  const [asked, setView] = useState<View>("picture");
  const { data, error } = useCompared(session.agent, before, after);
  // Documents with errors have no picture; their texts can be compared.
  const view = error === undefined ? asked : "text";
  return (
    <div className="compare">
      {data && view === "picture" ? (
        <ByMeaning compared={data} titles={titles} onView={setView}>
          {children}
        </ByMeaning>
      ) : view === "text" ? (
        <ByText before={before} after={after} titles={titles} compared={data} error={error} onView={setView}>
          {children}
        </ByText>
      ) : (
        <>
          <div className="compare-bar">
            <Views view={view} onView={setView} />
            <div className="compare-actions">{children}</div>
          </div>
          <Skeleton />
        </>
      )}
    </div>
  );
}

interface ViewsProps {
  view: View;
  hasPicture?: boolean;
  onView(view: View): void;
}

function Views({ view, hasPicture = true, onView }: ViewsProps): ReactNode {
  const say = useText(words);
  return (
    <div className="editor-views" role="tablist" aria-label={say.compare}>
      {(["picture", "text"] as const).map((each) => (
        <button
          key={each}
          type="button"
          role="tab"
          aria-selected={view === each}
          disabled={each === "picture" && !hasPicture}
          onClick={() => onView(each)}
        >
          {say[each]}
        </button>
      ))}
    </div>
  );
}

/** Why there is no picture: which document has which error. */
function NoPicture({ error }: { error: unknown }): ReactNode {
  const say = useText(words);
  const { text, more } = wordsOfError(error);
  return (
    <p role="status" className="compare-note">
      {say.noPicture}{" "}
      <span lang={more ? "en" : undefined}>
        <WithCode text={more || text} />
      </span>
    </p>
  );
}

interface MeaningProps {
  compared: Compared;
  titles: [string, string];
  onView(view: View): void;
  children: ReactNode;
}

/** The pictures and the list of changes, which are shown one after the other. */
function ByMeaning({ compared, titles, onView, children }: MeaningProps): ReactNode {
  const say = useText(words);
  const narrow = useMedia("(max-width: 900px)");
  const sides = useMemo(() => sidesOf(compared), [compared]);
  const groups = useMemo(() => changesOf(compared), [compared]);
  const [chosen, setChosen] = useState<Change | null>(null);
  const shown = groups.flatMap((each) => each.changes).filter((each) => each.part !== null);
  const at = chosen ? shown.indexOf(chosen) : -1;
  const step = (by: number) => setChosen(shown[(at + by + shown.length) % shown.length] ?? null);
  return (
    <>
      <div className="compare-bar">
        <Views view="picture" onView={onView} />
        <Counts groups={groups} />
        {shown.length > 0 && (
          <div className="compare-steps">
            <IconButton icon={ChevronUp} label={say.previousChange} onClick={() => step(at < 0 ? 0 : -1)} />
            <IconButton icon={ChevronDown} label={say.nextChange} onClick={() => step(1)} />
            <span className="faint">{say.changeOf(at + 1, shown.length)}</span>
          </div>
        )}
        <div className="compare-actions">{children}</div>
      </div>
      <div className="compare-body">
        <ComparedPictures compared={compared} sides={sides} titles={titles} chosen={chosen} narrow={narrow} />
        <ChangeList groups={groups} sides={sides} chosen={chosen} onChoose={setChosen} />
      </div>
    </>
  );
}

interface ByTextProps extends Props {
  compared: Compared | undefined;
  /** Why the documents could not be compared by meaning. */
  error: unknown;
  onView(view: View): void;
  children: ReactNode;
}

/** The texts, with the same counts and steps as the pictures. */
function ByText({ compared, error, onView, children, ...texts }: ByTextProps): ReactNode {
  const say = useText(words);
  const groups = useMemo(() => (compared ? changesOf(compared) : []), [compared]);
  const view = useRef<MergeView | null>(null);
  const onReady = useCallback((ready: MergeView) => void (view.current = ready), []);
  return (
    <>
      <div className="compare-bar">
        <Views view="text" hasPicture={error === undefined} onView={onView} />
        <Counts groups={groups} />
        <div className="compare-steps">
          <IconButton
            icon={ChevronUp}
            label={say.previousChange}
            onClick={() => view.current && goToPreviousChunk(view.current.b)}
          />
          <IconButton
            icon={ChevronDown}
            label={say.nextChange}
            onClick={() => view.current && goToNextChunk(view.current.b)}
          />
        </div>
        <div className="compare-actions">{children}</div>
        {error !== undefined && <NoPicture error={error} />}
      </div>
      <TextDifference {...texts} onReady={onReady} />
    </>
  );
}

interface TextProps extends Props {
  /** The texts are shown: their owner can move to their differences. */
  onReady?: (view: MergeView) => void;
}

/** Two texts side by side, with their differences. */
export function TextDifference({ before, after, titles, onReady }: TextProps): ReactNode {
  const [first, second] = titles;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!place.current) return;
    const view = new MergeView({
      a: { doc: before, extensions: extensions(first) },
      b: { doc: after, extensions: extensions(second) },
      parent: place.current,
      collapseUnchanged: { margin: 3, minSize: 6 },
    });
    onReady?.(view);
    return () => view.destroy();
  }, [before, after, first, second, onReady]);
  return (
    <div className="editor-merge">
      <div className="editor-merge-titles" aria-hidden>
        <span>{first}</span>
        <span>{second}</span>
      </div>
      <div ref={place} />
    </div>
  );
}
